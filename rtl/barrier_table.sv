// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// HARP's Re-convergence Barriers (HARP 4.2.2, Fig. 8 and 9): a set-associative table whose entries
// each gather threads at one reconvergence point. Twin: models/divergence/parts/harp_barriers.
//
// A bank per lane holds, for every entry, whether a thread of that lane is in it, of which row, and
// whether it has reached the point; one more bank holds the reconvergence pcs. A row's set is
// (row / Schedulers) mod sets. The rows of a warp go one after the other, that of its lowest lane
// first, a row per clock; for all_or_none all rows look before any enters.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. In that clock and until the next op is there, the outputs are its results.
// Clocks: take 2; others 1 and the rows of the warp (1 if it has none), for all_or_none twice
// those; leave 1 more if it has any; 1 more for each entry that completes, unless a row follows. With
// two stages a row, or what comes after the last, takes two, in which two entries that have completed
// are queued.
module barrier_table #(
  parameter int Lanes = 32,
  parameter int Entries = 16,
  parameter int Ways = 4,        // divide Entries
  parameter int Schedulers = 1,  // the table is that of one of them: of every Schedulers-th row
  parameter int Rows = 32,       // of the core
  parameter int PcWidth = 16,
  parameter int Stages = 1,      // clocks of a row: 2: compared in the first, changed in the second
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1),
  localparam int CountWidth = simt_pkg::idx_width(Lanes * Ways + 1)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       op_valid_i,
  output logic                      op_ready_o,
  input  wire  [2:0]                op_kind_i,         // RESERVE ...
  input  wire  [Lanes-1:0]          op_mask_i,         // the warp's threads (reach, leave: those)
  input  wire  [Lanes*RowWidth-1:0] op_row_i,
  input  wire  [PcWidth-1:0]        op_pc_i,           // reserve, reach, held
  input  wire                       op_all_or_none_i,  // reserve

  output logic                      done_valid_o,
  output logic [Lanes-1:0]          res_lanes_o,       // reserve: misses; held: lanes that hold
  output logic [CountWidth-1:0]     res_count_o,       // reserve: entries taken; leave: given up
  output logic                      complete_o,        // an entry waits to be taken
  output logic [UsedWidth-1:0]      used_o,            // entries
  output logic [Lanes-1:0]          warp_mask_o,       // take: the first complete entry
  output logic [Lanes*RowWidth-1:0] warp_row_o,        // 0 where the lane is off
  output logic [PcWidth-1:0]        warp_pc_o
);

  localparam logic [2:0] RESERVE = 3'd0, REACH = 3'd1, LEAVE = 3'd2, HELD = 3'd3, TAKE = 3'd4;
  localparam int Sets = Entries / Ways;
  localparam int SetWidth = simt_pkg::idx_width(Sets);
  localparam int WayWidth = simt_pkg::idx_width(Ways);
  localparam int EntryWidth = simt_pkg::idx_width(Entries);
  localparam int SlotWidth = RowWidth + 2;
  localparam int LaneCountWidth = simt_pkg::idx_width(Lanes + 1);

  `ASSERT_INIT(WaysDivideEntries, Ways >= 1 && Sets >= 1 && Sets * Ways == Entries)
  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Schedulers >= 1 && Rows >= 1 && PcWidth >= 1 &&
                                 (Stages == 1 || Stages == 2))

  typedef enum logic [1:0] {
    StIdle = 2'd0,
    StLook = 2'd1,  // reserve, all_or_none: would all find room?
    StStep = 2'd2
  } state_e;

  state_e               state_q, state_d;
  logic [Lanes-1:0]     rest_q, rest_d;    // threads whose row has not been selected
  logic [Lanes-1:0]     group_q, group_d;  // threads of the row whose turn it is
  logic [RowWidth-1:0]  row_q, row_d;
  logic [SetWidth-1:0]  set_q, set_d;
  logic [WayWidth-1:0]  way_q, way_d;      // take
  logic [Entries-1:0]   used_q, used_d;
  logic [Entries-1:0]   complete_q, complete_d;
  logic [UsedWidth-1:0] entries_q, entries_d;
  logic [Ways-1:0]      queue_q, queue_d;  // ways of queue_set_q that have completed
  logic [Ways-1:0]      queue_rest;
  logic [SetWidth-1:0]  queue_set_q, queue_set_d;
  logic                 missed_q, missed_d;
  logic [Lanes-1:0]     res_lanes_q, res_lanes_d;
  logic [CountWidth-1:0] res_count_q, res_count_d;
  logic                 done_q;

  // --- Banks ------------------------------------------------------------------------------------

  // Of the ways of set_q, lane by lane: bit way * Lanes + lane.
  logic [Ways*Lanes-1:0]          member, member_d, reached, reached_d, of_row, enters, gone;
  logic [Ways*Lanes-1:0]          row_found;  // of_row, as it is found
  logic [Ways*Lanes*RowWidth-1:0] rows;
  logic [Ways*PcWidth-1:0]        pcs, pcs_d;
  logic                           write_lanes, write_pcs;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_bank
    logic [Ways*SlotWidth-1:0] word, word_d;

    ram_1r1w #(.Width(Ways * SlotWidth), .Depth(Sets)) u_bank (
      .clk_i,
      .write_en_i(write_lanes),
      .write_addr_i(set_q),
      .write_data_i(word_d),
      .read_addr_i(set_q),
      .read_data_o(word)
    );

    for (genvar way = 0; way < Ways; way++) begin : gen_slot
      localparam int Bit = way * Lanes + lane;
      logic [RowWidth-1:0] row;
      assign {member[Bit], reached[Bit], row} = word[way*SlotWidth +: SlotWidth];
      assign rows[Bit*RowWidth +: RowWidth] = row;
      assign row_found[Bit] = group_q[lane] && member[Bit] && row == row_q;
      assign word_d[way*SlotWidth +: SlotWidth] =
          {member_d[Bit], reached_d[Bit], enters[Bit] ? row_q : row};
    end
  end

  ram_1r1w #(.Width(Ways * PcWidth), .Depth(Sets)) u_pcs (
    .clk_i,
    .write_en_i(write_pcs),
    .write_addr_i(set_q),
    .write_data_i(pcs_d),
    .read_addr_i(set_q),
    .read_data_o(pcs)
  );

  // --- The queue of complete entries ------------------------------------------------------------

  logic [EntryWidth-1:0] head_q, tail_q;
  logic [UsedWidth-1:0]  queued_q;
  logic                  push, pop;
  logic [WayWidth-1:0]   push_way;
  logic [SetWidth-1:0]   pop_set;
  logic [WayWidth-1:0]   pop_way;

  ram_1r1w #(.Width(SetWidth + WayWidth), .Depth(Entries)) u_queue (
    .clk_i,
    .write_en_i(push),
    .write_addr_i(tail_q),
    .write_data_i({queue_set_q, push_way}),
    .read_addr_i(head_q),
    .read_data_o({pop_set, pop_way})
  );

  assign push = queue_q != '0;

  always_comb begin : first_to_queue
    logic [WayWidth-1:0] first;
    first = '0;
    for (int way = Ways - 1; way >= 0; way--) if (queue_q[way]) first = WayWidth'(way);
    push_way = first;
  end

  function automatic logic [EntryWidth-1:0] after(input logic [EntryWidth-1:0] place);
    after = place == EntryWidth'(Entries - 1) ? '0 : place + EntryWidth'(1);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      queued_q <= '0;
    end else begin
      if (pop) head_q <= after(head_q);
      if (push) tail_q <= after(tail_q);
      queued_q <= queued_q + UsedWidth'(push) - UsedWidth'(pop);
    end
  end

  // --- Control ----------------------------------------------------------------------------------

  logic                    look, step, last, take, compared;
  logic [Lanes-1:0]        select_from, select_group;
  logic [RowWidth-1:0]     select_row;
  // What the step finds in its set, below.
  logic [Lanes-1:0]        need, left;    // threads without a barrier; without room in an entry
  logic                    any_free, allocates;
  logic [Ways-1:0]         completes;
  logic [CountWidth-1:0]   given_up;

  assign look = state_q == StLook;
  // Entries that complete at once are queued one per clock, in the order of the ways.
  assign queue_rest = queue_q & (queue_q - Ways'(1));
  assign step = state_q != StIdle && queue_rest == '0 && compared;
  assign last = step && rest_q == '0;
  assign take = op_kind_i == TAKE;
  assign pop = last && take && queued_q != '0;
  assign select_from = state_q == StIdle ? op_mask_i & {Lanes{!take}} :
                       look && last ? op_mask_i : rest_q;

  logic [simt_pkg::idx_width(Lanes)-1:0] lowest;
  logic [Lanes-1:0]                      unused_lower;
  logic                                  any, unused_many;
  lane_priority #(.Lanes(1), .Rows(Lanes)) u_lowest (
    .threads_i(select_from),
    .lower_o(unused_lower),
    .any_o(any),
    .many_o(unused_many),
    .row_o(lowest)
  );

  // Icarus 11 runs earlier always_comb blocks again with a later one: each of them hands on to
  // earlier ones only.
  always_comb begin : select
    // The row of the lowest lane that is left, and all its threads.
    select_row = op_row_i[lowest*RowWidth +: RowWidth];
    for (int lane = 0; lane < Lanes; lane++)
      select_group[lane] =
          select_from[lane] && op_row_i[lane*RowWidth +: RowWidth] == select_row;
    rest_d = rest_q;
    group_d = group_q;
    row_d = row_q;
    set_d = set_q;
    if (state_q == StIdle ? op_valid_i : step) begin
      rest_d = select_from & ~select_group;
      group_d = select_group;
      row_d = select_row;
      if (state_q == StIdle && take) set_d = pop_set;
      else if (any) set_d = SetWidth'((32'(select_row) / Schedulers) % Sets);
    end
  end

  always_comb begin : control
    state_d = state_q;
    op_ready_o = 1'b0;
    missed_d = missed_q;
    res_lanes_d = res_lanes_q;
    res_count_d = res_count_q;
    way_d = way_q;
    queue_d = queue_rest;
    queue_set_d = queue_set_q;

    case (state_q)
      StIdle: if (op_valid_i) begin
        state_d = StStep;
        if (op_kind_i == RESERVE && op_all_or_none_i) state_d = StLook;
        missed_d = 1'b0;
        res_lanes_d = '0;
        res_count_d = '0;
        if (take) way_d = pop_way;
      end
      StLook: begin
        if (Stages == 1 || step) begin
          missed_d = missed_q || (left != '0 && !any_free);
          res_lanes_d = res_lanes_q | need;
        end
        if (last && missed_d) begin
          op_ready_o = 1'b1;
          state_d = StIdle;
        end else if (last) begin
          res_lanes_d = '0;
          state_d = StStep;
        end
      end
      StStep: begin
        if (step) begin
          queue_d = completes;
          queue_set_d = set_q;
          if (op_kind_i == RESERVE && !any_free) res_lanes_d = res_lanes_q | left;
          if (op_kind_i == HELD) res_lanes_d = res_lanes_q | (group_q & ~need);
        end
        // No op does both, and whether one allocates is known late.
        res_count_d = res_count_q + (reserve ? CountWidth'(1) : given_up);
        if (reserve && !allocates) res_count_d = res_count_q;
        if (last && queue_d == '0 && (op_kind_i != LEAVE || group_q == '0)) begin
          op_ready_o = 1'b1;
          state_d = StIdle;
        end
      end
      default: state_d = StIdle;
    endcase
  end

  // --- The step: threads of one row in their set ------------------------------------------------

  logic [Ways-1:0]      set_used, set_used_d, set_complete, set_complete_d, at_pc, free, pc_found;
  logic [Ways-1:0]      open, frees;
  logic [UsedWidth-1:0] freed, freed_q, freed_d;
  logic [Ways*LaneCountWidth-1:0] gone_in_way_q, gone_in_way_d;
  logic                 reserve;

  assign set_used = used_q[set_q*Ways +: Ways];
  assign set_complete = complete_q[set_q*Ways +: Ways];
  assign any_free = set_used != '1;
  assign free = ~set_used & (set_used + Ways'(1));
  assign reserve = state_q == StStep && step && op_kind_i == RESERVE;
  assign write_lanes = reserve || (step && (op_kind_i == REACH || op_kind_i == LEAVE));
  assign write_pcs = allocates;

  // Nobody enters, reaches or leaves an entry that is complete: it waits to be taken only.
  for (genvar way = 0; way < Ways; way++) begin : gen_way
    assign open[way] = set_used[way] && !set_complete[way];
    assign pc_found[way] = open[way] && pcs[way*PcWidth +: PcWidth] == op_pc_i;
  end

  if (Stages == 1) begin : gen_one
    assign of_row = row_found;
    assign at_pc = pc_found;
    assign compared = 1'b1;
  end else begin : gen_two
    logic                  compared_q;
    logic [Ways*Lanes-1:0] of_row_q;
    logic [Ways-1:0]       at_pc_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) compared_q <= 1'b0;
      else compared_q <= state_q != StIdle && !step;
    end
    always_ff @(posedge clk_i) begin
      of_row_q <= row_found;
      at_pc_q <= pc_found;
    end
    assign of_row = of_row_q;
    assign at_pc = at_pc_q;
    assign compared = compared_q;
  end

  always_comb begin : in_set
    logic [Ways*Lanes-1:0] fits, lower_fits;
    logic [Lanes-1:0]      here, missing;
    logic                  waits;
    need = group_q;
    for (int way = 0; way < Ways; way++) begin
      if (at_pc[way]) need = need & ~of_row[way*Lanes +: Lanes];
    end
    // Threads enter the first entry at the pc where their lane is free, else a free entry.
    fits = '0;
    for (int way = 0; way < Ways; way++) begin
      if (at_pc[way]) begin
        fits[way*Lanes +: Lanes] = ~member[way*Lanes +: Lanes];  // seeded-bug: fits[way*Lanes +: Lanes] = '1;
      end
    end
    lower_fits = fits << Lanes;
    for (int s = Lanes; s < Ways * Lanes; s *= 2) lower_fits |= lower_fits << s;
    left = need;
    for (int way = 0; way < Ways; way++) left = left & ~fits[way*Lanes +: Lanes];
    enters = reserve ? {Ways{need}} & fits & ~lower_fits : '0;
    allocates = reserve && left != '0 && any_free;

    set_used_d = set_used;
    set_complete_d = set_complete;
    freed = '0;
    for (int way = 0; way < Ways; way++) begin
      // Threads that reach are not missing any longer, nor are those that leave.
      here = of_row[way*Lanes +: Lanes];
      if (!(op_kind_i == REACH && at_pc[way]) && !(op_kind_i == LEAVE && open[way])) here = '0;
      missing = member[way*Lanes +: Lanes] & ~reached[way*Lanes +: Lanes] & ~here;
      waits = op_kind_i == REACH || reached[way*Lanes +: Lanes] != '0;
      completes[way] = here != '0 && missing == '0 && waits;
      frees[way] = here != '0 && missing == '0 && !waits;
      freed = freed + UsedWidth'(frees[way]);

      gone[way*Lanes +: Lanes] = op_kind_i == LEAVE && step ? here : '0;
      member_d[way*Lanes +: Lanes] =
          (member[way*Lanes +: Lanes] | enters[way*Lanes +: Lanes]) & ~gone[way*Lanes +: Lanes];
      reached_d[way*Lanes +: Lanes] =
          reached[way*Lanes +: Lanes] | (op_kind_i == REACH ? here : '0);
      pcs_d[way*PcWidth +: PcWidth] = pcs[way*PcWidth +: PcWidth];
      if (allocates && free[way]) begin
        enters[way*Lanes +: Lanes] = left;
        member_d[way*Lanes +: Lanes] = left;
        reached_d[way*Lanes +: Lanes] = '0;
        pcs_d[way*PcWidth +: PcWidth] = op_pc_i;
        set_used_d[way] = 1'b1;
      end
    end
    set_used_d = set_used_d & ~frees;
    set_complete_d = set_complete_d | completes;
    if (pop) begin
      set_used_d[way_q] = 1'b0;
      set_complete_d[way_q] = 1'b0;
    end
  end

  // Barriers that threads give up: counted per way, in the clock after summed up.
  always_comb begin : count_given_up
    given_up = '0;
    gone_in_way_d = '0;
    for (int way = 0; way < Ways; way++) begin
      given_up = given_up + CountWidth'(gone_in_way_q[way*LaneCountWidth +: LaneCountWidth]);
      for (int lane = 0; lane < Lanes; lane++)
        gone_in_way_d[way*LaneCountWidth +: LaneCountWidth] =
            gone_in_way_d[way*LaneCountWidth +: LaneCountWidth] +
            LaneCountWidth'(gone[way*Lanes + lane]);
    end
  end

  always_comb begin : entries
    used_d = used_q;
    complete_d = complete_q;
    if (step && !look) begin
      used_d[set_q*Ways +: Ways] = set_used_d;
      complete_d[set_q*Ways +: Ways] = set_complete_d;
    end
    // Those that a step frees are counted in the next, which leave always has.
    entries_d = entries_q - freed_q - UsedWidth'(pop);
    if (reserve) entries_d = allocates ? entries_q + UsedWidth'(1) : entries_q;
    freed_d = step ? freed : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      used_q <= '0;
      complete_q <= '0;
      entries_q <= '0;
      freed_q <= '0;
      queue_q <= '0;
      done_q <= 1'b0;
    end else begin
      state_q <= state_d;
      used_q <= used_d;
      complete_q <= complete_d;
      entries_q <= entries_d;
      freed_q <= freed_d;
      queue_q <= queue_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end

  // Of no meaning but in an op, or after one.
  always_ff @(posedge clk_i) begin
    rest_q <= rest_d;
    group_q <= group_d;
    row_q <= row_d;
    set_q <= set_d;
    way_q <= way_d;
    queue_set_q <= queue_set_d;
    missed_q <= missed_d;
    res_lanes_q <= res_lanes_d;
    res_count_q <= res_count_d;
    gone_in_way_q <= gone_in_way_d;
  end

  assign done_valid_o = done_q;
  assign res_lanes_o = res_lanes_q;
  assign res_count_o = res_count_q;
  assign complete_o = queued_q != '0;
  assign used_o = entries_q;
  assign warp_mask_o = member[way_q*Lanes +: Lanes];
  assign warp_pc_o = pcs[way_q*PcWidth +: PcWidth];
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_warp_row
    assign warp_row_o[lane*RowWidth +: RowWidth] =
        warp_mask_o[lane] ? rows[(way_q*Lanes + lane)*RowWidth +: RowWidth] : '0;
  end

  // --- Assertions -------------------------------------------------------------------------------

  logic reaches, leaves;
  logic [Ways*Lanes-1:0] waiting;
  assign reaches = step && op_kind_i == REACH;
  assign leaves = step && op_kind_i == LEAVE;
  for (genvar way = 0; way < Ways; way++) begin : gen_waiting
    assign waiting[way*Lanes +: Lanes] =
        of_row[way*Lanes +: Lanes] & reached[way*Lanes +: Lanes] &
        {Lanes{open[way] && (at_pc[way] || op_kind_i == LEAVE)}};
  end

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= TAKE)
  `ASSERT(ReachesWhatItHolds, !reaches || need == '0)
  `ASSERT(ReachesOnce, !reaches || waiting == '0)
  `ASSERT(LeavesBeforeItReaches, !leaves || waiting == '0)
  `ASSERT(TakesWhatIsComplete, !op_valid_i || !take || queued_q != '0)
  `ASSERT(EntriesCounted, entries_q == UsedWidth'($countones(used_q)) + freed_q)
  `ASSERT(CompleteAreUsed, (complete_q & ~used_q) == '0)
  `ASSERT(CompleteAreQueued, UsedWidth'($countones(complete_q)) ==
                             queued_q + UsedWidth'($countones(queue_q)))

endmodule

`default_nettype wire
