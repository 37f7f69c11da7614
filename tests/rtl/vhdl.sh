#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Designs in VHDL have a bench, a proof and an area, by GHDL.
. "$(dirname "${BASH_SOURCE[0]}")/fails.sh"
design=$root/tests/cosim/data/compactor_highest.vhd
small="--set Lanes=3 --set Rows=3"

"$root/scripts/rtl-sim" thread_compactor --set Requests=100 --source "$design" > "$work/out"
"$root/scripts/rtl-formal" thread_compactor $small --depth 5 --source "$design" > "$work/out"
grep -qF 'holds for 5 clocks from reset' "$work/out" || { cat "$work/out"; wrong=$((wrong + 1)); }
"$root/scripts/rtl-synth" thread_compactor $small --source "$design" --check > "$work/out"

# What stands behind `others` counts: in GHDL 2.0's own Verilog it is gone.
cat > "$work/choice.vhd" <<'END'
library ieee;
use ieee.std_logic_1164.all;
entity choice is
  generic (Extra : natural := 0);
  port (clk, kind1, kind0 : in std_logic; data : in std_logic_vector(1 downto 0); now, held : out std_logic_vector(1 downto 0));
end entity;
architecture rtl of choice is
  signal kind : std_logic_vector(1 downto 0);
begin
  kind <= kind1 & kind0;
  process (all) begin
    case kind is
      when "00" => now <= "01";
      when "01" => now <= data;
      when others => now <= "11";
    end case;
  end process;
  process (clk) begin
    if rising_edge(clk) then
      case kind is
        when "00" => held <= "10";
        when "10" => held <= not data;
        when others => null;
      end case;
    end if;
  end process;
end architecture;
END
cat > "$work/choice_tb.v" <<'END'
module choice_tb;
  reg clk = 0;
  reg [3:0] in = 0;
  reg [1:0] held = 0;
  wire [1:0] now, is_held;
  choice dut (.clk(clk), .kind1(in[3]), .kind0(in[2]), .data(in[1:0]), .now(now), .held(is_held));
  initial begin
    repeat (3) begin
      repeat (16) begin
        case (in[3:2]) 0: held = 2; 2: held = ~in[1:0]; endcase
        #1 clk = 1;
        #1 clk = 0;
        if (is_held !== held || now !== (in[3:2] == 0 ? 2'd1 : in[3:2] == 1 ? in[1:0] : 2'd3)) begin
          $display("FAIL %b: %b %b", in, now, is_held);
          $finish_and_return(1);
        end
        in = in + 1;
      end
    end
  end
endmodule
END
"$root/scripts/rtl-verilog" choice --set Extra=1 --source "$work/choice.vhd" --out "$work/choice.v"
iverilog -g2012 -o "$work/bench" "$work/choice.v" "$work/choice_tb.v" && vvp -n "$work/bench" || wrong=$((wrong + 1))

# A bug is noticed, and a mistake is told where it is.
bug=$(edited tests/cosim/data/compactor_highest.vhd 's/to_unsigned\(r, Width\)/to_unsigned(1, Width)/')
fails 1 'the bench stopped: ' sim thread_compactor --set Requests=100 --source "$bug"
fails 1 'an assertion fails: within ' formal thread_compactor $small --depth 5 --source "$bug"
mistake=$(edited tests/cosim/data/compactor_highest.vhd 's/next_phase <= look/next_phase <= loko/')
for runner in formal synth sim; do
  fails 2 "$mistake:$(grep -n loko "$mistake" | cut -d: -f1): " "$runner" thread_compactor --source "$mistake"
done
fails 2 'a design is VHDL or Verilog, not both' synth thread_compactor --source "$design" --source "$root/rtl/swizzle_control.sv"
fails 2 'has no module adequacy_unit' synth adequacy_unit --source "$design"
fails 2 'lint reads Verilog' lint thread_compactor --source "$design"
fails 2 'no generic "none"' verilog choice --set None=1 --source "$work/choice.vhd"
all_right
