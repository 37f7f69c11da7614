// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What sfu_lane must do, Stages clocks later: for all numbers of a small format the function's exact value, to the nearest
// and of two as near to the even one. The lane's error is that of single precision, far below a small format's last place.
module sfu_lane_formal #(
  parameter int Exponent = 3,
  parameter int Fraction = 2,
  parameter int Stages = 1,
  localparam int Width = 1 + Exponent + Fraction
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             op_valid_i,
  input wire [2:0]       op_kind_i,
  input wire [Width-1:0] op_a_i
);

  localparam int Numbers = 1 << Width;
  localparam int Sign = 1 << (Width - 1);
  localparam int Bias = (1 << (Exponent - 1)) - 1;
  localparam int Infinity = ((1 << Exponent) - 1) << Fraction;
  localparam int Nan = Sign - 1;
  localparam real Tiny = 1.0e-9;  // what the simulator's functions may be off

  logic             res_valid;
  logic [Width-1:0] res, expected;

  sfu_lane #(.Exponent(Exponent), .Fraction(Fraction), .Stages(Stages)) dut (.res_valid_o(res_valid), .res_o(res), .*);

  `ASSUME_RESET_FIRST

  // Of each function (0 rcp, 1 rsqrt, 2 lg2, 3 ex2, 4 sin, 5 cos) and number.
  logic [6*Numbers*Width-1:0] exact;

  for (genvar k = 0; k < 6; k++) begin : gen_kind
    for (genvar n = 0; n < Numbers; n++) begin : gen_number
      localparam int Magnitude = n % Sign;
      localparam int Minus = n / Sign;
      localparam int Biased = Magnitude < (1 << Fraction) ? 1 : Magnitude >> Fraction;
      localparam int Bits = Magnitude - ((Biased - 1) << Fraction);
      localparam real Value = (1 - 2 * Minus) * Bits * $pow(2.0, 1.0 * (Biased - Bias - Fraction));
      localparam int Periodic = k > 3 ? 1 : 0;
      localparam int NeedsPlus = k == 1 || k == 2 ? 1 : 0;
      localparam int IsNan = Magnitude > Infinity || (Magnitude == Infinity && Periodic != 0) ||
                             (Minus != 0 && Magnitude != 0 && NeedsPlus != 0) ? 1 : 0;
      localparam int IsLimit = Magnitude == Infinity || (Magnitude == 0 && k < 3) ? 1 : 0;
      localparam int Limit = k == 3 ? (Minus != 0 ? 0 : Infinity) : k == 2 ? Infinity + (Magnitude == 0 ? Sign : 0) :
                             Minus * Sign + (Magnitude == 0 ? Infinity : 0);

      // Elsewhere: how many of the units that its exponent has.
      localparam real Operand = IsNan != 0 || IsLimit != 0 ? 1.0 : Value;
      localparam real Result = k == 0 ? 1.0 / Operand : k == 1 ? 1.0 / $sqrt(Operand) : k == 2 ? $ln(Operand) / $ln(2.0) :
                               k == 3 ? $pow(2.0, Operand) : k == 4 ? $sin(Operand) : $cos(Operand);
      localparam real Size = Result < 0.0 ? -Result : Result;
      localparam int First = Size < Tiny ? -99 : $rtoi($floor($ln(Size) / $ln(2.0) + Tiny));
      localparam int Scale = First < 1 - Bias ? 1 - Bias : First > Bias + 1 ? Bias + 1 : First;
      localparam real Units = Size / $pow(2.0, 1.0 * (Scale - Fraction));
      localparam int Up = First > Scale ? 2 << Fraction : $rtoi($floor(Units + 0.5 + Tiny));
      localparam int Even = Up - Units > 0.5 - Tiny && Up % 2 != 0 ? Up - 1 : Up;
      localparam int Ordinal = ((Scale + Bias - 1) << Fraction) + Even;
      localparam int IsMinus = Result < 0.0 || (k == 4 && n == Sign) ? 1 : 0;
      localparam int Rounded = IsMinus * Sign + (Ordinal > Infinity ? Infinity : Ordinal);
      assign exact[(k*Numbers+n)*Width +: Width] = Width'(IsNan != 0 ? Nan : IsLimit != 0 ? Limit : Rounded);
    end
  end

  assign expected = exact[({op_kind_i, op_a_i})*Width +: Width];

  `ASSUME(KindsThereAre, !op_valid_i || op_kind_i < 3'd6)
  `include "shared/lane_results.svh"

endmodule

`default_nettype wire
