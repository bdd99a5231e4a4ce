# shellcheck shell=bash
# Sourced by the others: what holds for a stack. `stack` is its name, `folder` where what is told of it goes.
# POLICY_PACK: the policy pack; policies/analyzer where it is not set, none where it is empty.

config="stacks/policy-config.${stack:?}.json"
pack=() limits=()
if [ -f "$config" ]; then
  limits=(--limits "$config")
fi
if [ -n "${POLICY_PACK-policies/analyzer}" ]; then
  pack=(--policy-pack "${POLICY_PACK-policies/analyzer}")
  if [ -f "$config" ]; then
    pack+=(--policy-pack-config "$config")
  fi
fi
mkdir -p "${folder:?}"
export PULUMI_SKIP_UPDATE_CHECK=true

# pulumi_run NAME VERB [OPTION...]: the engine on the stack; its events are left in FOLDER/NAME.jsonl.
pulumi_run() {
  local name=$1 verb=$2
  shift 2
  rm -f "$folder/$name.jsonl"
  PULUMI_DEBUG_COMMANDS=true pulumi "$verb" --stack "$stack" --non-interactive --color never \
    --event-log "$folder/$name.jsonl" "${pack[@]}" "$@"
}

# report NAME: what a reviewer reads of these events, in FOLDER/NAME.md and in the summary of the job. The exit code is
# that of `tpuserve report`: 0 nothing changes, 1 blocked, 2 changes, 3 no report.
report() {
  local code=0
  tpuserve report "$folder/$1.jsonl" --stack-title "$stack" "${limits[@]}" >"$folder/$1.md" || code=$?
  [ -s "$folder/$1.md" ] || code=3
  cat "$folder/$1.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  return "$code"
}
