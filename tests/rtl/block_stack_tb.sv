// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of block_stack: TBC Fig. 9 and Fig. 10 with the numbers of tests/papers, then
// random flow of blocks against a plain stack of arrays: exits clear every mask, entries move when
// others make room.
`default_nettype none

module block_stack_tb #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  parameter int Depth = 32,
  parameter int PcWidth = 16,
  parameter int Stages = 1,
  parameter int Blocks = 8,  // random ones, after the directed of 3 rows of 4 lanes
  parameter int Equal = 1  // 0: a design of other clocks
);

  localparam int T = Rows * Lanes, CountWidth = simt_pkg::idx_width(Rows + 1), DepthWidth = simt_pkg::idx_width(Depth + 1);
  localparam logic [2:0] START = 0, BRANCH = 1, ARRIVE = 2, EXIT = 3, ADVANCE = 4;

  logic clk = 0, rst_n = 0;
  logic op_valid = 0, op_ready;
  logic op_likely_valid = 0, op_emptied = 0, op_taken_first = 0, op_regroup = 0;
  logic [2:0] op_kind;
  logic [T-1:0] op_threads, op_fall;
  logic [PcWidth-1:0] op_pc, op_target, op_rpc, op_likely;
  wire done, lpc_valid, filling, settled, empty, overflow;
  wire [PcWidth-1:0] top_pc, top_rpc, top_lpc;
  wire [CountWidth-1:0] top_warps;
  wire [T-1:0] top_threads;
  wire [DepthWidth-1:0] depth;

  block_stack #(.Lanes(Lanes), .Rows(Rows), .Depth(Depth), .PcWidth(PcWidth), .Stages(Stages)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(op_ready), .op_kind_i(op_kind),
    .op_threads_i(op_threads), .op_fall_i(op_fall), .op_pc_i(op_pc), .op_target_i(op_target),
    .op_rpc_i(op_rpc), .op_likely_valid_i(op_likely_valid), .op_likely_i(op_likely),
    .op_emptied_i(op_emptied), .op_taken_first_i(op_taken_first), .op_regroup_i(op_regroup),
    .done_valid_o(done), .top_pc_o(top_pc), .top_rpc_o(top_rpc), .top_lpc_valid_o(lpc_valid),
    .top_lpc_o(top_lpc), .top_warps_o(top_warps), .top_threads_o(top_threads), .depth_o(depth),
    .filling_o(filling), .settled_o(settled), .empty_o(empty), .overflow_o(overflow));

  always #5 clk = ~clk;

  // --- The model: entries from the bottom; -1 is no likely-convergence point ---------------------

  integer m_pc [0:Depth+3], m_rpc [0:Depth+3], m_lpc [0:Depth+3], m_lpos [0:Depth+3];
  reg [T-1:0] m_threads [0:Depth+3];
  integer m_used, m_top, m_warps;
  integer joins = 0;  // threads met others that waited for them at their likely-convergence point
  reg m_filling, m_empty, m_overflow;

  function integer count_rows(input [T-1:0] threads);
    integer r;
    begin
      count_rows = 0;
      for (r = 0; r < Rows; r = r + 1)
        if (threads[r*Lanes +: Lanes] != 0) count_rows = count_rows + 1;
    end
  endfunction

  function integer count_warps(input [T-1:0] threads);
    integer r, l, n;
    begin
      count_warps = 0;
      for (l = 0; l < Lanes; l = l + 1) begin
        n = 0;
        for (r = 0; r < Rows; r = r + 1) n = n + threads[r*Lanes + l];
        if (n > count_warps) count_warps = n;
      end
    end
  endfunction

  task m_push(input integer pc, input integer rpc, input integer lpc, input integer lpos);
    begin
      m_pc[m_used] = pc; m_rpc[m_used] = rpc; m_lpc[m_used] = lpc; m_lpos[m_used] = lpos;
      m_threads[m_used] = 0;
      m_used = m_used + 1;
    end
  endtask

  task m_copy(input integer to, input integer from);
    begin
      m_pc[to] = m_pc[from]; m_rpc[to] = m_rpc[from];
      m_lpc[to] = m_lpc[from]; m_lpos[to] = m_lpos[from];
      m_threads[to] = m_threads[from];
    end
  endtask

  task m_branch(input integer pc, input integer target, input integer rpc, input integer likely);
    integer lpc, lpos;
    begin
      if (!m_filling) begin
        lpc = m_rpc[m_top] == rpc ? m_lpc[m_top] : -1;
        lpos = m_lpos[m_top];
        if (m_used + 2 + (likely >= 0 && likely != lpc ? 1 : 0) > Depth) m_overflow = 1;
        else begin
          m_pc[m_top] = rpc;
          if (likely >= 0 && likely != lpc) begin
            m_push(likely, rpc, lpc, lpos);
            lpc = likely;
            lpos = m_rpc[m_top] == rpc ? m_top : m_top + 1;
          end
          m_push(pc + 1, rpc, lpc, lpos);
          m_push(target, rpc, lpc, lpos);
          m_filling = 1;
        end
      end
    end
  endtask

  task m_advance(input reg taken_first, input reg regroup);
    integer i, kept;
    reg runs;
    begin
      if (m_filling) begin
        m_filling = 0;
        if (!taken_first) begin  // the place above serves to swap
          m_copy(m_used, m_used - 1);
          m_copy(m_used - 1, m_used - 2);
          m_copy(m_used - 2, m_used);
        end
        kept = m_top;
        for (i = m_top; i < m_used; i = i + 1) begin
          if (m_pc[i] != m_rpc[i]) begin
            m_copy(kept, i);
            kept = kept + 1;
          end
        end
        m_used = kept;
      end
      runs = 0;
      while (!runs && !m_empty) begin
        m_top = m_used - 1;
        if (m_pc[m_top] == m_lpc[m_top]) begin
          if (m_threads[m_top] != 0 && m_threads[m_lpos[m_top]] != 0) joins = joins + 1;
          m_threads[m_lpos[m_top]] = m_threads[m_lpos[m_top]] | m_threads[m_top];
        end else if (m_pc[m_top] != m_rpc[m_top]) begin
          m_warps = regroup ? count_warps(m_threads[m_top]) : count_rows(m_threads[m_top]);
          runs = m_warps != 0;
        end
        if (!runs) begin
          if (m_used == 1) m_empty = 1;
          else m_used = m_used - 1;
        end
      end
    end
  endtask

  // --- Driving and checking ----------------------------------------------------------------------

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  task check;
    begin
      if (depth !== m_used || filling !== m_filling) fail("depth or filling");
      if (empty !== m_empty || overflow !== m_overflow) fail("empty or overflow");
      if (top_warps !== m_warps || settled !== (m_warps == 0)) fail("warps");
      if (top_pc !== m_pc[m_top] || top_rpc !== m_rpc[m_top]) fail("pc or rpc");
      if (lpc_valid !== (m_lpc[m_top] >= 0) || (lpc_valid && top_lpc !== m_lpc[m_top])) fail("lpc");
      if (top_threads !== m_threads[m_top]) fail("threads");
    end
  endtask

  // Runs the op whose payload is set; its results are to be those of the model, and to stay.
  task run(input [2:0] kind);
    integer idle;
    begin
      op_kind = kind;
      op_valid = 1;
      clocks = 0;
      @(posedge clk);
      while (op_ready !== 1) begin
        if (done !== 0 && clocks > 0) fail("done before it was taken");
        clocks = clocks + 1;
        if (clocks > (Equal != 0 ? 6 * Depth : 1000)) fail("never taken");
        @(posedge clk);
      end
      @(negedge clk);
      op_valid = 0;
      op_kind = 'x; op_threads = 'x; op_fall = 'x; op_pc = 'x; op_target = 'x; op_rpc = 'x;
      op_likely = 'x; op_likely_valid = 'x; op_emptied = 'x; op_taken_first = 'x; op_regroup = 'x;
      while (Equal == 0 && done === 0 && clocks < 1000) begin
        clocks = clocks + 1;
        @(negedge clk);
      end
      if (done !== 1) fail("not done");
      ops = ops + 1;
      check;
      idle = $random(seed) & 3;
      while (idle > 1) begin
        @(negedge clk);
        if (done !== 0) fail("done twice");
        check;
        idle = idle - 1;
      end
    end
  endtask

  task start(input [T-1:0] threads, input integer last);
    begin
      m_used = 0; m_top = 0; m_filling = 0; m_empty = 0; m_overflow = 0;
      m_push(0, last, -1, 0);
      m_threads[0] = threads;
      m_warps = count_rows(threads);
      op_threads = threads; op_rpc = last;
      run(START);
    end
  endtask

  task branch(input [T-1:0] taken, input [T-1:0] fall, input integer pc, input integer target,
              input integer rpc, input integer likely);
    begin
      m_branch(pc, target, rpc, likely);
      if (!m_overflow) begin
        m_threads[m_used-2] = m_threads[m_used-2] | fall;
        m_threads[m_used-1] = m_threads[m_used-1] | taken;
        m_warps = m_warps - 1;
      end
      op_threads = taken; op_fall = fall; op_pc = pc; op_target = target; op_rpc = rpc;
      op_likely_valid = likely >= 0; op_likely = likely;
      run(BRANCH);
    end
  endtask

  task arrive(input integer pc);
    begin
      m_pc[m_top] = pc;
      m_warps = m_warps - 1;
      op_pc = pc;
      run(ARRIVE);
    end
  endtask

  task exit(input [T-1:0] threads, input reg emptied);
    integer i;
    begin
      for (i = 0; i < m_used; i = i + 1) m_threads[i] = m_threads[i] & ~threads;
      m_warps = m_warps - emptied;
      op_threads = threads; op_emptied = emptied;
      run(EXIT);
    end
  endtask

  task advance(input reg taken_first, input reg regroup);
    begin
      m_advance(taken_first, regroup);
      op_taken_first = taken_first; op_regroup = regroup;
      run(ADVANCE);
    end
  endtask

  task expect_top(input integer pc, input integer warps, input [T-1:0] threads, input integer n);
    if (top_pc !== pc || top_warps !== warps || top_threads !== threads || depth !== n)
      fail("worked example");
  endtask

  // --- Worked examples ---------------------------------------------------------------------------

  // Three warps come to A's branch in the order W2, W3, W1; C = {1, 5, 8, 10, 11} runs before B.
  task figure9;
    begin
      start(12'hfff, 100);
      expect_top(0, 3, 12'hfff, 1);
      branch(12'b0000_1001_0000, 12'b0000_0110_0000, 0, 20, 30, -1);
      expect_top(30, 2, 12'hfff, 3);
      branch(12'b0110_0000_0000, 12'b1001_0000_0000, 0, 20, 30, -1);
      expect_top(30, 1, 12'hfff, 3);
      branch(12'b0000_0000_0001, 12'b0000_0000_1110, 0, 20, 30, -1);
      if (!settled || !filling) fail("WCnt reaches zero");
      advance(1, 1);
      expect_top(20, 2, 12'b0110_1001_0001, 3);
      arrive(30);
      arrive(30);
      advance(1, 1);
      expect_top(1, 2, 12'b1001_0110_1110, 2);
      arrive(30);
      arrive(30);
      advance(1, 1);
      expect_top(30, 3, 12'hfff, 1);
    end
  endtask

  // Example 2: A = 0 to F = 5; the branches of A and C reconverge at F, likely at E.
  task figure10;
    begin
      start(12'b1111, 6);
      branch(12'b1110, 12'b0001, 0, 2, 5, 4);
      expect_top(5, 0, 12'b1111, 4);
      advance(1, 1);
      expect_top(2, 1, 12'b1110, 4);
      branch(12'b0010, 12'b1100, 2, 4, 5, 4);
      if (depth !== 6) fail("two entries for C's branch");
      advance(1, 1);
      expect_top(3, 1, 12'b1100, 4);
      arrive(5);
      advance(1, 1);
      expect_top(1, 1, 12'b0001, 3);
      arrive(4);
      advance(1, 1);
      expect_top(4, 1, 12'b0011, 2);
      arrive(5);
      advance(1, 1);
      expect_top(5, 1, 12'b1111, 1);
    end
  endtask

  // --- Random flow -------------------------------------------------------------------------------

  integer overflows = 0, merges = 0, emptied = 0, replaced = 0, deepest = 0;
  localparam int End = 250;
  reg deep = 0;  // of this block the entries grow until there are no more

  function [T-1:0] random_threads(input integer dummy);
    integer t;
    for (t = 0; t < T; t = t + 1) random_threads[t] = $random(seed);
  endfunction

  // One warp of the running entry: per lane the lowest thread, or a whole row.
  function [T-1:0] next_warp(input [T-1:0] left, input reg regroup);
    integer r, l;
    reg [Lanes-1:0] lanes;
    begin
      next_warp = 0;
      lanes = 0;
      for (r = 0; r < Rows; r = r + 1) begin
        if (regroup || next_warp == 0) begin
          next_warp[r*Lanes +: Lanes] = left[r*Lanes +: Lanes] & ~lanes;
          lanes = lanes | next_warp[r*Lanes +: Lanes];
        end
      end
    end
  endfunction

  // What the warps of the running entry come to: their branch, or a point where they wait.
  task run_entry(input reg regroup, input reg busy);
    integer pc, target, rpc, likely, point;
    reg [T-1:0] left, warp, leavers, taken;
    begin
      point = -1;
      if (!(deep && busy) && pick(10) >= (busy ? 5 : 1)) begin
        if (m_lpc[m_top] >= 0 && pick(2)) point = m_lpc[m_top];
        else if (m_rpc[m_top] != End) point = m_rpc[m_top];
      end
      pc = 1 + pick(100);
      rpc = !deep && pick(2) ? m_rpc[m_top] : 101 + pick(100);
      target = pick(5) ? 1 + pick(100) : rpc == End ? pc + 1 : rpc;
      likely = pick(2) ? -1 : pick(2) && m_lpc[m_top] >= 0 ? m_lpc[m_top] :
               pick(4) ? 201 + pick(20) : target;
      if (deep) likely = m_used % 2 != 0 ? 201 + pick(20) : -1;  // an even depth: two at a time come to the last
      if (likely == rpc || likely == End) likely = -1;
      left = m_threads[m_top];
      while (left != 0 && !m_overflow) begin
        warp = next_warp(left, regroup);
        left = left & ~warp;
        leavers = pick(busy ? 30 : 3) == 0 ? pick(2) ? warp : warp & random_threads(0) : 0;
        if (leavers != 0) exit(leavers, leavers == warp);
        warp = warp & ~leavers;
        if (leavers != 0 && warp == 0) emptied = emptied + 1;
        if (warp != 0 && point >= 0) begin
          if (point == m_lpc[m_top]) merges = merges + 1;
          arrive(point);
        end else if (warp != 0) begin
          if (rpc == m_rpc[m_top]) replaced = replaced + 1;
          taken = pick(4) ? warp & random_threads(0) : pick(2) ? warp : 0;
          branch(taken, warp & ~taken, pc, target, rpc, likely);
        end
      end
      if (m_used > deepest) deepest = m_used;
      if (m_overflow) overflows = overflows + 1;
    end
  endtask

  task random_block;
    integer steps;
    reg regroup;
    reg [T-1:0] threads;
    begin
      regroup = pick(4) != 0;
      deep = Depth > 16 && pick(4) == 0;
      threads = pick(2) ? {T{1'b1}} : random_threads(0);
      if (threads == 0) threads = 1;
      start(threads, End);
      steps = 0;
      // The block starts in rows.
      run_entry(0, 1);
      while (!m_empty && !m_overflow) begin
        advance(pick(2), regroup);
        if (!m_empty) run_entry(regroup, steps < 2 * Depth);
        steps = steps + 1;
      end
    end
  endtask

  integer i;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (empty !== 1 || depth !== 0 || done !== 0) fail("after reset");
    if (Lanes == 4 && Rows == 3) begin
      figure9;
      figure10;
    end
    for (i = 0; i < Blocks; i = i + 1) random_block;
    if (overflows < Blocks / 15 || merges < 100 || joins < 10 || emptied < 50 || replaced < 100 || deepest != Depth)
begin
      $display("%0d overflows, %0d merges, %0d joins, %0d emptied, %0d replaced, depth %0d", overflows, merges, joins, emptied,
               replaced, deepest);
      fail("coverage");
    end
    $display("PASS block_stack: %0d ops, %0d overflows, %0d likely arrivals, %0d joins, %0d warps end",
             ops, overflows, merges, joins, emptied);
    $finish;
  end

endmodule

`default_nettype wire
