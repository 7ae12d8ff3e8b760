#!/usr/bin/env bash
# Tests the image and the Compose file: builds the image, starts the Compose file with podman-compose in separate namespaces, runs the
# tour against it and checks that only the worker can isolate engines. Needs root. Exits with 0, with 1 if something does not work, or
# with 77 and the reason if this host cannot run the test.
#   BASE_IMAGE   base image that replaces the one of the Containerfile; if it cannot be fetched, debootstrap creates one
#   TRY_STORAGE  folder to keep the images, so that they are not built again; by default everything is removed at the end
#   NPMRC, NODE_EXTRA_CA_CERTS  files with npm settings and proxy certificates, used only for the build
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/../.."
image=localhost/millrace-try postgres=localhost/millrace-try-postgres own_base=localhost/millrace-try-base

say() { echo "try: $*"; }
cannot() {
  say "this host cannot: $*"
  exit 77
}
fail() {
  say "FAILED: $*"
  exit 1
}

demand_host() {
  ((EUID == 0)) || cannot 'it needs root'
  local program
  for program in podman podman-compose crun iptables ip unshare curl; do
    command -v $program >/dev/null || cannot "there is no $program"
  done
  unshare --net --mount --pid --fork true 2>/dev/null || cannot 'it may not make namespaces'
}

# Uses the limits of this process, because podman's limits exceed those of some hosts and cgroups are often managed by others. Reduces
# podman's default profile to Docker's, which does not allow unshare.
configure() {
  sed '/^[[:space:]]*"unshare",$/d' /usr/share/containers/seccomp.json >"$TRY_WORK/default.json"
  cat >"$TRY_WORK/containers.conf" <<END
[containers]
default_ulimits = ["nofile=1024:$(ulimit -Hn)", "nproc=4096:4096"]
cgroups = "disabled"
seccomp_profile = "$TRY_WORK/default.json"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
END
  cat >"$TRY_WORK/storage.conf" <<END
[storage]
driver = "overlay"
runroot = "$TRY_WORK/run"
graphroot = "$storage"
END
}

choose_base() {
  local named
  named=$(sed -n 's/^ARG BASE=//p' ops/deploy/Containerfile)
  if [[ -n ${BASE_IMAGE:-} ]]; then
    base=$BASE_IMAGE
  elif timeout 60 podman pull -q "$named" >/dev/null 2>&1; then
    base=$named
  else
    command -v debootstrap >/dev/null || cannot "$named cannot be fetched, and there is no debootstrap"
    say "$named cannot be fetched; debootstrap makes a base"
    debootstrap --variant=minbase bookworm "$TRY_WORK/bare" http://deb.debian.org/debian >"$TRY_WORK/debootstrap.log" 2>&1 ||
      cannot "debootstrap failed: $(tail -n 1 "$TRY_WORK/debootstrap.log")"
    tar -c -C "$TRY_WORK/bare" . | podman import -q - $own_base >/dev/null
    rm -rf "$TRY_WORK/bare"
    base=$own_base
  fi
}

build() {
  if podman image exists $image && podman image exists $postgres; then
    say "$image is there"
    return
  fi
  choose_base
  say "building the image on $base"
  local secrets=()
  if [[ -n ${NPMRC:-} ]]; then secrets+=(--secret "id=npmrc,src=$NPMRC"); fi
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then secrets+=(--secret "id=ca,src=$NODE_EXTRA_CA_CERTS"); fi
  podman build --format docker --build-arg "BASE=$base" "${secrets[@]}" -f ops/deploy/Containerfile -t $image . \
    >"$TRY_WORK/build.log" 2>&1 || { tail -n 20 "$TRY_WORK/build.log"; fail 'the image is not built'; }
  say 'building a Postgres of Debian’s for it'
  podman build --format docker --build-arg "BASE=$base" -t $postgres ops/deploy/try-postgres \
    >"$TRY_WORK/build.log" 2>&1 || { tail -n 20 "$TRY_WORK/build.log"; fail 'Postgres is not built'; }
}

# Uses a copy, because secrets and profile are created next to the file.
prepare() {
  cp -r ops/deploy/compose "$TRY_WORK/compose"
  rm -f "$TRY_WORK"/compose/{.env,seccomp.json}
  sh "$TRY_WORK/compose/secrets.sh" >/dev/null
  sh "$TRY_WORK/compose/seccomp.sh" "$TRY_WORK/default.json" >/dev/null
  # The ladder has low priority on a host, which would make the test depend on other load.
  printf 'services: { worker: { environment: { MEDIA_NICE: "0" } } }\n' >"$TRY_WORK/compose/try.yaml"
}

compose() { podman-compose --no-ansi -p millrace-try -f "$TRY_WORK/compose/compose.yaml" -f "$TRY_WORK/compose/try.yaml" "$@"; }
of() { podman ps -aq --filter "label=com.docker.compose.service=$1"; }

