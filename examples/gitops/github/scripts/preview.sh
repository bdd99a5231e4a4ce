#!/usr/bin/env bash
# preview.sh STACK FOLDER [OPTION...]: what an update would do; nothing is changed. OPTION is one of `pulumi preview`,
# such as --refresh. Left in FOLDER: STACK.jsonl, the engine's events, and STACK.md, what a reviewer reads.
# Exit code: 0 nothing changes, 1 blocked or failed, 2 changes, 3 no report.
set -euo pipefail
stack=$1 folder=$2
shift 2
. "$(dirname "$0")/stack.sh"

export PULUMI_SKIP_CHECKPOINTS=true # a preview writes no state
# A preview that a policy blocks fails: its events say why, and the report blocks.
pulumi_run "$stack" preview "$@" || echo "pulumi preview ended with code $?" >&2
report "$stack"
