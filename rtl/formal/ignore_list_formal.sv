// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What ignore_list must do, said place by place: each counts its own fruitless meetings, up to three,
// since the list was cleared or another place of its entry had one.
module ignore_list_formal #(
  parameter int Entries = 4,
  parameter int PcWidth = 4,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + Entries,  // clocks that any design may take for an op, and to be done with it
  localparam int Places = 1 << PcWidth
) (
  input wire               clk_i,
  input wire               rst_ni,
  input wire               op_valid_i,
  input wire [1:0]         op_kind_i,
  input wire [PcWidth-1:0] op_pc_i
);

  localparam logic [1:0] CLEAR = 2'd0, LOOK = 2'd1, FRUITLESS = 2'd2;
  localparam int AddrWidth = simt_pkg::idx_width(Entries);
  localparam int IndexWidth = Entries > 1 ? AddrWidth : 0;
  localparam int WordWidth = PcWidth - IndexWidth + 2;

  logic op_ready, done_valid, ignored;

  ignore_list #(.Entries(Entries), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .ignored_o   (ignored),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam int OpWidth = 2 + PcWidth;
  logic [OpWidth-1:0]  op;
  logic                cleared_q;         // since reset
  logic [AddrWidth:0]  clocks_q, clocks;  // of the op, with this
  logic [2*Places-1:0] vain_q;            // fruitless meetings of each place
  logic [1:0]          kind_q, vain;

  assign op = {op_kind_i, op_pc_i};
  `include "shared/one_operation.svh"

  assign kind_q = op_q[OpWidth-1 -: 2];
  assign clocks = busy_q ? clocks_q + (AddrWidth + 1)'(1) : (AddrWidth + 1)'(1);
  always_ff @(posedge clk_i) clocks_q <= clocks;
  assign vain = vain_q[2*op_pc_i +: 2];

  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= FRUITLESS)
  `ASSUME(ClearedFirst, !op_valid_i || op_kind_i == CLEAR || cleared_q)

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cleared_q <= 1'b0;
    else cleared_q <= cleared_q || op_taken;
  end

  logic on_q, becomes_q;
  always_ff @(posedge clk_i) if (op_taken) begin
    on_q <= vain == 2'd3;
    becomes_q <= vain == 2'd2;
    if (op_kind_i == CLEAR) vain_q <= '0;
    if (op_kind_i == FRUITLESS) begin
      for (int p = 0; p < Places; p++) begin
        if (p == 32'(op_pc_i)) begin
          if (vain_q[2*p +: 2] != 2'd3) vain_q[2*p +: 2] <= vain_q[2*p +: 2] + 2'd1;
        end else if (p % Entries == 32'(op_pc_i) % Entries) vain_q[2*p +: 2] <= 2'd0;
      end
    end
  end

  if (Equal) begin : gen_clocks
    `ASSERT(Ready, !op_valid_i || op_ready == (op_kind_i != CLEAR || 32'(clocks) == Entries))
  end
  `ASSERT(Looks, !done_valid || kind_q != LOOK || ignored == on_q)
  `ASSERT(TellsTheThird, !done_valid || kind_q != FRUITLESS || ignored == becomes_q)
  `COVER(Ignored, done_valid && kind_q == LOOK && ignored)

`ifndef PORTS_ONLY
  // For the induction: the memory says the same; while it is cleared, its first entries do.
  (* hierconn *) wire [Entries*WordWidth-1:0] \dut.u_entries.words ;
  (* hierconn *) wire [AddrWidth-1:0] \dut.clear_q ;
  logic same;
  always_comb begin
    same = 1'b1;
    for (int p = 0; p < Places; p++) begin
      if (cleared_q && !busy_q &&
          vain_q[2*p +: 2] !=
              (32'(\dut.u_entries.words [(p % Entries)*WordWidth + 2 +: WordWidth - 2]) == p / Entries
                   ? \dut.u_entries.words [(p % Entries)*WordWidth +: 2] : 2'd0)) same = 1'b0;
      if (busy_q && p % Entries < 32'(clocks_q) &&
          \dut.u_entries.words [(p % Entries)*WordWidth +: 2] != 2'd0) same = 1'b0;
    end
  end

  `ASSERT(HoldsTheSame, same)
  `ASSERT(Clears, busy_q ? (kind_q == CLEAR && 32'(clocks_q) < Entries && 32'(\dut.clear_q ) == 32'(clocks_q))
                          : \dut.clear_q == '0)
`endif

endmodule

`default_nettype wire
