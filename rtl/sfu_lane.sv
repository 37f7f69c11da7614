// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The special function lane of a SIMD unit: reciprocal, reciprocal square root, binary logarithm and exponential, sine and
// cosine, within what PTX allows the .approx functions (rtl/README.md has the errors). Subnormal numbers are as any others; a
// NaN comes as 7fffffff, as PTX has it. An operation per clock, its result Stages clocks later.
//
// Quadratic interpolation in tables of coefficients, as S. Oberman and M. Siu, "A High-Performance Area-Efficient
// Multifunction Interpolator", ARITH-17 (2005), pp. 272–279, have it: the upper bits of a reduced operand u in [0, 1) say
// the piece, the lower ones are t in c0 + c1 t + c2 t². Whatever the format, u has 23 bits.
module sfu_lane #(
  parameter int Exponent = 8,   // bits of the exponent, 8 at most
  parameter int Fraction = 23,  // and of the fraction, 23 at most
  parameter int Stages = 5,     // 1 to 5: registers at the results; at the coefficients; behind the sum; the reduction; the product
  localparam int Width = 1 + Exponent + Fraction
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              op_valid_i,
  input  wire  [2:0]       op_kind_i,  // see KIND_*
  input  wire  [Width-1:0] op_a_i,
  output logic             res_valid_o,
  output logic [Width-1:0] res_o
);

  localparam logic [2:0] KIND_RCP = 3'd0;
  localparam logic [2:0] KIND_RSQRT = 3'd1;
  localparam logic [2:0] KIND_LG2 = 3'd2;
  localparam logic [2:0] KIND_EX2 = 3'd3;
  localparam logic [2:0] KIND_SIN = 3'd4;
  localparam logic [2:0] KIND_COS = 3'd5;

  localparam int Bias = (1 << (Exponent - 1)) - 1;
  localparam int ScaleWidth = 11;  // of exponents on their way, signed
  localparam logic [Exponent-1:0] Special = {Exponent{1'b1}};  // Yosys 0.23 takes '1 for 1 here

  localparam int AfterProduct = Stages > 4 ? 1 : 0;
  localparam int AfterReduction = Stages > 3 ? 1 : 0;
  localparam int AfterTable = Stages > 1 ? 1 : 0;
  localparam int AfterSum = Stages > 2 ? 1 : 0;

  // The operand: its first one at the top, and that one's exponent.
  logic [Exponent-1:0]          exp;
  logic [23:0]                  sig, norm;
  logic [4:0]                   sig_zeros;
  logic                         minus, is_zero, is_inf, is_nan, is_trig;
  logic signed [ScaleWidth-1:0] scale;

  assign minus = op_a_i[Width-1];
  assign exp = op_a_i[Fraction +: Exponent];
  assign sig = 24'({exp != '0, op_a_i[Fraction-1:0]}) << (23 - Fraction);
  assign is_zero = sig == '0;
  assign is_inf = exp == Special && op_a_i[Fraction-1:0] == '0;
  assign is_nan = exp == Special && op_a_i[Fraction-1:0] != '0;
  assign is_trig = op_kind_i == KIND_SIN || op_kind_i == KIND_COS;

  leading_zeros #(.Width(24)) u_sig_zeros (.value_i(sig), .zeros_o(sig_zeros));

  assign norm = sig << sig_zeros;
  assign scale = $signed(ScaleWidth'({exp[Exponent-1:1], exp[0] | (exp == '0)})) - ScaleWidth'(Bias) -
                 $signed(ScaleWidth'(sig_zeros));

  // Sine and cosine count in quadrants. A small sine is its angle.
  localparam logic [31:0] TwoOverPi = 32'ha2f9836e;  // 32 bits behind the point
  logic        small_sine;
  logic [55:0] product;

  assign small_sine = op_kind_i == KIND_SIN && scale < -8;
  assign product = is_trig && !small_sine ? norm * 56'(TwoOverPi) : {norm, 32'b0};

  localparam int OperandWidth = 5 + 3 + 56 + ScaleWidth;
  logic                         valid, zero, inf, nan, sign, trig, is_small;
  logic [2:0]                   kind;
  logic [55:0]                  turns;
  logic signed [ScaleWidth-1:0] exponent_a;

  pipe_register #(.Width(OperandWidth + 1), .Enabled(AfterProduct)) u_product (
    .clk_i(clk_i),
    .d_i  ({is_zero, is_inf, is_nan, minus, is_trig, small_sine, op_kind_i, product, scale}),
    .q_o  ({zero, inf, nan, sign, trig, is_small, kind, turns, exponent_a})
  );
  valid_register #(.Enabled(AfterProduct)) u_product_valid (.d_i(op_valid_i), .q_o(valid), .*);

  // As a fixed-point number: 8 bits before the point, 24 behind it, of which the last is rounded away. Above 2^9 quadrants
  // lose a bit with each doubling: PTX says nothing of the error beyond 100 π.
  logic signed [ScaleWidth-1:0] down;
  logic [31:0]                  fixed, turned, rounded;
  logic                         too_large, flips, unity;
  logic [1:0]                   quadrant;

  assign down = ScaleWidth'(31) - exponent_a;
  assign fixed = down < 0 || down > 63 ? '0 : 32'(turns >> down[5:0]);
  assign too_large = exponent_a >= 8;
  assign quadrant = fixed[25:24] + 2'(kind == KIND_COS);
  // The sine of an odd quadrant goes back from 1.
  assign flips = trig ? quadrant[0] : sign;  // seeded-bug: assign flips = trig ? fixed[24] : sign;
  assign turned = (trig ? {8'b0, fixed[23:0]} : fixed) ^ {{8{!trig && flips}}, {24{flips}}};
  assign rounded = {!trig && flips, turned[31:1]} + 32'(turned[0]);
  assign unity = trig && rounded[23];

  // What is read of the table, and the exponent that the result gets. `direct` is no interpolation: u's bits are those
  // behind the one of 1.0, or of a small sine.
  logic                         direct;
  logic [2:0]                   part;  // of the table, with the first bit of the piece for the two of two
  logic [22:0]                  u;
  logic signed [ScaleWidth-1:0] up;

  assign direct = unity || is_small;

  always_comb begin
    u = turns[54:32];
    up = '0;
    part = 3'd6;
    case (kind)
      KIND_RCP: begin
        part = {2'b00, turns[54]};
        up = ~exponent_a;
      end
      KIND_RSQRT: begin
        part = {2'b01, exponent_a[0]};
        up = ~(exponent_a >>> 1);
      end
      KIND_LG2: begin
        part = 3'd4;
        up = exponent_a;
      end
      KIND_EX2: begin
        part = 3'd5;
        u = rounded[22:0];
        up = ScaleWidth'($signed(rounded[31:23]));
      end
      default: begin
        if (!is_small) u = rounded[22:0];
        if (is_small) up = exponent_a;
      end
    endcase
  end

  // What the result is if not a number of its own.
  logic is_not, comes_inf, comes_zero, comes_minus;

  always_comb begin
    is_not = nan;
    comes_inf = 1'b0;
    comes_zero = 1'b0;
    comes_minus = sign;
    case (kind)
      KIND_RCP: begin
        comes_inf = zero;
        comes_zero = inf;
      end
      KIND_RSQRT: begin
        if (sign && !zero) is_not = 1'b1;
        comes_inf = zero;
        comes_zero = inf;
      end
      KIND_LG2: begin
        if (sign && !zero) is_not = 1'b1;
        comes_inf = zero || inf;
        comes_minus = zero;
      end
      KIND_EX2: begin
        comes_inf = too_large && !sign;
        comes_zero = too_large && sign;
        comes_minus = 1'b0;
      end
      default: begin
        if (inf) is_not = 1'b1;
        comes_zero = is_small && zero;
        comes_minus = quadrant[1] ^ (kind == KIND_SIN && sign);
      end
    endcase
  end

  // Behind the reduction. The sixth bit of a reciprocal's piece is the first of t.
  localparam int ReducedWidth = 10 + 23 + ScaleWidth;
  logic                         reduced_valid, reduced_direct, reduced_rcp, reduced_lg2, reduced_trig, reduced_not,
                                reduced_inf, reduced_zero, reduced_minus;
  logic [2:0]                   reduced_part;
  logic [22:0]                  reduced_u;
  logic signed [ScaleWidth-1:0] reduced_up;

  pipe_register #(.Width(ReducedWidth + 1), .Enabled(AfterReduction)) u_reduced (
    .clk_i(clk_i),
    .d_i  ({direct, kind == KIND_RCP, kind == KIND_LG2, trig, is_not, comes_inf, comes_zero, comes_minus, part, u, up}),
    .q_o  ({reduced_direct, reduced_rcp, reduced_lg2, reduced_trig, reduced_not, reduced_inf, reduced_zero, reduced_minus,
            reduced_part, reduced_u, reduced_up})
  );
  valid_register #(.Enabled(AfterReduction)) u_reduced_valid (.d_i(valid), .q_o(reduced_valid), .*);

  logic [8:0]         index;
  logic [16:0]        t;
  logic [28:0]        c0;
  logic signed [19:0] c1;
  logic signed [12:0] c2;
  logic [15:0]        square;

  assign index = {reduced_part, reduced_rcp ? reduced_u[21:16] : reduced_u[22:17]};
  assign t = {reduced_u[16] && !reduced_rcp, reduced_u[15:0]};
  assign square = 16'((t * 34'(t)) >> 18);

  sfu_table u_table (.index_i(index), .c0_o(c0), .c1_o(c1), .c2_o(c2));

  // A logarithm's exponent stands before the point of c0: 9 bits with the sign, 27 behind it.
  logic [35:0]                  base;
  logic signed [ScaleWidth-1:0] table_up;

  assign base = reduced_direct ? {9'd1, reduced_u, 4'b0} : reduced_lg2 ? {reduced_up[8:0], c0[26:0]} : {7'b0, c0};
  assign table_up = reduced_lg2 ? '0 : reduced_up;

  localparam int TableWidth = 5 + ScaleWidth + 36 + 20 + 13 + 17 + 16;
  logic                         table_valid, table_not, table_inf, table_zero, table_minus, table_clamps;
  logic signed [ScaleWidth-1:0] summed_up;
  logic [35:0]                  table_base;
  logic signed [19:0]           table_c1;
  logic signed [12:0]           table_c2;
  logic [16:0]                  table_t;
  logic [15:0]                  table_square;

  pipe_register #(.Width(TableWidth), .Enabled(AfterTable)) u_coefficients (
    .clk_i(clk_i),
    .d_i  ({reduced_not, reduced_inf, reduced_zero, reduced_minus, reduced_trig && !reduced_direct,
            table_up, base, c1 & {20{!reduced_direct}}, c2 & {13{!reduced_direct}}, t, square}),
    .q_o  ({table_not, table_inf, table_zero, table_minus, table_clamps, summed_up, table_base, table_c1, table_c2, table_t,
            table_square})
  );
  valid_register #(.Enabled(AfterTable)) u_coefficients_valid (.d_i(reduced_valid), .q_o(table_valid), .*);

  // The sum, 41 bits behind the point, of which 28 are kept.
  logic signed [36:0] total;

  assign total = 37'(($signed({table_base, 14'b0}) + 50'(table_c1) * $signed({33'b0, table_t}) +
                      ((50'(table_c2) * $signed({34'b0, table_square})) <<< 2)) >>> 13);

  localparam int SumWidth = 5 + ScaleWidth + 37;
  logic                         sum_valid, sum_not, sum_inf, sum_zero, sum_minus, sum_clamps;
  logic signed [ScaleWidth-1:0] sum_up;
  logic [36:0]                  sum;

  pipe_register #(.Width(SumWidth), .Enabled(AfterSum)) u_sum (
    .clk_i(clk_i),
    .d_i  ({table_not, table_inf, table_zero, table_minus, table_clamps, summed_up, total}),
    .q_o  ({sum_not, sum_inf, sum_zero, sum_minus, sum_clamps, sum_up, sum})
  );
  valid_register #(.Enabled(AfterSum)) u_sum_valid (.d_i(table_valid), .q_o(sum_valid), .*);

  // A sine stays within 1; logarithms alone are negative.
  logic        negative, minus_sum;
  logic [35:0] magnitude;

  assign negative = sum[36];
  assign minus_sum = sum_minus || negative;
  always_comb begin
    magnitude = (sum[35:0] ^ {36{negative}}) + 36'(negative);
    if (sum_clamps && sum[28]) magnitude = 36'b1 << 28;
  end

  // The first one to the top; down again what is subnormal. The bits behind the result say how it is rounded.
  logic [5:0]                   sum_zeros;
  logic [35:0]                  normal;
  logic signed [ScaleWidth-1:0] exponent, below;
  logic                         sticky, overflows;
  logic [Fraction+2:0]          kept;
  logic [2*Fraction+5:0]        lowered;
  logic [ScaleWidth+Fraction-1:0] exact, nearest;

  leading_zeros #(.Width(36)) u_sum_zeros (.value_i(magnitude), .zeros_o(sum_zeros));

  assign normal = magnitude << sum_zeros;
  assign exponent = sum_up + ScaleWidth'(Bias + 7) - $signed(ScaleWidth'(sum_zeros));
  assign below = ScaleWidth'(1) - exponent;
  assign lowered = {normal[35 -: Fraction+3], {(Fraction + 3){1'b0}}} >>
                   (below <= 0 ? '0 : below > ScaleWidth'(Fraction + 2) ? ScaleWidth'(Fraction + 2) : below);
  assign kept = lowered[Fraction+3 +: Fraction+3];
  assign sticky = kept[0] || lowered[Fraction+2:0] != '0 || normal[35-Fraction-3:0] != '0;
  assign exact = {kept[Fraction+2] ? $unsigned(exponent) : '0, kept[Fraction+1:2]};
  assign nearest = exact + (ScaleWidth + Fraction)'(kept[1] && (sticky || kept[2]));
  assign overflows = nearest[Fraction +: ScaleWidth] >= ScaleWidth'(Special);

  logic [Width-1:0] result;

  always_comb begin
    result = {minus_sum, nearest[Fraction +: Exponent], nearest[Fraction-1:0]};
    if (overflows || sum_inf) result = {minus_sum, Special, {Fraction{1'b0}}};
    if (sum_zero) result = {minus_sum, {(Width - 1){1'b0}}};
    if (sum_not) result = {1'b0, {(Width - 1){1'b1}}};
  end

  pipe_register #(.Width(Width)) u_result (.clk_i(clk_i), .d_i(result), .q_o(res_o));
  valid_register u_result_valid (.d_i(sum_valid), .q_o(res_valid_o), .*);

  `ASSERT_INIT(Sizes, Exponent >= 3 && Exponent <= 8 && Fraction >= 2 && Fraction <= 23 && Stages >= 1 && Stages <= 5)

endmodule

`default_nettype wire
