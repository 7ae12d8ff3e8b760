#!/bin/sh
# Creates the secrets of an installation in the `.env` of this folder, which `docker compose` reads. Existing values stay.
set -eu
file=$(dirname "$0")/.env
secret() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
if [ -e "$file" ]; then cat "$file" >"$file.new"; else : >"$file.new"; fi
if [ -n "$(tail -c 1 "$file.new")" ]; then echo >>"$file.new"; fi
has() { grep -q "^$1=" "$file.new"; }
has POSTGRES_PASSWORD || echo "POSTGRES_PASSWORD=$(secret 24)" >>"$file.new"
has S3_ACCESS_KEY || echo "S3_ACCESS_KEY=MR$(secret 9)" >>"$file.new"
has S3_SECRET_KEY || echo "S3_SECRET_KEY=$(secret 24)" >>"$file.new"
has SIGNING_SECRET || echo "SIGNING_SECRET=$(secret 32)" >>"$file.new"
has ROOMS_TURN_SECRET || echo "ROOMS_TURN_SECRET=$(secret 24)" >>"$file.new"
if cmp -s "$file" "$file.new"; then
  rm "$file.new"
  chmod 600 "$file"
  echo "$file already has all values and is unchanged."
  exit
fi
mv "$file.new" "$file"
echo "$file created. Keep it, and keep it secret."
