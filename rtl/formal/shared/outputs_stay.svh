// SPDX-License-Identifier: Apache-2.0
// For blocks of one operation at a time (one_operation.svh): between operations, outputs stay. A harness declares `outs`,
// all of them, and its width OutWidth.

  logic [OutWidth-1:0] outs_q;
  logic                rests_q;  // nothing was under way or offered in the clock before

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rests_q <= 1'b0;
    else rests_q <= between && !op_valid_i;
  end
  always_ff @(posedge clk_i) outs_q <= outs;

  `ASSERT(StableBetweenOps, !rests_q || outs == outs_q)
