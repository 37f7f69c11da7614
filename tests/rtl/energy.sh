#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/rtl-synth --activity makes of how often a block switches.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/warpfold-energy-XXXXXX")
trap 'rm -rf "$work"' EXIT
block=(swizzle_control --set Lanes=8 --set Swizzle=0)

# field NAME FILE: of the energy in a synth.json.
field() { sed -nE "s/.*\"$1\": ([0-9.]+).*/\1/p" "$2"; }
# energy ACTIVITY FIELD
energy() {
  printf '%s\n' "$1" > "$work/activity"
  "$root/scripts/rtl-synth" "${block[@]}" ${netlist:+--netlist "$netlist"} --activity "$work/activity" --out "$work/out" > /dev/null
  field "$2" "$work/out/synth.json"
}
# larger WHAT A B: A is more than B.
larger() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > b) }' || { echo "$1: $2 is not more than $3"; exit 1; }; }

netlist=
rest=$(energy 'mask_i[0] 0 0.5' pj_per_clock)
cp "$work/out/netlist.v" "$work/netlist.v"
netlist=$work/netlist.v
larger 'a clock at rest' "$rest" 0
[ "$(field measured "$work/out/synth.json")" = 1 ] || { echo 'one bit was measured'; exit 1; }
unmeasured=$(field unmeasured "$work/out/synth.json")
registers=$(energy "$(for i in {0..7}; do echo "queues_q[$i] 0.5 0.5"; done)" pj_per_clock)
[ "$(field unmeasured "$work/out/synth.json")" = $((unmeasured - 7)) ] || { echo 'eight registers were measured'; exit 1; }
larger 'registers that switch' "$registers" "$rest"
larger 'inputs that switch, too' "$(energy "$(for i in {0..7}; do echo "queues_q[$i] 0.5 0.5"; echo "mask_i[$i] 0.5 0.5"; done)" pj_per_clock)" "$registers"
larger 'a volt' "$(field volts "$work/out/synth.json")" 1
printf 'queues_q[0] often\n' > "$work/activity"
if said=$("$root/scripts/rtl-synth" "${block[@]}" --netlist "$netlist" --activity "$work/activity" 2>&1); then echo 'a file without numbers is taken'; exit 1; fi
[[ $said == *"wanted a name, transitions per clock and a part of the time"* ]] || { echo "$said"; exit 1; }
