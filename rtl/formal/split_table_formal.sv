// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What split_table must do, held against a list of splits: a split has an entry from when it enters
// until it leaves or becomes one with another, and nobody else changes it. Rows are counted there:
// where there is room, and what is left.
module split_table_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 3,
  parameter int Rows = 2,
  parameter int PcWidth = 1,
  parameter int PointWidth = 1,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for an op, and to be done with it
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int EntryWidth = simt_pkg::idx_width(Entries)
) (
  input wire                  clk_i,
  input wire                  rst_ni,
  input wire                  op_valid_i,
  input wire [2:0]            op_kind_i,
  input wire [RowWidth-1:0]   op_row_i,
  input wire [EntryWidth-1:0] op_entry_i,
  input wire                  op_own_i,
  input wire [PcWidth-1:0]    op_pc_i,
  input wire [PointWidth-1:0] op_point_i,
  input wire [Lanes-1:0]      op_mask_i,
  input wire                  op_stands_i
);

  localparam logic [2:0] ROOM = 3'd0, ENTER = 3'd1, MOVE = 3'd2, LEAVE = 3'd3, MEET = 3'd4;
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1);

  logic                  op_ready, done_valid, ok;
  logic [EntryWidth-1:0] entry;
  logic [Lanes-1:0]      mask;
  logic [UsedWidth-1:0]  left, used;

  split_table #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth),
                .PointWidth(PointWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_ok_o    (ok),
    .res_entry_o (entry),
    .res_mask_o  (mask),
    .res_left_o  (left),
    .used_o      (used),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- The splits, between ops: row, pc, point, whether they stand, threads ----------------------

  localparam int SplitWidth = RowWidth + PcWidth + PointWidth + 1 + Lanes;
  logic [Entries-1:0]            there_q, there_d;
  logic [Entries*SplitWidth-1:0] splits_q, splits_d;
  logic [SplitWidth-1:0]         coming, at;
  logic                          taken, ok_d, ok_q;
  logic [EntryWidth-1:0]         entry_d, entry_q;
  logic [Lanes-1:0]              mask_d, mask_q;
  logic [UsedWidth-1:0]          left_d, left_q;

  assign taken = op_valid_i && op_ready;
  assign coming = {op_row_i, op_pc_i, op_point_i, op_stands_i, op_mask_i};

  function automatic logic [RowWidth-1:0] row_of(input logic [SplitWidth-1:0] split);
    row_of = split[SplitWidth-1 -: RowWidth];
  endfunction

  logic [UsedWidth-1:0] of_row, in_all;
  always_comb begin : spec
    there_d = there_q;
    splits_d = splits_q;
    ok_d = 1'b1;
    entry_d = '0;
    mask_d = '0;
    at = '0;
    of_row = '0;
    in_all = '0;
    for (int e = 0; e < Entries; e++) begin
      if (there_q[e]) in_all = in_all + 1'b1;
      if (there_q[e] && row_of(splits_q[e*SplitWidth +: SplitWidth]) == op_row_i) of_row = of_row + 1'b1;
    end
    case (op_kind_i)
      // With one split more, which makes two of a row that was whole.
      ROOM: ok_d = 32'(in_all) - 32'(of_row) + (of_row == '0 ? 2 : 32'(of_row) + 1) <= Entries;
      ENTER: begin
        ok_d = 32'(in_all) < Entries;
        for (int e = Entries - 1; e >= 0; e--) if (!there_q[e]) entry_d = EntryWidth'(e);
        if (ok_d) begin
          there_d[entry_d] = 1'b1;
          splits_d[entry_d*SplitWidth +: SplitWidth] = coming;
        end
      end
      MOVE: splits_d[op_entry_i*SplitWidth +: SplitWidth] = coming;
      LEAVE: there_d[op_entry_i] = 1'b0;
      default: begin
        ok_d = 1'b0;
        for (int e = Entries - 1; e >= 0; e--) begin
          at = splits_q[e*SplitWidth +: SplitWidth];
          if (there_q[e] && !(op_own_i && 32'(op_entry_i) == e) && at[Lanes] &&
              at[SplitWidth-1:Lanes+1] == coming[SplitWidth-1:Lanes+1]) begin
            ok_d = 1'b1;
            entry_d = EntryWidth'(e);
          end
        end
        if (ok_d) begin
          splits_d[entry_d*SplitWidth +: Lanes] = splits_q[entry_d*SplitWidth +: Lanes] | op_mask_i;
          if (op_own_i) there_d[op_entry_i] = 1'b0;
        end
        mask_d = splits_d[entry_d*SplitWidth +: Lanes];
      end
    endcase
    left_d = '0;
    for (int e = 0; e < Entries; e++) begin
      if (there_d[e] && row_of(splits_d[e*SplitWidth +: SplitWidth]) == op_row_i) left_d = left_d + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= '0;
    else if (taken) there_q <= there_d;
  end
  always_ff @(posedge clk_i) begin
    if (taken) {splits_q, ok_q, entry_q, mask_q, left_q} <= {splits_d, ok_d, entry_d, mask_d, left_d};
  end

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 3 + EntryWidth + 1 + SplitWidth;
  logic [OpWidth-1:0] op;
  logic [2:0]         kind_q;

  assign op = {op_kind_i, op_entry_i, op_own_i, coming};
  `include "shared/one_operation.svh"

  assign kind_q = op_q[OpWidth-1 -: 3];

  `ASSUME(KindKnown, op_kind_i <= MEET)
  `ASSUME(RowExists, 32'(op_row_i) < Rows)
  `ASSUME(SplitIsThere, !(op_kind_i == MOVE || op_kind_i == LEAVE || (op_kind_i == MEET && op_own_i)) ||
                        (32'(op_entry_i) < Entries && there_q[op_entry_i] &&
                         row_of(splits_q[op_entry_i*SplitWidth +: SplitWidth]) == op_row_i))

  // --- What must hold ---------------------------------------------------------------------------

  if (Equal) begin : gen_clocks
    `ASSERT(Clocks, !op_valid_i || op_ready == (op_kind_i != MEET || busy_q))
  end
  `ASSERT(UsedIsTheirNumber, !between || used == in_all)
  `ASSERT(Ok, !done_valid || ok == ok_q)
  `ASSERT(Entry, !done_valid || !ok_q || !(kind_q == ENTER || kind_q == MEET) || entry == entry_q)
  `ASSERT(Together, !done_valid || !ok_q || kind_q != MEET || mask == mask_q)
  `ASSERT(Left, !done_valid || left == left_q)

  `COVER(NoRoom, done_valid && kind_q == ROOM && !ok)
  `COVER(NoRoomForTwo, done_valid && kind_q == ROOM && !ok && 32'(used) == Entries - 1)
  `COVER(Full, done_valid && kind_q == ENTER && !ok)
  `COVER(Joins, done_valid && kind_q == MEET && ok && left == UsedWidth'(1))

`ifndef PORTS_ONLY
  // --- For the induction: the entries are the splits ---------------------------------------------

  (* hierconn *) wire [Entries-1:0] \dut.used_q ;
  (* hierconn *) wire [Entries-1:0] \dut.stands_q ;
  (* hierconn *) wire [Entries*RowWidth-1:0] \dut.rows_q ;
  (* hierconn *) wire [Entries*PcWidth-1:0] \dut.pcs_q ;
  (* hierconn *) wire [Entries*PointWidth-1:0] \dut.points_q ;
  (* hierconn *) wire [Entries*Lanes-1:0] \dut.u_masks.words ;
  (* hierconn *) wire \dut.joins_q ;
  (* hierconn *) wire \dut.ok_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.entry_q ;

  logic fits;
  always_comb begin
    fits = 1'b1;
    for (int e = 0; e < Entries; e++) begin
      if (there_q[e] && splits_q[e*SplitWidth +: SplitWidth] !=
          {\dut.rows_q [e*RowWidth +: RowWidth], \dut.pcs_q [e*PcWidth +: PcWidth],
           \dut.points_q [e*PointWidth +: PointWidth], \dut.stands_q [e],
           \dut.u_masks.words [e*Lanes +: Lanes]}) fits = 1'b0;
    end
  end

  `ASSERT(EntriesAreTheSplits, fits && \dut.used_q == there_q)
  `ASSERT(JoinsInAnOp, \dut.joins_q == busy_q)
  `ASSERT(FoundAlready, !busy_q || (\dut.ok_q == ok_d && (!ok_d || \dut.entry_q == entry_d)))
  `ASSERT(EntryStays, !done_valid || !ok_q || kind_q != MEET || (\dut.entry_q == entry_q && there_q[entry_q] &&
                      splits_q[entry_q*SplitWidth +: Lanes] == mask_q))
`endif

endmodule

`default_nettype wire
