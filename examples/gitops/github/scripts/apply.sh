#!/usr/bin/env bash
# apply.sh STACK APPROVED FOLDER: updates the stack to what was approved. APPROVED has the events of the preview that
# the approval was given for. It previews again first, and stops where that would do anything else.
# Where no resource changes the update writes what a report does not tell: the stack's outputs.
# Exit code 0: updated; else 1, and after a failed update it lists what the state does not know.
set -euo pipefail
stack=$1 approved=$2 folder=$3
here=$(dirname "$0")
. "$here/stack.sh"

code=0
"$here/preview.sh" "$stack" "$folder" || code=$?
case $code in
0) echo "$stack: no resource changes" ;;
2) python3 "$here/same.py" "$approved" "$folder/$stack.jsonl" "${limits[@]}" ;;
*) echo "$stack: the preview before the update is blocked or failed; nothing was changed" >&2 && exit 1 ;;
esac

if ! pulumi_run "$stack.up" up --yes --skip-preview; then
  report "$stack.up" || true
  echo "$stack: the update failed. What it made and the state does not know:" >&2
  tpuserve orphans --stack "$stack" || true
  exit 1
fi
report "$stack.up" || [ $? -eq 2 ]
