// SPDX-License-Identifier: Apache-2.0
// For blocks that have up to two operations on their way: results in order, none lost; ours two clocks after their
// operation or as soon as they are taken (Equal), any design's within Patience clocks. A harness declares `op`, what it
// keeps of an operation, its width OpWidth, and the outputs op_ready and res_valid.

  logic [1:0]         due_q;   // operations on their way
  logic               here_q;  // the oldest was taken two clocks ago or longer
  logic [OpWidth-1:0] first_q, second_q;  // the oldest, and the other
  logic               op_taken, res_taken;

  assign op_taken = op_valid_i && op_ready;
  assign res_taken = res_valid && res_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q <= '0;
      here_q <= 1'b0;
    end else begin
      due_q <= due_q + 2'(op_taken) - 2'(res_taken);
      here_q <= due_q > 2'(res_taken);
    end
  end
  always_ff @(posedge clk_i) begin
    if (res_taken) first_q <= second_q;
    if (op_taken && due_q == 2'(res_taken)) first_q <= op;
    else if (op_taken) second_q <= op;
  end

  `ASSERT(AtMostTwo, due_q <= 2'd2)
  `ASSERT(NoneInvented, !res_valid || due_q != '0)
  if (Equal) begin : gen_equal
    `ASSERT(NoneLost, res_valid == here_q)
    `ASSERT(ReadyWhenFree, op_ready == (due_q < 2'd2 || res_ready_i))
  end else begin : gen_contract
    `ASSERT_WITHIN(NoneLost, Patience, due_q != '0 ? res_valid : op_ready || !op_valid_i)
    `ASSUME(TwoOnTheirWay, due_q < 2'd2 || !op_valid_i)
  end
