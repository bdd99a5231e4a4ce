#!/usr/bin/env bash
# comment.sh ARTIFACTS FOLDER STACK...: one comment on the pull request for all stacks, from events that its own code
# wrote: so they are data, of any content. Run it from the default branch, with no more than the right to comment.
# PULL_REQUEST, HEAD_SHA: which pull request, and the commit that was previewed. Others: post.py.
set -euo pipefail
here=$(dirname "$0")
code=0
"$here/all.sh" "$@" || code=$?
python3 "$here/post.py" comment "$2/report.md" "$code"
