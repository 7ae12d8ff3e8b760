#!/usr/bin/env bash
# Runs the tests; `npm test -- test/email` those of a folder, but not its long ones (`*.deep.test.ts`), and other words go to tap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

words=()
for word in "$@"; do
  if [[ -d $word ]]; then
    mapfile -t -O "${#words[@]}" words < <(find "$word" -name '*.test.ts' ! -name '*.deep.test.ts' | sort)
  else
    words+=("$word")
  fi
done

# A sandbox without a network needs leave to make one, which not every machine gives.
if [[ ! -v SANDBOX ]]; then
  if unshare -n true 2>&- || unshare -rn true 2>&-; then SANDBOX=on; else SANDBOX=off; fi
fi
export SANDBOX PATH=$PWD/node_modules/.bin:$PATH LOG_LEVEL=${LOG_LEVEL:-warn} NODE_COMPILE_CACHE=$PWD/node_modules/.cache/node
exec tap "${words[@]}"
