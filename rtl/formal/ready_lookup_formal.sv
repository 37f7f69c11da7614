// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What ready_lookup must do, said on a list of warps that is kept in the order of the queue: an op
// changes the list at once, and between ops the table is that list, entry for entry.
module ready_lookup_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 2,
  parameter int Rows = 2,
  parameter int PcWidth = 1,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + Entries,  // clocks that any design may take for an op, and to be done with it
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1)
) (
  input wire                       clk_i,
  input wire                       rst_ni,
  input wire                       op_valid_i,
  input wire                       op_kind_i,
  input wire [2*Lanes-1:0]         op_mask_i,
  input wire [2*PcWidth-1:0]       op_pc_i,
  input wire [Lanes*RowWidth-1:0]  op_row_i
);

  localparam logic TAKE = 1'b0, POP = 1'b1;

  logic                      op_ready, done_valid;
  logic [Lanes-1:0]          res_left, warp_mask;
  logic [UsedWidth-1:0]      used;
  logic [Lanes*RowWidth-1:0] warp_row;
  logic [PcWidth-1:0]        warp_pc;

  ready_lookup #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_left_o  (res_left),
    .used_o      (used),
    .warp_mask_o (warp_mask),
    .warp_row_o  (warp_row),
    .warp_pc_o   (warp_pc),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 1 + 2 * Lanes + 2 * PcWidth + Lanes * RowWidth;
  logic [OpWidth-1:0] op;
  logic [Lanes-1:0]   first_mask, second_mask;
  logic [PcWidth-1:0] first_pc, second_pc;

  assign op = {op_kind_i, op_mask_i, op_pc_i, op_row_i};
  assign {second_mask, first_mask} = op_mask_i;
  assign {second_pc, first_pc} = op_pc_i;

  `include "shared/one_operation.svh"

  `ASSUME(PopsWhatIsThere, !op_valid_i || op_kind_i != POP || length_q != '0)
  `ASSUME(SidesShareNoLane, (first_mask & second_mask) == '0)
  `ASSUME(SidesPartWays, first_mask == '0 || second_mask == '0 || first_pc != second_pc)

  // --- The list: warp i of it is bits i*WarpWidth… ----------------------------------------------

  localparam int WarpWidth = Lanes * RowWidth + PcWidth + Lanes;  // rows, pc, mask
  logic [Entries*WarpWidth-1:0] list_q, list_d, list;
  logic [UsedWidth-1:0]         length_q, length_d, length;
  logic [Lanes-1:0]             left_q, left_d;
  logic [UsedWidth-1:0]         joins_q, joins_d;  // of the op

  // `warp` with the threads of `lanes`, whose rows are op_row_i; 0 where a lane is off.
  function automatic logic [WarpWidth-1:0] with(input logic [WarpWidth-1:0] warp,
                                                input logic [Lanes-1:0] lanes,
                                                input logic [Lanes*RowWidth-1:0] of);
    with = warp;
    with[0 +: Lanes] = warp[0 +: Lanes] | lanes;
    for (int l = 0; l < Lanes; l++) begin
      if (lanes[l]) with[Lanes+PcWidth+l*RowWidth +: RowWidth] = of[l*RowWidth +: RowWidth];
    end
  endfunction

  function automatic logic [WarpWidth-1:0] new_warp(input logic [PcWidth-1:0] at);
    new_warp = '0;
    new_warp[Lanes +: PcWidth] = at;
  endfunction

  always_comb begin : take
    logic [Entries*WarpWidth-1:0] joined, waiting;  // those that got threads, those that did not
    logic [UsedWidth-1:0]         joins, waits;
    logic [WarpWidth-1:0]         warp;
    logic [Lanes-1:0]             rest, fit;
    logic [PcWidth-1:0]           pc;
    list = list_q;
    length = length_q;
    {joined, waiting, joins, waits, warp, fit} = '0;
    left_d = '0;
    // Both sides join first, oldest warps first.
    for (int s = 0; s < 2; s++) begin
      rest = s == 0 ? first_mask : second_mask;
      pc = s == 0 ? first_pc : second_pc;
      waiting = '0;
      waits = '0;
      for (int i = 0; i < Entries; i++) begin
        if (UsedWidth'(i) < length) begin
          warp = list[i*WarpWidth +: WarpWidth];
          fit = warp[Lanes +: PcWidth] == pc ? rest & ~warp[0 +: Lanes] : '0;
          if (fit == '0) begin
            waiting |= (Entries*WarpWidth)'(warp) << (waits * WarpWidth);
            waits = waits + UsedWidth'(1);
          end else begin
            joined |= (Entries*WarpWidth)'(with(warp, fit, op_row_i)) << (joins * WarpWidth);
            joins = joins + UsedWidth'(1);
            rest = rest & ~fit;
          end
        end
      end
      list = waiting;
      length = waits;
      if (s == 0) left_d[Lanes-1:0] = rest;
      else left_d = left_d | rest;
    end
    // Then what is left of each enters, and behind it those that got threads.
    for (int s = 0; s < 2; s++) begin
      rest = left_d & (s == 0 ? first_mask : second_mask);
      pc = s == 0 ? first_pc : second_pc;
      if (rest != '0 && length + joins < UsedWidth'(Entries)) begin
        list |= (Entries*WarpWidth)'(with(new_warp(pc), rest, op_row_i)) << (length * WarpWidth);
        length = length + UsedWidth'(1);
        left_d = left_d & ~rest;
      end
    end
    list |= joined << (length * WarpWidth);
    length = length + joins;
    joins_d = joins;
  end

  always_comb begin : after
    list_d = list_q;
    length_d = length_q;
    if (op_taken) begin
      list_d = op_kind_i == POP ? list_q >> WarpWidth : list;
      length_d = op_kind_i == POP ? length_q - UsedWidth'(1) : length;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      list_q <= '0;
      length_q <= '0;
    end else begin
      list_q <= list_d;
      length_q <= length_d;
    end
  end
  always_ff @(posedge clk_i) if (op_taken) {left_q, joins_q} <= {left_d, joins_d};

  `ASSERT(UsedIsTheirNumber, !between || used == length_q)
  `ASSERT(FirstOfTheQueue, !between || length_q == '0 ||
                           {warp_row, warp_pc, warp_mask} == list_q[0 +: WarpWidth])
  `ASSERT(LeftIsWhatFindsNoRoom, !done_valid || op_q[OpWidth-1] != TAKE || res_left == left_q)

  // An op takes as long as the block says.
  localparam int ClockWidth = simt_pkg::idx_width(Entries + 5);
  logic [ClockWidth-1:0] clocks_q;
  always_ff @(posedge clk_i) clocks_q <= busy_q ? clocks_q + ClockWidth'(1) : ClockWidth'(1);
  if (Equal) begin : gen_clocks
    `ASSERT(Clocks, !done_valid || clocks_q == (op_q[OpWidth-1] == POP ? ClockWidth'(1)
                                                : ClockWidth'(3) + ClockWidth'(joins_q)))
  end

  `COVER(JoinsTwo, done_valid && op_q[OpWidth-1] == TAKE && joins_q == UsedWidth'(2))
  `COVER(FindsItFull, done_valid && op_q[OpWidth-1] == TAKE && res_left != '0)

`ifndef PORTS_ONLY
  // --- For the induction: every warp of the list is an entry, at its place in the order ----------

  (* hierconn *) wire \dut.busy_q ;
  (* hierconn *) wire [Entries-1:0] \dut.used_q ;
  (* hierconn *) wire [Entries*Lanes-1:0] \dut.masks_q ;
  (* hierconn *) wire [Entries*PcWidth-1:0] \dut.pcs_q ;
  (* hierconn *) wire [Entries*Entries-1:0] \dut.older ;
  (* hierconn *) wire [Entries*Lanes*RowWidth-1:0] \dut.u_rows.words ;
  logic [Entries*WarpWidth-1:0] found;
  logic [Entries-1:0]           places;  // that an entry has
  logic                         rows_are_zero;

  always_comb begin : table
    logic [UsedWidth-1:0] place;
    logic [WarpWidth-1:0] warp;
    found = '0;
    places = '0;
    for (int e = 0; e < Entries; e++) begin
      place = '0;
      for (int f = 0; f < Entries; f++) begin
        place = place + UsedWidth'(\dut.used_q [f] && \dut.older [e*Entries+f]);
      end
      warp = with(new_warp(\dut.pcs_q [e*PcWidth +: PcWidth]), \dut.masks_q [e*Lanes +: Lanes],
                  \dut.u_rows.words [e*Lanes*RowWidth +: Lanes*RowWidth]);
      if (\dut.used_q [e]) begin
        found |= (Entries*WarpWidth)'(warp) << (place * WarpWidth);
        places |= Entries'(1) << place;
      end
    end
    rows_are_zero = 1'b1;
    for (int i = 0; i < Entries; i++) begin
      for (int l = 0; l < Lanes; l++) begin
        if (!list_q[i*WarpWidth + l] &&
            list_q[i*WarpWidth + Lanes + PcWidth + l*RowWidth +: RowWidth] != '0) rows_are_zero = 1'b0;
      end
    end
  end

  `ASSERT(TableIsTheList, busy_q || (found == list_q && 32'(length_q) <= Entries &&
                          places == (Entries'(1) << length_q) - Entries'(1)))
  `ASSERT(BusyInAnOp, \dut.busy_q == busy_q)
  `ASSERT(RowsOfNobodyAreZero, rows_are_zero)
  `ASSERT(InAnOpForSoLong, !busy_q || (op_q[OpWidth-1] == TAKE && 32'(clocks_q) < Entries + 3))
`endif

endmodule

`default_nettype wire