bring_up() {
  say 'bringing the Compose file up'
  MILLRACE_IMAGE=$image POSTGRES_IMAGE=$postgres compose up -d >"$TRY_WORK/up.log" 2>&1 || { tail -n 20 "$TRY_WORK/up.log"; fail 'it does not come up'; }
  local stage begun=$SECONDS
  for stage in postgres migrate ingress worker; do
    until "has_$stage"; do
      if ((SECONDS - begun > $(patience))); then
        for each in postgres migrate ingress worker; do podman logs --tail 15 "$(of $each)"; done
        give_up "$stage is not ready after $((SECONDS - begun)) s"
      fi
      sleep 2
    done
    say "$stage is ready after $((SECONDS - begun)) s"
  done
}

# Maximum seconds. On busy processors each process takes longer.
patience() { awk -v cpus="$(nproc)" '{ turns = $1 / cpus; print int(300 * (turns < 1 ? 1 : turns > 4 ? 4 : turns)) }' /proc/loadavg; }

# In the order of their dependencies. Each is checked only when it is next, because podman also needs CPU.
has_postgres() { podman logs "$(of postgres)" 2>&1 | grep 'ready to accept connections' >/dev/null; }
has_migrate() { [[ $(podman inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$(of migrate)" 2>/dev/null) == 'exited 0' ]]; }
has_ingress() { curl -fsS -o /dev/null --max-time 5 http://127.0.0.1:8080/readyz 2>/dev/null; }
# Its health check succeeds before its pools have started.
has_worker() { podman logs "$(of worker)" 2>/dev/null | grep '^workers ready: .*\bmedia\b' >/dev/null; }

# Checks whether the worker got enough CPU. A test on busy processors proves nothing.
give_up() {
  local tini ran waited
  podman ps -a --format '{{.Names}} {{.Status}}'
  tini=$(podman inspect -f '{{.State.Pid}}' "$(of worker)")
  read -r ran waited _ <"/proc/$(cut -d ' ' -f 1 "/proc/$tini/task/$tini/children")/schedstat" || fail "$1"
  if ((waited > 4 * ran)); then
    cannot "$1, as its $(nproc) processors are busy with something else (load $(cut -d ' ' -f 1 /proc/loadavg)): the worker ran for $((ran / 10 ** 9)) s, and waited for a processor for $((waited / 10 ** 9)) s"
  fi
  fail "$1"
}

see_walls() {
  podman exec "$(of worker)" unshare -rn true || fail 'the worker cannot wall engines off'
  if podman exec "$(of worker)" unshare -rm true 2>/dev/null; then fail 'the worker may make mounts of its own'; fi
  local each
  for each in ingress scanner store; do
    if podman exec "$(of $each)" unshare -rn true 2>/dev/null; then fail "$each may use unshare"; fi
  done
  say 'the worker walls engines off, and no other service may use unshare'
}

show_tour() {
  local variable address variables=()
  address=$(podman inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(of postgres)")
  for variable in DATABASE_URL SIGNING_SECRET PUBLIC_URL; do
    variables+=(-e "$variable=$(podman exec "$(of ingress)" printenv $variable | sed "s/@postgres:/@$address:/")")
  done
  local engines=$TRY_WORK/engines watcher
  bash ops/deploy/try-engines.sh "$(podman inspect -f '{{.State.Pid}}' "$(of worker)")" >"$engines" &
  watcher=$!
  # As clients do, uses the published ports.
  if ! podman run --rm --network host --tmpfs /tmp:mode=1777 "${variables[@]}" $image tour; then
    podman logs --tail 30 "$(of worker)"
    give_up 'the tour failed'
  fi
  kill $watcher
  if grep ' open: ' "$engines"; then fail 'engines of the worker ran without these walls'; fi
  grep -q ' ffmpeg walled$' "$engines" || fail 'no ffmpeg was seen in the worker'
  say "the worker walled off every engine that was seen to open a file: $(wc -l <"$engines") runs, without network and with limits"
}

inside() {
  if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
  mkdir -p /run/netns && mount -t tmpfs none /run/netns
  ip link set lo up
  prepare
  bring_up
  see_walls
  show_tour
  say 'works'
}

if [[ ${1:-} == inside ]]; then
  inside
  exit
fi
demand_host
TRY_WORK=$(mktemp -d /tmp/millrace-try-XXXXXX)
chmod 711 "$TRY_WORK"
export TRY_WORK CONTAINERS_CONF=$TRY_WORK/containers.conf CONTAINERS_STORAGE_CONF=$TRY_WORK/storage.conf BUILDAH_ISOLATION=chroot
storage=${TRY_STORAGE:-$TRY_WORK/storage}
# Containers of a killed run are still in the storage. Removes the folder with its mounts.
trap 'podman rm -fa -t 0 >/dev/null 2>&1 || true; podman volume rm -fa >/dev/null 2>&1 || true; umount -R "$storage/overlay" 2>/dev/null || true; rm -rf "$TRY_WORK"' EXIT
configure
build
# Firewall rules, bridges, mounts and processes end with the namespaces.
unshare --net --mount --pid --fork --mount-proc --kill-child bash "$0" inside
