// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of int_lane against the language's operators: every clock, every output, four states. What is not valid is X.
module int_lane_tb #(
  parameter int Width = 32,
  parameter int Stages = 2,
  parameter int Operations = 4000
);

  localparam int ShiftWidth = simt_pkg::idx_width(Width);

  logic             clk_i = 1'b0, rst_ni = 1'b0, op_valid_i = 1'b0, op_signed_i = 1'bx, res_valid_o;
  logic [3:0]       op_kind_i = 'x;
  logic [Width-1:0] op_a_i = 'x, op_b_i = 'x, res_o;

  int_lane #(.Width(Width), .Stages(Stages)) dut (.*);

  always #5 clk_i = !clk_i;

  // The model.
  logic signed [2*Width-1:0] wide_a, wide_b, product;
  logic signed [Width-1:0]   signed_a, signed_b;
  logic [Width-1:0]          expected, due [0:2];
  logic                      less;
  logic [2:0]                due_valid = '0;
  integer                    results = 0, kinds [0:15];

  task automatic judge;
    begin
      signed_a = op_a_i;
      signed_b = op_b_i;
      wide_a = op_signed_i ? {{Width{op_a_i[Width-1]}}, op_a_i} : {{Width{1'b0}}, op_a_i};
      wide_b = op_signed_i ? {{Width{op_b_i[Width-1]}}, op_b_i} : {{Width{1'b0}}, op_b_i};
      product = wide_a * wide_b;
      less = wide_a < wide_b;
      case (op_kind_i)
        0: expected = op_a_i + op_b_i;
        1: expected = op_a_i - op_b_i;
        2: expected = op_a_i & op_b_i;
        3: expected = op_a_i | op_b_i;
        4: expected = op_a_i ^ op_b_i;
        5: expected = op_a_i << op_b_i[ShiftWidth-1:0];
        6: if (op_signed_i) expected = signed_a >>> op_b_i[ShiftWidth-1:0];
           else expected = op_a_i >> op_b_i[ShiftWidth-1:0];
        7: expected = less ? op_a_i : op_b_i;
        8: expected = less ? op_b_i : op_a_i;
        9: expected = op_a_i == op_b_i;
        10: expected = op_a_i != op_b_i;
        11: expected = less;
        12: expected = less || op_a_i == op_b_i;
        13: expected = product[Width-1:0];
        14: expected = product[2*Width-1:Width];
        default: expected = '0;
      endcase
      kinds[op_kind_i] = kinds[op_kind_i] + 1;
    end
  endtask

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    if (res_valid_o !== due_valid[Stages-1] || (res_valid_o && res_o !== due[Stages-1])) begin
      $display("%0t: valid %b (%b), result %h (%h)", $time, res_valid_o, due_valid[Stages-1], res_o, due[Stages-1]);
      $finish_and_return(1);
    end
    if (res_valid_o) results = results + 1;
    due_valid = {due_valid[1:0], op_valid_i};
    for (int s = 2; s > 0; s--) due[s] = due[s-1];
    if (op_valid_i) judge;
    due[0] = expected;
  end

  // Any number, or one near the ends of the range.
  function automatic [Width-1:0] number(input integer any);
    number = $urandom;
    if (any % 4 == 1) number = any >> 4;
    if (any % 4 == 2) number = -(any >> 4);
    if (any % 8 == 3) number = {1'b1, {(Width - 1){1'b0}}} + (any >> 30);
  endfunction

  initial begin
    for (int k = 0; k < 16; k++) kinds[k] = 0;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    for (int o = 0; o < Operations; o++) begin
      op_valid_i = $urandom % 8 != 0;
      op_kind_i = op_valid_i ? $urandom : 'x;
      op_signed_i = op_valid_i ? $urandom : 'x;
      op_a_i = op_valid_i ? number($urandom % 256) : 'x;
      op_b_i = op_valid_i ? ($urandom % 8 == 0 ? op_a_i : number($urandom % 256)) : 'x;
      @(negedge clk_i);
    end
    op_valid_i = 1'b0;
    repeat (4) @(negedge clk_i);
    for (int k = 0; k < 16; k++) if (kinds[k] == 0) $finish_and_return(1);
    if (due_valid !== '0 || results < Operations / 2) $finish_and_return(1);
    $display("PASS: %0d results", results);
    $finish;
  end

endmodule

`default_nettype wire
