#!/bin/sh
# Makes sure that the programs beside Node that the tests run are there. On Debian and as root it installs them; without
# the rights it ends with the one command to run first. The Redis that it installs is not started as a service: the
# tests start servers of their own.
set -eu
missing=""
command -v flatc >/dev/null || missing="$missing flatbuffers-compiler"
command -v redis-server >/dev/null || missing="$missing redis-server"
command -v openssl >/dev/null || missing="$missing openssl"
command -v python3 >/dev/null || missing="$missing python3"
command -v minisign >/dev/null || missing="$missing minisign"
command -v sqlite3 >/dev/null || missing="$missing sqlite3"
/usr/bin/python3 -c 'import geopy' 2>/dev/null || missing="$missing python3-geopy"
command -v chromium-headless-shell >/dev/null || missing="$missing chromium-headless-shell"
{ command -v fc-list && fc-list | grep -q 'Noto Sans Georgian'; } >/dev/null || missing="$missing fontconfig fonts-noto-core"
{ command -v fc-list && fc-list | grep -q 'Noto Sans CJK'; } >/dev/null || missing="$missing fonts-noto-cjk"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing$missing"
  # Debian starts what it installs unless this file says no; Docker images have one already.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086 # one word for each package
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
  exit 0
fi
echo "The tests need more programs, of the Debian packages$missing. Run this first, then again:" >&2
echo "  sudo sh $0" >&2
exit 1
