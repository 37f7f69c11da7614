// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of warp_stack: TBC Fig. 10 with the numbers of tests/papers, then random flow of
// several warps, whose ops follow each other without a pause, against plain stacks of arrays.
`default_nettype none

module warp_stack_tb #(
  parameter int Warps = 32,
  parameter int Lanes = 32,
  parameter int Depth = 32,
  parameter int PcWidth = 16,
  parameter int Likely = 1,
  parameter int Operations = 16000,  // random ones, after the directed
  parameter int Equal = 1           // 0: a design of other clocks
);

  localparam int WarpWidth = simt_pkg::idx_width(Warps), DepthWidth = simt_pkg::idx_width(Depth + 1);
  localparam int M = Depth + 4;  // a model's stack
  localparam int Patience = 1000;  // clocks that any design may take
  localparam integer START = 0, GO_ON = 1, BRANCH = 2, EXIT = 3;

  logic                  clk_i = 1'b0, rst_ni = 1'b0;
  logic                  op_valid_i = 1'b0, op_ready_o, op_likely_valid_i, op_taken_first_i;
  logic [1:0]            op_kind_i;
  logic [WarpWidth-1:0]  op_warp_i;
  logic [Lanes-1:0]      op_lanes_i;
  logic [PcWidth-1:0]    op_pc_i, op_target_i, op_rpc_i, op_likely_i;
  logic                  done_valid_o, overflow_o;
  logic [PcWidth-1:0]    warp_pc_o;
  logic [Lanes-1:0]      warp_mask_o;
  logic [DepthWidth-1:0] depth_o;

  warp_stack #(.Warps(Warps), .Lanes(Lanes), .Depth(Depth), .PcWidth(PcWidth), .Likely(Likely)) dut (.*);

  always #5 clk_i = !clk_i;

  // --- The model: entries from the bottom, one warp after the other; -1 is no likely point ---------

  integer m_pc [0:Warps*M-1], m_rpc [0:Warps*M-1], m_lpc [0:Warps*M-1], m_lpos [0:Warps*M-1];
  reg [Lanes-1:0] m_mask [0:Warps*M-1];
  integer m_used [0:Warps-1];
  integer fullest = 0, merges = 0, overflows = 0, replacements = 0, ended = 0, at_once = 0;
  reg lost;

  task push(input integer w, input integer pc, input integer rpc, input [Lanes-1:0] mask,
            input integer lpc, input integer lpos);
    integer at;
    begin
      at = w * M + m_used[w];
      m_pc[at] = pc; m_rpc[at] = rpc; m_mask[at] = mask; m_lpc[at] = lpc; m_lpos[at] = lpos;
      m_used[w] = m_used[w] + 1;
    end
  endtask

  task settle(input integer w);
    integer at;
    reg runs;
    begin
      runs = 0;
      while (!runs && m_used[w] > 0) begin
        at = w * M + m_used[w] - 1;
        if (m_mask[at] == 0) runs = 0;
        else if (m_used[w] == 1) runs = 1;
        else if (m_pc[at] == m_lpc[at]) begin
          if (m_mask[w * M + m_lpos[at]] != 0) merges = merges + 1;
          m_mask[w * M + m_lpos[at]] = m_mask[w * M + m_lpos[at]] | m_mask[at];
        end else runs = m_pc[at] != m_rpc[at];
        if (!runs) m_used[w] = m_used[w] - 1;
      end
    end
  endtask

  task branch(input integer w, input [Lanes-1:0] lanes, input integer next, input integer target,
              input integer rpc, input integer likely, input reg taken_first);
    integer at, lpc, lpos, base, more, side;
    reg [Lanes-1:0] mask;
    begin
      at = w * M + m_used[w] - 1;
      mask = m_mask[at];
      lpc = -1;
      lpos = 0;
      base = m_used[w];
      if (m_rpc[at] == rpc) begin
        lpc = m_lpc[at];
        lpos = m_lpos[at];
        base = base - 1;
        replacements = replacements + 1;
      end
      more = likely >= 0 && likely != lpc;
      lost = base + more + (next != rpc) + (target != rpc) > Depth;
      if (lost) overflows = overflows + 1;
      else begin
        m_pc[at] = rpc;
        m_used[w] = base;
        if (more) begin
          push(w, likely, rpc, 0, lpc, lpos);
          lpc = likely;
          lpos = base;
        end
        for (side = 0; side < 2; side = side + 1) begin
          if ((side == 0) == taken_first) begin
            if (next != rpc) push(w, next, rpc, mask & ~lanes, lpc, lpos);
          end else if (target != rpc) push(w, target, rpc, mask & lanes, lpc, lpos);
        end
        settle(w);
      end
    end
  endtask

  // --- Results: what is due, the oldest first ------------------------------------------------------

  integer due = 0, due_pc [0:1], due_depth [0:1], due_clocks [0:1];
  reg [Lanes-1:0] due_mask [0:1];
  reg due_lost [0:1];
  integer had, i, results = 0;

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: pc %0d mask %b depth %0d overflow %b; due %0d: pc %0d mask %b depth %0d %b",
               $time, what, warp_pc_o, warp_mask_o, depth_o, overflow_o, due, due_pc[0], due_mask[0],
               due_depth[0], due_lost[0]);
      $finish_and_return(1);
    end
  endtask

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    for (i = 0; i < due; i = i + 1) due_clocks[i] = due_clocks[i] - 1;
    if (due > 0 && due_clocks[0] == 0) expect_is("in time", done_valid_o);
    if (done_valid_o) begin
      expect_is("a result", due > 0);
      expect_is("overflow", overflow_o === due_lost[0]);
      if (!due_lost[0]) begin
        expect_is("entries", depth_o === DepthWidth'(due_depth[0]));
        if (due_depth[0] > 0) begin
          expect_is("pc", warp_pc_o === PcWidth'(due_pc[0]));
          expect_is("threads", warp_mask_o === due_mask[0]);
        end
      end
      results = results + 1;
      due = due - 1;
      due_pc[0] = due_pc[1]; due_mask[0] = due_mask[1]; due_depth[0] = due_depth[1];
      due_lost[0] = due_lost[1]; due_clocks[0] = due_clocks[1];
    end
    if (op_valid_i && op_ready_o) take;
  end

  task take;
    integer w, at;
    begin
      w = op_warp_i;
      had = m_used[w];
      lost = 0;
      at = w * M + had - 1;
      case (op_kind_i)
        START: begin
          m_used[w] = 0;
          push(w, 0, op_rpc_i, op_lanes_i, -1, 0);
        end
        BRANCH: branch(w, op_lanes_i, op_pc_i, op_target_i, op_rpc_i,
                       op_likely_valid_i && Likely ? op_likely_i : -1, op_taken_first_i);
        default: begin
          if (op_kind_i == EXIT) begin
            for (i = 0; i < had; i = i + 1) m_mask[w*M + i] = m_mask[w*M + i] & ~op_lanes_i;
          end
          m_pc[at] = op_pc_i;
          settle(w);
          if (m_used[w] == 0) ended = ended + 1;
        end
      endcase
      at = w * M + m_used[w] - 1;
      due_pc[due] = m_used[w] > 0 ? m_pc[at] : 0;
      due_mask[due] = m_used[w] > 0 ? m_mask[at] : 0;
      due_depth[due] = m_used[w];
      due_lost[due] = lost;
      due_clocks[due] = 4 + 3 * Depth;
      if (m_used[w] > fullest) fullest = m_used[w];
      if (op_kind_i == START || lost || (op_kind_i != BRANCH && had == m_used[w])) due_clocks[due] = 2;
      if (Equal == 0) due_clocks[due] = Patience;
      if (due == 1) at_once = at_once + 1;
      due = due + 1;
    end
  endtask

  integer last = 0;
  task offer(input integer kind, input integer w, input integer lanes, input integer pc);
    begin
      while (Equal == 0 && (due == 2 || (due == 1 && last == w))) @(negedge clk_i);
      op_valid_i = 1'b1;
      op_kind_i = kind;
      op_warp_i = w;
      last = w;
      op_lanes_i = lanes;
      op_pc_i = pc;
      @(posedge clk_i);
      while (!op_ready_o) @(posedge clk_i);
      @(negedge clk_i);
      op_valid_i = 1'b0;
    end
  endtask

  task fork_at(input integer w, input integer lanes, input integer next, input integer target,
               input integer rpc, input integer likely, input integer taken_first);
    begin
      op_target_i = target;
      op_rpc_i = rpc;
      op_likely_valid_i = likely >= 0;
      op_likely_i = likely;
      op_taken_first_i = taken_first;
      offer(BRANCH, w, lanes, next);
    end
  endtask

  task result(input integer pc, input [Lanes-1:0] mask, input integer depth);
    begin
      while (due > 0 && !done_valid_o) @(negedge clk_i);
      expect_is("directed", warp_pc_o == pc && warp_mask_o == mask && depth_o == depth);
      @(negedge clk_i);
    end
  endtask

  // A loop whose threads leave it one after the other, and an exit within a side.
  task directed;
    begin
      op_rpc_i = 30;
      offer(START, 0, 4'b1111, 0);
      result(0, 4'b1111, 1);
      fork_at(0, 4'b0111, 10, 5, 12, -1, 1);
      result(5, 4'b0111, 3);
      fork_at(0, 4'b0011, 10, 5, 12, -1, 1);
      result(5, 4'b0011, 4);
      offer(GO_ON, 0, 0, 12);
      result(10, 4'b0100, 3);
      offer(EXIT, 0, 4'b0100, 11);
      result(10, 4'b1000, 2);
      offer(GO_ON, 0, 0, 12);
      result(12, 4'b1011, 1);
      offer(EXIT, 0, 4'b1011, 13);
      expect_is("gone", due == 1);
      while (!done_valid_o) @(negedge clk_i);
      expect_is("empty", depth_o == 0);
      @(negedge clk_i);
      if (Likely) begin  // lanes 0 and 1 meet at 20, before all do at 25
        op_rpc_i = 30;
        offer(START, 1, 4'b1111, 0);
        result(0, 4'b1111, 1);
        fork_at(1, 4'b0011, 2, 8, 25, 20, 1);
        result(8, 4'b0011, 4);
        offer(GO_ON, 1, 0, 20);
        result(2, 4'b1100, 3);
        offer(GO_ON, 1, 0, 25);
        result(20, 4'b0011, 2);
        offer(GO_ON, 1, 0, 25);
        result(25, 4'b1111, 1);
      end
    end
  endtask

  reg deep;
  integer o, w, top, kind, lanes, next, target, rpc;
  initial begin
    for (w = 0; w < Warps; w = w + 1) m_used[w] = 0;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    directed;
    m_used[0] = 0;
    m_used[1] = 0;
    for (o = 0; o < Operations; o = o + 1) begin
      w = (last + 1 + $urandom % (Warps - 1)) % Warps;  // a warp has one op at a time
      top = w * M + m_used[w] - 1;
      kind = $urandom % 8;
      lanes = $urandom;
      next = $urandom % 16;
      // Some stacks grow until they are full: one lane after the other leaves, and the others run.
      deep = Lanes > 4 && w % 4 == 1 && m_used[w] > 0 && $urandom % 16 != 0;
      if (deep) begin
        lanes = m_mask[top] & (~m_mask[top] + 1);
        kind = m_mask[top] == lanes[Lanes-1:0] ? 1 : 7;
      end
      if (m_used[w] == 0) begin
        op_rpc_i = 31;
        offer(START, w, Lanes > 4 && w % 4 == 1 ? -1 : lanes[Lanes-1:0] == 0 ? 1 : lanes, 0);
      end else if (kind == 0) offer(EXIT, w, $urandom % 4 == 0 ? lanes : 1 << ($urandom % Lanes), next);
      else if (kind < 3) begin
        if ($urandom % 2 == 0) next = m_lpc[top] >= 0 && $urandom % 2 == 0 ? m_lpc[top] : m_rpc[top];
        offer(GO_ON, w, 0, next);
      end else if ((m_mask[top] & lanes[Lanes-1:0]) != 0 && (m_mask[top] & ~lanes[Lanes-1:0]) != 0) begin
        rpc = !deep && $urandom % 3 == 0 ? m_rpc[top] : $urandom % 16;
        target = (next + 1 + $urandom % 15) % 16;
        if (deep && $urandom % 4 == 0 && rpc != next) target = rpc;  // an entry less: every depth comes
        fork_at(w, lanes, next, target, rpc, $urandom % 3 != 0 || rpc == 3 ? -1 : 3, deep ? 0 : $urandom % 2);
      end
      if ($urandom % 8 == 0) repeat ($urandom % 4) @(negedge clk_i);
    end
    while (due > 0) @(negedge clk_i);
    $display("%0d results, %0d overflows, %0d replacements, %0d merges, %0d warps end, %0d at once, depth %0d",
             results, overflows, replacements, merges, ended, at_once, fullest);
    expect_is("coverage", results > Operations / 3 && overflows > 0 && replacements > 0 && ended > 9 &&
                          (at_once > 9 || Equal == 0) && fullest == Depth && (merges > 0) == (Likely != 0));
    $display("PASS");
    $finish;
  end

endmodule

`default_nettype wire
