#!/bin/sh
# Makes the seccomp profile of the workers, in the file beside this one that Compose names: the default one of the container engine,
# and the system call with which an engine is walled off. `sh seccomp.sh FILE` takes another profile than the engine's.
set -eu
# Docker has its own compiled in, and publishes it here; podman's is a file.
published=https://raw.githubusercontent.com/moby/moby/v28.0.0/profiles/seccomp/default.json
podman=/usr/share/containers/seccomp.json
file=$(dirname "$0")/seccomp.json
default() {
  if [ $# -gt 0 ]; then
    cat "$1"
  elif command -v docker >/dev/null || [ ! -r $podman ]; then
    curl -fsSL --max-time 60 $published
  else
    cat $podman
  fi
}
# Any mask of the two flags CLONE_NEWUSER and CLONE_NEWNET (0x50000000), with no other in it: 2952790015 is 0xAFFFFFFF.
rule='{"names":["unshare"],"action":"SCMP_ACT_ALLOW","args":[{"index":0,"value":2952790015,"valueTwo":0,"op":"SCMP_CMP_MASKED_EQ"}]}'
trap 'rm -f "$file.default" "$file.new"' EXIT
default "$@" >"$file.default"
sed "s/\"syscalls\": *\[/&$rule,/" "$file.default" >"$file.new"
if ! grep -q 2952790015 "$file.new"; then
  echo "That is no seccomp profile with a list of syscalls." >&2
  exit 1
fi
mv "$file.new" "$file"
echo "$file is made: the default profile, and unshare of users and networks."
