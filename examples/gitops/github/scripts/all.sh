#!/usr/bin/env bash
# all.sh EVENTS FOLDER STACK...: one report of all stacks in FOLDER/report.md, from EVENTS/STACK.jsonl of each, which may
# be of any content. A stack without events that can be read is named in it, and blocks.
# Exit code: 0 nothing changes, 1 blocked, 2 changes.
set -euo pipefail
events=$1 folder=$2
shift 2
most=$((64 * 1024 * 1024))
given=() missing=()
why="its preview left no events that can be read, or its policy configuration is wrong; the logs say which"
mkdir -p "$folder"
text=$folder/report.md

for stack in "$@"; do
  file=$events/$stack.jsonl own=("$stack=$events/$stack.jsonl")
  if [ -f "stacks/policy-config.$stack.json" ]; then
    own+=(--limits "$stack=stacks/policy-config.$stack.json")
  fi
  if [ -f "$file" ] && [ ! -L "$file" ] && [ "$(wc -c <"$file")" -le "$most" ] &&
    { tpuserve report "${own[@]}" >"$text" || [ $? -le 2 ]; } && [ -s "$text" ]; then
    given+=("${own[@]}")
  else
    missing+=("### 🛑 $stack: there is no report; $why")
  fi
done

code=0
: >"$text"
if [ ${#given[@]} -gt 0 ]; then
  tpuserve report "${given[@]}" >"$text" || code=$?
fi
if [ ! -s "$text" ]; then
  [ ${#missing[@]} -gt 0 ] || missing=("### 🛑 there is no report of all stacks; the log of this job says why")
fi
[ ${#missing[@]} -eq 0 ] || code=1
{
  echo '<!-- tpuserve:report -->'
  [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
  tail -n +2 "$text"
} >"$text.whole"
mv "$text.whole" "$text"
cat "$text" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
