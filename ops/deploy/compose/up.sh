#!/bin/sh
# Starts an installation on this host with one command, and shows where to sign in: `sh ops/deploy/compose/up.sh you@example.com`. It
# can be repeated: secrets, data and organisations stay. COMPOSE selects another program, such as `podman-compose`.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
email=${1:-}
case $email in
  "" | *@*) ;;
  *) echo "Usage: sh up.sh [EMAIL]. EMAIL is the address of the first owner." >&2 && exit 2 ;;
esac

find_compose() {
  if [ -n "${COMPOSE:-}" ]; then echo "$COMPOSE"
  elif docker compose version >/dev/null 2>&1; then echo "docker compose"
  elif command -v podman-compose >/dev/null; then echo "podman-compose"
  elif command -v docker-compose >/dev/null; then echo "docker-compose"
  else
    echo "Neither Docker Compose nor podman-compose is installed. Install one of them, or set COMPOSE." >&2
    exit 1
  fi
}
program=$(find_compose)
compose() { $program -f "$folder/compose.yaml" "$@"; }

health="/app/node_modules/node/bin/node /app/ops/deploy/entry.ts health"

# Passkeys need a host name, so a trial on this host uses `localhost` for the dashboard.
choose_app_url() {
  if [ -n "${APP_URL:-}${PUBLIC_URL:-}" ] || grep -Eq '^(APP_URL|PUBLIC_URL)=' "$folder/.env"; then return 0; fi
  echo "APP_URL=http://localhost:8080" >>"$folder/.env"
}

# Waits up to 10 minutes for the ingress, which is healthy after the migrations.
wait_until_healthy() {
  tries=0
  until compose exec -T ingress $health </dev/null >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -ge "${UP_TRIES:-600}" ]; then
      echo "Millrace did not become healthy. The last lines of its log:" >&2
      compose logs --tail 20 migrate ingress >&2 || true
      exit 1
    fi
    sleep 1
  done
}

# Creates the organisation `main` if there is none, and a link with which its owner can join. The link works once.
invite_owner() {
  if ! compose exec -T ingress millrace orgs </dev/null | awk '$2 == "main" { found = 1 } END { exit !found }'; then
    compose exec -T ingress millrace orgs create main </dev/null >/dev/null
  fi
  compose exec -T ingress millrace orgs invite main "$email" --role owner </dev/null
}

sh "$folder/secrets.sh"
if [ ! -e "$folder/seccomp.json" ] && [ -z "${MILLRACE_SECCOMP:-}" ]; then sh "$folder/seccomp.sh"; fi
choose_app_url
compose up -d --build
echo "Waiting until Millrace is healthy."
wait_until_healthy
read_setting() { sed -n "s/^$1=//p" "$folder/.env" | tail -n 1; }
url=${APP_URL:-$(read_setting APP_URL)}
url=${url:-${PUBLIC_URL:-$(read_setting PUBLIC_URL)}}
echo "Millrace is healthy. Dashboard: $url/app"
if [ -n "$email" ]; then invite_owner; else echo "To create the first owner: sh $0 you@example.com"; fi
