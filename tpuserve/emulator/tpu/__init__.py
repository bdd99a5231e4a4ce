"""Cloud TPU: google.cloud.tpu.v2alpha1, the methods about queued resources and nodes."""
