// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// HARP's Waiting-Lookup (HARP 4.2.1): warps whose memory operation is under way wait here for
// others at the same instruction. Twin: models/divergence/parts/harp_lookup.
//
// A warp that issues such an operation merges with the warps of the first entry at its pc that leave
// its lanes free, or else enters the first free entry. The operation takes the entry's number with
// it. When the last operation of an entry completes, its threads go on as one warp.
//
// The table is fully associative. In flip-flops: masks, pcs, which are all compared at once, and
// how many operations of an entry are under way. In RAM: the rows of the threads.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. In that clock and until the next op is there, the outputs are its results.
// Clocks: issue 2, complete 1.
module waiting_lookup #(
  parameter int Lanes = 16,
  parameter int Entries = 8,
  parameter int Rows = 48,  // of threads
  parameter int PcWidth = 16,
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1),
  localparam int EntryWidth = simt_pkg::idx_width(Entries)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       op_valid_i,
  output logic                      op_ready_o,
  input  wire                       op_kind_i,   // ISSUE, COMPLETE
  input  wire  [Lanes-1:0]          op_mask_i,   // issue: the warp
  input  wire  [Lanes*RowWidth-1:0] op_row_i,
  input  wire  [PcWidth-1:0]        op_pc_i,
  input  wire  [EntryWidth-1:0]     op_entry_i,  // complete: of the operation

  output logic                      done_valid_o,
  output logic                      res_merged_o,  // issue: with others
  output logic                      res_full_o,    // issue: there is no entry for it
  output logic [EntryWidth-1:0]     res_entry_o,   // issue: unless it is full
  output logic                      res_last_o,    // complete: of the entry's operations
  output logic [UsedWidth-1:0]      used_o,        // entries
  output logic [Lanes-1:0]          warp_mask_o,   // complete: threads of the entry
  output logic [Lanes*RowWidth-1:0] warp_row_o,    // 0 where the lane is off
  output logic [PcWidth-1:0]        warp_pc_o
);

  localparam logic ISSUE = 1'b0, COMPLETE = 1'b1;
  localparam int FlightWidth = simt_pkg::idx_width(Lanes + 1);  // every warp has a lane of its own

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Entries >= 1 && Rows >= 1 && PcWidth >= 1)

  logic                           writes_q, writes_d;  // the second clock of an issue
  logic [EntryWidth-1:0]          entry_q, entry_d;
  logic                           merged_q, merged_d, full_q, full_d, last_q, last_d;
  logic [Entries*Lanes-1:0]       masks_q, masks_d;
  logic [Entries*PcWidth-1:0]     pcs_q, pcs_d;
  logic [Entries*FlightWidth-1:0] flights_q, flights_d;
  logic                           done_q;

  // --- The search -------------------------------------------------------------------------------

  logic [Entries-1:0] used, fits, free, select;
  logic               issues, completes;

  assign issues = op_valid_i && op_kind_i == ISSUE;
  assign completes = op_valid_i && op_kind_i == COMPLETE;

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    assign used[e] = flights_q[e*FlightWidth +: FlightWidth] != '0;
    wire same_pc = pcs_q[e*PcWidth +: PcWidth] == op_pc_i;
    wire lanes_free = (masks_q[e*Lanes +: Lanes] & op_mask_i) == '0;
    assign fits[e] = used[e] && same_pc && lanes_free;  // seeded-bug: assign fits[e] = used[e] && same_pc;
  end

  always_comb begin : first
    logic [EntryWidth-1:0] number;
    free = ~used;
    select = fits != '0 ? fits & (~fits + Entries'(1)) : free & (~free + Entries'(1));
    number = '0;
    for (int e = 0; e < Entries; e++) if (select[e]) number |= EntryWidth'(e);
    entry_d = entry_q;
    merged_d = merged_q;
    full_d = full_q;
    last_d = last_q;
    if (issues && !writes_q) begin
      entry_d = number;
      merged_d = fits != '0;
      full_d = select == '0;
    end
    if (completes) begin
      entry_d = op_entry_i;
      last_d = flights_q[op_entry_i*FlightWidth +: FlightWidth] == FlightWidth'(1);
    end
  end

  // --- The entry --------------------------------------------------------------------------------

  logic                      enters;
  logic [Lanes*RowWidth-1:0] rows, rows_d;

  assign writes_d = issues && !writes_q;
  assign op_ready_o = completes || (issues && writes_q);
  assign enters = writes_q && !full_q;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    assign rows_d[lane*RowWidth +: RowWidth] =
        op_mask_i[lane] ? op_row_i[lane*RowWidth +: RowWidth] : rows[lane*RowWidth +: RowWidth];
    assign warp_row_o[lane*RowWidth +: RowWidth] =
        warp_mask_o[lane] ? rows[lane*RowWidth +: RowWidth] : '0;
  end

  ram_1r1w #(.Width(Lanes * RowWidth), .Depth(Entries)) u_rows (
    .clk_i,
    .write_en_i(enters),
    .write_addr_i(entry_q),
    .write_data_i(rows_d),
    .read_addr_i(entry_q),
    .read_data_o(rows)
  );

  always_comb begin : entries
    logic [FlightWidth-1:0] flights;
    masks_d = masks_q;
    pcs_d = pcs_q;
    flights_d = flights_q;
    flights = '0;
    for (int e = 0; e < Entries; e++) begin
      flights = flights_q[e*FlightWidth +: FlightWidth];
      if (enters && entry_q == EntryWidth'(e)) begin
        masks_d[e*Lanes +: Lanes] = op_mask_i | (masks_q[e*Lanes +: Lanes] & {Lanes{merged_q}});
        pcs_d[e*PcWidth +: PcWidth] = op_pc_i;
        flights_d[e*FlightWidth +: FlightWidth] = flights + FlightWidth'(1);
      end
      if (completes && op_entry_i == EntryWidth'(e)) begin
        flights_d[e*FlightWidth +: FlightWidth] = flights - FlightWidth'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= 1'b0;
      flights_q <= '0;
      done_q <= 1'b0;
    end else begin
      writes_q <= writes_d;
      flights_q <= flights_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end

  // Of no meaning but after an op, or in entries that are used.
  always_ff @(posedge clk_i) begin
    entry_q <= entry_d;
    merged_q <= merged_d;
    full_q <= full_d;
    last_q <= last_d;
    masks_q <= masks_d;
    pcs_q <= pcs_d;
  end

  always_comb begin : count
    logic [UsedWidth-1:0] entries_used;
    entries_used = '0;
    for (int e = 0; e < Entries; e++) entries_used = entries_used + UsedWidth'(used[e]);
    used_o = entries_used;
  end

  assign done_valid_o = done_q;
  assign res_merged_o = merged_q;
  assign res_full_o = full_q;
  assign res_entry_o = entry_q;
  assign res_last_o = last_q;
  assign warp_pc_o = pcs_q[entry_q*PcWidth +: PcWidth];
  assign warp_mask_o = masks_q[entry_q*Lanes +: Lanes];

  `ASSERT(IssuesThreads, !issues || op_mask_i != '0)
  `ASSERT(CompletesWhatIsUnderWay, !completes || used[op_entry_i])

endmodule

`default_nettype wire
