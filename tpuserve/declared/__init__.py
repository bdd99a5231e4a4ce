"""What a stack declares, read the same way by the policy pack and by the report: endpoints, TPU chips, prices."""
