// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What barrier_table must do, followed for any one thread and any one pc, from the ports alone: it
// holds a barrier there from the reservation on until it leaves or, once it has reached, until a
// warp is taken that has it. Beside it what every entry must be, and what an op may cost and change.
module barrier_table_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 4,
  parameter int Ways = 2,
  parameter int Schedulers = 1,
  parameter int Rows = 4,
  parameter int PcWidth = 1,
  parameter bit Counts = 1'b1,  // barriers given up, too: sums are hard for a solver
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int LaneWidth = simt_pkg::idx_width(Lanes),
  localparam int EntryWidth = simt_pkg::idx_width(Entries),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1),
  localparam int CountWidth = simt_pkg::idx_width(Lanes * Ways + 1)
) (
  input wire                      clk_i,
  input wire                      rst_ni,
  input wire                      op_valid_i,
  input wire [2:0]                op_kind_i,
  input wire [Lanes-1:0]          op_mask_i,
  input wire [Lanes*RowWidth-1:0] op_row_i,
  input wire [PcWidth-1:0]        op_pc_i,
  input wire                      op_all_or_none_i,
  // Whom to follow, chosen during reset: a thread and a pc, and an entry.
  input wire [LaneWidth-1:0]      lane_i,
  input wire [RowWidth-1:0]       row_i,
  input wire [PcWidth-1:0]        pc_i,
  input wire [EntryWidth-1:0]     entry_i
);

  localparam logic [2:0] RESERVE = 3'd0, REACH = 3'd1, LEAVE = 3'd2, HELD = 3'd3, TAKE = 3'd4;
  localparam int Sets = Entries / Ways;
  localparam int SetWidth = simt_pkg::idx_width(Sets);
  localparam int WayWidth = simt_pkg::idx_width(Ways);
  localparam int SlotWidth = RowWidth + 2;
  localparam int LaneCountWidth = simt_pkg::idx_width(Lanes + 1);

  logic                      op_ready, done_valid, complete;
  logic [Lanes-1:0]          res_lanes, warp_mask;
  logic [CountWidth-1:0]     res_count;
  logic [UsedWidth-1:0]      used;
  logic [Lanes*RowWidth-1:0] warp_row;
  logic [PcWidth-1:0]        warp_pc;

  barrier_table #(.Lanes(Lanes), .Entries(Entries), .Ways(Ways), .Schedulers(Schedulers),
                  .Rows(Rows), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_lanes_o (res_lanes),
    .res_count_o (res_count),
    .complete_o  (complete),
    .used_o      (used),
    .warp_mask_o (warp_mask),
    .warp_row_o  (warp_row),
    .warp_pc_o   (warp_pc),
    .*
  );

  `ASSUME_RESET_FIRST

  logic [LaneWidth-1:0]  lane_q;
  logic [RowWidth-1:0]   row_q;
  logic [PcWidth-1:0]    pc_q;
  logic [EntryWidth-1:0] entry_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lane_q <= lane_i;
      row_q <= row_i;
      pc_q <= pc_i;
      entry_q <= entry_i;
    end
  end
  always @(posedge clk_i) assume (!rst_ni || (32'(lane_q) < Lanes && 32'(entry_q) < Entries));

  // --- What is in the table ---------------------------------------------------------------------

  (* hierconn *) wire [1:0] \dut.state_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.rest_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.group_q ;
  (* hierconn *) wire [RowWidth-1:0] \dut.row_q ;
  (* hierconn *) wire [SetWidth-1:0] \dut.set_q ;
  (* hierconn *) wire [WayWidth-1:0] \dut.way_q ;
  (* hierconn *) wire [Entries-1:0] \dut.used_q ;
  (* hierconn *) wire [Entries-1:0] \dut.complete_q ;
  (* hierconn *) wire [Ways-1:0] \dut.queue_q ;
  (* hierconn *) wire [SetWidth-1:0] \dut.queue_set_q ;
  (* hierconn *) wire \dut.missed_q ;
  (* hierconn *) wire [Ways*LaneCountWidth-1:0] \dut.gone_in_way_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.head_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.tail_q ;
  (* hierconn *) wire [UsedWidth-1:0] \dut.queued_q ;
  (* hierconn *) wire [Sets*Ways*PcWidth-1:0] \dut.u_pcs.words ;
  (* hierconn *) wire [Entries*(SetWidth+WayWidth)-1:0] \dut.u_queue.words ;
  (* hierconn *) wire \dut.reaches ;
  (* hierconn *) wire \dut.leaves ;
  (* hierconn *) wire [Lanes-1:0] \dut.need ;
  (* hierconn *) wire [Ways*Lanes-1:0] \dut.waiting ;
  (* hierconn *) wire [Ways*PcWidth-1:0] \dut.pcs ;
  (* hierconn *) wire [Ways*Lanes-1:0] \dut.enters ;
  (* hierconn *) wire [Ways-1:0] \dut.free ;
  (* hierconn *) wire \dut.allocates ;

  // Of entry e: bit e * Lanes + lane.
  logic [Entries*Lanes-1:0]          member, reached;
  logic [Entries*Lanes*RowWidth-1:0] rows;
  logic [Entries*PcWidth-1:0]        pcs;
  logic [Entries-1:0]                is_used, is_complete, open;

  for (genvar l = 0; l < Lanes; l++) begin : \dut.gen_bank
    (* hierconn *) wire [Entries*SlotWidth-1:0] \u_bank.words ;
    for (genvar e = 0; e < Entries; e++) begin : gen_entry
      assign {member[e*Lanes+l], reached[e*Lanes+l], rows[(e*Lanes+l)*RowWidth +: RowWidth]} =
          \u_bank.words [e*SlotWidth +: SlotWidth];
    end
  end
  assign pcs = \dut.u_pcs.words ;
  assign is_used = \dut.used_q ;
  assign is_complete = \dut.complete_q ;
  assign open = is_used & ~is_complete;

  function automatic int set_of(input logic [RowWidth-1:0] row);
    set_of = (32'(row) / Schedulers) % Sets;
  endfunction

  // The thread: is it in the table at the pc, twice, has it reached?
  logic in_table, twice, has_reached;

  always_comb begin
    in_table = 1'b0;
    twice = 1'b0;
    has_reached = 1'b0;
    for (int e = 0; e < Entries; e++) begin
      for (int l = 0; l < Lanes; l++) begin
        if (is_used[e] && e / Ways == set_of(row_q) && pcs[e*PcWidth +: PcWidth] == pc_q &&
            32'(lane_q) == l && member[e*Lanes+l] &&
            rows[(e*Lanes+l)*RowWidth +: RowWidth] == row_q) begin
          twice = in_table;
          in_table = 1'b1;
          has_reached = reached[e*Lanes+l];
        end
      end
    end
  end

  // --- The op under way and the one before ------------------------------------------------------

  localparam int OpWidth = 3 + Lanes + Lanes * RowWidth + PcWidth + 1;
  logic               busy_q, done_q;  // this clock goes on with an op; follows the last of one
  logic [OpWidth-1:0] op, op_q;
  logic [2:0]         was_kind;
  logic [Lanes-1:0]   was_mask;
  logic [Lanes*RowWidth-1:0] was_row;
  logic [PcWidth-1:0] was_pc;
  logic               was_all_or_none;
  logic               named, was_named;  // the thread is in the op's warp

  assign op = {op_kind_i, op_mask_i, op_row_i, op_pc_i, op_all_or_none_i};
  assign {was_kind, was_mask, was_row, was_pc, was_all_or_none} = op_q;
  assign named = op_mask_i[lane_q] && op_row_i[lane_q*RowWidth +: RowWidth] == row_q;
  assign was_named = was_mask[lane_q] && was_row[lane_q*RowWidth +: RowWidth] == row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      busy_q <= op_valid_i && !op_ready;
      done_q <= op_valid_i && op_ready;
    end
  end
  always_ff @(posedge clk_i) if (op_valid_i) op_q <= op;

  // --- The thread, as the ports tell ------------------------------------------------------------

  logic holds_q, waits_q, holds, waits;
  logic in_warp;

  assign in_warp = warp_mask[lane_q] && warp_row[lane_q*RowWidth +: RowWidth] == row_q &&
                   warp_pc == pc_q;

  always_comb begin
    holds = holds_q;
    waits = waits_q;
    if (done_q && was_named && was_kind == RESERVE && was_pc == pc_q) begin
      holds = holds_q || !res_lanes[lane_q];
    end
    if (done_q && was_named && was_kind == REACH && was_pc == pc_q) waits = 1'b1;
    if (done_q && was_named && was_kind == LEAVE) holds = 1'b0;
    if (done_q && was_kind == TAKE && in_warp) begin
      holds = 1'b0;
      waits = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      holds_q <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      holds_q <= holds;
      waits_q <= waits;
    end
  end

  // --- The protocol -----------------------------------------------------------------------------

  // What the block itself asserts of other threads and other pcs; of this thread at this pc it has
  // to prove it.
  logic [Lanes-1:0]      other;
  logic [Ways*Lanes-1:0] other_waiting;

  always_comb begin
    other = '1;
    if (\dut.row_q == row_q) other[lane_q] = 1'b0;
    other_waiting = '1;
    for (int w = 0; w < Ways; w++) begin
      if (\dut.pcs [w*PcWidth +: PcWidth] == pc_q) other_waiting[w*Lanes +: Lanes] = other;
    end
    if (op_pc_i != pc_q) other = '1;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!busy_q || (op_valid_i && op == op_q));
      assume (!op_valid_i || op_kind_i <= TAKE);
      assume (!op_valid_i || op_kind_i != TAKE || busy_q || complete);
      // Who waits is in no warp; who reaches holds a barrier there.
      assume (!op_valid_i || op_kind_i == TAKE || !named || !waits);
      assume (!op_valid_i || op_kind_i != REACH || !named || op_pc_i != pc_q || holds);
      assume (!\dut.reaches || (\dut.need & other) == '0);
      assume (!(\dut.reaches || \dut.leaves ) || (\dut.waiting & other_waiting) == '0);
    end
  end

  `ASSERT(DoneIsTheClockAfter, done_valid == done_q)
  `ASSERT(TellsWhatItHolds, !done_q || was_kind != HELD || !was_named || was_pc != pc_q ||
                            res_lanes[lane_q] == holds_q)
  `ASSERT(MissesAreNew, !done_q || was_kind != RESERVE || !was_named || was_pc != pc_q ||
                        !holds_q || !res_lanes[lane_q])
  `ASSERT(OfTheWarpOnly, !done_q || (res_lanes & ~was_mask) == '0)
  `ASSERT(NoneInvented, !done_q || was_kind != TAKE || !in_warp || (holds_q && waits_q))

  // Between ops the thread is in one entry, or in none; in an op, as soon as its turn is over.
  logic look, turn_over, in_table_due, reached_due;

  assign look = \dut.state_q == 2'd1;
  assign turn_over = busy_q && was_named && was_kind != TAKE && !look && !left[lane_q];

  always_comb begin
    in_table_due = holds;
    reached_due = waits;
    if (turn_over && was_kind == RESERVE && was_pc == pc_q) begin
      in_table_due = holds || !res_lanes[lane_q];
    end
    if (turn_over && was_kind == REACH && was_pc == pc_q) reached_due = 1'b1;
    if (turn_over && was_kind == LEAVE) in_table_due = 1'b0;
  end

  `ASSERT(NoneLost, in_table == in_table_due)
  `ASSERT(InOneEntry, !twice)
  `ASSERT(HasReached, !in_table || has_reached == reached_due)
  `ASSERT(WaitsWhereItHolds, !waits || holds)

  // --- Entries ----------------------------------------------------------------------------------

  // An entry is complete if all its threads have reached; it is used while it has threads. They
  // are of rows of its set.
  logic entries_fit;

  always_comb begin
    entries_fit = (is_complete & ~is_used) == '0;
    for (int e = 0; e < Entries; e++) begin
      if (is_used[e] && (member[e*Lanes +: Lanes] == '0 ||
                         (reached[e*Lanes +: Lanes] & ~member[e*Lanes +: Lanes]) != '0 ||
                         is_complete[e] != (reached[e*Lanes +: Lanes] ==
                                            member[e*Lanes +: Lanes]))) entries_fit = 1'b0;
      for (int l = 0; l < Lanes; l++) begin
        if (is_used[e] && member[e*Lanes+l] &&
            set_of(rows[(e*Lanes+l)*RowWidth +: RowWidth]) != e / Ways) entries_fit = 1'b0;
      end
    end
  end

  `ASSERT(EntriesFit, entries_fit)
  `ASSERT(UsedAreCounted, used == UsedWidth'($countones(is_used)))
  `ASSERT(CompleteIsExact, busy_q || complete == (is_complete != '0))

  // The queue, with what enters it next, has each complete entry once. `place` is from its head.
  localparam int PlaceWidth = UsedWidth + 1;
  logic [Entries*PlaceWidth-1:0] place;
  logic [Entries-1:0]            queued, queued_twice;

  always_comb begin : queue
    int slot;
    place = '0;
    queued = '0;
    queued_twice = '0;
    for (int e = 0; e < Entries; e++) begin
      for (int i = 0; i < Entries + Ways; i++) begin
        slot = 32'(\dut.head_q ) + i;
        if (slot >= Entries) slot = slot - Entries;
        if (i < Entries ? i < 32'(\dut.queued_q ) &&
                          \dut.u_queue.words [slot*(SetWidth+WayWidth) +: SetWidth+WayWidth] ==
                          {SetWidth'(e / Ways), WayWidth'(e % Ways)}
                        : \dut.queue_q [i % Ways] && e % Ways == i - Entries &&
                          32'(\dut.queue_set_q ) == e / Ways) begin
          queued_twice[e] = queued[e];
          queued[e] = 1'b1;
          place[e*PlaceWidth +: PlaceWidth] = PlaceWidth'(i);
        end
      end
    end
  end

  `ASSERT(CompleteAreQueuedOnce, queued == is_complete && queued_twice == '0)
  `ASSERT(QueueFits, 32'(\dut.head_q ) < Entries && 32'(\dut.queued_q ) <= Entries &&
                     (32'(\dut.head_q ) + 32'(\dut.queued_q )) % Entries == 32'(\dut.tail_q ))
  `ASSERT(QueueIsCounted, 32'(\dut.queued_q ) + 32'($countones(\dut.queue_q )) ==
                          32'($countones(is_complete)))

  // --- Results and what else an op changes ------------------------------------------------------

  logic [UsedWidth-1:0] used_before_q;
  logic [Entries-1:0]   was_used_q, was_complete_q, taken;

  always_ff @(posedge clk_i) begin
    if (op_valid_i && !busy_q) begin
      used_before_q <= used;
      was_used_q <= is_used;
      was_complete_q <= is_complete;
    end
  end

  // Threads of the op that have neither a barrier at its pc nor room for one.
  logic [Lanes-1:0] homeless;

  always_comb begin
    homeless = was_mask;
    for (int l = 0; l < Lanes; l++) begin
      for (int e = 0; e < Entries; e++) begin
        if (e / Ways == set_of(was_row[l*RowWidth +: RowWidth]) &&
            (!is_used[e] || (open[e] && pcs[e*PcWidth +: PcWidth] == was_pc &&
                             (!member[e*Lanes+l] || rows[(e*Lanes+l)*RowWidth +: RowWidth] ==
                                                    was_row[l*RowWidth +: RowWidth])))) begin
          homeless[l] = 1'b0;
        end
      end
    end
  end

  // What is taken is one entry that was complete, and all of it.
  logic takes_one;

  assign taken = was_complete_q & ~is_complete;

  always_comb begin
    takes_one = taken != '0 && (taken & (taken - Entries'(1))) == '0 &&
                is_used == (was_used_q & ~taken) && used == used_before_q - UsedWidth'(1);
    for (int e = 0; e < Entries; e++) begin
      if (taken[e] && (warp_mask != member[e*Lanes +: Lanes] ||
                       warp_pc != pcs[e*PcWidth +: PcWidth])) takes_one = 1'b0;
      for (int l = 0; l < Lanes; l++) begin
        if (taken[e] && warp_row[l*RowWidth +: RowWidth] !=
            (member[e*Lanes+l] ? rows[(e*Lanes+l)*RowWidth +: RowWidth] : '0)) takes_one = 1'b0;
      end
    end
  end

  `ASSERT(MissesHaveNoRoom, !done_q || was_kind != RESERVE || was_all_or_none ||
                            res_lanes == homeless)
  `ASSERT(AllOrNone, !done_q || was_kind != RESERVE || !was_all_or_none ||
                     (res_lanes == '0) == (homeless == '0))
  `ASSERT(NoneOfAllOrNone, !done_q || was_kind != RESERVE || !was_all_or_none ||
                           res_lanes == '0 || (is_used == was_used_q && res_count == '0))
  `ASSERT(EntriesReserved, !(busy_q || done_q) || was_kind != RESERVE ||
                           32'(used) == 32'(used_before_q) + 32'(res_count))
  `ASSERT(TakesOne, !done_q || was_kind != TAKE || takes_one)
  `ASSERT(TakesOnly, !(busy_q || done_q) || (was_kind == TAKE && done_q) || taken == '0)
  `ASSERT(CompletesNone, !(busy_q || done_q) || was_kind == REACH || was_kind == LEAVE ||
                         (is_complete & ~was_complete_q) == '0)
  `ASSERT(UsedStay, !(busy_q || (done_q && was_kind != TAKE)) || was_kind == LEAVE ||
                    (was_used_q & ~is_used) == '0)
  `ASSERT(NoneNewIsUsed, !(busy_q || done_q) || was_kind == RESERVE ||
                         (is_used & ~was_used_q) == '0)

  // One entry is followed: those that were complete before it are taken first; of those that
  // complete in one step, the ways one after the other.
  logic [Entries-1:0] complete_q, ahead_q, ahead, ahead_of_it;
  logic               it_completes;

  assign it_completes = is_complete[entry_q] && !complete_q[entry_q];

  always_comb begin
    ahead = ahead_q & is_complete;
    ahead_of_it = '0;
    for (int e = 0; e < Entries; e++) begin
      if (it_completes) ahead[e] = complete_q[e] || (is_complete[e] && e < 32'(entry_q));
      ahead_of_it[e] = is_complete[e] && place[e*PlaceWidth +: PlaceWidth] <
                                         place[entry_q*PlaceWidth +: PlaceWidth];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= '0;
    else complete_q <= is_complete;
  end
  always_ff @(posedge clk_i) ahead_q <= ahead;

  `ASSERT(TakesInOrder, !done_q || was_kind != TAKE || !taken[entry_q] || ahead_q == '0)
  `ASSERT(QueuedInOrder, !is_complete[entry_q] || ahead == ahead_of_it)

  // --- Between ops ------------------------------------------------------------------------------

  localparam int OutWidth = Lanes + CountWidth + 1 + UsedWidth + Lanes + Lanes * RowWidth + PcWidth;
  logic [OutWidth-1:0] outs, outs_q;
  logic                rests_q;

  assign outs = {res_lanes, res_count, complete, used, warp_mask, warp_row, warp_pc};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rests_q <= 1'b0;
    else rests_q <= !op_valid_i;
  end
  always_ff @(posedge clk_i) outs_q <= outs;

  `ASSERT(StableWhileNoneWorks, !rests_q || outs == outs_q)

  // --- For the induction: how far an op is ------------------------------------------------------

  logic                 step_state, in_rows;
  logic [Lanes-1:0]     left;
  logic                 first, groups_fit;

  assign step_state = \dut.state_q == 2'd2;
  assign left = \dut.rest_q | \dut.group_q ;
  assign in_rows = busy_q && was_kind != TAKE;

  // A row at a time, that of the lowest lane first.
  always_comb begin
    groups_fit = (left & ~was_mask) == '0 && (\dut.rest_q & \dut.group_q ) == '0 &&
                 (left == '0 || \dut.group_q != '0);
    first = 1'b1;
    for (int l = 0; l < Lanes; l++) begin
      if (left[l] && first && !\dut.group_q [l]) groups_fit = 1'b0;
      first = first && !left[l];
      if (left[l] && \dut.group_q [l] != (was_row[l*RowWidth +: RowWidth] == \dut.row_q ))
        groups_fit = 1'b0;
      for (int m = 0; m < l; m++) begin
        if (was_mask[l] && was_mask[m] && left[l] != left[m] &&
            was_row[l*RowWidth +: RowWidth] == was_row[m*RowWidth +: RowWidth]) groups_fit = 1'b0;
      end
    end
    if (left != '0 && 32'(\dut.set_q ) != set_of(\dut.row_q )) groups_fit = 1'b0;
  end

  `ASSERT(BusyInAnOp, \dut.state_q == 2'd0 ? !busy_q : busy_q && \dut.state_q != 2'd3)
  `ASSERT(LooksForAll, !look || (was_kind == RESERVE && was_all_or_none))
  `ASSERT(QueuesInAnOp, \dut.queue_q == '0 || (busy_q && (was_kind == REACH || was_kind == LEAVE)))
  `ASSERT(RowByRow, !in_rows || groups_fit)
  `ASSERT(TakesTheHead, !busy_q || was_kind != TAKE ||
                        (step_state && left == '0 && complete && {\dut.set_q , \dut.way_q } ==
                         \dut.u_queue.words [\dut.head_q *(SetWidth+WayWidth) +: SetWidth+WayWidth]))
  `ASSERT(ResultsOfSteps, !in_rows || (res_lanes & (~was_mask | left)) == '0)
  `ASSERT(OthersHaveNone, !busy_q || was_kind == RESERVE || was_kind == HELD || res_lanes == '0)
  `ASSERT(HeldSoFar, !turn_over || was_kind != HELD || was_pc != pc_q || res_lanes[lane_q] == holds)
  `ASSERT(MissesSoFar, !in_rows || !step_state || was_kind != RESERVE ||
                       (was_all_or_none ? res_lanes == '0 && homeless == '0
                                        : res_lanes == (homeless & ~left)))
  `ASSERT(HoldsSoFar, !turn_over || was_kind != RESERVE || was_pc != pc_q || !holds ||
                      !res_lanes[lane_q])
  `ASSERT(LooksSoFar, !look || (\dut.missed_q == ((homeless & ~left) != '0) && res_count == '0 &&
                                is_used == was_used_q))
  `ASSERT(LooksAtTheThread, !look || !was_named || was_pc != pc_q || left[lane_q] ||
                            res_lanes[lane_q] == !holds)

endmodule

`default_nettype wire
