// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What int_lane must do, said with the language's own operators; results come Stages clocks after their operations.
module int_lane_formal #(
  parameter int Width = 8,
  parameter int Stages = 2,
  localparam int ShiftWidth = simt_pkg::idx_width(Width)
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             op_valid_i,
  input wire [3:0]       op_kind_i,
  input wire             op_signed_i,
  input wire [Width-1:0] op_a_i,
  input wire [Width-1:0] op_b_i
);

  logic             res_valid;
  logic [Width-1:0] res;

  int_lane #(.Width(Width), .Stages(Stages)) dut (.res_valid_o(res_valid), .res_o(res), .*);

  `ASSUME_RESET_FIRST

  logic               less;
  logic [Width-1:0]   expected;
  logic [2*Width-1:0] product;

  assign less = op_signed_i ? $signed(op_a_i) < $signed(op_b_i) : op_a_i < op_b_i;
  assign product = op_signed_i ? $signed({{Width{op_a_i[Width-1]}}, op_a_i}) * $signed({{Width{op_b_i[Width-1]}}, op_b_i})
                               : {{Width{1'b0}}, op_a_i} * {{Width{1'b0}}, op_b_i};

  always_comb begin
    expected = '0;
    case (op_kind_i)
      4'd0: expected = op_a_i + op_b_i;
      4'd1: expected = op_a_i - op_b_i;
      4'd2: expected = op_a_i & op_b_i;
      4'd3: expected = op_a_i | op_b_i;
      4'd4: expected = op_a_i ^ op_b_i;
      4'd5: expected = op_a_i << op_b_i[ShiftWidth-1:0];
      4'd6: begin
        if (op_signed_i) expected = $signed(op_a_i) >>> op_b_i[ShiftWidth-1:0];
        else expected = op_a_i >> op_b_i[ShiftWidth-1:0];
      end
      4'd7: expected = less ? op_a_i : op_b_i;
      4'd8: expected = less ? op_b_i : op_a_i;
      4'd9: expected = Width'(op_a_i == op_b_i);
      4'd10: expected = Width'(op_a_i != op_b_i);
      4'd11: expected = Width'(less);
      4'd12: expected = Width'(less || op_a_i == op_b_i);
      4'd13: expected = product[Width-1:0];
      4'd14: expected = product[2*Width-1:Width];
      default: ;
    endcase
  end

  `include "shared/lane_results.svh"

endmodule

`default_nettype wire
