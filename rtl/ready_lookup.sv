// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// HARP's Ready-Lookup (HARP 4.2.1, Fig. 10): warps of threads that have just diverged wait here for
// others of their pc, first in, first out. Twin: models/divergence/parts/harp_lookup.
//
// A diverged warp comes as two sides, each at its pc. A thread joins the oldest warp of its pc with
// its lane free; those of a side that are left make a new warp, which enters last, except that
// warps which got threads go behind it: they may get more.
//
// The table is fully associative. In flip-flops: masks, pcs, which are all compared at once, and
// which of every two entries entered first. In RAM: the rows of the threads.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. Clocks: pop 1; take 3 and one for each warp of the table that gets threads.
module ready_lookup #(
  parameter int Lanes = 16,
  parameter int Entries = 8,
  parameter int Rows = 48,  // of threads
  parameter int PcWidth = 16,
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       op_valid_i,
  output logic                      op_ready_o,
  input  wire                       op_kind_i,  // TAKE, POP
  input  wire  [2*Lanes-1:0]        op_mask_i,  // take: the sides, which share no lane
  input  wire  [2*PcWidth-1:0]      op_pc_i,    // take: theirs
  input  wire  [Lanes*RowWidth-1:0] op_row_i,   // take: of both sides' threads

  output logic                      done_valid_o,
  output logic [Lanes-1:0]          res_left_o,   // take: threads that found the table full
  output logic [UsedWidth-1:0]      used_o,       // entries
  output logic [Lanes-1:0]          warp_mask_o,  // the first in the queue, between ops
  output logic [Lanes*RowWidth-1:0] warp_row_o,   // 0 where the lane is off
  output logic [PcWidth-1:0]        warp_pc_o
);

  localparam logic TAKE = 1'b0, POP = 1'b1;
  localparam int EntryWidth = simt_pkg::idx_width(Entries);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Entries >= 1 && Rows >= 1 && PcWidth >= 1)

  logic                       busy_q, busy_d;      // takes
  logic                       second_q, second_d;  // whose side it is
  logic [Lanes-1:0]           rest_q, rest_d;      // of the side
  logic [Lanes-1:0]           left_q, left_d;
  logic [Entries-1:0]         joined_q, joined_d;  // by threads of this op
  logic [Entries-1:0]         used_q, used_d;
  logic [Entries*Lanes-1:0]   masks_q, masks_d;
  logic [Entries*PcWidth-1:0] pcs_q, pcs_d;
  logic                       done_q;

  // --- The order --------------------------------------------------------------------------------

  logic [Entries*Entries-1:0] older;  // bit e*Entries+f: f is older than e
  logic [Entries-1:0]         enters, moves;

  for (genvar e = 0; e < Entries; e++) begin : gen_order
    assign older[e*Entries+e] = 1'b0;
    for (genvar f = 0; f < e; f++) begin : gen_pair
      logic older_q, older_d;
      always_comb begin
        older_d = older_q;
        // Who enters does so before those that have been joined.
        if (enters[e]) older_d = !joined_q[f];
        else if (enters[f]) older_d = joined_q[e];
        else if (moves[e]) older_d = 1'b1;
        else if (moves[f]) older_d = 1'b0;
      end
      always_ff @(posedge clk_i) older_q <= older_d;
      assign older[e*Entries+f] = older_q;
      assign older[f*Entries+e] = !older_q;
    end
  end

  // --- The search -------------------------------------------------------------------------------

  logic [PcWidth-1:0]         pc;
  logic [Entries-1:0]         fits;    // takes threads of the side
  logic [Entries-1:0]         among, oldest, free;
  logic [Lanes-1:0]           oldest_mask, join_lanes;
  logic [PcWidth-1:0]         oldest_pc;
  logic [EntryWidth-1:0]      read_entry, write_entry;
  logic [Lanes*RowWidth-1:0]  rows, rows_d;
  logic                       any_fits, full, joins, places, pops;

  assign pc = second_q ? op_pc_i[PcWidth +: PcWidth] : op_pc_i[0 +: PcWidth];
  assign full = used_q == '1;
  assign free = ~used_q & (used_q + Entries'(1));
  assign among = busy_q ? fits : used_q;

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    wire [Lanes-1:0] mask = masks_q[e*Lanes +: Lanes];
    assign fits[e] = used_q[e] && pcs_q[e*PcWidth +: PcWidth] == pc && (rest_q & ~mask) != '0;
    assign oldest[e] = among[e] && (among & older[e*Entries +: Entries]) == '0;
  end

  always_comb begin : select
    logic [Lanes-1:0]      mask;
    logic [PcWidth-1:0]    of_oldest;
    logic [EntryWidth-1:0] read, write;
    mask = '0;
    of_oldest = '0;
    read = '0;
    write = '0;
    for (int e = 0; e < Entries; e++) begin
      mask |= masks_q[e*Lanes +: Lanes] & {Lanes{oldest[e]}};
      of_oldest |= pcs_q[e*PcWidth +: PcWidth] & {PcWidth{oldest[e]}};
      if (oldest[e]) read |= EntryWidth'(e);
      if (free[e]) write |= EntryWidth'(e);
    end
    oldest_mask = mask;
    oldest_pc = of_oldest;
    read_entry = read;
    write_entry = any_fits ? read : write;
  end

  assign any_fits = fits != '0;
  assign joins = busy_q && any_fits;
  assign places = busy_q && !any_fits && rest_q != '0 && !full;
  assign pops = op_valid_i && !busy_q && op_kind_i == POP;
  assign join_lanes = rest_q & ~oldest_mask;  // seeded-bug: assign join_lanes = rest_q;
  assign enters = free & {Entries{places}};
  assign moves = oldest & {Entries{joins}};

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    assign rows_d[lane*RowWidth +: RowWidth] =
        joins && !join_lanes[lane] ? rows[lane*RowWidth +: RowWidth]
                                   : op_row_i[lane*RowWidth +: RowWidth];
    assign warp_row_o[lane*RowWidth +: RowWidth] =
        warp_mask_o[lane] ? rows[lane*RowWidth +: RowWidth] : '0;
  end

  ram_1r1w #(.Width(Lanes * RowWidth), .Depth(Entries)) u_rows (
    .clk_i,
    .write_en_i(joins || places),
    .write_addr_i(write_entry),
    .write_data_i(rows_d),
    .read_addr_i(read_entry),
    .read_data_o(rows)
  );

  // --- Control ----------------------------------------------------------------------------------

  always_comb begin : control
    busy_d = busy_q;
    second_d = second_q;
    rest_d = rest_q;
    left_d = left_q;
    joined_d = joined_q | moves;
    op_ready_o = pops;
    if (!busy_q && op_valid_i) begin
      busy_d = op_kind_i == TAKE;
      second_d = 1'b0;
      rest_d = op_mask_i[0 +: Lanes];
      left_d = '0;
      joined_d = '0;
    end else if (joins) begin
      rest_d = rest_q & ~join_lanes;
    end else if (busy_q) begin
      if (full) left_d = left_q | rest_q;
      second_d = 1'b1;
      rest_d = op_mask_i[Lanes +: Lanes];
      busy_d = !second_q;
      op_ready_o = second_q;
    end
  end

  always_comb begin : entries
    used_d = (used_q | enters) & ~(oldest & {Entries{pops}});
    masks_d = masks_q;
    pcs_d = pcs_q;
    for (int e = 0; e < Entries; e++) begin
      if (moves[e]) masks_d[e*Lanes +: Lanes] = masks_q[e*Lanes +: Lanes] | join_lanes;
      if (enters[e]) begin
        masks_d[e*Lanes +: Lanes] = rest_q;
        pcs_d[e*PcWidth +: PcWidth] = pc;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      used_q <= '0;
      done_q <= 1'b0;
    end else begin
      busy_q <= busy_d;
      used_q <= used_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end

  // Of no meaning but in an op, or in entries that are used.
  always_ff @(posedge clk_i) begin
    second_q <= second_d;
    rest_q <= rest_d;
    left_q <= left_d;
    joined_q <= joined_d;
    masks_q <= masks_d;
    pcs_q <= pcs_d;
  end

  always_comb begin : count
    logic [UsedWidth-1:0] entries_used;
    entries_used = '0;
    for (int e = 0; e < Entries; e++) entries_used = entries_used + UsedWidth'(used_q[e]);
    used_o = entries_used;
  end

  assign done_valid_o = done_q;
  assign res_left_o = left_q;
  assign warp_mask_o = oldest_mask;
  assign warp_pc_o = oldest_pc;

  `ASSERT(PopsWhatIsThere, !pops || used_q != '0)
  `ASSERT(SidesShareNoLane, !busy_q || (op_mask_i[0 +: Lanes] & op_mask_i[Lanes +: Lanes]) == '0)
  `ASSERT(SidesPartWays, !busy_q || op_mask_i[0 +: Lanes] == '0 || op_mask_i[Lanes +: Lanes] == '0 ||
                         op_pc_i[0 +: PcWidth] != op_pc_i[PcWidth +: PcWidth])

endmodule

`default_nettype wire
