#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/rtl-* say when they fail: the right exit status and one line on stderr: what is wrong, where, what to do.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

# fails STATUS TEXT RUNNER…: scripts/rtl-RUNNER ends with that status and one line on stderr that contains TEXT.
fails() {
  local status=0 wanted=$1 text=$2
  shift 2
  "$root/scripts/rtl-$1" "${@:2}" > "$work/out" 2> "$work/err" || status=$?
  if [ "$status" = "$wanted" ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -qF -e "$text" "$work/err"; then return; fi
  printf 'rtl-%s\n  wanted status %s and one line with: %s\n  got status %s and:\n' "$*" "$wanted" "$text" "$status"
  cat "$work/err"
  wrong=$((wrong + 1))
}

# edited FILE EXPRESSION: a copy of that file, changed by sed; it must differ.
edited() {
  local copy=$work/edited-${1##*/}
  sed -E "$2" "$root/$1" > "$copy"
  ! cmp -s "$copy" "$root/$1" || { printf '%s: nothing to edit by %s\n' "$1" "$2" >&2; exit 1; }
  printf '%s' "$copy"
}

block=swizzle_crossbar
line_of() { grep -n -m1 -e "$1" "$root/rtl/$2.sv" | cut -d: -f1; }
small="--set Lanes=4 --set Width=2 --set DataBits=1"

# The command line.
for runner in lint sim formal synth; do
  fails 2 'unknown block nonesuch; there are: adequacy_unit' "$runner" nonesuch
  fails 2 'unknown option --nonesuch; usage: ' "$runner" $block --nonesuch
  fails 2 '--set Lanes: wanted NAME=NUMBER' "$runner" $block --set Lanes
  fails 2 '--set needs a value; usage: ' "$runner" $block --set
  fails 2 '--source nonesuch.sv: there is no such file' "$runner" $block --source nonesuch.sv
  fails 2 "--source $root/LICENSE: has no module $block" "$runner" $block --source "$root/LICENSE"
done
for runner in lint formal synth; do
  fails 2 'has no such parameter; it has Lanes Width Swizzle' "$runner" swizzle_control --set Nonesuch=4
  fails 2 "swizzle_control.sv:$(line_of '(LanesPerUnit' swizzle_control): parameters break LanesPerUnit: Width >= 2" "$runner" swizzle_control --set Lanes=7
done
fails 2 'swizzle_control_tb has no such parameter; it has Masks' sim swizzle_control --set Lanes=8
fails 2 'unswizzle_crossbar_tb has no such parameter; it has none' sim unswizzle_crossbar --set Lanes=8
fails 2 'thread_compactor Rows=0: ' sim thread_compactor --set Rows=0
fails 2 '--engine bdd: there are sat, smt and bmc' formal $block --engine bdd
fails 2 '--depth 0: wanted a number of clocks' formal $block --depth 0
fails 2 'swizzle_crossbar_formal.sv has no `COVER' formal $block --cover
fails 1 'nothing comes to LikelyMerge within 5 clocks' formal block_stack --set Contents=0 --cover --depth 5
fails 2 '--ram 3: wanted WIDTHxDEPTH=NANOSECONDS' synth $block --ram 3
fails 2 "--out $root/LICENSE: cannot be made" synth $block --out "$root/LICENSE"
fails 2 "--ram 3x4: $block has no such RAM; it has none" synth $block $small --ram 3x4=1

# A version of the user's: one that no tool reads, and ones that fail.
syntax=$(edited rtl/$block.sv 's/^endmodule/) &/')
for runner in lint sim formal synth; do
  fails 2 "$syntax:$(line_of '^endmodule' $block)" "$runner" $block --source "$syntax"
done
unused=$(edited rtl/$block.sv 's/data_d, data_q;/data_d, data_q, spare;/')
fails 1 "$block is not clean: mend what is listed" lint $block --source "$unused"
bug=$(edited rtl/$block.sv 's/^.* seeded-bug: //')
fails 1 'the bench stopped: FAIL: ' sim $block --source "$bug"
fails 1 'an assertion fails: within ' formal $block $small --source "$bug"
fails 1 'an assertion fails: Assert failed in ' formal $block $small --source "$bug" --engine smt --depth 6
"$root/scripts/rtl-synth" $block $small --source "$bug" --out "$work/bug" > "$work/out"
fails 1 'the netlist differs from the RTL in alu_data_o' synth $block $small --check --netlist "$work/bug/netlist.v"
fails 2 'port alu_data_o is not as in the RTL' synth $block --check --netlist "$work/bug/netlist.v"
fails 2 "--netlist $root/LICENSE: has no module $block" synth $block --netlist "$root/LICENSE"
mkdir "$work/a, b&c"
{ cat "$work/bug/netlist.v"; printf 'no netlist\n'; } > "$work/a, b&c/netlist.v"
fails 2 "$work/a, b&c/netlist.v:" synth $block $small --netlist "$work/a, b&c/netlist.v"
harmless=$(edited rtl/$block.sv 's,^( *assign data_d = )(.*;) +// seeded-bug: .*,\1\2 // seeded-bug: \1\2,')
fails 1 'the proof does not notice this bug (proved)' formal $block $small --source "$harmless" --seeded-bug

# Designs of another policy and other clocks: held to the contract, refused where ours is wanted.
designs=$root/tests/cosim/data
policy="--source $designs/compactor_policy.sv --source $designs/highest_rows/compactor_pick.sv"
small="--set Lanes=3 --set Rows=3"
"$root/scripts/rtl-lint" thread_compactor $policy > "$work/out"
"$root/scripts/rtl-sim" thread_compactor $policy --set Requests=100 > "$work/out"
"$root/scripts/rtl-formal" thread_compactor $policy $small --depth 5 > "$work/out"
grep -qF 'holds for 5 clocks from reset' "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
row=$(edited tests/cosim/data/highest_rows/compactor_pick.sv "s/RowWidth'\(r\)/RowWidth'(r == 1 ? 0 : r)/")
wrong_row="--source $designs/compactor_policy.sv --source $row"
fails 1 'the bench stopped: ' sim thread_compactor $wrong_row
fails 1 'an assertion fails: within ' formal thread_compactor $wrong_row $small --depth 5
fails 2 'has no module thread_compactor' sim thread_compactor --source "$row"
small="--set Lanes=4 --set Width=2 --set DataBits=1"

# Liberty files.
library=tests/rtl/data/example45.lib
"$root/scripts/rtl-synth" $block $small --lib "$root/$library" > "$work/out"
# Dialects, several at once; paths begin and end at registers wherever flip-flops have them.
compactor="thread_compactor --set Lanes=4 --set Rows=2"
gzip -c "$root/tests/rtl/data/quoted130.lib" > "$work/quoted130.lib.gz"
"$root/scripts/rtl-synth" $compactor --lib "$work/quoted130.lib.gz,$root/tests/rtl/data/inverse.lib" --lib osu035,osu050 --check \
  --out "$work/several" > "$work/out"
for library in quoted130 inverse osu035 osu050; do
  grep -q "^thread_compactor: $library cells " "$work/out" || { echo "no line of $library"; wrong=$((wrong + 1)); }
  grep -qE '"start": "\w+_[qi](\[[0-9]+\])?", "end": "\w+_[qo](\[[0-9]+\])?"' "$work/several/$library/synth.json" ||
    { echo "$library: a path without the RTL's names"; wrong=$((wrong + 1)); }
done
grep -qE '^thread_compactor: all nand2_equivalents [0-9]+-[0-9]+ fo4 [0-9.]+-[0-9.]+$' "$work/out" || { echo 'no range'; wrong=$((wrong + 1)); }
! grep -qE '__(dfrtp_0|lpflow_and2_1|ha_1|ebufn_1|sdfrtp_1)' "$work/several/quoted130/netlist.v" ||
  { echo 'a cell that may not be used'; wrong=$((wrong + 1)); }
# Pads and buffers for clock trees are no logic, however small: a library with them maps as it does without.
example=$root/tests/rtl/data/example45.lib
cell() { sed -n "/^  cell ($1/,/^  }/p" "$example"; }
mkdir -p "$work/kit/lib"
{ sed '/^  cell (drv_1/,$d' "$example"
  cell drv_1 | sed 's/drv_1/padin/; s/area : [0-9.]*/pad_cell : true; area : 0.001/'
  cell drv_1 | sed 's/drv_1/clkbuf_1/; s/area : [0-9.]*/area : 0.001/'
  sed -n '/^  cell (drv_1/,$p' "$example"; } > "$work/pads.lib"
"$root/scripts/rtl-synth" $compactor --lib "$example" > "$work/plain"
"$root/scripts/rtl-synth" $compactor --lib "$work/pads.lib" > "$work/out"
cmp -s "$work/plain" "$work/out" || { cat "$work/plain" "$work/out"; wrong=$((wrong + 1)); }
# The same in two files, as a process design kit has it, with another corner and a file of pads beside them.
{ sed '/^  cell (ffd/,$d' "$example"; echo '}'; } > "$work/kit/lib/cells_logic_TT.lib"
{ sed '/^  cell (/,$d' "$example"; sed -n '/^  cell (ffd/,$p' "$example"; } > "$work/kit/lib/cells_seq_tt.lib"
sed 's/nom_voltage : 1.1/nom_voltage : 0.9/' "$work/kit/lib/cells_logic_TT.lib" > "$work/kit/lib/cells_logic_ss.lib"
{ sed '/^  cell (/,$d' "$work/pads.lib"; sed -n '/^  cell (padin/,/^  }/p' "$work/pads.lib"; echo '}'; } > "$work/kit/lib/pads_tt.lib"
gzip "$work/kit/lib/cells_seq_tt.lib"
"$root/scripts/rtl-synth" $compactor --pdk "$work/kit" > "$work/out"
cmp -s "$work/plain" "$work/out" || { cat "$work/plain" "$work/out"; wrong=$((wrong + 1)); }
fails 2 "--pdk $work/nonesuch: there is no such folder" synth $compactor --pdk "$work/nonesuch"
fails 2 "--pdk $work/kit:hs: has no Liberty file of gates (.lib, .lib.gz) with these words in its name" synth $compactor --pdk "$work/kit:hs"
fails 2 'two corners mixed: nom_voltage is 0.9, and 1.1 before' synth $compactor --lib "$work/kit/lib/cells_seq_tt.lib.gz+$work/kit/lib/cells_logic_ss.lib"
fails 2 '--effort most: there are normal and high' synth $compactor --effort most
# Mapped for delay it is another netlist, and none that is wrong.
"$root/scripts/rtl-synth" $compactor --lib osu018 --effort high --check --out "$work/high" > "$work/high.out"
"$root/scripts/rtl-synth" $compactor --lib osu018 > "$work/out"
! cmp -s "$work/high.out" "$work/out" || { echo '--effort high changes nothing'; wrong=$((wrong + 1)); }
fails 2 '--lib: two libraries are called osu035' synth $compactor --lib osu035 --lib osu035
fails 2 '--lib nonesuch.lib: there is no such file' synth $compactor --lib osu018,nonesuch.lib
head -c 999 "$work/quoted130.lib.gz" > "$work/half.lib.gz"
fails 2 "--lib $work/half.lib.gz: is not a whole file of gzip" synth $compactor --lib "$work/half.lib.gz"
fails 2 '--clock 5: wanted a frequency or a time' synth $compactor --clock 5
fails 2 '--clock 0ns: wanted a frequency or a time' synth $compactor --clock 0ns
# A clock that is easily met leaves smaller gates.
"$root/scripts/rtl-synth" thread_compactor --set Lanes=16 --set Rows=8 --clock 1MHz --out "$work/easy" > /dev/null
"$root/scripts/rtl-synth" thread_compactor --set Lanes=16 --set Rows=8 --clock 1000MHz --out "$work/hard" > /dev/null
area() { sed -nE 's/.*"area_um2": ([0-9]+).*/\1/p' "$work/$1/synth.json"; }
[ "$(area easy)" -lt "$(area hard)" ] || { echo "--clock changes nothing: $(area easy) and $(area hard) µm²"; wrong=$((wrong + 1)); }
library=tests/rtl/data/example45.lib
fails 2 '--lib nonesuch.lib: there is no such file' synth $block --lib nonesuch.lib
cut=$(edited $library '100,$d')
fails 2 "$cut: ends inside " synth $block $small --lib "$cut"
cut=$(edited $library '30s/$/ }/')
fails 2 "$cut: line " synth $block $small --lib "$cut"
mv "$(edited $library '/^  cell \(ffd/,/^  }/d')" "$work/a, b&c/cells.lib"
fails 2 "$work/a, b&c/cells.lib: has no flip-flop for it" synth $block $small --lib "$work/a, b&c/cells.lib"
cut=$(edited $library '/^  cell \(n[dr]2_1/,/^  }/d')
fails 2 "$cut: has no two-input NAND or NOR" synth $block $small --lib "$cut"

cut=$(edited $library '/^  cell \(drv_/,/^  }/d')
fails 2 "$cut: has no buffer" synth $block $small --lib "$cut"
cut=$(edited $library '/^  cell \(not_1/,/^  }/{/values/s/[0-9.]+,? ?/0, /g; s/, "/"/}')
fails 2 "its inverter, takes no time" synth $block $small --lib "$cut"

[ "$wrong" = 0 ] || { printf '%s wrong\n' "$wrong"; exit 1; }
