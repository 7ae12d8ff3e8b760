#!/bin/sh
# Creates the seccomp profile of the workers in this folder, where Compose expects it: the default profile of the container engine
# plus the system call that isolates engines. `sh seccomp.sh FILE` starts from another profile.
set -eu
# Docker's profile is compiled in and published here. Podman's profile is a file.
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
# Any combination of the two flags CLONE_NEWUSER and CLONE_NEWNET (0x50000000), and no other flag: 2952790015 is 0xAFFFFFFF.
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
