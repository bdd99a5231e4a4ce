#!/usr/bin/env bash
# drift.sh STACK FOLDER: preview.sh with a refresh: what is other than the state says, and what is merged and not applied.
# What it finds is no failure: issue.sh tells of it. Exit code 0, or 3 where there is no report.
set -euo pipefail
code=0
"$(dirname "$0")/preview.sh" "$1" "$2" --refresh || code=$?
[ "$code" -le 2 ] || exit "$code"
