// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The FP32 lane of a SIMD unit: a × b + c with one rounding, to nearest even, subnormal numbers as any others (IEEE
// 754-2008). A NaN comes as 7fffffff, as PTX has it. An operation per clock, its result Stages clocks later. a + c is
// a × 1 + c, a × b is a × b + -0 or +0 by the sign of the product: whoever issues supplies those.
//
// The product lies in a window of Window bits, 26 above its lowest; the addend is shifted to its place there, at most so
// far up that two zeros separate it from the product, and down into a sticky bit. The lowest bit of the window is worth
// the same in the sum, so its exponent is `scale` for all that follows.
module fma_lane #(
  parameter int Exponent = 8,   // bits of the exponent
  parameter int Fraction = 23,  // and of the fraction
  parameter int Stages = 4,     // 1 to 5: registers at the results; behind the sum; the product; the normalisation; the alignment
  localparam int Width = 1 + Exponent + Fraction
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              op_valid_i,
  input  wire  [Width-1:0] op_a_i,
  input  wire  [Width-1:0] op_b_i,
  input  wire  [Width-1:0] op_c_i,
  output logic             res_valid_o,
  output logic [Width-1:0] res_o
);

  localparam int Bits = Fraction + 1;          // of a significand
  localparam int Below = Bits + 2;             // window bits below the product
  localparam int Highest = 2 * Bits + 2;       // place of the addend's lowest bit, from that of the product
  localparam int Window = Below + Highest + Bits + 1;  // the top one takes the carry
  localparam int ShiftWidth = simt_pkg::idx_width(Window);
  localparam int Bias = (1 << (Exponent - 1)) - 1;
  localparam int ScaleWidth = (2 << Exponent) > 3 * Window ? Exponent + 2 : Exponent + 3;  // signed
  localparam logic [Exponent-1:0] Special = {Exponent{1'b1}};  // Yosys 0.23 takes '1 for 1 here

  localparam int AfterProduct = Stages > 2 ? 1 : 0;
  localparam int AfterAlignment = Stages > 4 ? 1 : 0;
  localparam int AfterSum = Stages > 1 ? 1 : 0;
  localparam int AfterNormal = Stages > 3 ? 1 : 0;

  // What the numbers are.
  logic [Exponent-1:0] exp_a, exp_b, exp_c;
  logic [Bits-1:0]     sig_a, sig_b, sig_c;
  logic                zero_product, inf_a, inf_b, inf_c, nan_a, nan_b, nan_c, minus_product, minus_c;

  assign exp_a = op_a_i[Fraction +: Exponent];
  assign exp_b = op_b_i[Fraction +: Exponent];
  assign exp_c = op_c_i[Fraction +: Exponent];
  assign sig_a = {exp_a != '0, op_a_i[Fraction-1:0]};
  assign sig_b = {exp_b != '0, op_b_i[Fraction-1:0]};
  assign sig_c = {exp_c != '0, op_c_i[Fraction-1:0]};
  assign inf_a = exp_a == Special && op_a_i[Fraction-1:0] == '0;
  assign inf_b = exp_b == Special && op_b_i[Fraction-1:0] == '0;
  assign inf_c = exp_c == Special && op_c_i[Fraction-1:0] == '0;
  assign nan_a = exp_a == Special && op_a_i[Fraction-1:0] != '0;
  assign nan_b = exp_b == Special && op_b_i[Fraction-1:0] != '0;
  assign nan_c = exp_c == Special && op_c_i[Fraction-1:0] != '0;
  assign minus_product = op_a_i[Width-1] ^ op_b_i[Width-1];
  assign minus_c = op_c_i[Width-1];
  assign zero_product = sig_a == '0 || sig_b == '0;

  // Not a number, or infinite whatever the finite parts are.
  logic is_nan, is_inf, minus_inf;

  assign is_nan = nan_a || nan_b || nan_c || (inf_a && sig_b == '0) || (inf_b && sig_a == '0) ||
                  ((inf_a || inf_b) && inf_c && minus_product != minus_c);
  assign is_inf = inf_a || inf_b || inf_c;
  assign minus_inf = inf_c ? minus_c : minus_product;

  // Where the addend goes: `place` is that of its lowest bit, from the window's lowest.
  logic signed [ScaleWidth-1:0] real_a, real_b, real_c, place, scale;
  logic                         far;  // the addend is so large, or the product 0, that it stands at its highest

  assign real_a = ScaleWidth'({exp_a[Exponent-1:1], exp_a[0] | (exp_a == '0)});
  assign real_b = ScaleWidth'({exp_b[Exponent-1:1], exp_b[0] | (exp_b == '0)});
  assign real_c = ScaleWidth'({exp_c[Exponent-1:1], exp_c[0] | (exp_c == '0)});
  assign place = real_c - real_a - real_b + ScaleWidth'(Bias + Fraction + Below);
  assign far = zero_product || place > ScaleWidth'(Below + Highest);
  // Of the window's highest bit, were it the first of a result: as the exponent of a number says it.
  assign scale = far ? real_c + ScaleWidth'(1)
                     : real_a + real_b + ScaleWidth'(Window - 1 - Below - 2 * Fraction - Bias);

  // The product as a sum and its carries.
  logic [Bits*2*Bits-1:0] terms;
  logic [2*Bits-1:0]      sum, carry;

  always_comb begin
    for (int i = 0; i < Bits; i++) begin
      terms[2*Bits*i +: 2*Bits] = {{Bits{1'b0}}, sig_a & {Bits{sig_b[i]}}} << i;
    end
  end

  csa_tree #(.Terms(Bits), .Width(2 * Bits)) u_tree (.terms_i(terms), .sum_o(sum), .carry_o(carry));

  // Behind the product.
  localparam int ControlWidth = 5 + ScaleWidth;
  logic                         product_valid, product_far;
  logic [ControlWidth-1:0]      product_control;
  logic signed [ScaleWidth-1:0] product_place;
  logic [Bits-1:0]              product_c;
  logic [2*Bits-1:0]            product_sum, product_carry;

  pipe_register #(.Width(ControlWidth + 1 + ScaleWidth + 5 * Bits), .Enabled(AfterProduct)) u_product (
    .clk_i(clk_i),
    .d_i  ({is_nan, is_inf, minus_inf, minus_product, minus_c, scale, far, place, sig_c, sum, carry}),
    .q_o  ({product_control, product_far, product_place, product_c, product_sum, product_carry})
  );
  valid_register #(.Enabled(AfterProduct)) u_product_valid (.d_i(op_valid_i), .q_o(product_valid), .*);

  // The addend in its place: from the window's top, to the right.
  logic [ScaleWidth-1:0] down;
  logic [Window+Bits-1:0] placed;
  logic [Window-1:0]      addend;
  logic                   gone, below;  // bits fell out of the window

  assign down = product_far ? '0 : ScaleWidth'(Below + Highest) - $unsigned(product_place);
  assign gone = down > ScaleWidth'(Window - 1);
  assign placed = gone ? '0 : {1'b0, product_c, {(Window - 1){1'b0}}} >> down[ShiftWidth-1:0];
  assign addend = placed[Bits +: Window];
  assign below = gone ? product_c != '0 : placed[Bits-1:0] != '0;

  logic                    aligned_valid, aligned_below;
  logic [ControlWidth-1:0] aligned_control;
  logic [Window-1:0]       aligned_addend;
  logic [2*Bits-1:0]       aligned_sum, aligned_carry;

  pipe_register #(.Width(ControlWidth + 1 + Window + 4 * Bits), .Enabled(AfterAlignment)) u_aligned (
    .clk_i(clk_i),
    .d_i  ({product_control, below, addend, product_sum, product_carry}),
    .q_o  ({aligned_control, aligned_below, aligned_addend, aligned_sum, aligned_carry})
  );
  valid_register #(.Enabled(AfterAlignment)) u_aligned_valid (.d_i(product_valid), .q_o(aligned_valid), .*);

  // Sum or difference, both ways round: product - addend, less one where bits of the addend lie below the window, and
  // addend - product, which nothing lies below.
  logic              subtracts, negative;
  logic [Window-1:0] wide_sum, wide_carry, total, reverse, magnitude;

  assign subtracts = aligned_control[ScaleWidth+1] != aligned_control[ScaleWidth];
  assign wide_sum = Window'(aligned_sum) << Below;  // with its carries below 2^(2*Bits), as the product is
  assign wide_carry = Window'(aligned_carry) << Below;
  assign total = wide_sum + wide_carry + (aligned_addend ^ {Window{subtracts}}) +
                 Window'(subtracts && !aligned_below);  // seeded-bug[Exponent=4]: Window'(subtracts);
  assign reverse = aligned_addend - wide_sum - wide_carry;
  assign negative = subtracts && total[Window-1];  // seeded-bug: assign negative = 1'b0;
  assign magnitude = negative ? reverse : total;

  logic                         sum_valid, sum_below, sum_negative, sum_subtracts;
  logic [ControlWidth-1:0]      sum_control;
  logic [Window-1:0]            sum_magnitude;

  pipe_register #(.Width(ControlWidth + 3 + Window), .Enabled(AfterSum)) u_sum (
    .clk_i(clk_i),
    .d_i  ({aligned_control, aligned_below, negative, subtracts, magnitude}),
    .q_o  ({sum_control, sum_below, sum_negative, sum_subtracts, sum_magnitude})
  );
  valid_register #(.Enabled(AfterSum)) u_sum_valid (.d_i(aligned_valid), .q_o(sum_valid), .*);

  // The first one to the top, or so far as the smallest exponent lets it: what does not come up is subnormal.
  logic signed [ScaleWidth-1:0] sum_scale;
  logic [ScaleWidth-1:0]        limit, left;
  logic [ShiftWidth-1:0]        zeros, up;
  logic [Window-1:0]            normal;
  logic                         limited;

  assign sum_scale = $signed(sum_control[ScaleWidth-1:0]);
  assign limit = $unsigned(sum_scale) - ScaleWidth'(1);

  leading_zeros #(.Width(Window)) u_zeros (.value_i(sum_magnitude), .zeros_o(zeros));

  assign limited = limit < ScaleWidth'(zeros);
  assign up = limited ? limit[ShiftWidth-1:0] : zeros;
  assign normal = sum_magnitude << up;
  assign left = $unsigned(sum_scale) - ScaleWidth'(up);  // the exponent

  logic                    normal_valid, normal_round, normal_sticky, normal_nothing, normal_negative, normal_subtracts;
  logic [ControlWidth-1:0] normal_control;
  logic [ScaleWidth-1:0]   normal_left;
  logic [Bits-1:0]         normal_bits;

  logic round, sticky, nothing;
  assign round = normal[Window-Bits-1];
  assign sticky = normal[Window-Bits-2:0] != '0 || sum_below;
  assign nothing = sum_magnitude == '0 && !sum_below;

  pipe_register #(.Width(ControlWidth + 5 + ScaleWidth + Bits), .Enabled(AfterNormal)) u_normal (
    .clk_i(clk_i),
    .d_i  ({sum_control, round, sticky, nothing, sum_negative, sum_subtracts, left, normal[Window-1 -: Bits]}),
    .q_o  ({normal_control, normal_round, normal_sticky, normal_nothing, normal_negative, normal_subtracts, normal_left,
            normal_bits})
  );
  valid_register #(.Enabled(AfterNormal)) u_normal_valid (.d_i(sum_valid), .q_o(normal_valid), .*);

  // The rounding: exponent and fraction as one number, which carries from one to the other.
  logic [ScaleWidth+Fraction-1:0] exact, rounded;
  logic                           minus, overflows;
  logic [Width-1:0]               result;

  assign exact = {normal_bits[Bits-1] ? normal_left : '0, normal_bits[Fraction-1:0]};
  assign rounded = exact + (ScaleWidth + Fraction)'(normal_round && (normal_sticky || normal_bits[0]));
  assign overflows = rounded[Fraction +: ScaleWidth] >= ScaleWidth'(Special);

  always_comb begin
    minus = normal_negative ? normal_control[ScaleWidth] : normal_control[ScaleWidth+1];
    if (normal_nothing && normal_subtracts) minus = 1'b0;
    result = {minus, rounded[Fraction +: Exponent], rounded[Fraction-1:0]};
    if (overflows) result = {minus, Special, {Fraction{1'b0}}};
    if (normal_control[ScaleWidth+3]) result = {normal_control[ScaleWidth+2], Special, {Fraction{1'b0}}};
    if (normal_control[ScaleWidth+4]) result = {1'b0, {(Width - 1){1'b1}}};
  end

  pipe_register #(.Width(Width)) u_result (.clk_i(clk_i), .d_i(result), .q_o(res_o));
  valid_register u_result_valid (.d_i(normal_valid), .q_o(res_valid_o), .*);

  `ASSERT_INIT(Sizes, Exponent >= 3 && Fraction >= 2 && Stages >= 1 && Stages <= 5)

endmodule

`default_nettype wire
