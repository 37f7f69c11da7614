// SPDX-License-Identifier: Apache-2.0
// For blocks that work at one operation at a time, which is offered until they take it: ours are done in the clock after
// (Equal), any design within Patience clocks, as it may take it within as many; no other is offered meanwhile. A harness
// declares `op`, all that is said of one, its width OpWidth, and the outputs op_ready and done_valid.

  logic               busy_q;   // this clock goes on with an op that is not taken yet
  logic               under_q;  // an op is taken and, before this clock, not done
  logic               op_taken;
  logic               between;  // ops: nothing was begun that is not done
  logic [OpWidth-1:0] op_q;     // the last that was offered

  assign op_taken = op_valid_i && op_ready;
  assign between = !busy_q && (!under_q || done_valid);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, under_q} <= 2'b00;
    else {busy_q, under_q} <= {op_valid_i && !op_ready, op_taken || (under_q && !done_valid)};
  end
  always_ff @(posedge clk_i) if (op_valid_i) op_q <= op;

  `ASSUME(OpStays, !busy_q || (op_valid_i && op == op_q))
  if (Equal) begin : gen_equal
    `ASSERT(DoneIsTheClockAfter, done_valid == under_q)
  end else begin : gen_contract
    `ASSERT(NoneInvented, !done_valid || under_q)
    `ASSERT_WITHIN(NoneLost, Patience, under_q ? done_valid : op_ready || !op_valid_i)
    `ASSUME(OneAtATime, !under_q || done_valid || !op_valid_i)
  end
