#!/usr/bin/env bash
# comment.sh ARTIFACTS FOLDER STACK...: one comment a stack on the pull request, from events that its own code wrote: so
# they are data, of any content. Run it from the default branch, with no more than the right to comment.
# PULL_REQUEST, HEAD_SHA: which pull request, and the commit that was previewed. Others: post.py.
set -euo pipefail
artifacts=$1 out=$2
shift 2
here=$(dirname "$0")
most=$((64 * 1024 * 1024))

for stack in "$@"; do
  folder=$out/$stack
  . "$here/stack.sh"
  events=$artifacts/$stack.jsonl
  code=3
  if [ -f "$events" ] && [ ! -L "$events" ] && [ "$(wc -c <"$events")" -le "$most" ]; then
    cp "$events" "$folder/$stack.jsonl"
    code=0
    report "$stack" || code=$?
  fi
  case $code in
  0 | 1 | 2) ;;
  *) printf '### %s: there is no report\n\nThe preview left no events that can be read; its own log says why.\n' \
    "$stack" >"$folder/$stack.md" ;;
  esac
  python3 "$here/post.py" comment "$stack" "$folder/$stack.md" "$code"
done
