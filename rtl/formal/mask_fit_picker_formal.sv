// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What mask_fit_picker must do, said warp by warp: the one that it finds may go beside the taken
// lanes, no other of its set that may has more lanes, and none of as many is lower; where it finds
// none there is none. Two clocks after the op, in order; any design's one op after the other, in its
// own clocks.
module mask_fit_picker_formal #(
  parameter int Lanes = 3,
  parameter int Warps = 4,
  parameter int Sets = 1,
  parameter bit Equal = 1'b1,   // in our clocks, an op each
  parameter int Patience = 16,  // clocks that any design may take for an op, and to be done with it
  localparam int WarpWidth = simt_pkg::idx_width(Warps),
  localparam int SetWidth = simt_pkg::idx_width(Sets)
) (
  input wire                   clk_i,
  input wire                   rst_ni,
  input wire                   op_valid_i,
  input wire [Warps-1:0]       op_ready_i,
  input wire [Warps*Lanes-1:0] op_masks_i,
  input wire [Lanes-1:0]       op_taken_i,
  input wire [SetWidth-1:0]    op_set_i
);

  logic                 op_ready, done_valid, found;
  logic [WarpWidth-1:0] warp;

  mask_fit_picker #(.Lanes(Lanes), .Warps(Warps), .Sets(Sets)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_found_o (found),
    .res_warp_o  (warp),
    .*
  );

  `ASSUME_RESET_FIRST
  `ASSUME(SetExists, 32'(op_set_i) < Sets)

  // Of each warp as many lanes as it would bring, none where it may not go; due: of the op that is done.
  logic [Warps*32-1:0] brings, due;
  always_comb begin
    brings = '0;
    for (int w = 0; w < Warps; w++) begin
      if (op_ready_i[w] && (Sets == 1 || w % Sets == 32'(op_set_i)) &&
          (op_masks_i[w*Lanes +: Lanes] & op_taken_i) == '0)
        brings[w*32 +: 32] = $countones(op_masks_i[w*Lanes +: Lanes]);
    end
  end

  if (Equal) begin : gen_pipeline
    logic [Warps*32-1:0] brings_1_q, brings_2_q;
    logic                valid_1_q, valid_2_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {valid_1_q, valid_2_q} <= 2'b00;
      else {valid_1_q, valid_2_q} <= {op_valid_i, valid_1_q};
    end
    always_ff @(posedge clk_i) {brings_1_q, brings_2_q} <= {brings, brings_1_q};
    assign due = brings_2_q;
    `ASSERT(InTwoClocks, op_ready && done_valid == valid_2_q)
  end else begin : gen_one
    localparam int OpWidth = Warps + Warps * Lanes + Lanes + SetWidth;
    logic [OpWidth-1:0]  op;
    logic [Warps*32-1:0] brings_q;
    assign op = {op_ready_i, op_masks_i, op_taken_i, op_set_i};
    `include "shared/one_operation.svh"
    always_ff @(posedge clk_i) if (op_taken) brings_q <= brings;
    assign due = brings_q;
  end

  logic right;
  always_comb begin
    right = found == (due != '0);
    for (int w = 0; w < Warps; w++) begin
      if (found && (due[w*32 +: 32] > due[warp*32 +: 32] ||
                    (due[w*32 +: 32] == due[warp*32 +: 32] && w < 32'(warp)))) right = 1'b0;
    end
    if (found && (32'(warp) >= Warps || due[warp*32 +: 32] == 0)) right = 1'b0;
  end

  `ASSERT(TheBestThatFits, !done_valid || right)

  `COVER(NoneFits, done_valid && !found)
  `COVER(AHigherOneFits, done_valid && found && 32'(warp) == Warps - 1 && due[0 +: 32] != 0)

endmodule

`default_nettype wire
