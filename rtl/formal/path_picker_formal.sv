// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What path_picker must do, said of each thread by all others: one leads if nobody of a lower lane, or of better right,
// may; whoever is not told apart from it goes with it, and nobody else.
module path_picker_formal #(
  parameter int Lanes = 4,
  parameter int Barriers = 2,
  parameter int PcWidth = 2,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for an op, and to be done with it
  localparam int BarrierWidth = simt_pkg::idx_width(Barriers + 1)
) (
  input wire                           clk_i,
  input wire                           rst_ni,
  input wire                           op_valid_i,
  input wire [2*Lanes-1:0]             op_states_i,
  input wire [Lanes*PcWidth-1:0]       op_pcs_i,
  input wire [Lanes*BarrierWidth-1:0]  op_barriers_i,
  input wire [Lanes-1:0]               op_prefer_i
);

  logic               op_ready, done_valid;
  logic [Lanes-1:0]   mask;
  logic [PcWidth-1:0] pc;

  path_picker #(.Lanes(Lanes), .Barriers(Barriers), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_mask_o  (mask),
    .res_pc_o    (pc),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam int OpWidth = 3 * Lanes + Lanes * (PcWidth + BarrierWidth);
  localparam int StateAt = Lanes * (PcWidth + BarrierWidth) + Lanes, PcAt = Lanes * BarrierWidth + Lanes;
  logic [OpWidth-1:0] op;
  assign op = {op_states_i, op_pcs_i, op_barriers_i, op_prefer_i};
  `include "shared/one_operation.svh"

  // The right that each thread has to lead: 3 preferred, 2 it runs, 1 it has yielded, 0 none.
  logic [2*Lanes-1:0] right;
  logic [Lanes-1:0]   with_leader;
  logic [PcWidth-1:0] leaders_pc;
  logic               leads, same;

  always_comb begin
    leads = 1'b0;
    same = 1'b0;
    for (int l = 0; l < Lanes; l++) begin
      right[2*l +: 2] = op_q[StateAt+2*l +: 2] == 2'd2 ? {1'b1, op_q[l]} : {1'b0, op_q[StateAt+2*l +: 2] == 2'd3};
    end
    with_leader = '0;
    leaders_pc = '0;
    for (int l = 0; l < Lanes; l++) begin
      leads = right[2*l +: 2] != 2'd0;
      for (int m = 0; m < Lanes; m++) begin
        if (right[2*m +: 2] > right[2*l +: 2] || (m < l && right[2*m +: 2] == right[2*l +: 2])) leads = 1'b0;
      end
      if (leads) begin
        leaders_pc = op_q[PcAt+l*PcWidth +: PcWidth];
        for (int m = 0; m < Lanes; m++) begin
          same = op_q[StateAt+2*m +: 2] == op_q[StateAt+2*l +: 2] &&
                 op_q[PcAt+m*PcWidth +: PcWidth] == op_q[PcAt+l*PcWidth +: PcWidth] &&
                 op_q[Lanes+m*BarrierWidth +: BarrierWidth] == op_q[Lanes+l*BarrierWidth +: BarrierWidth];
          if (same) with_leader[m] = 1'b1;
        end
      end
    end
  end

  if (Equal) begin : gen_clocks
    `ASSERT(InTwoClocks, !op_valid_i || op_ready == busy_q)
  end
  `ASSERT(Who, !done_valid || mask == with_leader)
  `ASSERT(Where, !done_valid || mask == '0 || pc == leaders_pc)

  `COVER(Nobody, done_valid && mask == '0 && op_q[OpWidth-1 -: 2*Lanes] != '0)
  `COVER(Several, done_valid && mask == Lanes'(5))
  `COVER(Yielded, done_valid && mask != '0 && right[1] == 1'b0 && mask[0])

`ifndef PORTS_ONLY
  (* hierconn *) wire \dut.led_q ;
  (* hierconn *) wire [PcWidth-1:0] \dut.pc_q ;
  (* hierconn *) wire [BarrierWidth-1:0] \dut.barrier_q ;
  logic [BarrierWidth-1:0] leaders_barrier;
  always_comb begin
    leaders_barrier = '0;
    for (int l = Lanes - 1; l >= 0; l--) if (with_leader[l]) leaders_barrier = op_q[Lanes+l*BarrierWidth +: BarrierWidth];
  end
  `ASSERT(Led, \dut.led_q == busy_q)
  `ASSERT(LedBy, !busy_q || with_leader == '0 || (\dut.pc_q == leaders_pc && \dut.barrier_q == leaders_barrier))
`endif

endmodule

`default_nettype wire
