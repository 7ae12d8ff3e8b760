#!/usr/bin/env bash
# Makes the standby the primary, and has PgBouncer send everything there. Run it when the primary is dead, and sure to stay so.
#
#   STANDBY=10.0.0.12:5432 OLD=10.0.0.11:5432 PRIMARY_INI=/etc/pgbouncer/primary.ini \
#     PGBOUNCER='host=127.0.0.1 port=6432 user=pgbouncer' ops/deploy/postgres/promote.sh
#
# Signs in as the superuser postgres (PGUSER) with what ~/.pgpass or PGPASSWORD says. PGBOUNCER may name several, with | between them.
set -euo pipefail

for name in STANDBY OLD PRIMARY_INI PGBOUNCER; do
  if [[ -z ${!name:-} ]]; then echo "promote: $name must be set; see the head of this file" >&2; exit 2; fi
done
export PGUSER=${PGUSER:-postgres} PGCONNECT_TIMEOUT=${PGCONNECT_TIMEOUT:-3}
at_standby() { psql -X -q -A -t -v ON_ERROR_STOP=1 -h "${STANDBY%:*}" -p "${STANDBY#*:}" -d postgres -c "$1"; }

# Two primaries would each accept what the other never hears of.
if pg_isready -q -h "${OLD%:*}" -p "${OLD#*:}" -t 2; then
  echo "promote: $OLD still answers; stop it, and see that nothing starts it again" >&2
  exit 1
fi
if [[ $(at_standby 'select pg_is_in_recovery()') == t ]]; then
  [[ $(at_standby 'select pg_promote(true, 60)') == t ]] || { echo "promote: $STANDBY did not become the primary" >&2; exit 1; }
fi
# With nobody left to wait for, commits would wait for ever. Set it again when there is a new standby (POSTGRES.md).
at_standby "alter system set synchronous_standby_names = ''"
at_standby 'select pg_reload_conf()' >/dev/null

sed -E "s/host=[^ ]+ port=[0-9]+/host=${STANDBY%:*} port=${STANDBY#*:}/" "$PRIMARY_INI" >"$PRIMARY_INI.new"
chown --reference="$PRIMARY_INI" "$PRIMARY_INI.new"
chmod --reference="$PRIMARY_INI" "$PRIMARY_INI.new"
mv "$PRIMARY_INI.new" "$PRIMARY_INI"

# RELOAD reads the file; with server_fast_close, and RECONNECT, nothing is kept of the old server. (KILL would be quicker where a host
# is gone without a word, and ends PgBouncer 1.18 itself now and then; keepalive gives such connections up within seconds.)
IFS='|' read -ra poolers <<<"$PGBOUNCER"
for pooler in "${poolers[@]}"; do
  for tries in {1..20}; do
    if psql -X -q -d "$pooler dbname=pgbouncer" -c RELOAD -c RECONNECT >/dev/null; then break; fi
    if ((tries == 20)); then echo "promote: reload the PgBouncer at $pooler yourself" >&2; exit 1; fi
    sleep 0.5
  done
done
echo "promote: $STANDBY is the primary; it has no standby yet"
