#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Usage: tests/rtl/synth.sh BLOCK [OPTION]...: a block goes through synthesis and timing on osu018, and rtl/README.md has
# the figures that come out. With WARPFOLD_WRITE set it gets them: after a change that moves many.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/scripts/rtl-synth" "$@" --out "$work"

# value KEY: of synth.json.
value() { sed -nE "s/.*\"$1\": \"?([^\",}]*)[\",}]?.*/\1/p" "$work/synth.json" | head -n1; }
size=$(sed -nE 's/.*"parameters": \{(.*)\}.*/\1/p' "$work/synth.json" | sed 's/"//g; s/: /=/g; s/,//g')
row=$(printf '| `%s` | %s | %s | %s | %.0f | %s | %.2f | %.0f | `%s` → `%s` |' "$1" "$size" "$(value cells)" \
  "$(value flip_flops)" "$(value area_um2)" "$(value nand2_equivalents)" "$(value ns)" "$(value fmax_mhz)" "$(value start)" "$(value end)")
if [ -n "${WARPFOLD_WRITE:-}" ]; then
  size="| \`$1\` | $size |"
  (flock 9; awk -v old="$size" -v new="$row" 'index($0, old) == 1 { print new; next } { print }' "$root/rtl/README.md" > "$work/readme" &&
    cat "$work/readme" > "$root/rtl/README.md") 9< "$root/rtl/README.md"
fi
grep -qxF -e "$row" "$root/rtl/README.md" || { printf 'rtl/README.md lacks this row:\n%s\n' "$row"; exit 1; }
