// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The warp-split table of dynamic warp subdivision (Meng, Tarjan and Skadron, ISCA 2010): the splits
// of all rows of a core that have several, each with its pc, its threads, and the entry of its row's
// stack at which they meet the others. A row that is whole has none. A row divides only where there
// is room; a split that comes to a pc at which another of its row stands becomes one with it.
// Twin: models/divergence/mechanisms/dws.cpp.
//
// The table is fully associative. In flip-flops: rows, pcs, points, which splits stand, and which
// entries are used; in RAM: the threads.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. In that clock and until the next op is there, the outputs are its results.
// Clocks: meet 2, others 1.
module split_table #(
  parameter int Lanes = 32,
  parameter int Entries = 16,
  parameter int Rows = 32,  // of the core
  parameter int PcWidth = 16,
  parameter int PointWidth = 6,
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int EntryWidth = simt_pkg::idx_width(Entries),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [2:0]            op_kind_i,    // ROOM ...
  input  wire  [RowWidth-1:0]   op_row_i,
  input  wire  [EntryWidth-1:0] op_entry_i,   // move, leave: the split; meet: the one that comes,
  input  wire                   op_own_i,     // meet: if it has an entry
  input  wire  [PcWidth-1:0]    op_pc_i,      // enter, move, meet
  input  wire  [PointWidth-1:0] op_point_i,   // enter, move, meet
  input  wire  [Lanes-1:0]      op_mask_i,    // enter, move, meet
  input  wire                   op_stands_i,  // enter, move: others may join it

  output logic                  done_valid_o,
  output logic                  res_ok_o,     // room: for one split more; enter: there was an entry; meet: one stands there
  output logic [EntryWidth-1:0] res_entry_o,  // enter and meet, where ok
  output logic [Lanes-1:0]      res_mask_o,   // meet, where ok: the threads of both
  output logic [UsedWidth-1:0]  res_left_o,   // splits of the row
  output logic [UsedWidth-1:0]  used_o        // entries
);

  localparam logic [2:0] ROOM = 3'd0, ENTER = 3'd1, MOVE = 3'd2, LEAVE = 3'd3, MEET = 3'd4;

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Entries >= 1 && Rows >= 1 && PcWidth >= 1 && PointWidth >= 1)

  logic [Entries-1:0]            used_q, used_d, stands_q, stands_d;
  logic [Entries*RowWidth-1:0]   rows_q, rows_d;
  logic [Entries*PcWidth-1:0]    pcs_q, pcs_d;
  logic [Entries*PointWidth-1:0] points_q, points_d;
  logic                          joins_q, joins_d;  // the second clock of a meeting
  logic                          ok_q, ok_d, done_q;
  logic [EntryWidth-1:0]         entry_q, entry_d;
  logic [UsedWidth-1:0]          left_q, left_d;

  // --- The search -------------------------------------------------------------------------------

  logic [Entries-1:0]    of_row, stand_there, unused_lower_free, unused_lower_hit;
  logic [EntryWidth-1:0] free_entry, hit_entry;
  logic                  any_free, many_free, any_hit, unused_many_hit;

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    assign of_row[e] = used_q[e] && rows_q[e*RowWidth +: RowWidth] == op_row_i;
    wire same_pc = pcs_q[e*PcWidth +: PcWidth] == op_pc_i;
    wire same_point = points_q[e*PointWidth +: PointWidth] == op_point_i;
    wire comes = op_own_i && op_entry_i == EntryWidth'(e);
    assign stand_there[e] = of_row[e] && stands_q[e] && same_pc &&
                            same_point && !comes;  // seeded-bug: !comes;
  end

  lane_priority #(.Lanes(1), .Rows(Entries)) u_free (
    .threads_i(~used_q),
    .lower_o(unused_lower_free),
    .any_o(any_free),
    .many_o(many_free),
    .row_o(free_entry)
  );
  lane_priority #(.Lanes(1), .Rows(Entries)) u_hit (
    .threads_i(stand_there),
    .lower_o(unused_lower_hit),
    .any_o(any_hit),
    .many_o(unused_many_hit),
    .row_o(hit_entry)
  );

  function automatic logic [UsedWidth-1:0] number_of(input logic [Entries-1:0] entries);
    number_of = '0;
    for (int e = 0; e < Entries; e++) number_of = number_of + UsedWidth'(entries[e]);
  endfunction

  // --- The entries ------------------------------------------------------------------------------

  logic                  enters, moves, leaves, meets, joins;
  logic [EntryWidth-1:0] write_entry;
  logic [Lanes-1:0]      mask;

  assign enters = op_valid_i && op_kind_i == ENTER && any_free;
  assign moves = op_valid_i && op_kind_i == MOVE;
  assign leaves = op_valid_i && op_kind_i == LEAVE;
  assign meets = op_valid_i && op_kind_i == MEET;
  assign joins = joins_q && ok_q;
  assign joins_d = meets && !joins_q;
  assign op_ready_o = op_valid_i && !joins_d;
  assign write_entry = enters ? free_entry : moves ? op_entry_i : entry_q;

  ram_1r1w #(.Width(Lanes), .Depth(Entries)) u_masks (
    .clk_i,
    .write_en_i(enters || moves || joins),
    .write_addr_i(write_entry),
    .write_data_i(joins ? mask | op_mask_i : op_mask_i),
    .read_addr_i(entry_q),
    .read_data_o(mask)
  );

  always_comb begin : entries
    used_d = used_q;
    stands_d = stands_q;
    rows_d = rows_q;
    pcs_d = pcs_q;
    points_d = points_q;
    for (int e = 0; e < Entries; e++) begin
      if ((enters || moves) && write_entry == EntryWidth'(e)) begin
        used_d[e] = 1'b1;
        stands_d[e] = op_stands_i;
        rows_d[e*RowWidth +: RowWidth] = op_row_i;
        pcs_d[e*PcWidth +: PcWidth] = op_pc_i;
        points_d[e*PointWidth +: PointWidth] = op_point_i;
      end
      if ((leaves || (joins && op_own_i)) && op_entry_i == EntryWidth'(e)) used_d[e] = 1'b0;
    end
  end

  // A row that has no entry needs two for its first two splits.
  always_comb begin : results
    ok_d = ok_q;
    entry_d = entry_q;
    left_d = left_q;
    if (op_valid_i && !joins_q) begin
      case (op_kind_i)
        ROOM: ok_d = of_row == '0 ? many_free : any_free;
        ENTER: begin
          ok_d = any_free;
          entry_d = free_entry;
        end
        MEET: begin
          ok_d = any_hit;
          entry_d = hit_entry;
        end
        default: ok_d = 1'b1;
      endcase
    end
    if (op_ready_o) begin
      left_d = number_of(of_row);
      if (enters) left_d = left_d + UsedWidth'(1);
      if (leaves || (joins && op_own_i)) left_d = left_d - UsedWidth'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      joins_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      used_q <= used_d;
      joins_q <= joins_d;
      done_q <= op_ready_o;
    end
  end

  // Of no meaning but after an op, or in entries that are used.
  always_ff @(posedge clk_i) begin
    stands_q <= stands_d;
    rows_q <= rows_d;
    pcs_q <= pcs_d;
    points_q <= points_d;
    ok_q <= ok_d;
    entry_q <= entry_d;
    left_q <= left_d;
  end

  assign done_valid_o = done_q;
  assign res_ok_o = ok_q;
  assign res_entry_o = entry_q;
  assign res_mask_o = mask;
  assign res_left_o = left_q;
  assign used_o = number_of(used_q);

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= MEET)
  `ASSERT(IsThere, !(moves || leaves || (meets && op_own_i)) || of_row[op_entry_i])

endmodule

`default_nettype wire
