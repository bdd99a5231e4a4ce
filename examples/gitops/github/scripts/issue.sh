#!/usr/bin/env bash
# issue.sh EVENTS FOLDER STACK...: one issue for all stacks while a nightly preview finds something, closed when that is
# gone. EVENTS has what drift.sh left.
set -euo pipefail
here=$(dirname "$0")
code=0
"$here/all.sh" "$@" || code=$?
python3 "$here/post.py" issue "$2/report.md" "$code"
