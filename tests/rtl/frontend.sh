#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A design in SystemVerilog that Debian's Yosys and Icarus refuse (data/modern) has a bench, a proof and an area, by Slang.
. "$(dirname "${BASH_SOURCE[0]}")/fails.sh"
slang=(${WARPFOLD_CACHE:-$HOME/.cache/warpfold}/slang-*/node_modules)
modern=$root/tests/rtl/data/modern
small="--set Lanes=3 --set Rows=3"

# Without Slang it says what the tool says, and what would help.
WARPFOLD_CACHE=$work/none fails 2 'scripts/rtl-verilog --bring-slang' synth thread_compactor $small --source "$modern/design.f"

[ -d "${slang[0]}" ] || { echo 'Slang is not there'; exit; }

"$root/scripts/rtl-sim" thread_compactor --set Requests=100 --source "$modern/design.f" > "$work/out"
"$root/scripts/rtl-formal" thread_compactor $small --depth 5 --source "$modern/design.f" > "$work/out"
grep -qF 'holds for 5 clocks from reset' "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
"$root/scripts/rtl-synth" thread_compactor $small --source "$modern/design.f" --out "$work/synth" --check > "$work/out"
# Registers keep their names: activities and critical paths are told by them.
grep -q '"start": "\(waiting\|state\)_q' "$work/synth/synth.json" || { cat "$work/synth/synth.json"; wrong=$((wrong + 1)); }

# What Yosys reads, too, comes to the same area.
for front in yosys slang; do
  files="--source $root/rtl/wct_predictor.sv"
  if [ $front = slang ]; then
    "$root/scripts/rtl-verilog" wct_predictor --set Entries=16 --set PcWidth=8 $files --out "$work/plain.v"
    # As the runners have it: the parameters, which have their values, are there again.
    sed -i 's/^module wct_predictor(.*;$/&\n  parameter Entries = 16;\n  parameter PcWidth = 8;/' "$work/plain.v"
    files="--source $work/plain.v"
  fi
  "$root/scripts/rtl-synth" wct_predictor --set Entries=16 --set PcWidth=8 $files --out "$work/$front" > /dev/null
  grep -E '"(flip_flops|rams)"' "$work/$front/synth.json" > "$work/$front.told"
done
cmp "$work/yosys.told" "$work/slang.told" || { cat "$work"/*.told; wrong=$((wrong + 1)); }

# A bug is noticed, and a mistake is told where it is.
cp -r "$modern" "$work/bug"
sed -i 's/chosen\[l\]) pick.row\[l\] = .*;/chosen[l]) pick.row[l] = 1;/' "$work/bug/compactor_modern.sv"
fails 1 'the bench stopped: ' sim thread_compactor --set Requests=100 --source "$work/bug/design.f"
fails 1 'an assertion fails: within ' formal thread_compactor $small --depth 5 --source "$work/bug/design.f"
line=$(grep -n '  pick_if #' "$modern/compactor_modern.sv" | cut -d: -f1)
cp "$modern/compactor_modern.sv" "$work/bug"
sed -i "${line}s/pick_if/pick_of/" "$work/bug/compactor_modern.sv"
for runner in formal synth sim; do
  fails 2 "$work/bug/compactor_modern.sv:$line: unknown" "$runner" thread_compactor --source "$work/bug/design.f"
done
{
  printf 'typedef struct packed {logic a;} spare_t;\n'
  sed "s/^endmodule/  spare_t spare;\n  assign spare = '{a: 1};\n&/" "$root/rtl/swizzle_control.sv"
} > "$work/several.sv"
fails 2 'has it in several sizes' sim swizzle_control --source "$work/several.sv"

# A module of the user's alone that Yosys does not read, and a header that is not there.
cat > "$work/own.sv" <<END
package own_pkg;
  typedef struct packed {logic [3:0] a, b;} pair_t;
  function automatic pair_t swapped(pair_t pair); return '{a: pair.b, b: pair.a}; endfunction
endpackage
module own import own_pkg::*; #(parameter int Pairs = 2) (input logic ck, input pair_t in [Pairs], output pair_t out [Pairs]);
  always_ff @(posedge ck) for (int i = 0; i < Pairs; i++) out[i] <= swapped(in[i]);
endmodule
END
"$root/scripts/rtl-synth" own --source "$work/own.sv" --set Pairs=5 --out "$work/own" > /dev/null
grep -q '"flip_flops": 40,' "$work/own/synth.json" || { cat "$work/own/synth.json"; wrong=$((wrong + 1)); }
fails 2 'own has no such parameter: Nonesuch' synth own --source "$work/own.sv" --set Nonesuch=5
sed -i '1i `include "nonesuch.svh"' "$work/own.sv"
fails 2 "$work/own.sv:1: 'nonesuch.svh': No such file" synth own --source "$work/own.sv"
all_right
