// SPDX-License-Identifier: Apache-2.0
// Part of block_stack_formal: the plain stack, which an op changes at once when it comes. The block
// must show the same when it is done with the op.

  localparam int EntryWidth = Threads + WordWidth;  // threads, then the word
  localparam int StackWidth = Depth * EntryWidth, Who = WordWidth;

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
        if (entry[LpcValid] && entry[Lpc +: PcWidth] == entry[Pc +: PcWidth]) begin
          for (int j = 0; j < i; j++) begin
            if (32'(entry[Lpos +: IndexWidth]) == j) begin
              settle[j*EntryWidth + Who +: Threads] =
                  settle[j*EntryWidth + Who +: Threads] | entry[Who +: Threads];
            end
          end
        end else if (entry[Pc +: PcWidth] != entry[Rpc +: PcWidth]) begin
          runs = entry[Who +: Threads] != '0;
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
    logic [DepthWidth-1:0] used_q, used_d, top_q, top_d;  // entries, and the top's index
    logic                  filling_q, filling_d, empty_q, empty_d;
    logic [EntryWidth-1:0]                top, likely, target, entry;

    assign top = stack_q[32'(top_q) * EntryWidth +: EntryWidth];

    // The entries of a branch, without threads; the fall-through target has another pc. A top that
    // makes room for them leaves its likely-convergence point to them.
    always_comb begin : branch_entries
      likely = '0;
      likely[Pc +: PcWidth] = op_likely_i;
      likely[Rpc +: PcWidth] = op_rpc_i;
      if (top[Rpc +: PcWidth] == op_rpc_i) begin
        likely[LpcValid] = top[LpcValid];
        likely[Lpc +: PcWidth] = top[Lpc +: PcWidth];
        likely[Lpos +: IndexWidth] = top[Lpos +: IndexWidth];
      end
      target = likely;
      target[Pc +: PcWidth] = op_target_i;
      if (makes_likely) begin
        target[LpcValid] = 1'b1;
        target[Lpc +: PcWidth] = op_likely_i;
        target[Lpos +: IndexWidth] =
            IndexWidth'(top[Rpc +: PcWidth] == op_rpc_i ? top_q : top_q + DepthWidth'(1));
      end
    end

    always_comb begin : next
      stack_d = stack_q;
      used_d = used_q;
      top_d = top_q;
      filling_d = filling_q;
      empty_d = empty_q;
      if (op_kind_i == BRANCH && !lost) begin
        filling_d = 1'b1;
        if (!filling_q) used_d = used_q + DepthWidth'(makes_likely ? 3 : 2);
      end
      for (int i = 0; i < Depth; i++) begin
        entry = stack_q[i*EntryWidth +: EntryWidth];
        if (op_kind_i == BRANCH && !lost) begin
          if (!filling_q && i == 32'(top_q)) entry[Pc +: PcWidth] = op_rpc_i;
          if (!filling_q && makes_likely && i + 3 == 32'(used_d)) entry = likely;
          if (!filling_q && (i + 2 == 32'(used_d) || i + 1 == 32'(used_d))) entry = target;
          if (!filling_q && i + 2 == 32'(used_d)) entry[Pc +: PcWidth] = op_pc_i + PcWidth'(1);
          if (i + 2 == 32'(used_d)) entry[Who +: Threads] = entry[Who +: Threads] | op_fall_i;
          if (i + 1 == 32'(used_d)) entry[Who +: Threads] = entry[Who +: Threads] | op_threads_i;
        end
        if (op_kind_i == ARRIVE && i == 32'(top_q)) entry[Pc +: PcWidth] = op_pc_i;
        if (op_kind_i == EXIT) entry[Who +: Threads] = entry[Who +: Threads] & ~op_threads_i;
        stack_d[i*EntryWidth +: EntryWidth] = entry;
      end
      if (op_kind_i == START) begin
        entry = '0;
        entry[Rpc +: PcWidth] = op_rpc_i;
        entry[Who +: Threads] = op_threads_i;
        {empty_d, used_d, stack_d} = settle({{StackWidth - EntryWidth{1'b0}}, entry},
                                            DepthWidth'(1));
      end
      if (op_kind_i == ADVANCE && !empty_q) begin
        if (filling_q) begin
          if (!op_taken_first_i) stack_d = swap(stack_d, used_q);
          {used_d, stack_d} = make_room(stack_d, top_q, used_q);
        end
        {empty_d, used_d, stack_d} = settle(stack_d, used_d);
      end
      if (op_kind_i == START || op_kind_i == ADVANCE) begin
        top_d = used_d - DepthWidth'(1);
        filling_d = 1'b0;
      end
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

    `ASSERT(SameDepth, !between || depth == used_q)
    `ASSERT(SameFilling, !between || filling == filling_q)
    `ASSERT(SameEmpty, !between || empty == empty_q)
    `ASSERT(SameTop, !between || empty ||
                     {top_pc, top_rpc, lpc_valid} == top[LpcValid +: 2 * PcWidth + 1])
    `ASSERT(SameLikely, !between || empty || !lpc_valid || top_lpc == top[Lpc +: PcWidth])
    `ASSERT(SameThreads, !between || empty || top_threads == top[Who +: Threads])

    // No thread is lost: the block is not empty before all have exited. That is so in a flow where
    // the threads of a top that branches have all come to the branch before the advance, where none
    // goes to the kernel's end but by exit, and where only the entry at the bottom, or what took
    // its place, has branches that reconverge there.
    logic               orderly_q, orderly;
    logic [Threads-1:0] left_q, came_q;  // have not exited; have come to the top's branch
    logic [PcWidth-1:0] end_q;

    always_comb begin : flow
      orderly = orderly_q;
      if (op_kind_i == START) orderly = op_rpc_i != '0;
      if (op_kind_i == BRANCH && !lost && !filling_q) begin
        if (op_target_i == end_q || op_pc_i + PcWidth'(1) == end_q) orderly = 1'b0;
        if (op_likely_valid_i && op_likely_i == end_q) orderly = 1'b0;
        if (op_rpc_i == end_q && top[Rpc +: PcWidth] != end_q) orderly = 1'b0;
      end
      if (op_kind_i == ARRIVE && op_pc_i == end_q) orderly = 1'b0;
      if (op_kind_i == ADVANCE && filling_q && (top[Who +: Threads] & ~came_q) != '0) begin
        orderly = 1'b0;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) orderly_q <= 1'b0;
      else if (begins) orderly_q <= orderly;
    end
    always_ff @(posedge clk_i) if (begins) begin
      if (op_kind_i == START) end_q <= op_rpc_i;
      if (op_kind_i == START) left_q <= op_threads_i;
      if (op_kind_i == EXIT) left_q <= left_q & ~op_threads_i;
      if (op_kind_i == BRANCH && !lost) begin
        came_q <= (filling_q ? came_q : '0) | op_threads_i | op_fall_i;
      end
    end

    `ASSERT(NoneLost, !orderly_q || !empty_q || left_q == '0)
    `ASSERT(NoneInvented, !between || !orderly_q || empty || (top_threads & ~left_q) == '0)

`ifndef PORTS_ONLY
    // For the induction: every thread is in an entry, and where it waits for the one that it is in,
    // there is an entry of it below. Between an entry and that of its likely-convergence point all
    // reconverge at one point.
    logic               kept;
    logic [Threads-1:0] somewhere, waiting;
    logic [EntryWidth-1:0] upper, lower;

    always_comb begin : conservation
      kept = top_q < used_q;
      somewhere = filling_q ? top[Who +: Threads] & ~came_q : '0;
      waiting = '0;
      for (int i = 0; i < Depth; i++) begin
        upper = stack_q[i*EntryWidth +: EntryWidth];
        waiting = '0;
        for (int j = 0; j < i; j++) begin
          lower = stack_q[j*EntryWidth +: EntryWidth];
          if (lower[Pc +: PcWidth] == upper[Rpc +: PcWidth] &&
              lower[Pc +: PcWidth] != lower[Rpc +: PcWidth]) begin
            waiting = waiting | lower[Who +: Threads];
          end
          if (i < 32'(used_q) && upper[LpcValid] && j >= 32'(upper[Lpos +: IndexWidth]) &&
              lower[Rpc +: PcWidth] != upper[Rpc +: PcWidth]) begin
            kept = 1'b0;
          end
        end
        if (i < 32'(used_q)) begin
          if ((upper[Who +: Threads] & ~left_q) != '0) kept = 1'b0;
          if (upper[Rpc +: PcWidth] != end_q && (upper[Who +: Threads] & ~waiting) != '0) begin
            kept = 1'b0;
          end
          if (upper[Pc +: PcWidth] != end_q) begin
            somewhere = somewhere | upper[Who +: Threads];
          end else if (!filling_q || i != 32'(top_q) || upper[Rpc +: PcWidth] != end_q) begin
            kept = 1'b0;
          end
          if (i < 32'(top_q) && upper[Pc +: PcWidth] == upper[Rpc +: PcWidth]) kept = 1'b0;
          if (i > 32'(top_q) && upper[Rpc +: PcWidth] != top[Pc +: PcWidth]) kept = 1'b0;
        end
      end
      if ((left_q & ~somewhere) != '0) kept = 1'b0;
    end

    `ASSERT(Conserved, !orderly_q || empty_q || kept)

    // For the induction: the block's entries as they will be once it is done with the op. `stored`
    // is what the memories hold.
    logic [StackWidth-1:0] stored, held, moved, outcome;
    logic [DepthWidth-1:0] outcome_used, pending;
    logic                  outcome_empty, same;
    logic [EntryWidth-1:0]                entry_held, entry_got, entry_due;

    always_comb begin : block_entries
      for (int i = 0; i < Depth; i++) begin
        entry_held = {\dut.u_masks.words [i*Threads +: Threads] & \dut.alive_q ,
                      \dut.u_entries.words [i*WordWidth +: WordWidth]};
        stored[i*EntryWidth +: EntryWidth] = entry_held;
        if (i == 32'(index)) entry_held = {top_threads, \dut.top_q };
        if (state == LIKELY && i + 3 == 32'(depth)) entry_held = {Threads'(0), \dut.likely_entry };
        if ((state == LIKELY || state == FALL) && i + 2 == 32'(depth)) begin
          if (!filling) entry_held = {Threads'(0), \dut.target_entry };
          if (!filling) entry_held[Pc +: PcWidth] = op_pc_i + PcWidth'(1);
          entry_held[Who +: Threads] = entry_held[Who +: Threads] | op_fall_i;
        end
        if (branching && i + 1 == 32'(depth)) begin
          if (!filling) entry_held = {Threads'(0), \dut.target_entry };
          entry_held[Who +: Threads] = entry_held[Who +: Threads] | op_threads_i;
        end
        held[i*EntryWidth +: EntryWidth] = entry_held;
      end
    end

    // Entries that an advance has not yet entered come above its top.
    assign pending = state == ENTER_LIKELY ? DepthWidth'(3) :
                     state == SECOND ? DepthWidth'(2) : DepthWidth'(1);
    always_comb begin : outcome_of_op
      moved = op_taken_first_i ? stored : swap(stored, depth);
      outcome = held;
      outcome_used = state == POP ? index : depth;
      outcome_empty = empty;
      if (entering) begin
        for (int i = 0; i < Depth; i++) begin
          for (int j = i; j < Depth; j++) begin
            if (i > 32'(index) && i <= 32'(index) + 32'(pending) &&
                j - i == 32'(above) - 32'(pending)) begin
              outcome[i*EntryWidth +: EntryWidth] = moved[j*EntryWidth +: EntryWidth];
            end
          end
        end
        {outcome_used, outcome} = make_room(outcome, index, index + pending + DepthWidth'(1));
      end
      if (entering || settling) begin
        {outcome_empty, outcome_used, outcome} = settle(outcome, outcome_used);
      end
      same = outcome_empty == empty_q && outcome_used == used_q;
      for (int i = 0; i < Depth; i++) begin
        entry_got = outcome[i*EntryWidth +: EntryWidth];
        entry_due = stack_q[i*EntryWidth +: EntryWidth];
        if (!entry_due[LpcValid]) begin
          entry_got[Lpc +: PcWidth] = entry_due[Lpc +: PcWidth];
          entry_got[Lpos +: IndexWidth] = entry_due[Lpos +: IndexWidth];
        end
        if (!empty_q && i < 32'(used_q) && entry_got != entry_due) same = 1'b0;
      end
    end

    `ASSERT(SameEntries, depth == '0 || same)
    `ASSERT(SameIndex, depth == '0 || empty_q || entering || settling || top_q == index)
    `ASSERT(TopIsLast, empty_q || filling_q || top_q + DepthWidth'(1) == used_q)
    `ASSERT(FillsFromTheBranch, filling_q == (branching || (filling && !entering)))
`endif
  end
