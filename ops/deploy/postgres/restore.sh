#!/usr/bin/env bash
# Brings back what backup.sh made. No worker and no ingress may run on the database meanwhile.
#
#   DATABASE_URL=postgres://… ops/deploy/postgres/restore.sh FILE.dump                     into an empty database
#   WAL_ARCHIVE=/folder ops/deploy/postgres/restore.sh FOLDER DATA [TIME]                   a server's data folder, as it was at TIME
#
# The second is run as the account of Postgres; the server is started on DATA afterwards, and is a primary when it has reached TIME
# (default: the end of the archive). What comes back, and what cannot: ../POSTGRES.md.
set -euo pipefail

fail() { echo "restore: $*" >&2; exit 2; }
source=${1:-}
[[ -n $source ]] || fail "which backup? See the head of this file"
[[ -e $source ]] || fail "there is no $source"

if [[ -f $source ]]; then
  [[ -n ${DATABASE_URL:-} ]] || fail "DATABASE_URL must be set: an empty database"
  tables=$(psql -X -A -t -d "$DATABASE_URL" -c "select count(*) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')")
  ((tables == 0)) || fail "the database of DATABASE_URL has $tables tables already; restore into an empty one"
  # All of it or nothing.
  pg_restore --dbname="$DATABASE_URL" --no-owner --single-transaction --exit-on-error "$source"
  # No worker of then is alive: what they held waits again, at no cost of an attempt.
  psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$DATABASE_URL" -c 'analyze' \
    -c "select count(*) || ' workers of then are declared lost when one starts' from jobs.workers where state = 'alive'"
  echo "restore: done; run migrate of the release that is to run, then start it"
  exit 0
fi

data=${2:-} time=${3:-}
[[ -n $data ]] || fail "which data folder?"
[[ ! -e $data || -z $(ls -A "$data") ]] || fail "$data is not empty"
[[ -n ${WAL_ARCHIVE:-} && -d $WAL_ARCHIVE ]] || fail "WAL_ARCHIVE must be the folder that archive_command fills"
[[ -s $source/base.tar.gz ]] || fail "$source is no base backup"
mkdir -p "$data"
chmod 700 "$data"
tar -xzf "$source/base.tar.gz" -C "$data"
tar -xzf "$source/pg_wal.tar.gz" -C "$data/pg_wal"
{
  echo "restore_command = 'cp \"$WAL_ARCHIVE/%f\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  # A restored server is alone.
  echo "synchronous_standby_names = ''"
  if [[ -n $time ]]; then echo "recovery_target_time = '$time'"; fi
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "restore: start the server on $data; it replays the archive${time:+ up to $time}"
