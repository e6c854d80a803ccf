#!/bin/sh
# Compiles src/core/snapshot/manifest.fbs with Debian's flatc into the folder given (default: where the code is committed).
# flatc 2.0.8 writes imports without the file ending that Node's ES modules need, so it is added here.
set -eu
cd "$(dirname "$0")/.."
out="${1:-src/core/snapshot/generated}"
command -v flatc >/dev/null || { echo "flatc is missing: apt-get install flatbuffers-compiler" >&2; exit 1; }
rm -rf "$out"
flatc --ts --gen-all -o "$out" src/core/snapshot/manifest.fbs
find "$out" -name '*.ts' -exec sed -i -E "s#^(import|export) (.*) from '(\./|\.\./)([^']*)';#\1 \2 from '\3\4.js';#" {} +
