// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What a scalar unit does to the masks of exec-mask, where a compiler keeps them in scalar registers: the scalar
// instructions of ifs, elses and loops in LLVM's SILowerControlFlow, as the Southern Islands ISA manual defines them.
//   AND        s_and_saveexec where an if begins; s_and of a loop's condition
//   OR         s_or_saveexec where its other side begins, s_or where sides meet; who has left a loop so far
//   XOR        s_xor: who is left for the other side
//   AND_NOT    s_andn2: a loop goes on without those that have left it
//   COPY       s_mov of b: the lanes with which a warp begins
// a is EXEC or a saved mask, b a condition or a saved mask. The result comes with a as it was, which saveexec writes beside
// it, and with the test for zero that a branch on execz asks.
//
// An op a clock, its result in the next one. Branches, loads and addresses of a scalar unit are a core's anyway: they are
// not here.
module mask_unit #(
  parameter int Lanes = 32
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              op_valid_i,
  input  wire  [2:0]       op_kind_i,    // AND ...
  input  wire  [Lanes-1:0] op_a_i,
  input  wire  [Lanes-1:0] op_b_i,
  output logic             res_valid_o,
  output logic [Lanes-1:0] res_mask_o,
  output logic [Lanes-1:0] res_saved_o,  // a
  output logic             res_zero_o    // no lane is in the mask
);

  localparam logic [2:0] AND = 3'd0, OR = 3'd1, XOR = 3'd2, AND_NOT = 3'd3, COPY = 3'd4;

  `ASSERT_INIT(ParametersLegal, Lanes >= 1)

  logic [Lanes-1:0] mask_d;
  logic             zero_d;

  always_comb begin
    case (op_kind_i)
      AND: mask_d = op_a_i & op_b_i;
      OR: mask_d = op_a_i | op_b_i;
      XOR: mask_d = op_a_i ^ op_b_i;
      AND_NOT: mask_d = op_a_i & ~op_b_i;
      default: mask_d = op_b_i;
    endcase
  end
  assign zero_d = mask_d == '0;  // seeded-bug: assign zero_d = op_a_i == '0;

  valid_register #(.Enabled(1)) u_valid (
    .d_i(op_valid_i),
    .q_o(res_valid_o),
    .*
  );
  always_ff @(posedge clk_i) if (op_valid_i) begin
    res_mask_o <= mask_d;
    res_saved_o <= op_a_i;
    res_zero_o <= zero_d;
  end

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= COPY)

endmodule

`default_nettype wire
