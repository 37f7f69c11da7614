// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of wct_predictor against a model of arrays: every clock, every output, four states.
module wct_predictor_tb #(
  parameter int Entries = 256,
  parameter int PcWidth = 16,
  parameter int Operations = 8000,  // random ones, after the directed
  parameter int Equal = 1
);

  localparam integer CLEAR = 0, PREDICT = 1, LEARN = 2;

  logic               clk_i = 1'b0, rst_ni = 1'b0;
  logic               op_valid_i = 1'b0, op_adequate_i = 1'bx;
  logic [1:0]         op_kind_i = 'x;
  logic [PcWidth-1:0] op_pc_i = 'x;
  logic               op_ready_o, done_valid_o, adequate_o;

  wct_predictor #(.Entries(Entries), .PcWidth(PcWidth)) dut (.*);

  always #5 clk_i = !clk_i;

  localparam int Patience = 1000;  // clocks that any design may take
  integer branch_of [0:Entries-1];  // -1: none
  logic   was [0:Entries-1];
  logic   due = 1'b0, expected = 1'bx, predicts = 1'b0;
  integer inadequate = 0, replaced = 0, clears = 0, clocks = 0, e;

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: pc %0d, ready %b, done %b, adequate %b, expected %b", $time, what, op_pc_i,
               op_ready_o, done_valid_o, adequate_o, expected);
      $finish_and_return(1);
    end
  endtask

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    if (Equal != 0) expect_is("done", done_valid_o === due);
    else expect_is("done", done_valid_o === 1'b0 || (done_valid_o === 1'b1 && due));
    if (done_valid_o && predicts) expect_is("prediction", adequate_o === expected);
    due = due && !done_valid_o;
    if (op_valid_i || due) clocks = clocks + 1;
    expect_is("in time", clocks < Entries + Patience);
    if (Equal != 0 && op_valid_i) expect_is("ready", op_ready_o === (op_kind_i != CLEAR || clocks == Entries));
    if (op_valid_i && op_ready_o) begin
      due = 1'b1;
      clocks = 0;
      e = op_pc_i % Entries;
      predicts = op_kind_i == PREDICT;
      expected = branch_of[e] != op_pc_i || was[e];
      if (predicts && !expected) inadequate = inadequate + 1;
      if (op_kind_i == CLEAR) begin
        clears = clears + 1;
        for (e = 0; e < Entries; e = e + 1) branch_of[e] = -1;
      end
      if (op_kind_i == LEARN) begin
        if (branch_of[e] >= 0 && branch_of[e] != op_pc_i) replaced = replaced + 1;
        branch_of[e] = op_pc_i;
        was[e] = op_adequate_i;
      end
    end
  end

  task automatic op(input integer kind, input integer pc, input adequate);
    begin
      op_valid_i = 1'b1;
      op_kind_i = kind;
      op_pc_i = pc;
      op_adequate_i = kind == LEARN ? adequate : 1'bx;
      @(posedge clk_i);
      while (!op_ready_o) @(posedge clk_i);
      @(negedge clk_i);
      op_valid_i = 1'b0;
      {op_kind_i, op_pc_i, op_adequate_i} = 'x;
      while (Equal == 0 && due) @(negedge clk_i);
    end
  endtask

  integer pc;
  initial begin
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    op(CLEAR, 0, 1'b0);
    op(PREDICT, 5, 1'b0);
    op(LEARN, 5, 1'b0);
    op(PREDICT, 5, 1'b0);
    op(PREDICT, 5 + Entries, 1'b0);
    op(LEARN, 5 + Entries, 1'b1);
    op(PREDICT, 5, 1'b0);
    for (int o = 0; o < Operations; o++) begin
      if ($urandom % 1024 == 0) op(CLEAR, $urandom, 1'b0);
      // Half of them of a few branches, so that tables of any size have some; those of an entry differ in any bit.
      pc = $urandom;
      if ($urandom % 2 == 0) pc = (($urandom % 2) * (Entries - 1)) ^ ($urandom % 2 << ($urandom % PcWidth));
      op(1 + $urandom % 2, pc, $urandom);
      if ($urandom % 4 == 0) repeat ($urandom % 3) @(negedge clk_i);
    end
    repeat (2) @(negedge clk_i);
    expect_is("coverage", inadequate > 0 && replaced > 0 && clears > 1);
    $display("PASS: %0d inadequate, %0d replaced, %0d times cleared", inadequate, replaced, clears);
    $finish;
  end

endmodule

`default_nettype wire
