// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`include "shared/stays.svh"
`default_nettype none

// What token_stack must do: plain stacks of tokens, one a warp, which an op changes at once when it
// ends, are what the block shows and what it and the memory have.
module token_stack_formal #(
  parameter int Warps = 2,
  parameter int Lanes = 2,
  parameter int Entries = 2,
  parameter int Chunk = 2,
  parameter int Chunks = 1,
  parameter int PcWidth = 1,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + 4 * (Entries + Chunk * Chunks),  // clocks that any design may take for an op, and to be done with it
  localparam int WarpWidth = simt_pkg::idx_width(Warps)
) (
  input wire                 clk_i,
  input wire                 rst_ni,
  input wire                 op_valid_i,
  input wire [2:0]           op_kind_i,
  input wire [WarpWidth-1:0] op_warp_i,
  input wire [Lanes-1:0]     op_active_i,
  input wire [Lanes-1:0]     op_lanes_i,
  input wire [PcWidth-1:0]   op_pc_i,
  input wire [PcWidth-1:0]   op_target_i,
  input wire                 mem_ready_i
);

  localparam int CountWidth = simt_pkg::idx_width(Entries + 1);
  localparam int BeatWidth = simt_pkg::idx_width(Chunk);
  localparam int OutWidth = simt_pkg::idx_width(Chunks + 1);
  localparam int SlotWidth = simt_pkg::idx_width(Entries);
  localparam int TokenWidth = 1 + PcWidth + Lanes;
  localparam int Depth = Entries + Chunks * Chunk;
  localparam int DepthWidth = simt_pkg::idx_width(Depth + 1);
  localparam int StackWidth = Depth * TokenWidth;
  localparam int WordWidth = OutWidth + CountWidth + SlotWidth + Lanes;

  logic                  op_ready, done_valid, popped_sync, overflow, mem_valid, mem_write;
  logic [PcWidth-1:0]    warp_pc;
  logic [Lanes-1:0]      warp_mask;
  logic [CountWidth-1:0] count;
  logic [OutWidth-1:0]   chunks, mem_chunk;
  logic [WarpWidth-1:0]  mem_warp;
  logic [BeatWidth-1:0]  mem_token;
  logic [TokenWidth-1:0] mem_data, mem_read;

  token_stack #(.Warps(Warps), .Lanes(Lanes), .Entries(Entries), .Chunk(Chunk), .Chunks(Chunks),
                .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .warp_pc_o   (warp_pc),
    .warp_mask_o (warp_mask),
    .sync_o      (popped_sync),
    .count_o     (count),
    .chunks_o    (chunks),
    .overflow_o  (overflow),
    .mem_valid_o (mem_valid),
    .mem_write_o (mem_write),
    .mem_warp_o  (mem_warp),
    .mem_chunk_o (mem_chunk),
    .mem_token_o (mem_token),
    .mem_data_o  (mem_data),
    .mem_data_i  (mem_read),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam logic [2:0] START = 3'd0, SSY = 3'd1, BRANCH = 3'd2, POP = 3'd3, EXIT = 3'd4;

  // --- The memory -------------------------------------------------------------------------------

  logic [Warps*StackWidth-1:0] memory_q;  // the lowest Chunks * Chunk tokens of each are used
  logic [31:0]                 mem_at;

  assign mem_at = (32'(mem_warp) * Depth + 32'(mem_chunk) * Chunk + 32'(mem_token)) * TokenWidth;
  assign mem_read = memory_q[mem_at +: TokenWidth];
  always_ff @(posedge clk_i) begin
    if (mem_valid && mem_ready_i && mem_write) memory_q[mem_at +: TokenWidth] <= mem_data;
  end

  `ASSERT_STAYS(BeatStays, mem_valid, mem_ready_i, {mem_write, mem_warp, mem_chunk, mem_token, mem_data})
  if (!Equal) begin : gen_memory
    // It answers in the second clock at the latest, lest it take a design's patience.
    logic waits_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waits_q <= 1'b0;
      else waits_q <= mem_valid && !mem_ready_i;
    end
    `ASSUME(MemoryAnswers, mem_ready_i || !waits_q)
  end
  `ASSERT(WithinMemory, !mem_valid || (32'(mem_chunk) < Chunks && 32'(mem_token) < Chunk))

  // --- The op -----------------------------------------------------------------------------------

  localparam int OpWidth = 3 + WarpWidth + 2 * Lanes + 2 * PcWidth;
  logic               fresh_q, finishes;  // fresh_q: in the second clock of an op
  logic [OpWidth-1:0] op;

  assign op = {op_kind_i, op_warp_i, op_active_i, op_lanes_i, op_pc_i, op_target_i};
  assign finishes = op_valid_i && op_ready;
  `include "shared/one_operation.svh"

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_q <= 1'b0;
    else fresh_q <= op_valid_i && !busy_q;
  end

  logic [Warps*StackWidth-1:0] stacks_q;
  logic [Warps*DepthWidth-1:0] depths_q;
  logic [Warps*OutWidth-1:0]   outs_q;
  logic [Warps*Lanes-1:0]      lives_q;
  logic [Warps-1:0]            started_q;
  logic [StackWidth-1:0]       stack;
  logic [DepthWidth-1:0]       depth;
  logic [OutWidth-1:0]         out;
  logic [Lanes-1:0]            live;

  assign stack = stacks_q[32'(op_warp_i)*StackWidth +: StackWidth];
  assign depth = depths_q[32'(op_warp_i)*DepthWidth +: DepthWidth];
  assign out = outs_q[32'(op_warp_i)*OutWidth +: OutWidth];
  assign live = lives_q[32'(op_warp_i)*Lanes +: Lanes];

  `ASSUME(KindKnown, !op_valid_i || (op_kind_i <= EXIT && 32'(op_warp_i) < Warps))
  `ASSUME(StartedFirst, !op_valid_i || op_kind_i == START || started_q[op_warp_i])
  `ASSUME(ActiveThreadsLive, !op_valid_i || op_kind_i == START ||
                             (op_active_i != '0 && (op_active_i & ~live) == '0))

  // --- What it makes of the stack ---------------------------------------------------------------

  logic [Lanes-1:0]      taken, fall, live_after, mask_after;
  logic [PcWidth-1:0]    pc_after;
  logic                  pushes, pops, lost, sync_after, found;
  logic [TokenWidth-1:0] pushed;
  logic [StackWidth-1:0] after;
  logic [DepthWidth-1:0] depth_after;
  logic [OutWidth-1:0]   out_after;

  assign taken = op_active_i & op_lanes_i;
  assign fall = op_active_i & ~op_lanes_i;
  assign pushes = op_kind_i == SSY || (op_kind_i == BRANCH && taken != '0 && fall != '0);
  assign pops = op_kind_i == POP || (op_kind_i == EXIT && fall == '0);
  assign lost = pushes && 32'(depth) == Depth;
  assign pushed = op_kind_i == SSY ? {1'b1, op_target_i, op_active_i} : {1'b0, op_pc_i, fall};

  // A token without threads is popped on the way; where there is no other, the active threads go on.
  always_comb begin : apply
    live_after = op_kind_i == EXIT ? live & ~op_lanes_i : op_kind_i == START ? op_lanes_i : live;
    after = stack;
    depth_after = depth;
    out_after = out;
    sync_after = 1'b0;
    found = 1'b0;
    pc_after = op_pc_i;
    mask_after = op_active_i & live_after;
    for (int i = 0; i < Depth; i++) begin
      after[i*TokenWidth +: Lanes] = stack[i*TokenWidth +: Lanes] & live_after;
      if (pushes && i == 32'(depth)) after[i*TokenWidth +: TokenWidth] = pushed;
    end
    if (op_kind_i == START) begin
      depth_after = '0;
      out_after = '0;
      mask_after = op_lanes_i;
    end
    if (op_kind_i == BRANCH && taken != '0) begin
      mask_after = taken;
      pc_after = op_target_i;
    end
    if (pushes && !lost) begin
      depth_after = depth + DepthWidth'(1);
      if (32'(depth) == 32'(out) * Chunk + Entries) out_after = out + OutWidth'(1);
    end
    if (pops) begin
      depth_after = '0;
      out_after = '0;
      for (int i = Depth - 1; i >= 0; i--) begin
        if (!found && i < 32'(depth) && after[i*TokenWidth +: Lanes] != '0) begin
          found = 1'b1;
          {sync_after, pc_after, mask_after} = after[i*TokenWidth +: TokenWidth];
          depth_after = DepthWidth'(i);
          out_after = 32'(out) > i / Chunk ? OutWidth'(i / Chunk) : out;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= '0;
    else if (finishes) started_q[op_warp_i] <= 1'b1;
  end
  always_ff @(posedge clk_i) if (finishes) begin
    stacks_q[32'(op_warp_i)*StackWidth +: StackWidth] <= after;
    depths_q[32'(op_warp_i)*DepthWidth +: DepthWidth] <= depth_after;
    outs_q[32'(op_warp_i)*OutWidth +: OutWidth] <= out_after;
    lives_q[32'(op_warp_i)*Lanes +: Lanes] <= live_after;
  end

  // --- What it shows ----------------------------------------------------------------------------

  logic                  lost_q, popped_q, sync_q;
  logic [DepthWidth-1:0] depth_q;
  logic [OutWidth-1:0]   out_q;
  logic [PcWidth-1:0]    pc_q;
  logic [Lanes-1:0]      mask_q;

  always_ff @(posedge clk_i) if (finishes) begin
    {lost_q, popped_q, sync_q} <= {lost, pops && found, sync_after};
    {depth_q, out_q, pc_q, mask_q} <= {depth_after, out_after, pc_after, mask_after};
  end

  `ASSERT(Overflow, !done_valid || overflow == lost_q)
  `ASSERT(Tokens, !done_valid || (32'(chunks) * Chunk + 32'(count) == 32'(depth_q) && chunks == out_q))
  `ASSERT(Who, !done_valid || warp_mask == mask_q)
  `ASSERT(Where, !done_valid || mask_q == '0 || warp_pc == pc_q)
  `ASSERT(Kind, !done_valid || !popped_q || popped_sync == sync_q)
  if (Equal) begin : gen_clocks
    `ASSERT(InTwoClocks, !fresh_q || mem_valid || pops || op_ready)
  end
  `COVER(Lost, done_valid && overflow)
  `COVER(ComesBack, finishes && pops && found && out_after < out)
  `COVER(PassesOne, finishes && pops && found && depth_after + DepthWidth'(1) < depth)

`ifndef PORTS_ONLY
  // --- For the induction ------------------------------------------------------------------------

  (* hierconn *) wire [1:0] \dut.state_q ;
  (* hierconn *) wire [WordWidth-1:0] \dut.warp_q ;
  (* hierconn *) wire [TokenWidth-1:0] \dut.res_q ;
  (* hierconn *) wire [BeatWidth-1:0] \dut.beat_q ;
  (* hierconn *) wire [Warps*Entries*TokenWidth-1:0] \dut.u_tokens.words ;
  (* hierconn *) wire [Warps*WordWidth-1:0] \dut.u_warps.words ;

  localparam logic [1:0] ACT = 2'd1, POPPED = 2'd2;

  // Of the op's warp, in the middle of it: tokens it still has, of which so many on the core.
  logic [OutWidth-1:0]   out_now;
  logic [CountWidth-1:0] count_now;
  logic [SlotWidth-1:0]  next_now;
  logic [Lanes-1:0]      live_now;
  logic [31:0]           depth_now;
  logic                  goes_on;
  logic [1:0]            state;

  assign state = \dut.state_q ;

  assign {out_now, count_now, next_now, live_now} = \dut.warp_q ;
  assign depth_now = 32'(out_now) * Chunk + 32'(count_now) +
                     (pushes ? 32'(\dut.beat_q ) : 0 - 32'(\dut.beat_q ));

  always_comb begin
    goes_on = 32'(count_now) <= Entries && 32'(out_now) <= Chunks && 32'(\dut.beat_q ) < Chunk &&
              32'(next_now) == depth_now % Entries && live_now == live_after;
    if (op_kind_i == START) begin
      if (depth_now != 0 || out_now != '0 || count_now != '0 || \dut.beat_q != '0) goes_on = 1'b0;
    end else if (!pops) begin
      if (depth_now != 32'(depth)) goes_on = 1'b0;
      if (out_now != out && !(pushes && out_now == out_after)) goes_on = 1'b0;
      if (out_now != out && (\dut.beat_q != '0 || lost)) goes_on = 1'b0;
      if (\dut.beat_q != '0 && (!pushes || 32'(depth) != 32'(out) * Chunk + Entries || 32'(out) == Chunks))
        goes_on = 1'b0;
    end else begin
      if (depth_now > 32'(depth) || 32'(out_now) > 32'(out)) goes_on = 1'b0;
      if (out_now < out && depth_now > (32'(out_now) + 1) * Chunk) goes_on = 1'b0;
      if (\dut.beat_q != '0 && (count_now != CountWidth'(\dut.beat_q ) || out_now == '0)) goes_on = 1'b0;
      for (int i = 0; i < Depth; i++) begin
        if (i < 32'(depth) && i >= depth_now) begin
          if (state == POPPED && i == depth_now) begin
            if (after[i*TokenWidth +: TokenWidth] !=
                {\dut.res_q [TokenWidth-1:Lanes], \dut.res_q [Lanes-1:0] & live_after}) goes_on = 1'b0;
          end else if (after[i*TokenWidth +: Lanes] != '0) goes_on = 1'b0;
        end
      end
    end
    if (state == POPPED && (!pops || \dut.beat_q != '0 || depth_now >= 32'(depth))) goes_on = 1'b0;
  end

  // The topmost tokens are on the core, the others in memory.
  logic                  same_words, same_tokens;
  logic [31:0]           has, on_core;
  logic [TokenWidth-1:0] token;

  always_comb begin
    same_words = 1'b1;
    same_tokens = 1'b1;
    has = '0;
    on_core = '0;
    token = '0;
    for (int w = 0; w < Warps; w++) begin
      has = 32'(depths_q[w*DepthWidth +: DepthWidth]);
      on_core = has - 32'(outs_q[w*OutWidth +: OutWidth]) * Chunk;
      if (started_q[w]) begin
        if (on_core > Entries || 32'(outs_q[w*OutWidth +: OutWidth]) > Chunks ||
            \dut.u_warps.words [w*WordWidth +: WordWidth] !=
            {outs_q[w*OutWidth +: OutWidth], CountWidth'(on_core), SlotWidth'(has % Entries),
             lives_q[w*Lanes +: Lanes]}) same_words = 1'b0;
      end
      if (state != '0 && w == 32'(op_warp_i)) begin
        has = depth_now;
        on_core = 32'(count_now);
      end
      for (int i = 0; i < Depth; i++) begin
        token = \dut.u_tokens.words [(w*Entries + i % Entries)*TokenWidth +: TokenWidth];
        if (i + on_core < has) token = memory_q[(w*Depth + i)*TokenWidth +: TokenWidth];
        token[Lanes-1:0] = token[Lanes-1:0] & lives_q[w*Lanes +: Lanes];
        if (started_q[w] && i < has && token != stacks_q[(w*Depth + i)*TokenWidth +: TokenWidth])
          same_tokens = 1'b0;
      end
    end
  end

  `ASSERT(Works, busy_q == (state == ACT || state == POPPED) && state != 2'd3)
  `ASSERT(NoBeat, state == ACT || \dut.beat_q == '0)
  `ASSERT(SecondClock, !fresh_q || state == ACT)
  `ASSERT(GoesOn, state == '0 || goes_on)
  `ASSERT(SameWords, same_words)
  `ASSERT(SameTokens, same_tokens)
`endif

endmodule

`default_nettype wire
