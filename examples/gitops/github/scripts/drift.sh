#!/usr/bin/env bash
# drift.sh STACK FOLDER: what is other than the state says, and what is merged and not applied. Nothing is changed.
# Left in FOLDER: STACK.md and STACK.code, the exit code of the report. Exit code 0, or 1 where there is no report.
set -euo pipefail
stack=$1 folder=$2
code=0
"$(dirname "$0")/preview.sh" "$stack" "$folder" --refresh || code=$?
[ "$code" -le 2 ] || exit 1
echo "$code" >"$folder/$stack.code"
