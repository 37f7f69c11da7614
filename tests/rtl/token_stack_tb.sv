// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of token_stack: threads that leave a loop one after the other (Divergence cost
// Fig. 3), then random flow of several warps, against plain lists of tokens and a memory that takes
// its time.
`default_nettype none

module token_stack_tb #(
  parameter int Warps = 32,
  parameter int Lanes = 32,
  parameter int Entries = 16,
  parameter int Chunk = 4,
  parameter int Chunks = 64,
  parameter int PcWidth = 16,
  parameter int Operations = 16000,  // random ones, after the directed
  parameter int Equal = 1           // 0: a design of other clocks
);

  localparam int Depth = Entries + Chunks * Chunk;
  localparam int WarpWidth = simt_pkg::idx_width(Warps), CountWidth = $clog2(Entries + 1), OutWidth = $clog2(Chunks + 1);
  localparam int BeatWidth = Chunk > 1 ? $clog2(Chunk) : 1, TokenWidth = 1 + PcWidth + Lanes;
  localparam integer START = 0, SSY = 1, BRANCH = 2, POP = 3, EXIT = 4;

  logic                  clk_i = 1'b0, rst_ni = 1'b0;
  logic                  op_valid_i = 1'b0, op_ready_o, mem_ready_i = 1'b0;
  logic [2:0]            op_kind_i = 'x;
  logic [WarpWidth-1:0]  op_warp_i = 'x;
  logic [Lanes-1:0]      op_active_i = 'x, op_lanes_i = 'x;
  logic [PcWidth-1:0]    op_pc_i = 'x, op_target_i = 'x;
  logic                  done_valid_o, sync_o, overflow_o, mem_valid_o, mem_write_o;
  logic [PcWidth-1:0]    warp_pc_o;
  logic [Lanes-1:0]      warp_mask_o;
  logic [CountWidth-1:0] count_o;
  logic [OutWidth-1:0]   chunks_o, mem_chunk_o;
  logic [WarpWidth-1:0]  mem_warp_o;
  logic [BeatWidth-1:0]  mem_token_o;
  logic [TokenWidth-1:0] mem_data_o, mem_data_i = 'x;

  token_stack #(.Warps(Warps), .Lanes(Lanes), .Entries(Entries), .Chunk(Chunk), .Chunks(Chunks),
                .PcWidth(PcWidth)) dut (.*);

  always #5 clk_i = !clk_i;

  integer seed = 1, ops = 0;
  `include "shared/bench.svh"

  // --- The memory -------------------------------------------------------------------------------

  reg [TokenWidth-1:0] memory [0:Warps*Chunks*Chunk-1];
  integer              at, moved = 0;  // clocks in which tokens are on their way, of an op

  always @(negedge clk_i) begin
    mem_ready_i = pick(3) == 0;
    #1 at = (mem_warp_o * Chunks + mem_chunk_o) * Chunk + mem_token_o;
    mem_data_i = mem_ready_i && mem_valid_o === 1'b1 && !mem_write_o ? memory[at] : 'x;
  end
  always @(posedge clk_i) if (rst_ni && mem_valid_o !== 1'b0) begin
    if (mem_valid_o !== 1'b1 || !op_valid_i) fail("memory is asked for nothing");
    moved = moved + 1;
    if (mem_ready_i && mem_write_o) memory[at] = mem_data_o;
  end

  // --- The model: tokens from the bottom, one warp after the other ------------------------------

  reg [Lanes-1:0] m_mask [0:Warps*Depth-1], active [0:Warps-1], live [0:Warps-1];
  integer         m_pc [0:Warps*Depth-1], m_sync [0:Warps*Depth-1];
  integer         used [0:Warps-1], out [0:Warps-1];
  integer         pc, sync, popped, spills = 0, reloads = 0, lost = 0, passed = 0, ended = 0;
  reg             loses;

  task push(input integer w, input integer is_sync, input integer to, input [Lanes-1:0] mask);
    begin
      loses = used[w] == Depth;
      if (loses) lost = lost + 1;
      else begin
        m_sync[w*Depth + used[w]] = is_sync;
        m_pc[w*Depth + used[w]] = to;
        m_mask[w*Depth + used[w]] = mask;
        used[w] = used[w] + 1;
        if (used[w] - out[w] * Chunk > Entries) begin
          out[w] = out[w] + 1;
          spills = spills + 1;
        end
      end
    end
  endtask

  task pop(input integer w);
    reg found;
    begin
      found = 0;
      while (!found && used[w] > 0) begin
        if (used[w] <= out[w] * Chunk) begin
          out[w] = out[w] - 1;
          reloads = reloads + 1;
        end
        used[w] = used[w] - 1;
        popped = popped + 1;
        found = (m_mask[w*Depth + used[w]] & live[w]) != 0;
        if (found) begin
          active[w] = m_mask[w*Depth + used[w]] & live[w];
          pc = m_pc[w*Depth + used[w]];
          sync = m_sync[w*Depth + used[w]];
        end else passed = passed + 1;
      end
    end
  endtask

  task model(input integer kind, input integer w, input [Lanes-1:0] lanes, input integer target);
    reg [Lanes-1:0] was;
    begin
      loses = 0;
      popped = 0;
      sync = -1;
      was = active[w];
      case (kind)
        START: begin
          used[w] = 0;
          out[w] = 0;
          live[w] = lanes;
          active[w] = lanes;
        end
        SSY: push(w, 1, target, was);
        BRANCH: begin
          if ((was & lanes) != 0 && (was & ~lanes) != 0) push(w, 0, pc, was & ~lanes);
          if ((was & lanes) != 0) begin
            active[w] = was & lanes;
            pc = target;
          end
        end
        POP: pop(w);
        default: begin
          live[w] = live[w] & ~lanes;
          active[w] = was & ~lanes;
          if (active[w] == 0) pop(w);
          if (active[w] == 0) ended = ended + 1;
        end
      endcase
    end
  endtask

  // --- An op, and what is due -------------------------------------------------------------------

  task run(input integer kind, input integer w, input [Lanes-1:0] lanes, input integer next,
           input integer target);
    integer clocks;
    begin
      op_valid_i = 1'b1;
      op_kind_i = kind;
      op_warp_i = w;
      op_active_i = kind == START ? 'x : active[w];
      op_lanes_i = lanes;
      op_pc_i = next;
      op_target_i = target;
      pc = next;
      model(kind, w, lanes, target);
      moved = 0;
      clocks = 1;
      @(posedge clk_i);
      while (op_ready_o !== 1'b1) begin
        if (done_valid_o !== 1'b0 && clocks > 1) fail("done before it was taken");
        clocks = clocks + 1;
        if (clocks > 1000 + 64 * Depth) fail("never taken");
        @(posedge clk_i);
      end
      @(negedge clk_i);
      op_valid_i = 1'b0;
      {op_kind_i, op_warp_i, op_active_i, op_lanes_i, op_pc_i, op_target_i} = 'x;
      ops = ops + 1;
      while (Equal == 0 && done_valid_o === 1'b0 && clocks < 1000) begin
        clocks = clocks + 1;
        @(negedge clk_i);
      end
      if (done_valid_o !== 1'b1) fail("not done");
      if (Equal != 0 && clocks - moved != 2 + 2 * popped - (sync >= 0)) fail("clocks");
      if (overflow_o !== loses) fail("overflow");
      if (count_o !== used[w] - out[w] * Chunk || chunks_o !== out[w]) fail("tokens");
      if (warp_mask_o !== active[w]) fail("threads");
      if (active[w] != 0 && warp_pc_o !== pc) fail("pc");
      if (sync >= 0 && sync_o !== sync) fail("kind of token");
    end
  endtask

  task expect_is(input integer at_pc, input [Lanes-1:0] mask);
    if (pc != at_pc || active[0] !== mask) fail("directed");
  endtask

  task directed;
    begin
      run(START, 0, 4'b1111, 0, 'x);
      run(SSY, 0, 'x, 1, 12);
      run(BRANCH, 0, 4'b1111, 11, 7);
      run(BRANCH, 0, 4'b0111, 11, 7);
      run(BRANCH, 0, 4'b0011, 11, 7);
      expect_is(7, 4'b0011);
      run(BRANCH, 0, 4'b0000, 11, 7);
      expect_is(11, 4'b0011);
      run(POP, 0, 'x, 'x, 'x);
      expect_is(11, 4'b0100);
      run(POP, 0, 'x, 'x, 'x);
      expect_is(11, 4'b1000);
      run(POP, 0, 'x, 'x, 'x);
      expect_is(12, 4'b1111);
      run(EXIT, 0, 4'b1111, 13, 'x);
      expect_is(13, 4'b0000);
    end
  endtask

  integer w, kind, lanes;
  initial begin
    for (w = 0; w < Warps; w = w + 1) active[w] = 0;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    directed;
    while (ops < Operations) begin
      w = pick(Warps);
      kind = pick(16);
      lanes = $random(seed);
      // One warp of many fills its place in memory.
      if (Warps > 8 && (pick(4) == 0 || ops > Operations / 2)) w = Warps - 1;
      if (w == Warps - 1 && Warps > 8 && pick(8) != 0) kind = 6;
      if (active[w] == 0) run(START, w, lanes[Lanes-1:0] == 0 ? 1 : lanes, 0, 'x);
      else if (kind == 0) run(EXIT, w, lanes, pick(32), 'x);
      else if (kind < 5 && used[w] > 0) run(POP, w, 'x, pick(32), 'x);
      else if (kind < 8) run(SSY, w, 'x, pick(32), pick(32));
      else run(BRANCH, w, lanes, pick(32), pick(32));
      repeat (pick(8) == 0 ? pick(4) : 0) begin
        @(negedge clk_i);
        if (done_valid_o !== 1'b0) fail("done twice");
      end
    end
    $display("%0d spills, %0d reloads, %0d lost, %0d passed, %0d warps end", spills, reloads, lost, passed,
             ended);
    if (spills == 0 || reloads == 0 || lost == 0 || passed == 0 || ended < 10) fail("coverage");
    $display("PASS");
    $finish;
  end

endmodule

`default_nettype wire
