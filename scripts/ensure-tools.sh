#!/bin/sh
# Makes sure that the programs beside Node that the tests run are there. On Debian and as root it installs them; without
# the rights it ends with the one command to run first.
set -eu
missing=""
command -v flatc >/dev/null || missing="$missing flatbuffers-compiler"
[ -n "$missing" ] || exit 0
install="apt-get update && apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086 # one word for each package
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
  exit 0
fi
echo "The tests need more programs. Run this first, then again:" >&2
echo "  sudo sh -c '$install'" >&2
exit 1
