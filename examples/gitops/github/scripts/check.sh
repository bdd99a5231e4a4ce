#!/usr/bin/env bash
# check.sh STACK FOLDER: preview.sh, as the check of a pull request: a stack that changes is no failure.
set -euo pipefail
code=0
"$(dirname "$0")/preview.sh" "$@" || code=$?
[ "$code" -eq 2 ] || exit "$code"
