// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The integer lane of a SIMD unit: an operation per clock, its result Stages clocks later. Shifts take the low bits of b,
// five of 32; comparisons give 1 or 0; a product comes in halves.
module int_lane #(
  parameter int Width = 32,
  parameter int Stages = 2,  // 1 to 3: registers at the results; before a product's carries are added; at the operands
  localparam int ShiftWidth = simt_pkg::idx_width(Width)
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              op_valid_i,
  input  wire  [3:0]       op_kind_i,    // see KIND_*
  input  wire              op_signed_i,  // of a right shift, the high half of a product, minimum, maximum and "less"
  input  wire  [Width-1:0] op_a_i,
  input  wire  [Width-1:0] op_b_i,
  output logic             res_valid_o,
  output logic [Width-1:0] res_o
);

  localparam logic [3:0] KIND_ADD = 4'd0;
  localparam logic [3:0] KIND_SUB = 4'd1;
  localparam logic [3:0] KIND_AND = 4'd2;
  localparam logic [3:0] KIND_OR = 4'd3;
  localparam logic [3:0] KIND_XOR = 4'd4;
  localparam logic [3:0] KIND_SHL = 4'd5;
  localparam logic [3:0] KIND_SHR = 4'd6;
  localparam logic [3:0] KIND_MIN = 4'd7;
  localparam logic [3:0] KIND_MAX = 4'd8;
  localparam logic [3:0] KIND_EQ = 4'd9;
  localparam logic [3:0] KIND_NE = 4'd10;
  localparam logic [3:0] KIND_LT = 4'd11;
  localparam logic [3:0] KIND_LE = 4'd12;
  localparam logic [3:0] KIND_MUL = 4'd13;     // low half
  localparam logic [3:0] KIND_MULHI = 4'd14;

  // The operands.
  localparam int InWidth = 1 + 4 + 1 + 2 * Width;
  logic             valid, is_signed;
  logic [3:0]       kind;
  logic [Width-1:0] a, b;

  pipe_register #(.Width(InWidth - 1), .Enabled(Stages > 2 ? 1 : 0)) u_operands (
    .clk_i(clk_i),
    .d_i  ({op_kind_i, op_signed_i, op_a_i, op_b_i}),
    .q_o  ({kind, is_signed, a, b})
  );
  valid_register #(.Enabled(Stages > 2 ? 1 : 0)) u_operands_valid (
    .d_i(op_valid_i),
    .q_o(valid),
    .*
  );

  // One adder for sums, differences and comparisons: a bit more, so that "less" is the sign of the difference. It sits
  // above the operands' sign, or above a zero.
  logic [Width:0]   wide_a, wide_b, total;
  logic             subtracts, less, same;
  logic [Width-1:0] plain;

  assign subtracts = kind != KIND_ADD;
  assign wide_a = {is_signed && a[Width-1], a};
  assign wide_b = {is_signed && b[Width-1], b} ^ {(Width + 1){subtracts}};
  assign total = wide_a + wide_b + (Width + 1)'(subtracts);
  assign less = total[Width];  // seeded-bug: assign less = total[Width-1];
  assign same = a == b;

  // One shifter, to the right: what goes to the left goes through it turned round.
  logic [Width-1:0] turned, shifted, back;
  logic             fill;

  always_comb begin
    for (int i = 0; i < Width; i++) turned[i] = kind == KIND_SHL ? a[Width-1-i] : a[i];
  end
  assign fill = kind == KIND_SHR && is_signed && a[Width-1];
  assign shifted = Width'($signed({fill, turned}) >>> b[ShiftWidth-1:0]);
  always_comb begin
    for (int i = 0; i < Width; i++) back[i] = kind == KIND_SHL ? shifted[Width-1-i] : shifted[i];
  end

  always_comb begin
    plain = '0;
    case (kind)
      KIND_ADD, KIND_SUB: plain = total[Width-1:0];
      KIND_AND: plain = a & b;
      KIND_OR: plain = a | b;
      KIND_XOR: plain = a ^ b;
      KIND_SHL, KIND_SHR: plain = back;
      KIND_MIN: plain = less ? a : b;
      KIND_MAX: plain = less ? b : a;
      KIND_EQ: plain = Width'(same);
      KIND_NE: plain = Width'(!same);
      KIND_LT: plain = Width'(less);
      KIND_LE: plain = Width'(less || same);
      default: ;
    endcase
  end

  // The product as a sum and its carries. A negative operand counts for 2^Width less than its bits say: the other one is
  // taken off the upper half.
  logic [(Width+2)*2*Width-1:0] terms;
  logic [2*Width-1:0]           sum, carry;
  logic                         minus_a, minus_b;

  assign minus_b = is_signed && a[Width-1];
  assign minus_a = is_signed && b[Width-1];

  always_comb begin
    for (int i = 0; i < Width; i++) begin
      terms[2*Width*i +: 2*Width] = {{Width{1'b0}}, a & {Width{b[i]}}} << i;
    end
    terms[Width +: 2] = {minus_a && minus_b, minus_a != minus_b};  // above the first term: the ones of the complements
    terms[2*Width*Width +: 2*Width] = {~a & {Width{minus_a}}, {Width{1'b0}}};
    terms[2*Width*(Width+1) +: 2*Width] = {~b & {Width{minus_b}}, {Width{1'b0}}};
  end

  csa_tree #(.Terms(Width + 2), .Width(2 * Width)) u_tree (.terms_i(terms), .sum_o(sum), .carry_o(carry));

  // Their sum.
  localparam int MidWidth = 4 + Width + 4 * Width;
  logic               mid_valid;
  logic [3:0]         mid_kind;
  logic [Width-1:0]   mid_plain, result;
  logic [2*Width-1:0] mid_sum, mid_carry, product;

  pipe_register #(.Width(MidWidth), .Enabled(Stages > 1 ? 1 : 0)) u_mid (
    .clk_i(clk_i),
    .d_i  ({kind, plain, sum, carry}),
    .q_o  ({mid_kind, mid_plain, mid_sum, mid_carry})
  );
  valid_register #(.Enabled(Stages > 1 ? 1 : 0)) u_mid_valid (
    .d_i(valid),
    .q_o(mid_valid),
    .*
  );

  assign product = mid_sum + mid_carry;

  always_comb begin
    result = mid_plain;
    if (mid_kind == KIND_MUL) result = product[Width-1:0];
    if (mid_kind == KIND_MULHI) result = product[2*Width-1:Width];
  end

  pipe_register #(.Width(Width)) u_result (.clk_i(clk_i), .d_i(result), .q_o(res_o));
  valid_register u_result_valid (.d_i(mid_valid), .q_o(res_valid_o), .*);

  `ASSERT_INIT(Sizes, Width >= 2 && (1 << ShiftWidth) == Width && Stages >= 1 && Stages <= 3)

endmodule

`default_nettype wire
