// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What fma_lane must do: all numbers of a small format against exact arithmetic, Stages clocks later.
module fma_lane_formal #(
  parameter int Exponent = 3,
  parameter int Fraction = 2,
  parameter int Stages = 4,
  localparam int Width = 1 + Exponent + Fraction
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             op_valid_i,
  input wire [Width-1:0] op_a_i,
  input wire [Width-1:0] op_b_i,
  input wire [Width-1:0] op_c_i
);

  logic             res_valid;
  logic [Width-1:0] res, exact;

  fma_lane #(.Exponent(Exponent), .Fraction(Fraction), .Stages(Stages)) dut (.res_valid_o(res_valid), .res_o(res), .*);
  fma_exact #(.Exponent(Exponent), .Fraction(Fraction)) model (.a_i(op_a_i), .b_i(op_b_i), .c_i(op_c_i), .res_o(exact));

  `ASSUME_RESET_FIRST

  // What is due, oldest in the highest place.
  logic [Stages-1:0]       due_q;
  logic [Stages*Width-1:0] exact_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= '0;
    else due_q <= Stages'({due_q, op_valid_i});
  end
  always_ff @(posedge clk_i) exact_q <= (Stages * Width)'({exact_q, exact});

  `ASSERT(ResultsComeInTime, res_valid == due_q[Stages-1])
  `ASSERT(ResultIsRight, !res_valid || res == exact_q[(Stages-1)*Width +: Width])

endmodule

`default_nettype wire
