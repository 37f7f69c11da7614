// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`include "shared/stays.svh"
`default_nettype none

// What warp_stack must do: plain stacks of whole entries, one a warp, which an op changes at once
// when it ends, are what the block shows and what it has in its memories. Beside that: clocks. Ours takes an op of another
// warp when it ends one, and tells the end in the clock after; any design tells it when it likes, and
// has no other op meanwhile.
module warp_stack_formal #(
  parameter int Warps = 2,
  parameter int Lanes = 2,
  parameter int Depth = 3,
  parameter int PcWidth = 2,
  parameter int Likely = 1,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + 4 * Depth,  // clocks that any design may take for an op, and to be done with it
  localparam int WarpWidth = simt_pkg::idx_width(Warps),
  localparam int DepthWidth = simt_pkg::idx_width(Depth + 1),
  localparam int IndexWidth = simt_pkg::idx_width(Depth)
) (
  input wire                 clk_i,
  input wire                 rst_ni,
  input wire                 op_valid_i,
  input wire [1:0]           op_kind_i,
  input wire [WarpWidth-1:0] op_warp_i,
  input wire [Lanes-1:0]     op_lanes_i,
  input wire [PcWidth-1:0]   op_pc_i,
  input wire [PcWidth-1:0]   op_target_i,
  input wire [PcWidth-1:0]   op_rpc_i,
  input wire                 op_likely_valid_i,
  input wire [PcWidth-1:0]   op_likely_i,
  input wire                 op_taken_first_i
);

  logic                  op_ready, done_valid, overflow;
  logic [PcWidth-1:0]    warp_pc;
  logic [Lanes-1:0]      warp_mask;
  logic [DepthWidth-1:0] depth;

  warp_stack #(.Warps(Warps), .Lanes(Lanes), .Depth(Depth), .PcWidth(PcWidth), .Likely(Likely)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .warp_pc_o   (warp_pc),
    .warp_mask_o (warp_mask),
    .depth_o     (depth),
    .overflow_o  (overflow),
    .*
  );

  `ASSUME_RESET_FIRST

  localparam logic [1:0] START = 2'd0, GO_ON = 2'd1, BRANCH = 2'd2, EXIT = 2'd3;

  // An entry, from its lowest bit.
  localparam int Pc = 0, Rpc = PcWidth, Who = 2 * PcWidth, Lpc = 2 * PcWidth + Lanes;
  localparam int Lpos = Lpc + PcWidth, EntryWidth = Lpos + IndexWidth;
  localparam int StackWidth = Depth * EntryWidth;

  logic [Warps*StackWidth-1:0] stacks_q;
  logic [Warps*DepthWidth-1:0] used_q;

  // --- The op on its way ------------------------------------------------------------------------

  localparam int OpWidth = 2 + WarpWidth + Lanes + 3 * PcWidth + 1 + PcWidth + 1;
  logic                 taken, finishes, busy_q, fresh_q;
  logic [OpWidth-1:0]   op, op_q;
  logic [1:0]           kind;
  logic [WarpWidth-1:0] warp;
  logic [Lanes-1:0]     lanes;
  logic [PcWidth-1:0]   pc, target, rpc, likely;
  logic                 likely_valid, taken_first;

  assign finishes = busy_q && (Equal ? op_ready : done_valid);  // the op on its way
  assign taken = op_valid_i && op_ready;
  assign {kind, warp, lanes, pc, target, rpc, likely_valid, likely, taken_first} = op_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      fresh_q <= 1'b0;
    end else begin
      busy_q <= taken || (busy_q && !finishes);
      fresh_q <= taken;
    end
  end
  always_ff @(posedge clk_i) if (taken) op_q <= op;
  assign op = {op_kind_i, op_warp_i, op_lanes_i, op_pc_i, op_target_i, op_rpc_i, op_likely_valid_i,
               op_likely_i, op_taken_first_i};

  // What ops may ask for.
  logic [DepthWidth-1:0] used_in;
  logic [Lanes-1:0]      mask_in;
  always_comb begin
    used_in = used_q[32'(op_warp_i)*DepthWidth +: DepthWidth];
    mask_in = '0;
    for (int i = 0; i < Depth; i++) begin
      if (i + 1 == 32'(used_in)) begin
        mask_in = stacks_q[32'(op_warp_i)*StackWidth + i*EntryWidth + Who +: Lanes];
      end
    end
  end

  `ASSUME(OneOpPerWarp, !op_valid_i || (32'(op_warp_i) < Warps && (!busy_q || op_warp_i != warp)))
  `ASSUME(StartedFirst, !op_valid_i || op_kind_i == START || used_in != '0)
  `ASSUME(StartsThreads, !op_valid_i || op_kind_i != START || op_lanes_i != '0)
  `ASSUME(Diverges, !op_valid_i || op_kind_i != BRANCH ||
                    ((mask_in & op_lanes_i) != '0 && (mask_in & ~op_lanes_i) != '0))
  `ASSUME(SidesPart, !op_valid_i || op_kind_i != BRANCH || op_pc_i != op_target_i)
  `ASSUME(LikelyBeforeRpc, !op_valid_i || op_kind_i != BRANCH || !op_likely_valid_i ||
                           op_likely_i != op_rpc_i)

  // --- What it makes of the stack ---------------------------------------------------------------

  // Down to the first entry that runs: {how many remain, stack}. On the way threads at their
  // likely-convergence point join its entry. The entry at the bottom runs while it has threads.
  function automatic logic [DepthWidth+StackWidth-1:0] settle(
      input logic [DepthWidth+StackWidth-1:0] from);
    logic                  stops, merges;
    logic [DepthWidth-1:0] left;
    logic [EntryWidth-1:0] entry;
    {left, settle[StackWidth-1:0]} = from;
    stops = 1'b0;
    for (int i = Depth - 1; i >= 0; i--) begin
      entry = settle[i*EntryWidth +: EntryWidth];
      if (!stops && 32'(left) == i + 1) begin
        merges = Likely != 0 && entry[Lpc +: PcWidth] != entry[Rpc +: PcWidth] &&
                 entry[Pc +: PcWidth] == entry[Lpc +: PcWidth];
        stops = entry[Who +: Lanes] != '0 &&
                (i == 0 || (!merges && entry[Pc +: PcWidth] != entry[Rpc +: PcWidth]));
        for (int j = 0; j < i; j++) begin
          if (!stops && merges && 32'(entry[Lpos +: IndexWidth]) == j) begin
            settle[j*EntryWidth + Who +: Lanes] = settle[j*EntryWidth + Who +: Lanes] |
                                                  entry[Who +: Lanes];
          end
        end
        if (!stops) left = DepthWidth'(i);
      end
    end
    settle[StackWidth +: DepthWidth] = left;
  endfunction

  // With one entry more, if there is one: {how many, stack}.
  function automatic logic [DepthWidth+StackWidth-1:0] push(
      input logic there, input logic [EntryWidth-1:0] entry,
      input logic [DepthWidth+StackWidth-1:0] from);
    push = from;
    for (int i = 0; i < Depth; i++) begin
      if (there && i == 32'(from[StackWidth +: DepthWidth])) push[i*EntryWidth +: EntryWidth] = entry;
    end
    push[StackWidth +: DepthWidth] = from[StackWidth +: DepthWidth] + DepthWidth'(there);
  endfunction

  logic [StackWidth-1:0]            stack;
  logic [DepthWidth+StackWidth-1:0] made, after;
  logic [DepthWidth-1:0]            used, used_after;
  logic [EntryWidth-1:0]            top;
  logic                             replaced, has_point, own_point, lost;
  logic [PcWidth-1:0]               point, first_pc, second_pc;
  logic [IndexWidth-1:0]            point_at;
  logic [Lanes-1:0]                 first, second;  // of the lanes, which side

  assign {first_pc, first} = taken_first ? {target, lanes} : {pc, ~lanes};
  assign {second_pc, second} = taken_first ? {pc, ~lanes} : {target, lanes};
  assign used_after = after[StackWidth +: DepthWidth];

  always_comb begin
    stack = stacks_q[32'(warp)*StackWidth +: StackWidth];
    used = used_q[32'(warp)*DepthWidth +: DepthWidth];
    top = '0;
    for (int i = 0; i < Depth; i++) begin
      if (i + 1 == 32'(used)) top = stack[i*EntryWidth +: EntryWidth];
    end
    replaced = top[Rpc +: PcWidth] == rpc;
    has_point = Likely != 0 && replaced && top[Lpc +: PcWidth] != rpc;
    point = has_point ? top[Lpc +: PcWidth] : rpc;
    point_at = top[Lpos +: IndexWidth];
    own_point = Likely != 0 && likely_valid && !(has_point && point == likely);
    lost = kind == BRANCH && 32'(used) - 32'(replaced) + 32'(own_point) + 32'(pc != rpc) +
                             32'(target != rpc) > Depth;
  end

  always_comb begin : apply
    made = {used, stack};
    for (int i = 0; i < Depth; i++) begin
      if (kind == EXIT) begin
        made[i*EntryWidth + Who +: Lanes] = made[i*EntryWidth + Who +: Lanes] & ~lanes;
      end
      if (i + 1 == 32'(used)) made[i*EntryWidth + Pc +: PcWidth] = kind == BRANCH ? rpc : pc;
    end
    if (kind == START) begin
      made = {DepthWidth'(1), StackWidth'({IndexWidth'(0), rpc, lanes, rpc, PcWidth'(0)})};
    end
    if (kind == BRANCH) begin
      made[StackWidth +: DepthWidth] = used - DepthWidth'(replaced);
      made = push(own_point, {point_at, point, Lanes'(0), rpc, likely}, made);
      made = push(second_pc != rpc, {own_point ? IndexWidth'(used - DepthWidth'(replaced)) : point_at,
                                     own_point ? likely : point, top[Who +: Lanes] & second, rpc,
                                     second_pc}, made);
      made = push(first_pc != rpc, {own_point ? IndexWidth'(used - DepthWidth'(replaced)) : point_at,
                                    own_point ? likely : point, top[Who +: Lanes] & first, rpc,
                                    first_pc}, made);
    end
    after = lost ? {used, stack} : settle(made);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) used_q <= '0;
    else if (finishes) used_q[32'(warp)*DepthWidth +: DepthWidth] <= used_after;
  end
  always_ff @(posedge clk_i) begin
    if (finishes) stacks_q[32'(warp)*StackWidth +: StackWidth] <= after[StackWidth-1:0];
  end

  // --- What it shows ----------------------------------------------------------------------------

  logic                  is_due, lost_due;  // of the op that is done
  logic [DepthWidth-1:0] depth_due;
  logic [EntryWidth-1:0] top_after, top_due;

  always_comb begin
    top_after = '0;
    for (int i = 0; i < Depth; i++) if (i + 1 == 32'(used_after)) top_after = after[i*EntryWidth +: EntryWidth];
  end
  if (Equal) begin : gen_equal
    logic                  done_q, lost_q;
    logic [DepthWidth-1:0] depth_q;
    logic [EntryWidth-1:0] top_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) done_q <= 1'b0;
      else done_q <= finishes;
    end
    always_ff @(posedge clk_i) {lost_q, depth_q, top_q} <= {lost, used_after, top_after};
    assign {is_due, lost_due, depth_due, top_due} = {done_q, lost_q, depth_q, top_q};
    `ASSERT(DoneAfterIt, done_valid == done_q)
    `ASSERT(ReadyWhenFree, busy_q || op_ready)
    // One a clock, while none pops or diverges.
    `ASSERT(OneAClock, !fresh_q || finishes || kind == BRANCH || (kind != START && used_after < used))
  end else begin : gen_contract
    assign {is_due, lost_due, depth_due, top_due} = {busy_q, lost, used_after, top_after};
    `ASSERT_WITHIN(NoneLost, Patience, busy_q ? done_valid : op_ready || !op_valid_i)
    `ASSUME(OneAtATime, !busy_q || done_valid || !op_valid_i)
    `ASSUME_STAYS(OpStays, op_valid_i, op_ready, op)
  end

  `ASSERT(NoneInvented, !done_valid || is_due)
  `ASSERT(Overflow, !done_valid || overflow == lost_due)
  `ASSERT(Entries, !done_valid || depth == depth_due)
  `ASSERT(WhereAndWho, !done_valid || lost_due || depth == '0 ||
                       (warp_pc == top_due[Pc +: PcWidth] && warp_mask == top_due[Who +: Lanes]))
  `ASSERT(SomethingRuns, !done_valid || lost_due || depth == '0 || warp_mask != '0)
  `COVER(Merges, finishes && kind == GO_ON && used_after + DepthWidth'(1) < used)
  `COVER(Lost, done_valid && overflow)

`ifndef PORTS_ONLY
  // --- For the induction ------------------------------------------------------------------------

  (* hierconn *) wire [2:0] \dut.state_q ;
  (* hierconn *) wire \dut.finishes ;
  (* hierconn *) wire [Warps*Depth*(Likely != 0 ? EntryWidth : Lpc)-1:0] \dut.u_entries.words ;
  (* hierconn *) wire [Warps*Lanes-1:0] \dut.u_live.words ;
  (* hierconn *) wire [Warps*DepthWidth-1:0] \dut.depths_q ;
  (* hierconn *) wire [DepthWidth-1:0] \dut.used_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.top_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.live_q ;
  (* hierconn *) wire [OpWidth-PcWidth-1:0] \dut.op_q ;

  localparam int WordWidth = Likely != 0 ? EntryWidth : Lpc;
  localparam logic [2:0] DECIDE = 3'd1, LIKELY = 3'd2, SECOND = 3'd3, FIRST = 3'd4, MERGE = 3'd5;
  logic [2:0] state;
  assign state = \dut.state_q ;

  // An entry as it counts: without a likely-convergence point, lpos says nothing.
  function automatic logic [EntryWidth-1:0] plain(input logic [EntryWidth-1:0] entry);
    plain = entry;
    if (Likely == 0) plain[Lpc +: PcWidth] = entry[Rpc +: PcWidth];
    if (plain[Lpc +: PcWidth] == entry[Rpc +: PcWidth]) plain[Lpos +: IndexWidth] = '0;
  endfunction

  // What a warp's memory holds.
  function automatic logic [StackWidth-1:0] held_by(input logic [Depth*WordWidth-1:0] words,
                                                    input logic [Lanes-1:0] live);
    logic [EntryWidth-1:0] entry;
    for (int i = 0; i < Depth; i++) begin
      entry = EntryWidth'(words[i*WordWidth +: WordWidth]);
      entry[Who +: Lanes] = entry[Who +: Lanes] & live;
      held_by[i*EntryWidth +: EntryWidth] = plain(entry);
    end
  endfunction

  // Of other warps than the op's the memory has the plain stack; of its warp as long as nothing was
  // done to it, too.
  logic                  same, below;
  logic [StackWidth-1:0] held, due;

  always_comb begin
    same = 1'b1;
    below = 1'b1;
    held = '0;
    due = '0;
    for (int w = 0; w < Warps; w++) begin
      held = held_by(\dut.u_entries.words [w*Depth*WordWidth +: Depth*WordWidth],
                     \dut.u_live.words [w*Lanes +: Lanes]);
      due = stacks_q[w*StackWidth +: StackWidth];
      for (int i = 0; i < Depth; i++) begin
        if (i + 1 == 32'(used_q[w*DepthWidth +: DepthWidth])) begin
          held[i*EntryWidth + Pc +: PcWidth] = due[i*EntryWidth + Pc +: PcWidth];
        end
        if (i < 32'(used_q[w*DepthWidth +: DepthWidth])) begin
          if (held[i*EntryWidth +: EntryWidth] != plain(due[i*EntryWidth +: EntryWidth]) &&
              (!busy_q || fresh_q || w != 32'(warp))) same = 1'b0;
          if (due[i*EntryWidth + Lpc +: PcWidth] != due[i*EntryWidth + Rpc +: PcWidth] &&
              (32'(due[i*EntryWidth + Lpos +: IndexWidth]) >= i || Likely == 0)) below = 1'b0;
        end
      end
    end
  end

  // What the op will have made of its warp's, once it has done what is left to do.
  logic [StackWidth-1:0]            now;
  logic [DepthWidth+StackWidth-1:0] rest;
  logic [EntryWidth-1:0]            top_read;
  logic [Lanes-1:0]                 live;
  logic                             leads_there, bounded, top_same, top_held;

  always_comb begin
    live = \dut.u_live.words [32'(warp)*Lanes +: Lanes];
    now = held_by(\dut.u_entries.words [32'(warp)*Depth*WordWidth +: Depth*WordWidth], live);
    top_read = \dut.top_q ;
    if (Likely == 0) top_read[Lpc +: PcWidth] = rpc;
    rest = {\dut.used_q , now};
    if (state == LIKELY) begin
      rest = push(1'b1, {top_read[Lpos +: IndexWidth], top_read[Lpc +: PcWidth], Lanes'(0), rpc,
                         likely}, rest);
      top_read[Lpc +: PcWidth] = likely;
      top_read[Lpos +: IndexWidth] = IndexWidth'(\dut.used_q );
    end
    if (state == LIKELY || state == SECOND) begin
      rest = push(second_pc != rpc, {top_read[Lpc +: PcWidth + IndexWidth],
                                     top_read[Who +: Lanes] & second, rpc, second_pc}, rest);
    end
    if (state == LIKELY || state == SECOND || state == FIRST) begin
      rest = push(first_pc != rpc, {top_read[Lpc +: PcWidth + IndexWidth],
                                    top_read[Who +: Lanes] & first, rpc, first_pc}, rest);
    end
    bounded = 32'(rest[StackWidth +: DepthWidth]) <= Depth && rest[StackWidth +: DepthWidth] != '0 &&
              rest[StackWidth +: DepthWidth] >= \dut.used_q ;
    top_held = 1'b1;
    for (int i = 0; i < Depth; i++) begin
      if (i + 1 == 32'(\dut.used_q ) && state == DECIDE &&
          plain(now[i*EntryWidth +: EntryWidth]) != plain(top_read)) top_held = 1'b0;
      if (i < 32'(rest[StackWidth +: DepthWidth]) &&
          rest[i*EntryWidth + Lpc +: PcWidth] != rest[i*EntryWidth + Rpc +: PcWidth] &&
          32'(rest[i*EntryWidth + Lpos +: IndexWidth]) >= i) bounded = 1'b0;
      if (state == MERGE && i == 32'(top_read[Lpos +: IndexWidth])) begin
        rest[i*EntryWidth + Who +: Lanes] = rest[i*EntryWidth + Who +: Lanes] |
                                            top_read[Who +: Lanes];
      end
    end
    if (state == MERGE && 32'(top_read[Lpos +: IndexWidth]) >= 32'(\dut.used_q )) bounded = 1'b0;
    if ((top_read[Who +: Lanes] & ~live) != '0 && !fresh_q) top_held = 1'b0;
    rest = settle(rest);
    leads_there = rest[StackWidth +: DepthWidth] == used_after;
    for (int i = 0; i < Depth; i++) begin
      if (i < 32'(used_after) && plain(rest[i*EntryWidth +: EntryWidth]) !=
                                 plain(after[i*EntryWidth +: EntryWidth])) leads_there = 1'b0;
    end
    top_read = top;
    top_read[Pc +: PcWidth] = pc;
    if (kind == EXIT) top_read[Who +: Lanes] = top_read[Who +: Lanes] & ~lanes;
    top_same = plain(\dut.top_q ) == plain(top_read) && \dut.used_q == used &&
               \dut.live_q == (live & ~(kind == EXIT ? lanes : '0));
  end

  `ASSERT(Busy, busy_q == (state != 3'd0))
  `ASSERT(SameEnd, \dut.finishes == finishes)
  `ASSERT(SameDepths, \dut.depths_q == used_q)
  `ASSERT(SameOp, !busy_q || (\dut.op_q [OpWidth-PcWidth-3:0] ==
                              {op_q[OpWidth-3 -: WarpWidth + Lanes], op_q[3*PcWidth+1:0]}))
  `ASSERT(SameKind, state != DECIDE || \dut.op_q [OpWidth-PcWidth-1 -: 2] == (fresh_q ? kind : GO_ON))
  `ASSERT(FreshDecides, !fresh_q || (busy_q && state == DECIDE))
  `ASSERT(SameEntries, same)
  `ASSERT(PointsBelow, below)
  `ASSERT(SameTop, !fresh_q || kind == START || top_same)
  `ASSERT(LeadsThere, !busy_q || fresh_q || (leads_there && bounded && top_held && !lost))
  `ASSERT(SameLive, !busy_q || fresh_q || \dut.live_q == live)
  `ASSERT(NotAfterStart, !busy_q || fresh_q || kind != START)
  `ASSERT(SecondThere, state != SECOND || second_pc != rpc)
  `ASSERT(OnlyBranches, (state != LIKELY && state != SECOND && state != FIRST) ||
                        (kind == BRANCH && \dut.top_q [PcWidth-1:0] == pc))
  `ASSERT(SoAsked, !busy_q || kind == START ||
                   (used != '0 && (kind != BRANCH || ((top[Who +: Lanes] & lanes) != '0 &&
                    (top[Who +: Lanes] & ~lanes) != '0 && pc != target &&
                    (!likely_valid || likely != rpc)))))
  `ASSERT(LikelyOnly, Likely != 0 || (state != LIKELY && state != MERGE))
`endif

endmodule

`default_nettype wire
