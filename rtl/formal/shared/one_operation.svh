// SPDX-License-Identifier: Apache-2.0
// For blocks that work at one operation at a time, which is offered until they take it, and are done in the clock after.
// A harness declares `op`, all that is said of one, its width OpWidth, and the outputs op_ready and done_valid.

  logic               busy_q, done_q;  // this clock goes on with an op; is the one after it
  logic [OpWidth-1:0] op_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, done_q} <= 2'b00;
    else {busy_q, done_q} <= {op_valid_i && !op_ready, op_valid_i && op_ready};
  end
  always_ff @(posedge clk_i) if (op_valid_i) op_q <= op;

  `ASSUME(OpStays, !busy_q || (op_valid_i && op == op_q))
  `ASSERT(DoneIsTheClockAfter, done_valid == done_q)
