// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What wct_predictor must do, said branch by branch: a branch is adequate unless the last that was
// learned of its entry since it was cleared is that it is not.
module wct_predictor_formal #(
  parameter int Entries = 4,
  parameter int PcWidth = 4,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + Entries,  // clocks that any design may take for an op, and to be done with it
  localparam int Branches = 1 << PcWidth
) (
  input wire               clk_i,
  input wire               rst_ni,
  input wire               op_valid_i,
  input wire [1:0]         op_kind_i,
  input wire [PcWidth-1:0] op_pc_i,
  input wire               op_adequate_i
);

  localparam logic [1:0] CLEAR = 2'd0, PREDICT = 2'd1, LEARN = 2'd2;
  localparam int AddrWidth = simt_pkg::idx_width(Entries);
  localparam int IndexWidth = Entries > 1 ? AddrWidth : 0;
  localparam int WordWidth = PcWidth - IndexWidth + 1;

  logic op_ready, done_valid, adequate;

  wct_predictor #(.Entries(Entries), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .adequate_o  (adequate),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam int OpWidth = 2 + PcWidth + 1;
  logic [OpWidth-1:0]  op;
  logic                cleared_q;         // since reset
  logic [AddrWidth:0]  clocks_q, clocks;  // of the op, with this
  logic [Branches-1:0] not_q;             // adequate, the last time
  logic [1:0]          kind_q;

  assign op = {op_kind_i, op_pc_i, op_adequate_i};
  `include "shared/one_operation.svh"

  assign kind_q = op_q[OpWidth-1 -: 2];
  assign clocks = busy_q ? clocks_q + (AddrWidth + 1)'(1) : (AddrWidth + 1)'(1);
  always_ff @(posedge clk_i) clocks_q <= clocks;

  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= LEARN)
  `ASSUME(ClearedFirst, !op_valid_i || op_kind_i == CLEAR || cleared_q)

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cleared_q <= 1'b0;
    else cleared_q <= cleared_q || op_taken;
  end

  logic due_q;
  always_ff @(posedge clk_i) if (op_taken) begin
    due_q <= !not_q[op_pc_i];
    if (op_kind_i == CLEAR) not_q <= '0;
    if (op_kind_i == LEARN) begin
      for (int b = 0; b < Branches; b++) begin
        if (b % Entries == 32'(op_pc_i) % Entries) not_q[b] <= b == 32'(op_pc_i) && !op_adequate_i;
      end
    end
  end

  if (Equal) begin : gen_clocks
    `ASSERT(Ready, !op_valid_i || op_ready == (op_kind_i != CLEAR || 32'(clocks) == Entries))
  end
  `ASSERT(Predicts, !done_valid || kind_q != PREDICT || adequate == due_q)
  `COVER(Inadequate, done_valid && kind_q == PREDICT && !adequate)

`ifndef PORTS_ONLY
  // For the induction: the memory says the same; while it is cleared, its first entries do.
  (* hierconn *) wire [Entries*WordWidth-1:0] \dut.u_entries.words ;
  (* hierconn *) wire [AddrWidth-1:0] \dut.clear_q ;
  logic same;
  always_comb begin
    same = 1'b1;
    for (int b = 0; b < Branches; b++) begin
      if (not_q[b] != (!\dut.u_entries.words [(b % Entries)*WordWidth] &&
                       32'(\dut.u_entries.words [(b % Entries)*WordWidth + 1 +: WordWidth - 1]) == b / Entries) &&
          cleared_q && !busy_q) same = 1'b0;
      if (busy_q && b % Entries < 32'(clocks_q) && !\dut.u_entries.words [(b % Entries)*WordWidth])
        same = 1'b0;
    end
  end

  `ASSERT(HoldsTheSame, same)
  `ASSERT(Clears, busy_q ? (kind_q == CLEAR && 32'(clocks_q) < Entries && 32'(\dut.clear_q ) == 32'(clocks_q))
                          : \dut.clear_q == '0)
`endif

endmodule

`default_nettype wire
