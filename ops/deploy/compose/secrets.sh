#!/bin/sh
# Makes the secrets of an installation, once, in the file beside this one that `docker compose` reads.
set -eu
file=$(dirname "$0")/.env
if [ -e "$file" ]; then
  echo "$file is there already, and stays as it is."
  exit
fi
secret() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
cat >"$file.new" <<END
POSTGRES_PASSWORD=$(secret 24)
S3_ACCESS_KEY=MR$(secret 9)
S3_SECRET_KEY=$(secret 24)
SIGNING_SECRET=$(secret 32)
END
mv "$file.new" "$file"
echo "$file is made; keep it, and keep it secret."
