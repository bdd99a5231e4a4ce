#!/usr/bin/env bash
# install.sh: the locked environment of this repository, and its programs on PATH for the steps that follow.
set -euo pipefail
python3 -m tools.environment up
echo "$PWD/.venv/bin" >>"$GITHUB_PATH"
