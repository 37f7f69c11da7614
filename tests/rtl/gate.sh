#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Usage: tests/rtl/gate.sh COMMAND [ARGUMENT]...: runs a gate unless it has passed on the same RTL, scripts and tools: what
# it says depends on nothing else. What has passed is kept in $WARPFOLD_CACHE; $WARPFOLD_FRESH asks for it again.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
key=$({
  printf '%s\n' "${@#"$root"/}"
  find rtl tests/rtl tests/cosim/data scripts/rtl-* scripts/sfu-table -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
  grep -v '^#' scripts/packages-rtl.txt | xargs dpkg-query -W 2> /dev/null || true  # npm may be part of a vendor's Node
} | sha256sum | cut -d' ' -f1)
passed=${WARPFOLD_CACHE:?}/gates/$key
if [ -e "$passed" ] && [ -z "${WARPFOLD_FRESH:-}" ]; then
  echo "passed before on the same RTL"
  exit
fi
"$@"
mkdir -p "${passed%/*}"
touch "$passed"
