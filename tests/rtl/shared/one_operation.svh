// SPDX-License-Identifier: Apache-2.0
// Besides bench.svh, for benches of blocks that say `done` in the clock after they took an operation. They declare
// `Limit`, the most clocks that an operation takes, `clocks`, how many the last one took, and `Equal`: 0 for a design of
// other clocks, which may take an operation when it likes and be done with it when it likes.

  localparam int Patience = 1000;  // clocks that any design may take

  task run(input [2:0] kind);
    begin
      op_kind = kind;
      op_valid = 1;
      clocks = 1;
      @(posedge clk);
      while (ready !== 1) begin
        if (done !== 0 && clocks > 1) fail("done before it was taken");
        clocks = clocks + 1;
        if (clocks > (Equal != 0 ? Limit : Patience)) fail("never taken");
        @(posedge clk);
      end
      @(negedge clk);
      op_valid = 0;
      while (Equal == 0 && done === 0 && clocks < Patience) begin
        clocks = clocks + 1;
        @(negedge clk);
      end
      if (done !== 1) fail("not done");
      ops = ops + 1;
    end
  endtask

  // Up to two clocks without an operation.
  task pause;
    repeat (pick(3)) begin
      @(negedge clk);
      if (done !== 0) fail("done twice");
    end
  endtask
