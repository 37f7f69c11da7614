// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What block_stack must do: a plain stack of whole entries, which an op changes at once when it
// comes, is what the block shows when it is done with the op. Beside that: bounds on depth, warps
// and clocks, and outputs that stay.
module block_stack_formal #(
  parameter int Lanes = 2,
  parameter int Rows = 2,
  parameter int Depth = 4,
  parameter int PcWidth = 2,
  parameter int Stages = 1,
  parameter bit Contents = 1'b1,  // compares with the plain stack, which is hard for a solver
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + 5 * Depth,  // clocks that any design may take for an op, and to be done with it
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

  block_stack #(.Lanes(Lanes), .Rows(Rows), .Depth(Depth), .PcWidth(PcWidth), .Stages(Stages)) dut (
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

  localparam int OpWidth = 3 + 2 * Threads + 4 * PcWidth + 4;
  logic               begins;  // an op: its first clock
  logic [OpWidth-1:0] op;

  assign op = {op_kind_i, op_threads_i, op_fall_i, op_pc_i, op_target_i, op_rpc_i,
               op_likely_valid_i, op_likely_i, op_emptied_i, op_taken_first_i, op_regroup_i};

  `include "shared/one_operation.svh"

  assign begins = op_valid_i && !busy_q;

  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= ADVANCE)
  `ASSUME(StartedFirst, !begins || op_kind_i == START || depth != '0)
  `ASSUME(WarpExpected, !begins || warps != '0 ||
                        (op_kind_i != BRANCH && op_kind_i != ARRIVE &&
                         (op_kind_i != EXIT || !op_emptied_i)))
  `ASSUME(ArrivalIsNoBranch, !begins || op_kind_i != ARRIVE || !filling)
  `ASSUME(ArrivalAtItsPoint, !begins || op_kind_i != ARRIVE || op_pc_i == top_rpc ||
                             (lpc_valid && op_pc_i == top_lpc))
  `ASSUME(SidesDisjoint, !op_valid_i || op_kind_i != BRANCH || (op_threads_i & op_fall_i) == '0)
  `ASSUME(SidesAreOfTheTop, !(Equal ? op_valid_i : begins) || op_kind_i != BRANCH ||
                            ((op_threads_i | op_fall_i) & ~top_threads) == '0)
  `ASSUME(LikelyBeforeRpc, !op_valid_i || op_kind_i != BRANCH || !op_likely_valid_i ||
                           op_likely_i != op_rpc_i)
  `ASSUME(AdvanceFromSettled, !begins || op_kind_i != ADVANCE || settled)

  // --- Handshake, clocks and outputs that stay ---------------------------------------------------

  localparam int OutWidth = 3 * PcWidth + 1 + CountWidth + Threads + DepthWidth + 4;
  logic [OutWidth-1:0]     outs, outs_before_q;  // the op
  logic                    shown;  // outputs are to be right
  logic                    out_of_reset_q;
  logic [ClocksWidth-1:0]  clocks_q, clocks, most_clocks_q, most_clocks;  // of the op, with this
  logic                    makes_likely, lost;

  assign outs = {top_pc, top_rpc, lpc_valid, top_lpc, warps, top_threads, depth, filling,
                 settled, empty, overflow};
  assign shown = Equal || between;
  assign clocks = busy_q ? clocks_q + ClocksWidth'(1) : ClocksWidth'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_of_reset_q <= 1'b0;
    else out_of_reset_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (begins) outs_before_q <= outs;
    clocks_q <= clocks;
    most_clocks_q <= most_clocks;
  end

  // For each entry that settles.
  localparam logic [ClocksWidth-1:0] Each = ClocksWidth'(2 + Stages);

  // An op whose branch finds the stack full takes one clock, as those do that need no memory. An
  // advance enters up to three entries and finds each entry of the stack to be through.
  assign makes_likely = op_likely_valid_i &&
                        !(lpc_valid && top_rpc == op_rpc_i && top_lpc == op_likely_i);
  assign lost = !filling && 32'(depth) + 2 + 32'(makes_likely) > Depth;
  always_comb begin
    most_clocks = ClocksWidth'(1);
    case (op_kind_i)
      START: most_clocks = Each + ClocksWidth'(1);
      BRANCH: if (!lost) most_clocks = makes_likely && !filling ? ClocksWidth'(4) : ClocksWidth'(3);
      ADVANCE: most_clocks = Each * ClocksWidth'(depth) + ClocksWidth'(filling ? 4 : 1);
      default: ;
    endcase
    if (busy_q) most_clocks = most_clocks_q;
  end

  `include "shared/outputs_stay.svh"
  if (Equal) begin : gen_clocks
    `ASSERT(TakenInTime, !op_valid_i || clocks <= most_clocks)
    `ASSERT(BranchClocks, !op_taken || op_kind_i != BRANCH || clocks == most_clocks)
    `ASSERT(StartClocks, !op_taken || op_kind_i != START || clocks >= ClocksWidth'(3))
  end
  `ASSERT(SettledIsNoWarps, !shown || settled == (warps == '0))
  `ASSERT(DepthBounded, !shown || depth <= DepthWidth'(Depth))
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
  assign {kind_q, emptied_q, regroup_q} = {op_q[OpWidth-1 -: 3], op_q[2], op_q[0]};

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
  `ASSERT(WarpsFit, !shown || 32'(warps) <= Rows)
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

  `ASSERT(OverflowWhenLost, !shown || overflow == overflow_due_q)
  `ASSERT(LostChangesNothing, !done_valid || kind_q != BRANCH || !lost_q ||
                              outs[OutWidth-1:1] == outs_before_q[OutWidth-1:1])

  localparam int WordWidth = 3 * PcWidth + 1 + IndexWidth;  // pc, rpc, lpc_valid, lpc, lpos
  localparam int Lpos = 0, Lpc = IndexWidth, LpcValid = Lpc + PcWidth, Rpc = LpcValid + 1,
                 Pc = Rpc + PcWidth;

`ifndef PORTS_ONLY
  // --- For the induction: where the block is in an op --------------------------------------------

  localparam logic [3:0] IDLE = 4'd0, LIKELY = 4'd1, FALL = 4'd2, TAKEN = 4'd3, ENTER_LIKELY = 4'd4,
                         SECOND = 4'd5, FIRST = 4'd6, SETTLE = 4'd7, COUNT = 4'd8, POP = 4'd9,
                         COUNTED = 4'd10;  // of two stages

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
  (* hierconn *) wire [Threads-1:0] \dut.read_threads ;

  logic [3:0]             state;
  logic [DepthWidth-1:0]  index, above;  // the top's index; entries above it
  logic                   branching, entering, settling, counting;
  logic [ClocksWidth-1:0] clocks_left;

  assign state = \dut.state_q ;
  assign index = DepthWidth'(\dut.index_q );
  assign above = depth - index - DepthWidth'(1);
  assign branching = state == LIKELY || state == FALL || state == TAKEN;
  assign entering = state == ENTER_LIKELY || state == SECOND || state == FIRST;
  assign settling = state == SETTLE || counting || state == POP;
  assign counting = state == COUNT || state == COUNTED;

  // At most.
  always_comb begin
    clocks_left = Each * ClocksWidth'(index);
    if (entering) clocks_left = Each * ClocksWidth'(depth);
    case (state)
      LIKELY: clocks_left = ClocksWidth'(3);
      FALL: clocks_left = ClocksWidth'(2);
      TAKEN: clocks_left = ClocksWidth'(1);
      ENTER_LIKELY: clocks_left = clocks_left + ClocksWidth'(3);
      SECOND: clocks_left = clocks_left + ClocksWidth'(2);
      FIRST: clocks_left = clocks_left + ClocksWidth'(1);
      SETTLE: clocks_left = clocks_left + Each;
      COUNT: clocks_left = clocks_left + Each - ClocksWidth'(1);
      COUNTED: clocks_left = clocks_left + ClocksWidth'(2);
      default: clocks_left = clocks_left + ClocksWidth'(1);
    endcase
  end

  `ASSERT(StateKnown, (state <= POP || (Stages == 2 && state == COUNTED)) && busy_q == (state != IDLE))
  `ASSERT(InUse, !busy_q || depth != '0)
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
  `ASSERT(ClocksAreLeft, !busy_q || clocks_q + clocks_left <= most_clocks_q)
  `ASSERT(ClocksFit, !busy_q || 32'(most_clocks_q) <= (2 + Stages) * Depth + 4)
  `ASSERT(ClocksOfBranch, !branching || clocks_q + clocks_left == most_clocks_q)
  `ASSERT(ClocksOfStart, !settling || kind_q != START || clocks_q >= (state == SETTLE ? 1 : 2))
  `ASSERT(NothingRunsWhenEmpty, !empty || (depth <= 1 && !filling && warps == '0 &&
                                (depth == '0 || top_threads == '0 || top_pc == top_rpc)))
  `ASSERT(WarpsBefore, !busy_q || kind_q == START || warps == warps_before_q ||
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

  `ASSERT(Counted, !counting || (\dut.in_lane_q == in_lane && \dut.row_used_q == row_used))
  `ASSERT(CountsToRun, !counting || (top_pc != top_rpc && !(lpc_valid && top_pc == top_lpc)))

  // The entry of an entry's likely-convergence point is below it, also once those entries of a
  // branch have made room that wait where they are. `places` is how many of them come below the
  // targets, the top included.
  logic                 merges_below, likely_runs, keeps_top;
  logic [31:0]          limit;
  logic [WordWidth-1:0] word;

  assign keeps_top = top_pc != top_rpc;
  always_comb begin
    merges_below = !lpc_valid || DepthWidth'(\dut.top_q [Lpos +: IndexWidth]) < index;
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
      if (word[LpcValid] && 32'(word[Lpos +: IndexWidth]) >= limit) merges_below = 1'b0;
    end
  end

  `ASSERT(MergesBelow, depth == '0 || merges_below)
  `ASSERT(LikelyRuns, depth == '0 || likely_runs)

  // Nothing of this is proved for want of a way there: threads meet others that wait for them at
  // their likely-convergence point.
  `COVER(LikelyMerge, state == SETTLE && lpc_valid && top_pc == top_lpc && top_threads != '0 &&
                      (\dut.read_threads & \dut.alive_q ) != '0)

`endif
  // --- What it holds -----------------------------------------------------------------------------

  `include "shared/block_stack_contents.svh"

endmodule

`default_nettype wire
