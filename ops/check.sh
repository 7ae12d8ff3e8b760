#!/usr/bin/env bash
# Runs the checks of `npm run check` at the same time, and prints the output of each in order.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

parts=(types lint dead layers regex openapi prose)
said=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>&-; rm -rf "$said"' EXIT

for part in "${parts[@]}"; do
  npm run -s "check:$part" >"$said/$part" 2>&1 &
  running+=($!)
done
failed=0
for at in "${!parts[@]}"; do
  wait "${running[at]}" || failed=1
  cat "$said/${parts[at]}"
done
exit "$failed"
