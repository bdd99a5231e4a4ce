#!/bin/bash
# Startup script of a TPU VM: serve the digits model on port 8080 of every host of a slice, with Vertex AI's own image.
# The image is read from the node's own metadata, key serving-image, so that this script is the same for every version.
# Assumed, for it has never run on a TPU VM: the runtime has Docker and gcloud, and its service account may read the image.
set -euo pipefail

attribute() {
  curl --fail --silent --show-error --header "Metadata-Flavor: Google" \
    "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1"
}

if ! image="$(attribute serving-image)"; then
  echo "startup: no image to serve: set the node's metadata key serving-image to the image of the model," \
    "e.g. REGION-docker.pkg.dev/PROJECT/REPOSITORY/digits:1" >&2
  exit 1
fi

gcloud auth configure-docker "${image%%/*}" --quiet
# Google runs this script at every boot; the container of the last one is replaced.
docker rm --force digits >/dev/null 2>&1 || true
# --privileged: the chips are devices of the host, and the server raises its own limit of locked memory.
docker run --detach --name digits --restart always --privileged --net host \
  --env AIP_HTTP_PORT=8080 --env AIP_HEALTH_ROUTE=/health --env AIP_PREDICT_ROUTE=/predict "$image"
