// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of ignore_list against a count for each place: every result, four states.
module ignore_list_tb #(
  parameter int Entries = 32,
  parameter int PcWidth = 16,
  parameter int Operations = 20000,
  parameter int Equal = 1
);

  localparam integer CLEAR = 0, LOOK = 1, FRUITLESS = 2;
  localparam integer Limit = Entries;

  logic               clk = 1'b0, rst_n = 1'b0, op_valid = 1'b0;
  logic [1:0]         op_kind = 'x;
  logic [PcWidth-1:0] op_pc = 'x;
  wire                ready, done, ignored;
  integer             clocks = 0, ops = 0, seed = 1;

  ignore_list #(.Entries(Entries), .PcWidth(PcWidth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind),
    .op_pc_i(op_pc), .done_valid_o(done), .ignored_o(ignored)
  );

  always #5 clk = !clk;

  `include "shared/bench.svh"
  `include "shared/one_operation.svh"

  logic [1:0] vain [0:(1<<PcWidth)-1];  // fruitless meetings of each place
  integer     last [0:Entries-1];       // whose the entry is
  integer     looks_on = 0, thirds = 0, replaced = 0, clears = 0;

  task clear;
    integer p;
    begin
      op_pc = pick(1 << PcWidth);
      run(CLEAR);
      if (Equal != 0 && clocks != Entries) fail("clocks to clear");
      for (p = 0; p < 1 << PcWidth; p = p + 1) vain[p] = 0;
      for (p = 0; p < Entries; p = p + 1) last[p] = -1;
      clears = clears + 1;
    end
  endtask

  task look(input integer pc);
    begin
      op_pc = pc;
      run(LOOK);
      if (ignored !== (vain[pc] == 3)) fail("look");
      if (ignored) looks_on = looks_on + 1;
    end
  endtask

  task fruitless(input integer pc);
    begin
      op_pc = pc;
      run(FRUITLESS);
      if (ignored !== (vain[pc] == 2)) fail("fruitless");
      if (ignored) thirds = thirds + 1;
      if (last[pc % Entries] >= 0 && last[pc % Entries] != pc) begin
        vain[last[pc % Entries]] = 0;
        replaced = replaced + 1;
      end
      last[pc % Entries] = pc;
      if (vain[pc] != 3) vain[pc] = vain[pc] + 1;
    end
  endtask

  integer o, pc;
  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    clear;
    // Every entry gets to three, and stays; another place of it begins anew.
    for (o = 0; o < Entries; o = o + 1) begin
      repeat (4) fruitless(o);
      look(o);
    end
    for (o = 0; o < Entries; o = o + 1) look(o ^ (1 << PcWidth - 1));
    for (o = 0; o < Entries; o = o + 1) fruitless(o ^ (1 << PcWidth - 1));
    for (o = 0; o < Entries; o = o + 1) look(o);
    for (o = 0; o < Operations; o = o + 1) begin
      if (pick(512) == 0) clear;
      // Most of them of a few places, so that some come to three; those of an entry differ in any bit.
      pc = pick(1 << PcWidth);
      if (pick(4) != 0) pc = pick(4) * (Entries / 4) ^ (pick(4) == 0 ? 1 << pick(PcWidth) : 0);
      if (pick(2) == 0) look(pc);
      else fruitless(pc);
      if (pick(4) == 0) pause;
    end
    if (looks_on == 0 || thirds == 0 || replaced == 0 || clears < 2) fail("too little came");
    $display("PASS: %0d ignored, %0d thirds, %0d replaced, %0d times cleared", looks_on, thirds, replaced, clears);
    $finish;
  end

endmodule

`default_nettype wire
