// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Icarus smoke bench of warp_pool: threads that meet as those of tests/divergence/parts/test_warp_pool.cpp,
// then random ones, against a pool that is searched warp by warp. What no op offers is X.
module warp_pool_tb #(
  parameter int Lanes = 32,
  parameter int Entries = 256,
  parameter int Slots = 1024,
  parameter int Threads = 1024,
  parameter int PcWidth = 16,
  parameter int Operations = 4000,
  parameter int Equal = 1  // 0: a design of other clocks
);

  localparam int Pcs = Entries < 32 ? 64 : 2 * Entries;
  localparam int EntryWidth = simt_pkg::idx_width(Entries), SlotWidth = simt_pkg::idx_width(Slots);
  localparam logic [1:0] ENTER = 0, ISSUE = 1, SELECT = 2;
  localparam integer NONE = -1;
  localparam int Patience = 10000;  // clocks that any design may take

  logic clk_i = 0, rst_ni = 0;
  always #5 clk_i = !clk_i;

  logic                  op_valid_i = 0, op_hit_i, op_closed_i;
  logic [1:0]            op_kind_i;
  logic [Lanes-1:0]      op_mask_i;
  logic [SlotWidth-1:0]  op_slot_i;
  logic [PcWidth-1:0]    op_pc_i;
  logic [EntryWidth-1:0] op_entry_i;
  logic [Entries-1:0]    op_ready_i;
  wire                   op_ready_o, done_valid_o, res_alone_o, res_found_o, res_freed_o;
  wire  [Lanes-1:0]      res_join_o;
  wire  [SlotWidth-1:0]  res_slot_o;
  wire  [EntryWidth-1:0] res_entry_o;

  warp_pool #(.Lanes(Lanes), .Entries(Entries), .Slots(Slots), .Threads(Threads), .PcWidth(PcWidth)) dut (.*);

  // The pool: warps by slot; by pc its entry (NONE: not in the table) and the slot of its open warp.
  integer pc_of [0:Slots-1];  // NONE: there is no warp, or it is alone
  logic [Lanes-1:0] mask_of [0:Slots-1];
  integer entry_of [0:Pcs-1], open_of [0:Pcs-1];
  integer threads_of [0:Pcs-1], all_threads = 0;
  integer majority = NONE;

  integer seed = 1, ops = 0, clocks, alones = 0, joins = 0, choices = 0, kept = 0;

  task automatic fail(input [8*40-1:0] what);
    begin
      $display("FAIL at %0t after %0d ops: %0s", $time, ops, what);
      $finish_and_return(1);
    end
  endtask

  function automatic integer pick(input integer n);
    pick = $unsigned($random(seed)) % n;
  endfunction

  function automatic integer threads_at(input integer pc);
    threads_at = threads_of[pc];
  endfunction

  task automatic run(input [1:0] kind);
    begin
      op_kind_i = kind;
      op_valid_i = 1;
      clocks = 1;
      @(posedge clk_i);
      while (op_ready_o !== 1) begin
        if (done_valid_o !== 0 && clocks > 1) fail("done before it was taken");
        clocks = clocks + 1;
        if (clocks > (Equal != 0 ? Entries + 1 : Patience)) fail("never taken");
        @(posedge clk_i);
      end
      @(negedge clk_i);
      op_valid_i = 0;
      {op_kind_i, op_mask_i, op_slot_i, op_pc_i, op_entry_i, op_hit_i, op_closed_i, op_ready_i} = 'x;
      while (Equal == 0 && done_valid_o === 0 && clocks < Patience) begin
        clocks = clocks + 1;
        @(negedge clk_i);
      end
      if (done_valid_o !== 1) fail("not done");
      ops = ops + 1;
    end
  endtask

  // Threads enter at a pc; `slot` is free.
  task automatic enter(input integer pc, input [Lanes-1:0] mask, input integer slot, input logic closed);
    logic [Lanes-1:0] join_due, stay;
    integer e;
    logic [Entries-1:0] free;
    begin
      op_mask_i = mask;
      op_slot_i = slot;
      op_pc_i = pc;
      op_closed_i = closed;
      op_hit_i = entry_of[pc] != NONE;
      op_entry_i = op_hit_i ? entry_of[pc] : 'x;
      join_due = open_of[pc] != NONE && !closed ? mask & ~mask_of[open_of[pc]] : '0;
      stay = mask & ~join_due;
      run(ENTER);
      if (Equal != 0 && clocks != 1) fail("enter takes a clock");
      if (res_join_o !== join_due) fail("who joins");
      if (join_due != 0) begin
        joins = joins + 1;
        if (res_slot_o !== open_of[pc]) fail("which warp they join");
        mask_of[open_of[pc]] = mask_of[open_of[pc]] | join_due;
        if (&mask_of[open_of[pc]]) open_of[pc] = NONE;
      end
      if (entry_of[pc] == NONE) begin
        free = '1;
        for (e = 0; e < Pcs; e = e + 1) if (entry_of[e] != NONE) free[entry_of[e]] = 0;
        if (res_alone_o !== (free == 0)) fail("alone where the table is full");
        if (free == 0) alones = alones + 1;
        else begin
          for (e = 0; !free[e]; e = e + 1);
          if (res_entry_o !== e) fail("the lowest free entry");
          entry_of[pc] = e;
        end
      end else if (res_alone_o !== 0 || res_entry_o !== entry_of[pc]) fail("the entry of the pc");
      if (entry_of[pc] != NONE) begin
        threads_of[pc] = threads_of[pc] + $countones(mask);
        all_threads = all_threads + $countones(mask);
      end
      if (entry_of[pc] != NONE && stay != 0) begin
        pc_of[slot] = pc;
        mask_of[slot] = stay;
        if (!closed && stay !== {Lanes{1'b1}}) open_of[pc] = slot;
      end
    end
  endtask

  task automatic issue(input integer slot);
    integer pc;
    begin
      pc = pc_of[slot];
      op_mask_i = mask_of[slot];
      op_slot_i = slot;
      op_entry_i = entry_of[pc];
      run(ISSUE);
      if (Equal != 0 && clocks != 1) fail("issue takes a clock");
      pc_of[slot] = NONE;
      threads_of[pc] = threads_of[pc] - $countones(mask_of[slot]);
      all_threads = all_threads - $countones(mask_of[slot]);
      if (open_of[pc] == slot) open_of[pc] = NONE;
      if (res_freed_o !== (threads_at(pc) == 0)) fail("the last one frees the entry");
      if (threads_at(pc) == 0) begin
        entry_of[pc] = NONE;
        if (majority == pc) majority = NONE;
      end
    end
  endtask

  // `ready`: by pc. The choice is to be `due`, or what the policy says where that is NONE.
  task automatic select(input [Pcs-1:0] ready, input integer due);
    integer pc, best, looks;
    begin
      best = NONE;
      looks = 0;
      op_ready_i = '0;
      for (pc = Pcs - 1; pc >= 0; pc = pc - 1) if (ready[pc] && entry_of[pc] != NONE) begin
        op_ready_i[entry_of[pc]] = 1;
        looks = looks + 1;
        if (best == NONE || threads_at(pc) >= threads_at(best)) best = pc;
      end
      if (majority != NONE && ready[majority]) begin
        best = majority;
        looks = 0;
        kept = kept + 1;
      end
      run(SELECT);
      if (Equal != 0 && clocks != 1 + looks) fail("a clock for each ready entry");
      if (due != NONE && best != due) fail("the bench's own choice");
      if (res_found_o !== (best != NONE)) fail("is there a choice");
      if (best != NONE) begin
        choices = choices + 1;
        if (res_entry_o !== entry_of[best]) fail("the choice");
        majority = best;
      end
    end
  endtask

  task automatic empty;
    integer s;
    for (s = 0; s < Slots; s = s + 1) if (pc_of[s] != NONE) issue(s);
  endtask

  // Four lanes, as in the unit test of the twin.
  task automatic directed;
    begin
      enter(3, 4'b0011, 0, 0);
      enter(3, 4'b0111, 1, 0);
      if (mask_of[0] !== 4'b0111 || mask_of[1] !== 4'b0011) fail("one joins, two do not");
      enter(3, 4'b1000, 2, 0);
      if (mask_of[1] !== 4'b1011) fail("the open warp is the newer one");
      enter(5, 4'b0001, 3, 0);
      enter(4, 4'b1111, 4, 1);
      enter(4, 4'b1111, 5, 1);
      select({Pcs{1'b1}}, 4);            // eight threads there, six at 3
      issue(4);
      select({Pcs{1'b1}}, 4);            // kept, though 3 has more now
      select(~(Pcs'(1) << 4), 3);
      empty;
      enter(9, 4'b0011, 0, 0);
      enter(7, 4'b0110, 1, 0);
      select({Pcs{1'b1}}, 7);            // as many threads: the lower pc
      empty;
      select({Pcs{1'b1}}, NONE);
    end
  endtask

  task automatic random_op;
    integer s, kind;
    logic [Lanes-1:0] mask;
    logic [Pcs-1:0] ready;
    begin
      kind = pick(8);
      s = pick(Slots);
      mask = pick(2) ? $random(seed) & $random(seed) & $random(seed) & $random(seed) : $random(seed);
      if (mask == 0 || (Entries >= 32 && pick(16) != 0)) mask = 1 << pick(Lanes);
      if (all_threads + Lanes > Threads) kind = 5;  // as many as the core has
      if (kind < 5 && pc_of[s] == NONE) begin
        enter(pick(Entries < 32 ? 2 : 8) == 1 ? pick(4) : pick(Entries < 32 ? 9 : Pcs), mask, s, pick(8) == 0);
      end
      else if (kind < 6 && pc_of[s] != NONE) issue(s);
      else begin
        for (int pc = 0; pc < Pcs; pc = pc + 1) ready[pc] = pick(Entries < 32 ? 2 : 16) == 0;
        if (Entries >= 32 && majority != NONE) ready[majority] = pick(2);
        select(ready, NONE);
      end
    end
  endtask

  integer i;
  initial begin
    for (i = 0; i < Slots; i = i + 1) pc_of[i] = NONE;
    for (i = 0; i < Pcs; i = i + 1) {entry_of[i], open_of[i], threads_of[i]} = {NONE, NONE, 32'd0};
    repeat (2) @(negedge clk_i);
    rst_ni = 1;
    @(negedge clk_i);
    if (Lanes == 4) directed;
    while (ops < Operations) begin
      random_op;
      if (pick(4) == 0) begin
        @(negedge clk_i);
        if (done_valid_o !== 0) fail("done twice");
      end
      if (pick(500 + 4 * Slots) == 0) empty;
    end
    $display("%0d joined, %0d alone, %0d choices, %0d kept", joins, alones, choices, kept);
    if (joins < 100 || choices < 100 || kept < 100) fail("the random ops miss something");
    if (alones < 10) fail("the table was never full");
    $display("PASS warp_pool: %0d ops", ops);
    $finish;
  end

endmodule

`default_nettype wire
