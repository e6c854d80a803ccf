#!/bin/sh
# Compiles src/core/snapshot/manifest.fbs with Debian's flatc into the folder given (default: where the code is committed).
set -eu
cd "$(dirname "$0")/.."
out="${1:-src/core/snapshot/generated}"
command -v flatc >/dev/null || { echo "flatc is missing: apt-get install flatbuffers-compiler" >&2; exit 1; }
rm -rf "$out"
flatc --ts --ts-flat-files --gen-all -o "$out" src/core/snapshot/manifest.fbs
