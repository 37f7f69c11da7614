#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/rtl-* say when they fail: the right exit status and one line on stderr: what is wrong, where, what to do.
. "$(dirname "${BASH_SOURCE[0]}")/fails.sh"

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
fails 2 'swizzle_control_tb has no such parameter; it has Masks Equal' sim swizzle_control --set Lanes=8
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

# Lists of files, and what they name: tests/cosim/build has the rest of what they may say.
printf -- '-f self.f\n' > "$work/self.f"
printf -- '+incdir+%s +define+WIDTH=1\n-v parts.v %s\n' "$root/rtl/common" top.sv > "$work/list.f"
sed "s/^module $block/\`ifdef WIDTH\n&/; s/^endmodule/  spare i_spare ();\n&\n\`endif/" "$root/rtl/$block.sv" > "$work/top.sv"
printf 'module spare (); endmodule\n' > "$work/parts.v"
for runner in lint sim formal synth; do
  fails 2 "$work/self.f:1: self.f: includes itself" "$runner" $block --source "$work/self.f"
done
"$root/scripts/rtl-sim" $block --source "$work/list.f" > "$work/out"
"$root/scripts/rtl-formal" $block $small --source "$work/list.f" --depth 3 > "$work/out"
"$root/scripts/rtl-synth" $block $small --source "$work/list.f" > "$work/out"
sed -i 's/ +define.*/ top.sv/; $d' "$work/list.f"
fails 2 "$block" synth $block $small --source "$work/list.f"

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

# Benches of designs of other clocks: an operation whose end is told a clock later.
late='s,overflow_q <= overflows;,if (finishes) &,; s,^( *)assign done_valid_o = done_q;,\1logic late_q;\n\1always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) late_q <= '\''0; else late_q <= done_q;\n\1assign done_valid_o = late_q;,'
while read -r other sizes; do
  slow=$(edited rtl/$other.sv "$late")
  "$root/scripts/rtl-sim" $other $sizes --source "$slow" > "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
  fails 1 'the bench stopped: ' sim $other $sizes --source "$slow" --set Equal=1
done <<'END'
barrier_table --set Lanes=4 --set Entries=12 --set Ways=3 --set Rows=24 --set PcWidth=6
block_stack --set Lanes=4 --set Rows=3 --set Depth=11 --set PcWidth=8 --set Blocks=150
ready_lookup --set Lanes=4 --set Entries=5 --set Rows=6 --set PcWidth=4
waiting_lookup
warp_pool --set Lanes=4 --set Entries=6 --set Slots=12 --set Threads=48 --set PcWidth=6 --set Operations=5000
wct_predictor
ignore_list
path_picker --set Lanes=4
path_table --set Lanes=4 --set Splits=3 --set Points=2 --set Rows=3 --set PcWidth=6
split_table --set Lanes=4 --set Entries=3 --set Rows=5 --set PcWidth=4 --set PointWidth=2
pool_table --set Lanes=4 --set Rows=5 --set Pools=3 --set Groups=2 --set PcWidth=4 --set AgeWidth=8 --set LongestWait=50
END

# Proofs of the same, and of wrong ones: without their guard, or where not the pool of the most threads is picked.
guard='s,^.* seeded-bug(\[[^]]*\])?: ,,' number='s/more \|\| //'
while read -r other depth bug sizes; do
  slow=$(edited rtl/$other.sv "$late")
  "$root/scripts/rtl-formal" $other $sizes --source "$slow" --depth "$depth" > "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
  fails 1 'an assertion fails: within ' formal $other $sizes --source "$slow" --depth "$depth" --set Equal=1
  bad=$(edited rtl/$other.sv "$late; ${!bug}")
  fails 1 'an assertion fails: within ' formal $other $sizes --source "$bad" --depth "$depth"
done <<'END'
wct_predictor 9 guard --set Entries=2 --set PcWidth=2
ignore_list 11 guard --set Entries=2 --set PcWidth=2
waiting_lookup 9 guard --set Lanes=2 --set Rows=1
ready_lookup 11 guard --set Lanes=2 --set Rows=1
path_picker 6 guard --set Lanes=2
split_table 8 guard --set Lanes=1 --set Entries=2
mask_fit_picker 6 guard --set Lanes=2 --set Warps=2
pool_table 11 number --set Lanes=2 --set Rows=1 --set Groups=1 --set AgeWidth=1 --set LongestWait=1
warp_pool 7 guard --set Lanes=2 --set Entries=1 --set Slots=2 --set PcWidth=1
token_stack 9 guard --set Warps=1 --set Lanes=2 --set Entries=1 --set Chunk=1
warp_stack 10 guard --set Warps=1 --set Lanes=2 --set PcWidth=1 --set Likely=0
block_stack 9 guard --set Depth=3 --set Lanes=1 --set Rows=1 --set PcWidth=1
barrier_table 8 guard --set Lanes=1 --set Entries=2 --set Rows=2
END

# Of another policy: quads in turn where ours swizzles; lanes that do not leave are told.
quads=$(edited rtl/swizzle_control.sv "s/Swizzle != 0/1'b0/")
"$root/scripts/rtl-sim" swizzle_control --source "$quads" > "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
fails 1 'the bench stopped: ' sim swizzle_control --source "$quads" --set Equal=1
stays=$(edited rtl/swizzle_control.sv 's/^    rest = queues_q;/    rest = queues_q | Lanes'"'"'(1);/')
fails 1 'the bench stopped: ' sim swizzle_control --source "$stays"

# By default sizes are those of machines: what is wrong in row 7 or in the last entry does not pass.
row=$(edited rtl/thread_compactor.sv 's/(req_rows\[r\] = )(\|req_threads_i)/\1r != 7 \&\& \2/')
fails 1 'the bench stopped: ' sim thread_compactor --source "$row" --set Equal=1
fails 1 'the bench stopped: ' sim thread_compactor --source "$row"
entry=$(edited rtl/waiting_lookup.sv "s/pcs_d\[e\*PcWidth \+: PcWidth\] = op_pc_i;/if (e != 7) &/")
fails 1 'the bench stopped: ' sim waiting_lookup --source "$entry"
depth=$(edited rtl/warp_stack.sv "s/(write_index = IndexWidth'\()used_q\);/\1used_q[3:0]);/")
fails 1 'the bench stopped: ' sim warp_stack --source "$depth"

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
# Clock and reset have any name, and the clock may be gated; none may come from a register.
counter() {
  cat > "$work/counter.v" <<END
module counter (input $1, $2, on, output reg [15:0] value);
  reg gate;
  wire gated = $1 & gate;
  always @(posedge $1) gate <= on;
  always @(posedge $3 or negedge $2) if (!$2) value <= 0; else value <= 5 * value + 1;
endmodule
END
}
counter clk_i rst_ni gated
"$root/scripts/rtl-synth" counter --source "$work/counter.v" > "$work/plain"
counter ck clear gated
"$root/scripts/rtl-synth" counter --source "$work/counter.v" --out "$work/counter" > "$work/out"
cmp -s "$work/plain" "$work/out" || { cat "$work/plain" "$work/out"; wrong=$((wrong + 1)); }
grep -q '"start": "value\[[0-9]*\]", "end": "value' "$work/counter/synth.json" || { cat "$work/counter/synth.json"; wrong=$((wrong + 1)); }
counter ck clear gate
fails 2 'gate is the clock of a register, and comes from no input' synth counter --source "$work/counter.v"
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

all_right
