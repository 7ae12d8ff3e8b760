#!/usr/bin/env bash
# Backs up Millrace's database into the folder BACKUP_PATH, and removes what is older than BACKUP_DAYS (14).
#
#   DATABASE_URL=postgres://… BACKUP_PATH=/var/backups/millrace ops/deploy/postgres/backup.sh          a dump, for one database
#   REPLICATION_URL=postgres://… BACKUP_PATH=… ops/deploy/postgres/backup.sh base                      a base backup, for a point in time
#
# Neither holds anybody up. What is in the folder under its final name is whole; what is not begins with a dot.
set -euo pipefail
umask 077

kind=${1:-dump}
fail() { echo "backup: $*" >&2; exit 2; }
[[ -n ${BACKUP_PATH:-} ]] || fail "BACKUP_PATH must be set: the folder that backups go to"
[[ -d $BACKUP_PATH ]] || fail "BACKUP_PATH: there is no folder $BACKUP_PATH"
days=${BACKUP_DAYS:-14}
[[ $days =~ ^[1-9][0-9]*$ ]] || fail "BACKUP_DAYS must be a whole number, at least 1"
stamp=$(date -u +%Y%m%dT%H%M%SZ)

# Removes the unfinished one, whatever ends this script.
unfinished=$BACKUP_PATH/.$kind-$stamp-$$
trap 'rm -rf "$unfinished"' EXIT

case $kind in
  dump)
    [[ -n ${DATABASE_URL:-} ]] || fail "DATABASE_URL must be set: the primary or a standby, past any pooler"
    pg_dump --format=custom --compress=6 --no-owner --lock-wait-timeout=60s --file="$unfinished" "$DATABASE_URL"
    # Read back: a file that lists no table data is no backup.
    grep 'TABLE DATA public migrations' >/dev/null < <(pg_restore --list "$unfinished") || fail "the dump cannot be read back"
    final=$BACKUP_PATH/millrace-$stamp.dump
    ;;
  base)
    [[ -n ${REPLICATION_URL:-} ]] || fail "REPLICATION_URL must be set: the primary or a standby, as a role with REPLICATION"
    pg_basebackup --pgdata="$unfinished" --dbname="$REPLICATION_URL" --format=tar --gzip --wal-method=stream --checkpoint=fast
    pg_verifybackup --no-parse-wal "$unfinished" >/dev/null 2>&1 || [[ -s $unfinished/backup_manifest && -s $unfinished/base.tar.gz ]] ||
      fail "the base backup is not whole"
    final=$BACKUP_PATH/base-$stamp
    ;;
  *) fail "there is no backup \"$kind\": dump or base" ;;
esac

# On the disk before it has its name.
sync -f "$unfinished"
mv -T "$unfinished" "$final"
find "$BACKUP_PATH" -mindepth 1 -maxdepth 1 \( -name 'millrace-*.dump' -o -name 'base-*' \) -mtime "+$((days - 1))" ! -path "$final" \
  -exec rm -rf {} +
echo "backup: $final, $(du -sh "$final" | cut -f1)"
