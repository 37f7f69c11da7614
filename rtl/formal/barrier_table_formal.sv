// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What barrier_table must do. One thread is followed at one pc, both any, by the ports alone: it
// holds a barrier there from the reservation on until it leaves or, once it has reached, until a
// warp with it is taken. Beside it what every entry must be, and what an op may change and cost.
module barrier_table_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 4,
  parameter int Ways = 2,
  parameter int Schedulers = 1,
  parameter int Rows = 4,
  parameter int PcWidth = 1,
  parameter int Stages = 1,
  parameter bit Counts = 1'b1,  // clocks and barriers given up, too: sums are hard for a solver
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + 4 * Lanes + Entries,  // clocks that any design may take for an op, and to be done with it
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int LaneWidth = simt_pkg::idx_width(Lanes),
  localparam int EntryWidth = simt_pkg::idx_width(Entries)
) (
  input wire                      clk_i,
  input wire                      rst_ni,
  input wire                      op_valid_i,
  input wire [2:0]                op_kind_i,
  input wire [Lanes-1:0]          op_mask_i,
  input wire [Lanes*RowWidth-1:0] op_row_i,
  input wire [PcWidth-1:0]        op_pc_i,
  input wire                      op_all_or_none_i,
  // Chosen during reset: the thread and the pc, and an entry that is followed.
  input wire [LaneWidth-1:0]      lane_i,
  input wire [RowWidth-1:0]       row_i,
  input wire [PcWidth-1:0]        pc_i,
  input wire [EntryWidth-1:0]     entry_i
);

  localparam logic [2:0] RESERVE = 3'd0, REACH = 3'd1, LEAVE = 3'd2, HELD = 3'd3, TAKE = 3'd4;
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1);
  localparam int CountWidth = simt_pkg::idx_width(Lanes * Ways + 1);
  localparam int Sets = Entries / Ways;
  localparam int SetWidth = simt_pkg::idx_width(Sets);
  localparam int WayWidth = simt_pkg::idx_width(Ways);
  localparam int SlotWidth = RowWidth + 2;
  localparam int PlaceWidth = SetWidth + WayWidth;
  localparam int GoneWidth = simt_pkg::idx_width(Lanes + 1);

  logic                      op_ready, done_valid, complete;
  logic [Lanes-1:0]          res_lanes, warp_mask;
  logic [CountWidth-1:0]     res_count;
  logic [UsedWidth-1:0]      used;
  logic [Lanes*RowWidth-1:0] warp_row;
  logic [PcWidth-1:0]        warp_pc;

  barrier_table #(.Lanes(Lanes), .Entries(Entries), .Ways(Ways), .Schedulers(Schedulers),
                  .Rows(Rows), .PcWidth(PcWidth), .Stages(Stages)) dut (
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
    if (!rst_ni) {lane_q, row_q, pc_q, entry_q} <= {lane_i, row_i, pc_i, entry_i};
  end
  `ASSUME(ChosenExist, 32'(lane_q) < Lanes && 32'(entry_q) < Entries)

  // --- The op under way, or the one before ------------------------------------------------------

  localparam int OpWidth = 3 + Lanes + Lanes * RowWidth + PcWidth + 1;
  logic [OpWidth-1:0]        op;
  logic [2:0]                kind;
  logic [Lanes-1:0]          mask;
  logic [Lanes*RowWidth-1:0] row;
  logic [PcWidth-1:0]        pc;
  logic                      all_or_none;
  logic                      names_it, named_it;  // the thread is in the warp of `op`, of op_q

  assign op = {op_kind_i, op_mask_i, op_row_i, op_pc_i, op_all_or_none_i};
  `include "shared/one_operation.svh"

  assign {kind, mask, row, pc, all_or_none} = op_q;
  assign names_it = op_mask_i[lane_q] && op_row_i[lane_q*RowWidth +: RowWidth] == row_q;
  assign named_it = mask[lane_q] && row[lane_q*RowWidth +: RowWidth] == row_q;

  // --- The thread, as the ports tell ------------------------------------------------------------

  logic at_pc, holds_q, waits_q, holds, waits, in_warp;

  assign at_pc = named_it && pc == pc_q;
  assign in_warp = warp_mask[lane_q] && warp_row[lane_q*RowWidth +: RowWidth] == row_q &&
                   warp_pc == pc_q;

  always_comb begin
    holds = holds_q;
    waits = waits_q;
    if (done_valid && kind == RESERVE && at_pc) holds = holds_q || !res_lanes[lane_q];
    if (done_valid && kind == REACH && at_pc) waits = 1'b1;
    if (done_valid && kind == LEAVE && named_it) holds = 1'b0;
    if (done_valid && kind == TAKE && in_warp) {holds, waits} = 2'b00;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {holds_q, waits_q} <= 2'b00;
    else {holds_q, waits_q} <= {holds, waits};
  end

  `ASSERT(NoneInvented, !done_valid || kind != TAKE || !in_warp || (holds_q && waits_q))
  `ASSERT(TellsWhatItHolds, !done_valid || kind != HELD || !at_pc || res_lanes[lane_q] == holds_q)
  `ASSERT(MissesAreNew, !done_valid || kind != RESERVE || !at_pc || !holds_q || !res_lanes[lane_q])
  `ASSERT(OfTheWarpOnly, !done_valid || (res_lanes & ~mask) == '0)

  // --- The protocol -----------------------------------------------------------------------------

  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= TAKE)
  `ASSUME(TakesWhatIsComplete, !op_valid_i || op_kind_i != TAKE || busy_q || complete)
  // Who waits is in no warp; who reaches holds a barrier there.
  `ASSUME(WaitsInNoWarp, !op_valid_i || op_kind_i == TAKE || !names_it || !waits)
  `ASSUME(ReachesWhatItHolds, !op_valid_i || op_kind_i != REACH || !names_it || op_pc_i != pc_q || holds)

  localparam int OutWidth = Lanes + CountWidth + 1 + UsedWidth + Lanes + Lanes * RowWidth + PcWidth;
  logic [OutWidth-1:0] outs;
  assign outs = {res_lanes, res_count, complete, used, warp_mask, warp_row, warp_pc};
  `include "shared/outputs_stay.svh"

  function automatic int set_of(input logic [RowWidth-1:0] of);
    set_of = (32'(of) / Schedulers) % Sets;
  endfunction

`ifdef PORTS_ONLY
  `include "shared/barrier_table_contents.svh"
`else
  // Of other threads, and of this one at other pcs, what the block itself asserts is assumed; of
  // this thread at this pc it has to follow.
  (* hierconn *) wire \dut.reaches ;
  (* hierconn *) wire \dut.leaves ;
  (* hierconn *) wire [Lanes-1:0] \dut.need ;
  (* hierconn *) wire [Ways*Lanes-1:0] \dut.waiting ;
  (* hierconn *) wire [RowWidth-1:0] \dut.row_q ;
  (* hierconn *) wire [Ways*PcWidth-1:0] \dut.pcs ;
  logic [Lanes-1:0]      needs_not;
  logic [Ways*Lanes-1:0] waits_not;

  always_comb begin
    needs_not = '1;
    waits_not = '1;
    if (\dut.row_q == row_q) begin
      needs_not[lane_q] = op_pc_i != pc_q;
      for (int w = 0; w < Ways; w++) begin
        waits_not[w*Lanes + 32'(lane_q)] = \dut.pcs [w*PcWidth +: PcWidth] != pc_q;
      end
    end
  end

  `ASSUME(OthersHoldWhatTheyReach, !\dut.reaches || (\dut.need & needs_not) == '0)
  `ASSUME(OthersWaitInNoWarp, !(\dut.reaches || \dut.leaves ) || (\dut.waiting & waits_not) == '0)

  // --- What is in the table ---------------------------------------------------------------------

  (* hierconn *) wire [Entries-1:0] \dut.used_q ;
  (* hierconn *) wire [Entries-1:0] \dut.complete_q ;
  (* hierconn *) wire [Sets*Ways*PcWidth-1:0] \dut.u_pcs.words ;
  logic [Entries*Lanes-1:0]          member, reached;  // bit entry * Lanes + lane
  logic [Entries*Lanes*RowWidth-1:0] rows;
  logic [Entries*PcWidth-1:0]        pcs;
  logic [Entries-1:0]                is_used, is_complete;

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

  // An entry is used while it has threads, of rows of its set, and complete if all have reached.
  // Of the followed thread: is it in one at its pc, in two, has it reached? Of the op's threads:
  // which have neither a barrier at its pc nor room for one?
  logic             entries_fit, in_table, twice, has_reached;
  logic [Lanes-1:0] homeless;

  always_comb begin : table
    logic [Lanes-1:0]    here;
    logic [RowWidth-1:0] of;
    entries_fit = (is_complete & ~is_used) == '0;
    {in_table, twice, has_reached} = 3'b000;
    homeless = mask;
    for (int e = 0; e < Entries; e++) begin
      here = member[e*Lanes +: Lanes];
      if (is_used[e] && (here == '0 || (reached[e*Lanes +: Lanes] & ~here) != '0 ||
                         is_complete[e] != (reached[e*Lanes +: Lanes] == here)))
        entries_fit = 1'b0;
      for (int l = 0; l < Lanes; l++) begin
        of = rows[(e*Lanes+l)*RowWidth +: RowWidth];
        if (is_used[e] && here[l] && set_of(of) != e / Ways) entries_fit = 1'b0;
        if (is_used[e] && here[l] && 32'(lane_q) == l && of == row_q &&
            pcs[e*PcWidth +: PcWidth] == pc_q) begin
          twice = in_table;
          in_table = 1'b1;
          has_reached = reached[e*Lanes+l];
        end
        if (set_of(row[l*RowWidth +: RowWidth]) == e / Ways &&
            (!is_used[e] || (!is_complete[e] && pcs[e*PcWidth +: PcWidth] == pc &&
                             (!here[l] || of == row[l*RowWidth +: RowWidth])))) begin
          homeless[l] = 1'b0;
        end
      end
    end
  end

  `ASSERT(EntriesFit, entries_fit)
  `ASSERT(UsedIsTheirNumber, busy_q || used == UsedWidth'($countones(is_used)))
  `ASSERT(CompleteIsExact, busy_q || complete == (is_complete != '0))

  // Between ops the table has the thread once, or not; in an op, as soon as its turn is over.
  (* hierconn *) wire [1:0] \dut.state_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.rest_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.group_q ;
  logic             look, step, turn_over, in_table_due, reached_due;
  logic [Lanes-1:0] left;  // in an op: threads whose turn is not over

  assign look = \dut.state_q == 2'd1;
  assign step = \dut.state_q == 2'd2;
  assign left = \dut.rest_q | \dut.group_q ;
  assign turn_over = busy_q && named_it && kind != TAKE && !look && !left[lane_q];

  always_comb begin
    in_table_due = holds;
    reached_due = waits;
    if (turn_over && kind == RESERVE && at_pc) in_table_due = holds || !res_lanes[lane_q];
    if (turn_over && kind == REACH && at_pc) reached_due = 1'b1;
    if (turn_over && kind == LEAVE) in_table_due = 1'b0;
  end

  `ASSERT(NoneLost, in_table == in_table_due && !twice)
  `ASSERT(HasReached, !in_table || has_reached == reached_due)
  `ASSERT(WaitsWhereItHolds, !waits || holds)

  // --- What an op changes -----------------------------------------------------------------------

  logic               in_op, takes_one;
  logic [Entries-1:0] was_used_q, was_complete_q, taken;

  always_ff @(posedge clk_i) begin
    if (op_valid_i && !busy_q) {was_used_q, was_complete_q} <= {is_used, is_complete};
  end
  assign in_op = busy_q || done_valid;
  assign taken = was_complete_q & ~is_complete;

  // What is taken is one entry that was complete, and all of it.
  always_comb begin
    takes_one = taken != '0 && (taken & (taken - Entries'(1))) == '0 &&
                is_used == (was_used_q & ~taken);
    for (int e = 0; e < Entries; e++) begin
      if (taken[e] && (warp_mask != member[e*Lanes +: Lanes] ||
                       warp_pc != pcs[e*PcWidth +: PcWidth])) takes_one = 1'b0;
      for (int l = 0; l < Lanes; l++) begin
        if (taken[e] && warp_row[l*RowWidth +: RowWidth] !=
            (member[e*Lanes+l] ? rows[(e*Lanes+l)*RowWidth +: RowWidth] : '0)) takes_one = 1'b0;
      end
    end
  end

  `ASSERT(MissesHaveNoRoom, !done_valid || kind != RESERVE || all_or_none || res_lanes == homeless)
  `ASSERT(AllOrNone, !done_valid || kind != RESERVE || !all_or_none ||
                     (res_lanes == '0 ? homeless == '0
                                      : homeless != '0 && is_used == was_used_q))
  `ASSERT(EntriesReserved, !in_op || kind != RESERVE || ((was_used_q & ~is_used) == '0 &&
                           res_count == CountWidth'($countones(is_used & ~was_used_q))))
  `ASSERT(OnlyReserveTakesEntries, !in_op || kind == RESERVE || (is_used & ~was_used_q) == '0)
  `ASSERT(OthersKeepEntries, !(busy_q || (done_valid && kind != TAKE)) || kind == LEAVE ||
                             (was_used_q & ~is_used) == '0)
  `ASSERT(TakesOne, !done_valid || kind != TAKE || takes_one)
  `ASSERT(OthersTakeNone, !(busy_q || (done_valid && kind != TAKE)) || taken == '0)
  `ASSERT(SomeCompleteNone, !in_op || kind == REACH || kind == LEAVE ||
                            (is_complete & ~was_complete_q) == '0)

  // --- The queue --------------------------------------------------------------------------------

  // It has each complete entry once, those included that enter it next; `place` is from its head.
  (* hierconn *) wire [EntryWidth-1:0] \dut.head_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.tail_q ;
  (* hierconn *) wire [UsedWidth-1:0] \dut.queued_q ;
  (* hierconn *) wire [Ways-1:0] \dut.queue_q ;
  (* hierconn *) wire [SetWidth-1:0] \dut.queue_set_q ;
  (* hierconn *) wire [Entries*PlaceWidth-1:0] \dut.u_queue.words ;
  logic [Entries*(UsedWidth+1)-1:0] place;
  logic [Entries-1:0]               queued, queued_twice;

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
                          \dut.u_queue.words [slot*PlaceWidth +: PlaceWidth] ==
                          {SetWidth'(e / Ways), WayWidth'(e % Ways)}
                        : \dut.queue_q [i % Ways] && e % Ways == i - Entries &&
                          32'(\dut.queue_set_q ) == e / Ways) begin
          queued_twice[e] = queued[e];
          queued[e] = 1'b1;
          place[e*(UsedWidth+1) +: UsedWidth+1] = (UsedWidth + 1)'(i);
        end
      end
    end
  end

  `ASSERT(CompleteAreQueuedOnce, queued == is_complete && queued_twice == '0)
  `ASSERT(QueueFits, 32'(\dut.head_q ) < Entries && 32'(\dut.queued_q ) <= Entries &&
                     (32'(\dut.head_q ) + 32'(\dut.queued_q )) % Entries == 32'(\dut.tail_q ))

  // Those that were complete before the followed entry are taken first; of those that complete in
  // one step, the ways one after the other.
  logic [Entries-1:0] complete_q, ahead_q, ahead, queued_ahead;

  always_comb begin
    ahead = ahead_q & is_complete;
    queued_ahead = '0;
    for (int e = 0; e < Entries; e++) begin
      if (is_complete[entry_q] && !complete_q[entry_q])
        ahead[e] = complete_q[e] || (is_complete[e] && e < 32'(entry_q));
      queued_ahead[e] = is_complete[e] && place[e*(UsedWidth+1) +: UsedWidth+1] <
                                          place[entry_q*(UsedWidth+1) +: UsedWidth+1];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= '0;
    else complete_q <= is_complete;
  end
  always_ff @(posedge clk_i) ahead_q <= ahead;

  `ASSERT(TakesInOrder, !done_valid || kind != TAKE || !taken[entry_q] || ahead_q == '0)
  `ASSERT(QueuedInOrder, !is_complete[entry_q] || ahead == queued_ahead)

  // --- For the induction: how far an op is ------------------------------------------------------

  (* hierconn *) wire [SetWidth-1:0] \dut.set_q ;
  (* hierconn *) wire [WayWidth-1:0] \dut.way_q ;
  (* hierconn *) wire \dut.missed_q ;
  (* hierconn *) wire [Ways-1:0] \dut.free ;
  (* hierconn *) wire [Ways*Lanes-1:0] \dut.enters ;
  (* hierconn *) wire [Ways*GoneWidth-1:0] \dut.gone_in_way_q ;
  logic in_rows, row_by_row, enters_one;

  assign in_rows = busy_q && kind != TAKE;

  // A row at a time, that of the lowest lane first. Each thread enters one way at most.
  always_comb begin : turns
    logic first, once;
    row_by_row = (left & ~mask) == '0 && (\dut.rest_q & \dut.group_q ) == '0 &&
                 (left == '0 || 32'(\dut.set_q ) == set_of(\dut.row_q ));
    first = 1'b1;
    for (int l = 0; l < Lanes; l++) begin
      if (left[l] && first && !\dut.group_q [l]) row_by_row = 1'b0;
      first = first && !left[l];
      if (left[l] && \dut.group_q [l] != (row[l*RowWidth +: RowWidth] == \dut.row_q ))
        row_by_row = 1'b0;
      for (int m = 0; m < l; m++) begin
        if (mask[l] && mask[m] && left[l] != left[m] &&
            row[l*RowWidth +: RowWidth] == row[m*RowWidth +: RowWidth]) row_by_row = 1'b0;
      end
    end
    enters_one = (\dut.free & (\dut.free - Ways'(1))) == '0;
    for (int l = 0; l < Lanes; l++) begin
      once = 1'b0;
      for (int w = 0; w < Ways; w++) begin
        if (\dut.enters [w*Lanes+l] && once) enters_one = 1'b0;
        once = once || \dut.enters [w*Lanes+l];
      end
    end
  end

  `ASSERT(EntersOne, enters_one)
  `ASSERT(RowByRow, !in_rows || row_by_row)
  `ASSERT(BusyInAnOp, busy_q ? look || step : \dut.state_q == 2'd0)
  `ASSERT(LooksForAll, !look || (kind == RESERVE && all_or_none))
  `ASSERT(QueuesInAnOp, \dut.queue_q == '0 || (busy_q && (kind == REACH || kind == LEAVE)))
  `ASSERT(TakesTheHead, !busy_q || kind != TAKE || (left == '0 && complete &&
                        \dut.u_queue.words [\dut.head_q *PlaceWidth +: PlaceWidth] ==
                        {\dut.set_q , \dut.way_q }))
  `ASSERT(ResultsSoFar, !in_rows || (res_lanes & (~mask | left)) == '0)
  `ASSERT(OthersHaveNone, !busy_q || kind == RESERVE || kind == HELD || res_lanes == '0)
  `ASSERT(HeldSoFar, !turn_over || kind != HELD || !at_pc || res_lanes[lane_q] == holds)
  `ASSERT(MissesSoFar, !busy_q || !step || kind != RESERVE ||
                       (all_or_none ? (res_lanes | homeless) == '0
                                    : res_lanes == (homeless & ~left)))
  `ASSERT(MissesNewSoFar, !turn_over || kind != RESERVE || !at_pc || !holds || !res_lanes[lane_q])
  `ASSERT(LooksSoFar, !look || (\dut.missed_q == ((homeless & ~left) != '0) &&
                                is_used == was_used_q))
  `ASSERT(OnlyLeaveGivesUp, (busy_q && kind == LEAVE) || \dut.gone_in_way_q == '0)
  `ASSERT(SeesTheThread, !look || !at_pc || left[lane_q] || res_lanes[lane_q] == !holds)

  // --- Sums: clocks of an op, barriers given up -------------------------------------------------

  if (Counts) begin : gen_counts
    // A clock to begin; one for each row, or one for no row, and as many to look ahead; one more
    // to leave; and no more than one for each entry that completes.
    localparam int ClockWidth = simt_pkg::idx_width(2 * Lanes + Entries + 4);
    logic [ClockWidth-1:0] clocks_q, steps, steps_left, completed, due;

    function automatic logic [ClockWidth-1:0] rows_of(input logic [Lanes-1:0] lanes,
                                                      input logic [Lanes*RowWidth-1:0] all_rows);
      logic is_new;
      rows_of = '0;
      for (int l = 0; l < Lanes; l++) begin
        is_new = lanes[l];
        for (int m = 0; m < l; m++) begin
          if (lanes[m] && all_rows[m*RowWidth +: RowWidth] == all_rows[l*RowWidth +: RowWidth])
            is_new = 1'b0;
        end
        rows_of = rows_of + ClockWidth'(is_new);
      end
    endfunction

    always_ff @(posedge clk_i) clocks_q <= busy_q ? clocks_q + ClockWidth'(1) : ClockWidth'(1);

    always_comb begin
      steps = rows_of(mask, row);
      steps_left = rows_of(left, row);
      if (mask == '0 || kind == TAKE) {steps, steps_left} = {ClockWidth'(1), ClockWidth'(busy_q)};
      due = ClockWidth'(1) + steps - (busy_q ? steps_left : '0);
      if (kind == RESERVE && all_or_none && (busy_q ? step : res_lanes == '0)) due = due + steps;
      if (kind == LEAVE && mask != '0 && !busy_q) due = due + ClockWidth'(1);
      completed = ClockWidth'($countones(is_complete & ~was_complete_q));
    end

    `ASSERT(ClocksOfAnOp, !done_valid || (clocks_q >= due && clocks_q <= due + completed))
    `ASSERT(ClocksSoFar, !busy_q || (clocks_q >= due &&
                         clocks_q + ClockWidth'($countones(\dut.queue_q )) <= due + completed))
    `ASSERT(NoneCompletesOfNone, !in_rows || mask != '0 || completed == '0)
    `ASSERT(WaitsToQueue, !in_rows || left != '0 || mask == '0 || kind == LEAVE ||
                          \dut.queue_q != '0)

    // Entries have lost as many threads as the op says.
    localparam int SumWidth = simt_pkg::idx_width(Entries * Lanes + 1);
    logic [SumWidth-1:0] barriers, barriers_before_q, gone;

    always_comb begin
      barriers = '0;
      gone = '0;
      for (int e = 0; e < Entries; e++) begin
        if (is_used[e]) barriers = barriers + SumWidth'($countones(member[e*Lanes +: Lanes]));
      end
      for (int w = 0; w < Ways; w++) begin
        gone = gone + SumWidth'(\dut.gone_in_way_q [w*GoneWidth +: GoneWidth]);
      end
    end

    always_ff @(posedge clk_i) if (op_valid_i && !busy_q) barriers_before_q <= barriers;

    `ASSERT(GivenUp, !in_op || kind != LEAVE ||
                     barriers_before_q == barriers + SumWidth'(res_count) + gone)
  end
`endif

endmodule

`default_nettype wire
