#!/usr/bin/env bash
# Runs the tests. `npm test -- test/email` runs those of a folder, `npm test -- test/email/limits.test.ts` one file.
# `npm run test:deep` runs the long ones (`*.deep.test.ts`), and with all their cases the files that import
# test/support/sample.ts or run-guide.ts. Other arguments go to tap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=() options=() deep=
for word in "$@"; do
  if [[ $word == --deep ]]; then
    deep=1
  elif [[ -d $word ]]; then
    mapfile -t -O "${#files[@]}" files < <(find "$word" -name '*.test.ts' ! -name '*.deep.test.ts')
  elif [[ $word == *.test.ts && -f $word ]]; then
    files+=("$word")
  elif [[ $word == -* ]]; then
    options+=("$word")
  else
    echo "$word does not exist, or is not a folder or a test file (*.test.ts)" >&2
    exit 2
  fi
done

# A sandbox without a network needs leave to make one, which not every machine gives.
if [[ ! -v SANDBOX ]]; then
  if unshare -n true 2>&- || unshare -rn true 2>&-; then SANDBOX=on; else SANDBOX=off; fi
fi
export SANDBOX PATH=$PWD/node_modules/.bin:$PATH LOG_LEVEL=${LOG_LEVEL:-warn} NODE_COMPILE_CACHE=$PWD/node_modules/.cache/node

if [[ $deep ]]; then
  export SWEEP=whole
  mapfile -t files < <(find test -name '*.deep.test.ts' && grep -rlE --include='*.test.ts' --exclude='*.deep.test.ts' 'support/(sample|run-guide).ts' test)
  exec tap "${options[@]}" "${files[@]}"
fi
if ((${#files[@]} == 0)); then mapfile -t files < <(find test -name '*.test.ts' ! -name '*.deep.test.ts'); fi
if ((${#files[@]} > 1)); then
  entries=$(node test/support/groups/main.ts "${files[@]}")
  mapfile -t files <<<"$entries"
fi
exec tap "${options[@]}" "${files[@]}"
