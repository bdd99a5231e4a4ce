#!/usr/bin/env bash
# issue.sh FOLDER STACK...: one issue a stack while its nightly preview finds something, closed when that is gone.
# FOLDER has what drift.sh left. Exit code 1 where a stack has none, after the others were told.
set -euo pipefail
folder=$1
shift
missing=0
for stack in "$@"; do
  if [ -f "$folder/$stack.code" ]; then
    python3 "$(dirname "$0")/post.py" issue "$stack" "$folder/$stack.md" "$(cat "$folder/$stack.code")"
  else
    echo "$stack: nothing was found out; the log of its preview says why" >&2
    missing=1
  fi
done
exit "$missing"
