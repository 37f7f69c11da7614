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
  logic [Width-1:0] res, expected;

  fma_lane #(.Exponent(Exponent), .Fraction(Fraction), .Stages(Stages)) dut (.res_valid_o(res_valid), .res_o(res), .*);
  fma_exact #(.Exponent(Exponent), .Fraction(Fraction)) model (.a_i(op_a_i), .b_i(op_b_i), .c_i(op_c_i), .res_o(expected));

  `ASSUME_RESET_FIRST

  `include "shared/lane_results.svh"

endmodule

`default_nettype wire
