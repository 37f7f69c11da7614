// SPDX-License-Identifier: Apache-2.0
// For lanes, which take an operation each clock: its result, which a harness calls `expected`, comes Stages clocks later.

  // What is due, oldest in the highest place.
  logic [Stages-1:0]       due_q;
  logic [Stages*Width-1:0] expected_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= '0;
    else due_q <= Stages'({due_q, op_valid_i});
  end
  always_ff @(posedge clk_i) expected_q <= (Stages * Width)'({expected_q, expected});

  `ASSERT(ResultsComeInTime, res_valid == due_q[Stages-1])
  `ASSERT(ResultIsRight, !res_valid || res == expected_q[(Stages-1)*Width +: Width])
