// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What mask_unit must do, said lane by lane with truth tables; results come in the clock after their operations.
module mask_unit_formal #(
  parameter int Lanes = 4
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             op_valid_i,
  input wire [2:0]       op_kind_i,
  input wire [Lanes-1:0] op_a_i,
  input wire [Lanes-1:0] op_b_i
);

  localparam int Stages = 1;
  localparam int Width = 2 * Lanes + 1;

  logic             res_valid, zero;
  logic [Lanes-1:0] mask, saved;
  logic [Width-1:0] res, expected;

  mask_unit #(.Lanes(Lanes)) dut (
    .res_valid_o(res_valid),
    .res_mask_o (mask),
    .res_saved_o(saved),
    .res_zero_o (zero),
    .*
  );

  `ASSUME_RESET_FIRST
  `ASSUME(KindKnown, !op_valid_i || op_kind_i <= 3'd4)

  logic [3:0]       table_of_kind;  // by {a, b}
  logic [Lanes-1:0] mask_due;
  logic             nobody;

  always_comb begin
    case (op_kind_i)
      3'd0: table_of_kind = 4'b1000;
      3'd1: table_of_kind = 4'b1110;
      3'd2: table_of_kind = 4'b0110;
      3'd3: table_of_kind = 4'b0100;
      default: table_of_kind = 4'b1010;
    endcase
    nobody = 1'b1;
    for (int l = 0; l < Lanes; l++) begin
      mask_due[l] = table_of_kind[{op_a_i[l], op_b_i[l]}];
      if (mask_due[l]) nobody = 1'b0;
    end
  end

  assign expected = {mask_due, op_a_i, nobody};
  assign res = {mask, saved, zero};

  `include "shared/lane_results.svh"

  `COVER(NobodyIsLeft, res_valid && zero && saved != '0)
  `COVER(SomebodyIs, res_valid && !zero && mask != saved)

endmodule

`default_nettype wire
