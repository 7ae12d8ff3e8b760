#!/usr/bin/env bash
# Creates all generated files: the types of the browser clients, the SDKs, the tables of ops/CONFIGURE.md and the
# Kubernetes manifests. `npm run generate` runs it with the project's own Node.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node ops/browser-types.ts
node sdk/generate/main.ts
python3 sdk/python/blocking.py
node ops/config-table.ts
node ops/retention-table.ts
node ops/deploy/kubernetes/make.ts
node ops/deploy/helm/make.ts
node ops/deploy/grafana/make.ts
