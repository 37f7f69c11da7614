// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`include "shared/stays.svh"
`default_nettype none

// What context_sorter must do, said context by context: who stands for a pc, with which lanes and
// which depth, and behind how many others. Results in order, none lost, ours two clocks after their
// operation or as soon as they are taken.
module context_sorter_formal #(
  parameter int Lanes = 3,
  parameter int PcWidth = 3,
  parameter int DepthWidth = 2,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for a result
  localparam int Contexts = 3
) (
  input wire                           clk_i,
  input wire                           rst_ni,
  input wire                           op_valid_i,
  input wire [Contexts*Lanes-1:0]      op_mask_i,
  input wire [Contexts*PcWidth-1:0]    op_pc_i,
  input wire [Contexts*DepthWidth-1:0] op_depth_i,
  input wire                           res_ready_i
);

  localparam int OpWidth = Contexts * (Lanes + PcWidth + DepthWidth);

  logic                           op_ready, res_valid;
  logic [Contexts*Lanes-1:0]      res_mask;
  logic [Contexts*PcWidth-1:0]    res_pc;
  logic [Contexts*DepthWidth-1:0] res_depth;

  context_sorter #(.Lanes(Lanes), .PcWidth(PcWidth), .DepthWidth(DepthWidth)) dut (
    .op_ready_o (op_ready),
    .res_valid_o(res_valid),
    .res_mask_o (res_mask),
    .res_pc_o   (res_pc),
    .res_depth_o(res_depth),
    .*
  );

  `ASSUME_RESET_FIRST

  // The operations on their way.
  logic [OpWidth-1:0] op;

  assign op = {op_mask_i, op_pc_i, op_depth_i};
  `include "shared/results_in_order.svh"

  // The result of the oldest.
  logic [Contexts*Lanes-1:0]      mask, merged, expected_mask;
  logic [Contexts*PcWidth-1:0]    pc, expected_pc;
  logic [Contexts*DepthWidth-1:0] depth, deepest, expected_depth;
  logic [Contexts-1:0]            stands;  // for its pc: the first of it that is there
  logic [1:0]                     before;

  always_comb begin
    {mask, pc, depth} = first_q;
    merged = '0;
    deepest = '0;
    for (int c = 0; c < Contexts; c++) begin
      stands[c] = mask[c*Lanes +: Lanes] != '0;
      for (int o = 0; o < Contexts; o++) begin
        if (mask[o*Lanes +: Lanes] != '0 && pc[o*PcWidth +: PcWidth] == pc[c*PcWidth +: PcWidth]) begin
          if (o < c) stands[c] = 1'b0;
          merged[c*Lanes +: Lanes] |= mask[o*Lanes +: Lanes];
          if (depth[o*DepthWidth +: DepthWidth] > deepest[c*DepthWidth +: DepthWidth]) begin
            deepest[c*DepthWidth +: DepthWidth] = depth[o*DepthWidth +: DepthWidth];
          end
        end
      end
    end
    expected_mask = '0;
    expected_pc = '0;
    expected_depth = '0;
    before = '0;
    for (int c = 0; c < Contexts; c++) begin
      before = '0;
      for (int o = 0; o < Contexts; o++) begin
        if (stands[o] && {~deepest[o*DepthWidth +: DepthWidth], pc[o*PcWidth +: PcWidth]} <
                         {~deepest[c*DepthWidth +: DepthWidth], pc[c*PcWidth +: PcWidth]}) begin
          before += 2'd1;
        end
      end
      for (int s = 0; s < Contexts; s++) begin
        if (stands[c] && before == 2'(s)) begin
          expected_mask[s*Lanes +: Lanes] = merged[c*Lanes +: Lanes];
          expected_pc[s*PcWidth +: PcWidth] = pc[c*PcWidth +: PcWidth];
          expected_depth[s*DepthWidth +: DepthWidth] = deepest[c*DepthWidth +: DepthWidth];
        end
      end
    end
  end

  `ASSERT(Masks, !res_valid || res_mask == expected_mask)
  `ASSERT(Pcs, !res_valid || res_pc == expected_pc)
  `ASSERT(Depths, !res_valid || res_depth == expected_depth)
  `ASSERT_STAYS(StableWhileStalled, res_valid, res_ready_i, {res_mask, res_pc, res_depth})

`ifndef PORTS_ONLY
  // For the induction: between its two clocks the block holds the newest operation, and how every
  // two of its contexts compare.
  (* hierconn *) wire \dut.compared_valid_q ;
  (* hierconn *) wire [Contexts*Lanes-1:0] \dut.mask_q ;
  (* hierconn *) wire [Contexts*PcWidth-1:0] \dut.pc_q ;
  (* hierconn *) wire [Contexts*DepthWidth-1:0] \dut.depth_q ;
  (* hierconn *) wire [Contexts-1:0] \dut.same_q ;
  (* hierconn *) wire [Contexts-1:0] \dut.deeper_q ;
  (* hierconn *) wire [Contexts-1:0] \dut.shallower_q ;
  (* hierconn *) wire [Contexts-1:0] \dut.lower_q ;
  (* hierconn *) wire [Contexts-1:0] \dut.there_q ;
  logic [OpWidth-1:0]             newest;
  logic [Contexts*Lanes-1:0]      held_mask;
  logic [Contexts*PcWidth-1:0]    held_pc;
  logic [Contexts*DepthWidth-1:0] held_depth;
  logic                           compared;

  always_comb begin
    newest = due_q == 2'd2 ? second_q : first_q;
    {held_mask, held_pc, held_depth} = newest;
    compared = 1'b1;
    for (int p = 0; p < Contexts; p++) begin
      if (\dut.there_q [p] != (held_mask[p*Lanes +: Lanes] != '0)) compared = 1'b0;
      if (\dut.same_q [p] != (held_mask[p*Lanes +: Lanes] != '0 &&
                              held_mask[(p + 1)%Contexts*Lanes +: Lanes] != '0 &&
                              held_pc[p*PcWidth +: PcWidth] ==
                              held_pc[(p + 1)%Contexts*PcWidth +: PcWidth])) compared = 1'b0;
      if (\dut.lower_q [p] != (held_pc[p*PcWidth +: PcWidth] <
                               held_pc[(p + 1)%Contexts*PcWidth +: PcWidth])) compared = 1'b0;
      if (\dut.deeper_q [p] != (held_depth[p*DepthWidth +: DepthWidth] >
                                held_depth[(p + 1)%Contexts*DepthWidth +: DepthWidth])) compared = 1'b0;
      if (\dut.shallower_q [p] != (held_depth[p*DepthWidth +: DepthWidth] <
                                   held_depth[(p + 1)%Contexts*DepthWidth +: DepthWidth])) begin
        compared = 1'b0;
      end
    end
  end

  `ASSERT(DueWhenHere, due_q != '0 || !here_q)
  `ASSERT(HoldsOne, \dut.compared_valid_q == (due_q > 2'(here_q)))
  `ASSERT(HoldsTheNewest, !\dut.compared_valid_q ||
                          {\dut.mask_q , \dut.pc_q , \dut.depth_q } == newest)
  `ASSERT(HoldsComparisons, !\dut.compared_valid_q || compared)
`endif

endmodule

`default_nettype wire
