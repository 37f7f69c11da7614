// SPDX-License-Identifier: Apache-2.0
// Besides bench.svh, for benches of blocks that say `done` in the clock after they took an operation. They declare
// `Limit`, the most clocks that it waits, and `clocks`.

  task run(input kind);
    begin
      op_kind = kind;
      op_valid = 1;
      clocks = 1;
      @(posedge clk);
      while (ready !== 1) begin
        if (done !== 0 && clocks > 1) fail("done before it was taken");
        clocks = clocks + 1;
        if (clocks > Limit) fail("never taken");
        @(posedge clk);
      end
      @(negedge clk);
      op_valid = 0;
      if (done !== 1) fail("not done");
      ops = ops + 1;
    end
  endtask
