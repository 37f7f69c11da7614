// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What waiting_lookup must do, said on a list of entries: threads that enter stay until the last
// operation of their entry completes, and all come out then; warps of an entry share a pc and no
// lane; the first entry that fits is taken, and none is refused that has room.
module waiting_lookup_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 2,
  parameter int Rows = 2,
  parameter int PcWidth = 1,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for an op, and to be done with it
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1),
  localparam int EntryWidth = simt_pkg::idx_width(Entries)
) (
  input wire                      clk_i,
  input wire                      rst_ni,
  input wire                      op_valid_i,
  input wire                      op_kind_i,
  input wire [Lanes-1:0]          op_mask_i,
  input wire [Lanes*RowWidth-1:0] op_row_i,
  input wire [PcWidth-1:0]        op_pc_i,
  input wire [EntryWidth-1:0]     op_entry_i
);

  localparam logic ISSUE = 1'b0, COMPLETE = 1'b1;
  localparam int FlightWidth = simt_pkg::idx_width(Lanes + 1);

  logic                      op_ready, done_valid, res_merged, res_full, res_last;
  logic [EntryWidth-1:0]     res_entry;
  logic [UsedWidth-1:0]      used;
  logic [Lanes-1:0]          warp_mask;
  logic [Lanes*RowWidth-1:0] warp_row;
  logic [PcWidth-1:0]        warp_pc;

  waiting_lookup #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_merged_o(res_merged),
    .res_full_o  (res_full),
    .res_entry_o (res_entry),
    .res_last_o  (res_last),
    .used_o      (used),
    .warp_mask_o (warp_mask),
    .warp_row_o  (warp_row),
    .warp_pc_o   (warp_pc),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- What is in the table, as a list by entry -------------------------------------------------

  localparam int WarpWidth = Lanes * RowWidth + PcWidth + Lanes;  // rows, pc, mask
  logic [Entries*WarpWidth-1:0]   warps_q, warps_d;  // rows are 0 where a lane is off
  logic [Entries*FlightWidth-1:0] flights_q, flights_d;
  logic                           merged_q, merged_d, full_q, full_d, last_q, last_d;
  logic [EntryWidth-1:0]          entry_q, entry_d;
  logic                           issued, completed;  // is told in this clock

  function automatic logic [Lanes*RowWidth-1:0] rows_of(input logic [Lanes-1:0] lanes,
                                                        input logic [Lanes*RowWidth-1:0] of);
    rows_of = '0;
    for (int l = 0; l < Lanes; l++) begin
      if (lanes[l]) rows_of[l*RowWidth +: RowWidth] = of[l*RowWidth +: RowWidth];
    end
  endfunction

  always_comb begin : operate
    logic                  found;
    logic [WarpWidth-1:0]  warp, added;
    {warps_d, flights_d, merged_d, full_d, last_d, entry_d} =
        {warps_q, flights_q, merged_q, full_q, last_q, entry_q};
    found = 1'b0;
    added = {rows_of(op_mask_i, op_row_i), op_pc_i, op_mask_i};
    warp = '0;
    if (op_valid_i && op_ready && op_kind_i == ISSUE) begin
      for (int e = 0; e < Entries; e++) begin
        warp = warps_q[e*WarpWidth +: WarpWidth];
        if (!found && flights_q[e*FlightWidth +: FlightWidth] != '0 &&
            warp[Lanes +: PcWidth] == op_pc_i && (warp[0 +: Lanes] & op_mask_i) == '0) begin
          found = 1'b1;
          entry_d = EntryWidth'(e);
          warps_d[e*WarpWidth +: WarpWidth] = warp | added;
          flights_d[e*FlightWidth +: FlightWidth] =
              flights_q[e*FlightWidth +: FlightWidth] + FlightWidth'(1);
        end
      end
      merged_d = found;
      for (int e = 0; e < Entries; e++) begin
        if (!found && flights_q[e*FlightWidth +: FlightWidth] == '0) begin
          found = 1'b1;
          entry_d = EntryWidth'(e);
          warps_d[e*WarpWidth +: WarpWidth] = added;
          flights_d[e*FlightWidth +: FlightWidth] = FlightWidth'(1);
        end
      end
      full_d = !found;
    end
    if (op_valid_i && op_ready && op_kind_i == COMPLETE) begin
      entry_d = op_entry_i;
      last_d = flights_q[op_entry_i*FlightWidth +: FlightWidth] == FlightWidth'(1);
      flights_d[op_entry_i*FlightWidth +: FlightWidth] =
          flights_q[op_entry_i*FlightWidth +: FlightWidth] - FlightWidth'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flights_q <= '0;
    else flights_q <= flights_d;
  end
  always_ff @(posedge clk_i)
    {warps_q, merged_q, full_q, last_q, entry_q} <= {warps_d, merged_d, full_d, last_d, entry_d};

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 1 + Lanes + Lanes * RowWidth + PcWidth + EntryWidth;
  logic [OpWidth-1:0] op;

  assign op = {op_kind_i, op_mask_i, op_row_i, op_pc_i, op_entry_i};
  `include "shared/one_operation.svh"

  assign issued = done_valid && op_q[OpWidth-1] == ISSUE;
  assign completed = done_valid && op_q[OpWidth-1] == COMPLETE;

  `ASSUME(IssuesThreads, op_kind_i != ISSUE || op_mask_i != '0)
  `ASSUME(CompletesWhatIsUnderWay, !op_valid_i || op_kind_i != COMPLETE ||
                                   (32'(op_entry_i) < Entries &&
                                    flights_q[op_entry_i*FlightWidth +: FlightWidth] != '0))

  // --- What must hold ---------------------------------------------------------------------------

  logic [UsedWidth-1:0] in_use;
  logic [WarpWidth-1:0] expected;

  always_comb begin : sum
    in_use = '0;
    for (int e = 0; e < Entries; e++)
      in_use = in_use + UsedWidth'(flights_q[e*FlightWidth +: FlightWidth] != '0);
    expected = warps_q[entry_q*WarpWidth +: WarpWidth];
  end

  if (Equal) begin : gen_clocks
    `ASSERT(TwoClocksToIssueOneToComplete, op_ready == (op_valid_i && (busy_q || op_kind_i == COMPLETE)))
  end
  `ASSERT(UsedIsTheirNumber, !between || used == in_use)
  `ASSERT(Merges, !issued || res_merged == merged_q)
  `ASSERT(IsFull, !issued || res_full == full_q)
  `ASSERT(EntersTheFirst, !issued || full_q || res_entry == entry_q)
  `ASSERT(IsTheLast, !completed || res_last == last_q)
  `ASSERT(AllThreadsComeOut, !completed || {warp_row, warp_pc, warp_mask} == expected)

  `COVER(Merged, issued && res_merged)
  `COVER(FindsItFull, issued && res_full)
  `COVER(SeveralGoOnAsOne, completed && res_last && warp_mask == '1)

`ifndef PORTS_ONLY
  // --- For the induction: the entries are those of the list --------------------------------------

  (* hierconn *) wire [Entries*Lanes-1:0] \dut.masks_q ;
  (* hierconn *) wire [Entries*PcWidth-1:0] \dut.pcs_q ;
  (* hierconn *) wire [Entries*FlightWidth-1:0] \dut.flights_q ;
  (* hierconn *) wire [Entries*Lanes*RowWidth-1:0] \dut.u_rows.words ;
  (* hierconn *) wire \dut.writes_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.entry_q ;
  logic entries_fit;

  // No more operations are under way than an entry has lanes, and freed entries stay as they are.
  always_comb begin : fit
    logic [WarpWidth-1:0] warp;
    entries_fit = 1'b1;
    for (int e = 0; e < Entries; e++) begin
      warp = warps_q[e*WarpWidth +: WarpWidth];
      if ((flights_q[e*FlightWidth +: FlightWidth] != '0 ||
           (completed && entry_q == EntryWidth'(e))) &&
          warp != {rows_of(\dut.masks_q [e*Lanes +: Lanes],
                           \dut.u_rows.words [e*Lanes*RowWidth +: Lanes*RowWidth]),
                   \dut.pcs_q [e*PcWidth +: PcWidth], \dut.masks_q [e*Lanes +: Lanes]})
        entries_fit = 1'b0;
      if (32'(flights_q[e*FlightWidth +: FlightWidth]) > $countones(warp[0 +: Lanes]))
        entries_fit = 1'b0;
    end
  end

  `ASSERT(EntriesAreTheList, entries_fit && \dut.flights_q == flights_q)
  `ASSERT(WritesInAnOp, \dut.writes_q == busy_q)
  `ASSERT(EntryIsTheOps, !completed || \dut.entry_q == entry_q)
`endif

endmodule

`default_nettype wire
