// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The sorter of stackless reconvergence: of the contexts that an instruction leaves behind and the
// first of those that wait, which runs next, and which have met? The deeper goes first, then the
// lower pc; contexts of one pc become one, as deep as the deepest. Two clocks, one operation per
// clock.
module context_sorter #(
  parameter int Lanes = 32,      // threads of a warp
  parameter int PcWidth = 16,
  parameter int DepthWidth = 8,
  localparam int Contexts = 3
) (
  input  wire                            clk_i,
  input  wire                            rst_ni,
  input  wire                            op_valid_i,
  output logic                           op_ready_o,
  input  wire  [Contexts*Lanes-1:0]      op_mask_i,   // context c is bits c*Lanes…; no lanes: none
  input  wire  [Contexts*PcWidth-1:0]    op_pc_i,
  input  wire  [Contexts*DepthWidth-1:0] op_depth_i,
  output logic                           res_valid_o,
  input  wire                            res_ready_i,
  output logic [Contexts*Lanes-1:0]      res_mask_o,  // the first context first; zeros behind the last
  output logic [Contexts*PcWidth-1:0]    res_pc_o,
  output logic [Contexts*DepthWidth-1:0] res_depth_o
);

  logic compared_valid_d, compared_valid_q, res_valid_d, res_valid_q;
  logic compared_free, res_free, op_taken, compared_taken;

  assign res_free = !res_valid_q || res_ready_i;
  assign compared_free = !compared_valid_q || res_free;  // seeded-bug: assign compared_free = 1'b1;
  assign op_taken = op_valid_i && compared_free;
  assign compared_taken = compared_valid_q && res_free;

  // First clock: every two contexts are compared. Pair p is of contexts p and p+1, the last of 2, 0.
  logic [Contexts-1:0] same;          // of one pc, and both there
  logic [Contexts-1:0] deeper;        // the pair's first is the deeper one
  logic [Contexts-1:0] shallower;     // its second is
  logic [Contexts-1:0] lower;         // the first's pc is the lower one
  logic [Contexts-1:0] there;         // the context has lanes

  for (genvar p = 0; p < Contexts; p++) begin : gen_pair
    localparam int Next = (p + 1) % Contexts;
    wire [PcWidth-1:0] pc = op_pc_i[p*PcWidth +: PcWidth];
    wire [PcWidth-1:0] next_pc = op_pc_i[Next*PcWidth +: PcWidth];
    wire [DepthWidth-1:0] depth = op_depth_i[p*DepthWidth +: DepthWidth];
    wire [DepthWidth-1:0] next_depth = op_depth_i[Next*DepthWidth +: DepthWidth];
    assign there[p] = |op_mask_i[p*Lanes +: Lanes];
    assign same[p] = there[p] && there[Next] && pc == next_pc;
    assign deeper[p] = depth > next_depth;
    assign shallower[p] = depth < next_depth;
    assign lower[p] = pc < next_pc;
  end

  logic [Contexts*Lanes-1:0]      mask_d, mask_q;
  logic [Contexts*PcWidth-1:0]    pc_d, pc_q;
  logic [Contexts*DepthWidth-1:0] depth_d, depth_q;
  logic [Contexts-1:0]            same_d, same_q, deeper_d, deeper_q, shallower_d, shallower_q;
  logic [Contexts-1:0]            lower_d, lower_q, there_d, there_q;

  always_comb begin
    compared_valid_d = op_taken || (compared_valid_q && !res_free);
    mask_d = mask_q;
    pc_d = pc_q;
    depth_d = depth_q;
    same_d = same_q;
    deeper_d = deeper_q;
    shallower_d = shallower_q;
    lower_d = lower_q;
    there_d = there_q;
    if (op_taken) begin
      mask_d = op_mask_i;
      pc_d = op_pc_i;
      depth_d = op_depth_i;
      same_d = same;
      deeper_d = deeper;
      shallower_d = shallower;
      lower_d = lower;
      there_d = there;
    end
  end

  // Second clock. Of contexts of one pc the first stays, with the lanes of all and the depth of the
  // deepest. Comparisons of depths stay right: they are those of whoever gives the depth.
  logic [Contexts*Lanes-1:0] merged;
  logic [Contexts-1:0]       stays;
  logic [2*Contexts-1:0]     deepest;  // two bits each: of whom a context that stays takes the depth

  // Contexts a and b, a before b, as pairs: same pc; the first deeper; the second deeper.
  wire same_01 = same_q[0], same_12 = same_q[1], same_02 = same_q[2];
  wire deeper_01 = deeper_q[0], deeper_12 = deeper_q[1], deeper_20 = deeper_q[2];
  wire deeper_10 = shallower_q[0], deeper_21 = shallower_q[1], deeper_02 = shallower_q[2];

  always_comb begin
    merged = mask_q;
    if (same_01) merged[0 +: Lanes] |= mask_q[Lanes +: Lanes];
    if (same_02) merged[0 +: Lanes] |= mask_q[2*Lanes +: Lanes];
    if (same_12) merged[Lanes +: Lanes] |= mask_q[2*Lanes +: Lanes];
    stays[0] = there_q[0];
    stays[1] = there_q[1] && !same_01;
    stays[2] = there_q[2] && !same_02 && !same_12;

    deepest[2*0 +: 2] = 2'd0;
    if (same_01 && deeper_10) deepest[2*0 +: 2] = 2'd1;
    if (same_02 && deeper_20 && !(same_01 && !deeper_21)) deepest[2*0 +: 2] = 2'd2;
    deepest[2*1 +: 2] = same_12 && deeper_21 ? 2'd2 : 2'd1;
    deepest[2*2 +: 2] = 2'd2;
  end

  // Is what context a stands for deeper than what b stands for?
  function automatic logic is_deeper(input logic [1:0] a, input logic [1:0] b,
                                     input logic [5:0] pairs);
    case ({a, b})
      {2'd0, 2'd1}: is_deeper = pairs[0];
      {2'd1, 2'd0}: is_deeper = pairs[1];
      {2'd1, 2'd2}: is_deeper = pairs[2];
      {2'd2, 2'd1}: is_deeper = pairs[3];
      {2'd2, 2'd0}: is_deeper = pairs[4];
      {2'd0, 2'd2}: is_deeper = pairs[5];
      default: is_deeper = 1'b0;
    endcase
  endfunction

  logic [Contexts-1:0] first;  // of a pair of which both stay, or one is none
  wire [5:0] pairs = {deeper_02, deeper_20, deeper_21, deeper_12, deeper_10, deeper_01};

  for (genvar p = 0; p < Contexts; p++) begin : gen_first
    localparam int Next = (p + 1) % Contexts;
    wire is_first = is_deeper(deepest[2*p +: 2], deepest[2*Next +: 2], pairs);
    wire is_second = is_deeper(deepest[2*Next +: 2], deepest[2*p +: 2], pairs);
    assign first[p] = stays[p] && (!stays[Next] || is_first || (!is_second && lower_q[p]));
  end

  // Each context's place is the number of those before it.
  logic [Contexts*Contexts-1:0] at;  // bit s*Contexts+c: context c comes to place s

  for (genvar c = 0; c < Contexts; c++) begin : gen_place
    localparam int Next = (c + 1) % Contexts, Last = (c + 2) % Contexts;
    wire behind_next = stays[Next] && !first[c];
    wire behind_last = stays[Last] && first[Last];
    assign at[0*Contexts + c] = stays[c] && !behind_next && !behind_last;
    assign at[1*Contexts + c] = stays[c] && (behind_next ^ behind_last);
    assign at[2*Contexts + c] = stays[c] && behind_next && behind_last;
  end

  logic [Contexts*DepthWidth-1:0] deep;  // by context
  logic [Contexts*Lanes-1:0]      sorted_mask;
  logic [Contexts*PcWidth-1:0]    sorted_pc;
  logic [Contexts*DepthWidth-1:0] sorted_depth;

  for (genvar c = 0; c < Contexts; c++) begin : gen_deep
    wire [1:0] from = deepest[2*c +: 2];
    assign deep[c*DepthWidth +: DepthWidth] =
        ({DepthWidth{from == 2'd0}} & depth_q[0*DepthWidth +: DepthWidth]) |
        ({DepthWidth{from == 2'd1}} & depth_q[1*DepthWidth +: DepthWidth]) |
        ({DepthWidth{from == 2'd2}} & depth_q[2*DepthWidth +: DepthWidth]);
  end

  for (genvar s = 0; s < Contexts; s++) begin : gen_sorted
    wire [Contexts-1:0] comes = at[s*Contexts +: Contexts];
    assign sorted_mask[s*Lanes +: Lanes] = ({Lanes{comes[0]}} & merged[0*Lanes +: Lanes]) |
                                           ({Lanes{comes[1]}} & merged[1*Lanes +: Lanes]) |
                                           ({Lanes{comes[2]}} & merged[2*Lanes +: Lanes]);
    assign sorted_pc[s*PcWidth +: PcWidth] = ({PcWidth{comes[0]}} & pc_q[0*PcWidth +: PcWidth]) |
                                             ({PcWidth{comes[1]}} & pc_q[1*PcWidth +: PcWidth]) |
                                             ({PcWidth{comes[2]}} & pc_q[2*PcWidth +: PcWidth]);
    assign sorted_depth[s*DepthWidth +: DepthWidth] =
        ({DepthWidth{comes[0]}} & deep[0*DepthWidth +: DepthWidth]) |
        ({DepthWidth{comes[1]}} & deep[1*DepthWidth +: DepthWidth]) |
        ({DepthWidth{comes[2]}} & deep[2*DepthWidth +: DepthWidth]);
  end

  logic [Contexts*Lanes-1:0]      res_mask_d, res_mask_q;
  logic [Contexts*PcWidth-1:0]    res_pc_d, res_pc_q;
  logic [Contexts*DepthWidth-1:0] res_depth_d, res_depth_q;

  always_comb begin
    res_valid_d = compared_taken || (res_valid_q && !res_ready_i);
    res_mask_d = res_mask_q;
    res_pc_d = res_pc_q;
    res_depth_d = res_depth_q;
    if (compared_taken) begin
      res_mask_d = sorted_mask;
      res_pc_d = sorted_pc;
      res_depth_d = sorted_depth;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      compared_valid_q <= 1'b0;
      res_valid_q <= 1'b0;
    end else begin
      compared_valid_q <= compared_valid_d;
      res_valid_q <= res_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    mask_q <= mask_d;
    pc_q <= pc_d;
    depth_q <= depth_d;
    same_q <= same_d;
    deeper_q <= deeper_d;
    shallower_q <= shallower_d;
    lower_q <= lower_d;
    there_q <= there_d;
    res_mask_q <= res_mask_d;
    res_pc_q <= res_pc_d;
    res_depth_q <= res_depth_d;
  end

  assign op_ready_o = compared_free;
  assign res_valid_o = res_valid_q;
  assign res_mask_o = res_mask_q;
  assign res_pc_o = res_pc_q;
  assign res_depth_o = res_depth_q;

  `ASSERT(FirstComesFirst, !res_valid_o || |res_mask_o[0 +: Lanes] || res_mask_o == '0)
  `ASSERT(NoGap, !res_valid_o || |res_mask_o[Lanes +: Lanes] || res_mask_o[2*Lanes +: Lanes] == '0)
  `ASSERT_INIT(Sizes, Lanes > 0 && PcWidth > 0 && DepthWidth > 0)

endmodule

`default_nettype wire
