// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What block_stack must do: a plain stack of whole entries, which an op changes at once when it
// comes, is what the block shows when it is done with the op. Beside that: bounds on depth, warps
// and clocks, and outputs that stay.
module block_stack_formal #(
  parameter int Lanes = 2,
  parameter int Rows = 2,
  parameter int Depth = 4,
  parameter int PcWidth = 2,
  parameter bit Contents = 1'b1,  // compares with the plain stack, which is hard for a solver
  localparam int Threads = Rows * Lanes,
  localparam int CountWidth = simt_pkg::idx_width(Rows + 1),
  localparam int DepthWidth = simt_pkg::idx_width(Depth + 1),
  localparam int IndexWidth = simt_pkg::idx_width(Depth),
  localparam int ClocksWidth = DepthWidth + 3
) (
  input wire               clk_i,
  input wire               rst_ni,
  input wire               op_valid_i,
  input wire [2:0]         op_kind_i,
  input wire [Threads-1:0] op_threads_i,
  input wire [Threads-1:0] op_fall_i,
  input wire [PcWidth-1:0] op_pc_i,
  input wire [PcWidth-1:0] op_target_i,
  input wire [PcWidth-1:0] op_rpc_i,
  input wire               op_likely_valid_i,
  input wire [PcWidth-1:0] op_likely_i,
  input wire               op_emptied_i,
  input wire               op_taken_first_i,
  input wire               op_regroup_i
);

  logic                  op_ready, done_valid, lpc_valid, filling, settled, empty, overflow;
  logic [PcWidth-1:0]    top_pc, top_rpc, top_lpc;
  logic [CountWidth-1:0] warps;
  logic [Threads-1:0]    top_threads;
  logic [DepthWidth-1:0] depth;

  block_stack #(.Lanes(Lanes), .Rows(Rows), .Depth(Depth), .PcWidth(PcWidth)) dut (
    .op_ready_o     (op_ready),
    .done_valid_o   (done_valid),
    .top_pc_o       (top_pc),
    .top_rpc_o      (top_rpc),
    .top_lpc_valid_o(lpc_valid),
    .top_lpc_o      (top_lpc),
    .top_warps_o    (warps),
    .top_threads_o  (top_threads),
    .depth_o        (depth),
    .filling_o      (filling),
    .settled_o      (settled),
    .empty_o        (empty),
    .overflow_o     (overflow),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam logic [2:0] START = 3'd0, BRANCH = 3'd1, ARRIVE = 3'd2, EXIT = 3'd3, ADVANCE = 3'd4;

  // --- What ops may ask for ----------------------------------------------------------------------

  localparam int PayloadWidth = 3 + 2 * Threads + 4 * PcWidth + 4;
  logic                    begins, taken, waits_q;  // an op: its first clock, its last, one between
  logic [PayloadWidth-1:0] payload, payload_q;

  assign begins = op_valid_i && !waits_q;
  assign taken = op_valid_i && op_ready;
  assign payload = {op_kind_i, op_threads_i, op_fall_i, op_pc_i, op_target_i, op_rpc_i,
                    op_likely_valid_i, op_likely_i, op_emptied_i, op_taken_first_i, op_regroup_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= op_valid_i && !op_ready;
  end
  always_ff @(posedge clk_i) payload_q <= payload;

  `ASSUME(OpStays, !waits_q || (op_valid_i && payload == payload_q))
  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= ADVANCE)
  `ASSUME(StartedFirst, !begins || op_kind_i == START || depth != '0)
  `ASSUME(WarpExpected, !begins || warps != '0 ||
                        (op_kind_i != BRANCH && op_kind_i != ARRIVE &&
                         (op_kind_i != EXIT || !op_emptied_i)))
  `ASSUME(ArrivalIsNoBranch, !begins || op_kind_i != ARRIVE || !filling)
  `ASSUME(ArrivalAtItsPoint, !begins || op_kind_i != ARRIVE || op_pc_i == top_rpc ||
                             (lpc_valid && op_pc_i == top_lpc))
  `ASSUME(SidesDisjoint, !op_valid_i || op_kind_i != BRANCH || (op_threads_i & op_fall_i) == '0)
  `ASSUME(SidesAreOfTheTop, !op_valid_i || op_kind_i != BRANCH ||
                            ((op_threads_i | op_fall_i) & ~top_threads) == '0)
  `ASSUME(LikelyBeforeRpc, !op_valid_i || op_kind_i != BRANCH || !op_likely_valid_i ||
                           op_likely_i != op_rpc_i)
  `ASSUME(AdvanceFromSettled, !begins || op_kind_i != ADVANCE || settled)

  // --- Handshake, clocks and outputs that stay ---------------------------------------------------

  localparam int OutputsWidth = 3 * PcWidth + 1 + CountWidth + Threads + DepthWidth + 4;
  logic [OutputsWidth-1:0] outputs, outputs_q;
  logic                    idle_q, taken_q, out_of_reset_q;
  logic [ClocksWidth-1:0]  clocks_q, clocks, most_clocks_q, most_clocks;  // of the op, this included
  logic                    makes_likely, lost;

  assign outputs = {top_pc, top_rpc, lpc_valid, top_lpc, warps, top_threads, depth, filling, settled,
                    empty, overflow};
  assign clocks = waits_q ? clocks_q + ClocksWidth'(1) : ClocksWidth'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_of_reset_q <= 1'b0;
      idle_q <= 1'b0;
      taken_q <= 1'b0;
    end else begin
      out_of_reset_q <= 1'b1;
      idle_q <= !op_valid_i;
      taken_q <= taken;
    end
  end
  always_ff @(posedge clk_i) begin
    outputs_q <= outputs;
    clocks_q <= clocks;
    most_clocks_q <= most_clocks;
  end

  // An op whose branch finds the stack full takes one clock, as those do that need no memory. An
  // advance enters up to three entries and finds each entry of the stack to be through.
  assign makes_likely = op_likely_valid_i &&
                        !(lpc_valid && top_rpc == op_rpc_i && top_lpc == op_likely_i);
  assign lost = !filling && 32'(depth) + 2 + 32'(makes_likely) > Depth;
  always_comb begin
    most_clocks = ClocksWidth'(1);
    case (op_kind_i)
      START: most_clocks = ClocksWidth'(4);
      BRANCH: if (!lost) most_clocks = makes_likely && !filling ? ClocksWidth'(4) : ClocksWidth'(3);
      ADVANCE: most_clocks = ClocksWidth'(3) * ClocksWidth'(depth) + ClocksWidth'(filling ? 4 : 1);
      default: ;
    endcase
    if (waits_q) most_clocks = most_clocks_q;
  end

  `ASSERT(DoneAfterTaken, done_valid == taken_q)
  `ASSERT(StableBetweenOps, !idle_q || outputs == outputs_q)
  `ASSERT(TakenInTime, !op_valid_i || clocks <= most_clocks)
  `ASSERT(BranchClocks, !taken || op_kind_i != BRANCH || clocks == most_clocks)
  `ASSERT(StartClocks, !taken || op_kind_i != START || clocks >= ClocksWidth'(3))
  `ASSERT(SettledIsNoWarps, settled == (warps == '0))
  `ASSERT(DepthBounded, depth <= DepthWidth'(Depth))
  `ASSERT(NothingAfterReset, out_of_reset_q || (depth == '0 && empty && !overflow && !done_valid))

  // --- The warps of the top ----------------------------------------------------------------------

  // The most threads in a lane, or the rows with threads.
  function automatic logic [CountWidth-1:0] warps_of(input logic [Threads-1:0] threads,
                                                     input logic regroup);
    logic [CountWidth-1:0] count;
    warps_of = '0;
    if (regroup) begin
      for (int l = 0; l < Lanes; l++) begin
        count = '0;
        for (int r = 0; r < Rows; r++) count = count + CountWidth'(threads[r*Lanes + l]);
        if (count > warps_of) warps_of = count;
      end
    end else begin
      for (int r = 0; r < Rows; r++) begin
        warps_of = warps_of + CountWidth'(threads[r*Lanes +: Lanes] != '0);
      end
    end
  endfunction

  // What the last op makes of them, but for the branch that is lost.
  logic [CountWidth-1:0] warps_before_q;
  logic [2:0]            kind_q;
  logic                  emptied_q, regroup_q, lost_q;

  always_ff @(posedge clk_i) if (begins) begin
    warps_before_q <= warps;
    lost_q <= lost;
  end
  assign {kind_q, emptied_q, regroup_q} = {payload_q[PayloadWidth-1 -: 3], payload_q[2],
                                           payload_q[0]};

  logic [CountWidth-1:0] warps_due;
  always_comb begin
    warps_due = warps_before_q;
    case (kind_q)
      START: warps_due = empty ? '0 : warps_of(top_threads, 1'b0);
      BRANCH: if (!lost_q) warps_due = warps_before_q - CountWidth'(1);
      ARRIVE: warps_due = warps_before_q - CountWidth'(1);
      EXIT: warps_due = warps_before_q - CountWidth'(emptied_q);
      default: warps_due = empty ? '0 : warps_of(top_threads, regroup_q);
    endcase
  end

  `ASSERT(Warps, !done_valid || warps == warps_due)
  `ASSERT(WarpsFit, 32'(warps) <= Rows)
  `ASSERT(NeverBelowZero, !done_valid || warps <= warps_before_q || kind_q == START ||
                          kind_q == ADVANCE)
  `ASSERT(SomeThreadRuns, !done_valid || empty || (kind_q != START && kind_q != ADVANCE) ||
                          (top_threads != '0 && top_pc != top_rpc))

  // A branch is lost if its entries would be more than the block has, and nothing else comes of it.
  logic overflow_due_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) overflow_due_q <= 1'b0;
    else if (begins && op_kind_i == START) overflow_due_q <= 1'b0;
    else if (begins && op_kind_i == BRANCH && lost) overflow_due_q <= 1'b1;
  end

  `ASSERT(OverflowWhenLost, overflow == overflow_due_q)
  `ASSERT(LostChangesNothing, !done_valid || kind_q != BRANCH || !lost_q ||
                              outputs[OutputsWidth-1:1] == outputs_q[OutputsWidth-1:1])

  // --- For the induction: where the block is in an op --------------------------------------------

  localparam int WordWidth = 3 * PcWidth + 1 + IndexWidth;  // pc, rpc, lpc_valid, lpc, lpos
  localparam int Rpc = IndexWidth + PcWidth + 1, Pc = Rpc + PcWidth, LpcValid = Rpc - 1;
  localparam logic [3:0] IDLE = 4'd0, LIKELY = 4'd1, FALL = 4'd2, TAKEN = 4'd3, ENTER_LIKELY = 4'd4,
                         SECOND = 4'd5, FIRST = 4'd6, SETTLE = 4'd7, COUNT = 4'd8, POP = 4'd9;

  (* hierconn *) wire [3:0] \dut.state_q ;
  (* hierconn *) wire [IndexWidth-1:0] \dut.index_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.top_q ;
  (* hierconn *) wire [Lanes*CountWidth-1:0] \dut.in_lane_q ;
  (* hierconn *) wire [Rows-1:0] \dut.row_used_q ;
  (* hierconn *) wire \dut.push_likely ;
  (* hierconn *) wire [Depth*WordWidth-1:0] \dut.u_entries.words ;
  (* hierconn *) wire [Threads-1:0] \dut.alive_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.likely_entry ;
  (* hierconn *) wire [WordWidth-1:0] \dut.target_entry ;
  (* hierconn *) wire [Depth*Threads-1:0] \dut.u_masks.words ;

  logic [3:0]             state;
  logic [DepthWidth-1:0]  index, above;  // the top's index; entries above it
  logic                   branching, entering, settling;
  logic [ClocksWidth-1:0] clocks_left;

  assign state = \dut.state_q ;
  assign index = DepthWidth'(\dut.index_q );
  assign above = depth - index - DepthWidth'(1);
  assign branching = state == LIKELY || state == FALL || state == TAKEN;
  assign entering = state == ENTER_LIKELY || state == SECOND || state == FIRST;
  assign settling = state == SETTLE || state == COUNT || state == POP;

  // At most: three clocks for each entry that settles.
  always_comb begin
    clocks_left = ClocksWidth'(3) * ClocksWidth'(index);
    if (entering) clocks_left = ClocksWidth'(3) * ClocksWidth'(depth);
    case (state)
      LIKELY: clocks_left = ClocksWidth'(3);
      FALL: clocks_left = ClocksWidth'(2);
      TAKEN: clocks_left = ClocksWidth'(1);
      ENTER_LIKELY: clocks_left = clocks_left + ClocksWidth'(3);
      SECOND: clocks_left = clocks_left + ClocksWidth'(2);
      FIRST: clocks_left = clocks_left + ClocksWidth'(1);
      SETTLE: clocks_left = clocks_left + ClocksWidth'(3);
      COUNT: clocks_left = clocks_left + ClocksWidth'(2);
      default: clocks_left = clocks_left + ClocksWidth'(1);
    endcase
  end

  `ASSERT(StateKnown, state <= POP && waits_q == (state != IDLE))
  `ASSERT(InUse, !waits_q || depth != '0)
  `ASSERT(StateOfBranch, !branching || kind_q == BRANCH)
  `ASSERT(StateOfEntering, !entering || (kind_q == ADVANCE && filling))
  `ASSERT(StateOfSettling, !settling || ((kind_q == ADVANCE || kind_q == START) && !filling))
  `ASSERT(StartHasOneEntry, !settling || kind_q == ADVANCE || index == '0)
  `ASSERT(NoWarpsMeanwhile, !(entering || settling || depth == '0) || warps == '0)
  `ASSERT(WarpOfBranch, !branching || warps != '0)
  `ASSERT(Above, state == FIRST ? above >= 1 && above <= 3 :
                 entering || branching || filling ? above == 2 || above == 3 :
                 depth == '0 ? index == '0 : above == '0)
  `ASSERT(AboveWithLikely, (state != LIKELY && state != ENTER_LIKELY) || above == 3)
  `ASSERT(LikelyIsMade, !branching || filling || \dut.push_likely == (above == 3))
  `ASSERT(TopWaits, !branching || filling || top_pc == op_rpc_i)
  `ASSERT(LikelyIsNew, state != LIKELY || !filling)
  `ASSERT(ClocksAreLeft, !waits_q || clocks_q + clocks_left <= most_clocks_q)
  `ASSERT(ClocksFit, !waits_q || 32'(most_clocks_q) <= 3 * Depth + 4)
  `ASSERT(ClocksOfBranch, !branching || clocks_q + clocks_left == most_clocks_q)
  `ASSERT(ClocksOfStart, !settling || kind_q != START || clocks_q >= (state == SETTLE ? 1 : 2))
  `ASSERT(NothingRunsWhenEmpty, !empty || (depth <= 1 && !filling && warps == '0 &&
                                (depth == '0 || top_threads == '0 || top_pc == top_rpc)))
  `ASSERT(WarpsBefore, !waits_q || kind_q == START || warps == warps_before_q ||
                       kind_q == ADVANCE)
  `ASSERT(NotLost, !branching || (!lost_q && !empty))

  // Threads are counted in the clock before.
  logic [Lanes*CountWidth-1:0] in_lane;
  logic [Rows-1:0]             row_used;

  always_comb begin
    in_lane = '0;
    for (int r = 0; r < Rows; r++) begin
      row_used[r] = top_threads[r*Lanes +: Lanes] != '0;
      for (int l = 0; l < Lanes; l++) begin
        in_lane[l*CountWidth +: CountWidth] =
            in_lane[l*CountWidth +: CountWidth] + CountWidth'(top_threads[r*Lanes + l]);
      end
    end
  end

  `ASSERT(Counted, state != COUNT || (\dut.in_lane_q == in_lane && \dut.row_used_q == row_used))
  `ASSERT(CountsToRun, state != COUNT || (top_pc != top_rpc && !(lpc_valid && top_pc == top_lpc)))

  // The entry of an entry's likely-convergence point is below it, also once those entries of a
  // branch have made room that wait where they are. `places` is how many of them come below the
  // targets, the top included.
  logic                 merges_below, likely_runs, keeps_top;
  logic [31:0]          limit;
  logic [WordWidth-1:0] word;

  assign keeps_top = top_pc != top_rpc;
  always_comb begin
    merges_below = !lpc_valid || DepthWidth'(\dut.top_q [IndexWidth-1:0]) < index;
    likely_runs = 1'b1;
    word = '0;
    limit = '0;
    for (int i = 0; i < Depth; i++) begin
      word = \dut.u_entries.words [i*WordWidth +: WordWidth];
      limit = 2 * Depth;  // not an entry, or not yet written
      if (i < 32'(index)) begin
        limit = i;
      end else if (i + 3 == 32'(depth) && above == 3 && (branching || filling) &&
                   state != LIKELY && state != SECOND && state != FIRST) begin
        limit = 32'(index);
        if (word[Pc +: PcWidth] == word[Rpc +: PcWidth]) likely_runs = 1'b0;
      end else if ((i + 2 == 32'(depth) && (filling || state == TAKEN)) ||
                   (i + 1 == 32'(depth) && filling)) begin
        limit = 32'(index) + 32'(keeps_top && state != FIRST);
        if (state != SECOND && state != FIRST && above == 3) limit = limit + 1;
      end
      if (word[LpcValid] && 32'(word[IndexWidth-1:0]) >= limit) merges_below = 1'b0;
    end
  end

  `ASSERT(MergesBelow, depth == '0 || merges_below)
  `ASSERT(LikelyRuns, depth == '0 || likely_runs)

  // --- The plain stack ---------------------------------------------------------------------------

  localparam int EntryWidth = Threads + WordWidth;  // threads, then the word
  localparam int StackWidth = Depth * EntryWidth;

  // Without the entries from `from` on that wait where they are: {how many remain, stack}.
  function automatic logic [DepthWidth+StackWidth-1:0] make_room(
      input logic [StackWidth-1:0] stack, input logic [DepthWidth-1:0] from,
      input logic [DepthWidth-1:0] used);
    logic [DepthWidth-1:0] kept;
    logic [EntryWidth-1:0] entry;
    make_room[StackWidth-1:0] = stack;
    kept = from;
    for (int i = 0; i < Depth; i++) begin
      entry = stack[i*EntryWidth +: EntryWidth];
      if (i >= 32'(from) && i < 32'(used) && entry[Pc +: PcWidth] != entry[Rpc +: PcWidth]) begin
        for (int j = 0; j <= i; j++) begin
          if (j == 32'(kept)) make_room[j*EntryWidth +: EntryWidth] = entry;
        end
        kept = kept + DepthWidth'(1);
      end
    end
    make_room[StackWidth +: DepthWidth] = kept;
  endfunction

  // Down to the first entry that has threads to run: {none has, how many remain, stack}. On the way
  // threads at their likely-convergence point join its entry.
  function automatic logic [DepthWidth+StackWidth:0] settle(
      input logic [StackWidth-1:0] stack, input logic [DepthWidth-1:0] used);
    logic                  runs;
    logic [DepthWidth-1:0] left;
    logic [EntryWidth-1:0] entry;
    settle[StackWidth-1:0] = stack;
    runs = 1'b0;
    left = used;
    for (int i = Depth - 1; i >= 0; i--) begin
      entry = settle[i*EntryWidth +: EntryWidth];
      if (!runs && 32'(left) == i + 1) begin
        if (entry[LpcValid] && entry[IndexWidth +: PcWidth] == entry[Pc +: PcWidth]) begin
          for (int j = 0; j < i; j++) begin
            if (32'(entry[IndexWidth-1:0]) == j) begin
              settle[j*EntryWidth + WordWidth +: Threads] =
                  settle[j*EntryWidth + WordWidth +: Threads] | entry[WordWidth +: Threads];
            end
          end
        end else if (entry[Pc +: PcWidth] != entry[Rpc +: PcWidth]) begin
          runs = entry[WordWidth +: Threads] != '0;
        end
        if (!runs) left = DepthWidth'(i);
      end
    end
    settle[StackWidth +: DepthWidth] = runs ? left : DepthWidth'(1);
    settle[StackWidth + DepthWidth] = !runs;
  endfunction

  // The last two entries change places.
  function automatic logic [StackWidth-1:0] swap(input logic [StackWidth-1:0] stack,
                                                 input logic [DepthWidth-1:0] used);
    swap = stack;
    for (int i = 0; i < Depth - 1; i++) begin
      if (i + 2 == 32'(used)) begin
        swap[i*EntryWidth +: 2*EntryWidth] = {stack[i*EntryWidth +: EntryWidth],
                                              stack[(i+1)*EntryWidth +: EntryWidth]};
      end
    end
  endfunction

  if (Contents) begin : gen_contents
    logic [StackWidth-1:0] stack_q, stack_d;
    logic [DepthWidth-1:0] used_q, used_d, top_q, top_d;  // used: entries; top: the top's index
    logic                  filling_q, filling_d, empty_q, empty_d;
    logic [EntryWidth-1:0] top;
    logic                  replaced, inherits;
    logic [IndexWidth-1:0] lpos;
    logic [WordWidth-1:0]  side;  // of the branch, but for its pc

    assign top = stack_q[32'(top_q) * EntryWidth +: EntryWidth];
    assign replaced = top[Rpc +: PcWidth] == op_rpc_i;
    assign inherits = replaced && top[LpcValid];
    assign lpos = IndexWidth'(replaced ? top_q : top_q + DepthWidth'(1));
    assign side = makes_likely ? {op_target_i, op_rpc_i, 1'b1, op_likely_i, lpos} :
                  {op_target_i, op_rpc_i, inherits, top[Rpc-2:0]};

    always_comb begin : next
      stack_d = stack_q;
      used_d = used_q;
      top_d = top_q;
      filling_d = filling_q;
      empty_d = empty_q;
      case (op_kind_i)
        START: begin
          stack_d = '0;
          stack_d[Rpc +: PcWidth] = op_rpc_i;
          stack_d[WordWidth +: Threads] = op_threads_i;
          {empty_d, used_d, stack_d} = settle(stack_d, DepthWidth'(1));
          top_d = '0;
          filling_d = 1'b0;
        end
        BRANCH: if (!lost) begin
          if (!filling_q) begin
            used_d = used_q + DepthWidth'(makes_likely ? 3 : 2);
            filling_d = 1'b1;
          end
          for (int i = 0; i < Depth; i++) begin
            if (!filling_q && i == 32'(top_q)) begin
              stack_d[i*EntryWidth + Pc +: PcWidth] = op_rpc_i;
            end
            if (!filling_q && makes_likely && i + 3 == 32'(used_d)) begin
              stack_d[i*EntryWidth +: EntryWidth] =
                  {Threads'(0), op_likely_i, op_rpc_i, inherits, top[Rpc-2:0]};
            end
            if (i + 2 == 32'(used_d)) begin
              if (filling_q) begin
                stack_d[i*EntryWidth + WordWidth +: Threads] =
                    stack_q[i*EntryWidth + WordWidth +: Threads] | op_fall_i;
              end else begin
                stack_d[i*EntryWidth +: EntryWidth] =
                    {op_fall_i, op_pc_i + PcWidth'(1), side[Pc-1:0]};
              end
            end
            if (i + 1 == 32'(used_d)) begin
              if (filling_q) begin
                stack_d[i*EntryWidth + WordWidth +: Threads] =
                    stack_q[i*EntryWidth + WordWidth +: Threads] | op_threads_i;
              end else begin
                stack_d[i*EntryWidth +: EntryWidth] = {op_threads_i, side};
              end
            end
          end
        end
        ARRIVE: begin
          for (int i = 0; i < Depth; i++) begin
            if (i == 32'(top_q)) stack_d[i*EntryWidth + Pc +: PcWidth] = op_pc_i;
          end
        end
        EXIT: begin
          for (int i = 0; i < Depth; i++) begin
            stack_d[i*EntryWidth + WordWidth +: Threads] =
                stack_q[i*EntryWidth + WordWidth +: Threads] & ~op_threads_i;
          end
        end
        ADVANCE: if (!empty_q) begin
          if (filling_q) begin
            if (!op_taken_first_i) stack_d = swap(stack_q, used_q);
            {used_d, stack_d} = make_room(stack_d, top_q, used_q);
          end
          {empty_d, used_d, stack_d} = settle(stack_d, used_d);
          top_d = used_d - DepthWidth'(1);
          filling_d = 1'b0;
        end
        default: ;
      endcase
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used_q <= '0;
        filling_q <= 1'b0;
        empty_q <= 1'b1;
      end else if (begins) begin
        used_q <= used_d;
        filling_q <= filling_d;
        empty_q <= empty_d;
      end
    end
    always_ff @(posedge clk_i) if (begins) begin
      stack_q <= stack_d;
      top_q <= top_d;
    end

    `ASSERT(Depth, waits_q || depth == used_q)
    `ASSERT(Filling, waits_q || filling == filling_q)
    `ASSERT(Empty, waits_q || empty == empty_q)
    `ASSERT(TopGoesOn, waits_q || empty ||
                       {top_pc, top_rpc, lpc_valid} == top[LpcValid +: 2 * PcWidth + 1])
    `ASSERT(TopLikely, waits_q || empty || !lpc_valid || top_lpc == top[IndexWidth +: PcWidth])
    `ASSERT(TopThreads, waits_q || empty || top_threads == top[WordWidth +: Threads])

    // For the induction: the block's entries as they will be once it is done with the op.
    logic [StackWidth-1:0] stored, held, moved, view;
    logic [DepthWidth-1:0] view_used, pending;
    logic                  view_empty, same;

    always_comb begin : block_entries
      for (int i = 0; i < Depth; i++) begin
        stored[i*EntryWidth +: EntryWidth] =
            {\dut.u_masks.words [i*Threads +: Threads] & \dut.alive_q ,
             \dut.u_entries.words [i*WordWidth +: WordWidth]};
        held[i*EntryWidth +: EntryWidth] =
            i == 32'(index) ? {top_threads, \dut.top_q } : stored[i*EntryWidth +: EntryWidth];
        if (branching && i + 3 == 32'(depth) && state == LIKELY) begin
          held[i*EntryWidth +: EntryWidth] = {Threads'(0), \dut.likely_entry };
        end
        if (branching && i + 2 == 32'(depth) && state != TAKEN) begin
          if (!filling) held[i*EntryWidth +: EntryWidth] =
              {Threads'(0), op_pc_i + PcWidth'(1), \dut.target_entry [Pc-1:0]};
          held[i*EntryWidth + WordWidth +: Threads] =
              held[i*EntryWidth + WordWidth +: Threads] | op_fall_i;
        end
        if (branching && i + 1 == 32'(depth)) begin
          if (!filling) held[i*EntryWidth +: EntryWidth] = {Threads'(0), \dut.target_entry };
          held[i*EntryWidth + WordWidth +: Threads] =
              held[i*EntryWidth + WordWidth +: Threads] | op_threads_i;
        end
      end
    end

    assign pending = state == ENTER_LIKELY ? DepthWidth'(3) :
                     state == SECOND ? DepthWidth'(2) : DepthWidth'(1);
    always_comb begin : outcome
      moved = op_taken_first_i ? stored : swap(stored, depth);
      view = held;
      view_used = state == POP ? index : depth;
      view_empty = empty;
      if (entering) begin
        for (int i = 0; i < Depth; i++) begin
          for (int j = i; j < Depth; j++) begin
            if (i > 32'(index) && i <= 32'(index) + 32'(pending) &&
                j - i == 32'(depth) - 32'(index) - 32'(pending) - 1) begin
              view[i*EntryWidth +: EntryWidth] = moved[j*EntryWidth +: EntryWidth];
            end
          end
        end
        {view_used, view} = make_room(view, index, index + pending + DepthWidth'(1));
      end
      if (entering || settling) {view_empty, view_used, view} = settle(view, view_used);
      same = view_empty == empty_q && view_used == used_q;
      for (int i = 0; i < Depth; i++) begin
        if (!empty_q && i < 32'(used_q) &&
            (view[i*EntryWidth + LpcValid +: EntryWidth - LpcValid] !=
             stack_q[i*EntryWidth + LpcValid +: EntryWidth - LpcValid] ||
             (stack_q[i*EntryWidth + LpcValid] &&
              view[i*EntryWidth +: LpcValid] != stack_q[i*EntryWidth +: LpcValid]))) begin
          same = 1'b0;
        end
      end
    end

    `ASSERT(SameEntries, depth == '0 || same)
    `ASSERT(SameTop, depth == '0 || empty_q || (entering || settling) || top_q == index)
    `ASSERT(TopIsLast, empty_q || filling_q || top_q + DepthWidth'(1) == used_q)
    `ASSERT(SameFilling, filling_q == (branching || (filling && !entering)))
  end

endmodule

`default_nettype wire
