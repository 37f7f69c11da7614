// SPDX-License-Identifier: Apache-2.0
// For benches of several sizes of a block: their clock and reset, until each of the cases has set its bit of `done`.

  initial begin
    clk = 1'b0;
    forever #5 clk = !clk;
  end

  initial begin
    rst_n = 1'b0;
    repeat (3) @(posedge clk);
    #1 rst_n = 1'b1;
    wait (&done);
    $display("PASS");
    $finish;
  end
