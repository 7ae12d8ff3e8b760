# The first start creates the database. Then runs the command of the Compose file.
set -eu
data=/var/lib/postgresql/data
if [ ! -e $data/PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --locale=C.UTF-8 --encoding=UTF8
  rm /tmp/password
  echo "create database $POSTGRES_DB" | postgres --single -D $data postgres
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
fi
exec "$@" -D $data -c 'listen_addresses=*'
