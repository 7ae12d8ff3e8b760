#!/usr/bin/env bash
# Packs the client libraries into sdk/packages, from which the server offers them. Does nothing if no source has changed.
# Needs npm packages for development (tsc) and Python 3.11 or newer. `sdk/pack.sh check` only reports whether it has to run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

sources() {
  find node/src node/package.json node/tsconfig.json node/build.js node/README.md node/OUTBOX.md node/REACT.md \
    python/src python/blocking.py python/wheel.py python/pyproject.toml python/README.md pack.sh \
    -type f -not -path '*/_sync/*' -not -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum
}

stamp=packages/.sources
wanted=$(sources)
if [[ -e $stamp && $(<"$stamp") == "$wanted" ]]; then exit; fi
if [[ ${1:-} == check ]]; then exit 1; fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
(cd node && PATH="$PWD/../../node_modules/.bin:$PATH" npm pack --silent --pack-destination "$made")
if command -v python3 >/dev/null; then PYTHONDONTWRITEBYTECODE=1 python3 python/wheel.py "$made"; fi
mkdir -p packages
rm -f packages/*
mv "$made"/* packages/
echo "$wanted" >"$stamp"
