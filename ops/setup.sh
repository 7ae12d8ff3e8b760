#!/usr/bin/env bash
# Prepares this checkout. `ops/setup.sh`: for `npm start`. `ops/setup.sh test`: also for the tests. `ops/setup.sh deep`: also for the deep tests.
# Runs before `npm start` and `npm test`. Prints one line per action, and nothing if everything is installed.
# `ops/setup.sh list` prints the Debian packages for `npm start`, for example for an image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

start_packages=(ffmpeg clamav-daemon clamav libarchive-tools xz-utils bzip2 7zip lz4 lzop nginx-light
  libnginx-mod-rtmp libnginx-mod-stream janus coturn qpdf poppler-utils pocketsphinx pocketsphinx-en-us gstreamer1.0-tools
  gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly
  gstreamer1.0-libav gstreamer1.0-x fonts-droid-fallback tesseract-ocr tesseract-ocr-eng espeak-ng)
test_packages=(arj chromium chromium-headless-shell clamav-testfiles curl e2fsprogs flite fonts-ocr-b iproute2 libfaketime
  libnet-ssleay-perl libphp-phpmailer libsasl2-modules lynx msmtp mtools mypy ncompress nsd opendkim opendkim-tools openssl
  pebble pgbouncer php-cli php-curl php-google-recaptcha postfix postgresql python3 python3-django python3-dkim
  python3-flaskext.wtf python3-httpx python3-maxminddb python3-pip python3-setuptools python3-venv python3-wheel s3cmd
  sip-tester squashfs-tools swaks zip)
# Large packages: 1.6 GB.
deep_packages=(ceph-base ceph-common ceph-mon ceph-osd composer etcd-client etcd-server firefox-esr golang-go haproxy obs-studio
  patroni pgbackrest php-guzzlehttp-guzzle php-laravel-framework prometheus puma python3-etcd radosgw rspamd rsyslog
  rsyslog-gnutls ruby-rails spamassassin xvfb)

if [[ ${1:-start} == list ]]; then
  echo "${start_packages[*]}"
  exit
fi
packages=("${start_packages[@]}")
if [[ ${1:-start} == test || ${1:-start} == deep ]]; then packages+=("${test_packages[@]}"); fi
if [[ ${1:-start} == deep ]]; then packages+=("${deep_packages[@]}"); fi

log=${MILLRACE_DATA:-.data}/logs/setup.log
say() { echo "setup: $*"; }

# Runs a command with its output in the log. Shows the end of the log if it fails.
logged() {
  mkdir -p "$(dirname "$log")"
  if "$@" >>"$log" 2>&1 </dev/null 9<&-; then return 0; fi
  echo "setup: failed: $*" >&2
  tail -n 15 "$log" >&2
  return 1
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"; }

install_packages() {
  local package missing rest failed=node_modules/.setup-failed
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then return; fi
  as_root=()
  if ((EUID != 0)); then as_root=(sudo -n); fi
  if ! command -v apt-get >/dev/null || { ((EUID != 0)) && ! sudo -n true 2>/dev/null; }; then
    say "some features are disabled because packages are missing. Run: sudo apt-get install -y --no-install-recommends ${missing[*]}"
    return
  fi
  # Packages that are missing in the archive are not requested again on the same day.
  if [[ $(find "$failed" -mtime -1 -exec cat {} + 2>/dev/null) == "${missing[*]}" ]]; then
    say "some features are disabled because this machine's package archive does not have: ${missing[*]}"
    return
  fi
  say "installing Debian packages: ${missing[*]}"
  logged apt update || true
  if ! logged apt install -y --no-install-recommends "${missing[@]}"; then
    for package in "${missing[@]}"; do logged apt install -y --no-install-recommends "$package" || true; done
  fi
  rest_services
  mapfile -t rest < <(missing_packages)
  if ((${#rest[@]} > 0)); then
    say "some features are disabled because these packages could not be installed: ${rest[*]}"
    mkdir -p node_modules && echo "${rest[*]}" >"$failed"
  fi
}

# Millrace and its tests start their own processes, so services of the installed packages are not started.
rest_services() {
  local package services=()
  for package in "${missing[@]}"; do
    case $package in
      clamav-daemon) services+=(clamav-daemon.socket clamav-daemon.service clamav-freshclam.service) ;;
      nginx-light) services+=(nginx.service) ;;
      coturn | haproxy | janus | nsd | opendkim | patroni | pgbouncer | postfix | postgresql | rspamd | spamassassin) services+=("$package.service") ;;
      etcd-server) services+=(etcd.service) ;;
      ceph-mon | ceph-osd | radosgw) services+=("${package/radosgw/ceph-radosgw}.target") ;;
    esac
  done
  if ((${#services[@]} == 0)) || [[ ! -d /run/systemd/system ]]; then return 0; fi
  logged "${as_root[@]}" systemctl disable --now "${services[@]}" || true
}

# Uses the machine’s npm, because `npm ci` removes the Node in node_modules/.bin, which npm puts first in the path.
install_modules() {
  local stamp=node_modules/.setup-lock path
  if [[ -L node_modules ]] || cmp -s package-lock.json "$stamp"; then return; fi
  say "installing npm packages (npm ci)"
  path=$(tr ':' '\n' <<<"$PATH" | grep -v 'node_modules/\.bin/*$' | paste -sd ':')
  PATH=$path command -v npm >/dev/null || path=$PATH
  logged env PATH="$path" npm ci --no-audit --no-fund
  cp package-lock.json "$stamp"
}

# tap compiles its test class for the plugins in package.json. Its default plugins would compile TypeScript again and check
# each import for mocks.
build_tap() {
  local built=node_modules/@tapjs/test/test-built
  if [[ -e $built/node_modules ]] && ! grep -q '@tapjs/\(typescript\|mock\)' "$built/dist/esm/index.js"; then return; fi
  say "building the test runner (tap build)"
  logged env PATH="$PWD/node_modules/.bin:$PATH" tap build
}

# The blocking Python client is generated from the asynchronous one, which can have changed.
generate_blocking_client() {
  if command -v python3 >/dev/null; then python3 sdk/python/blocking.py; fi
}

# The server offers the packed clients under /sdk.
pack_clients() {
  if [[ ! -e sdk/pack.sh ]] || bash sdk/pack.sh check; then return 0; fi
  say "packing the client libraries (sdk/pack.sh)"
  logged bash sdk/pack.sh || say "the server does not offer its client libraries. To pack them, run sdk/pack.sh"
}

# Only one at a time, because `npm start` and `npm test` can run at the same time.
exec 9<ops/setup.sh
flock 9
install_modules
install_packages
pack_clients
if [[ ${1:-start} == test || ${1:-start} == deep ]]; then
  build_tap
  generate_blocking_client
fi
