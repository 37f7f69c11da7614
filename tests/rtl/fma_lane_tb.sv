// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of fma_lane against exact arithmetic: every clock, every output, four states. What is not valid is X.
module fma_lane_tb #(
  parameter int Exponent = 8,
  parameter int Fraction = 23,
  parameter int Stages = 4,
  parameter int Operations = 1500
);

  localparam int Width = 1 + Exponent + Fraction;

  logic             clk_i = 1'b0, rst_ni = 1'b0, op_valid_i = 1'b0, res_valid_o;
  logic [Width-1:0] op_a_i = 'x, op_b_i = 'x, op_c_i = 'x, res_o, exact, due [0:4];
  logic [4:0]       due_valid = '0;
  integer           results = 0, specials = 0, subnormals = 0;

  fma_lane #(.Exponent(Exponent), .Fraction(Fraction), .Stages(Stages)) dut (.*);
  fma_exact #(.Exponent(Exponent), .Fraction(Fraction)) model (.a_i(op_a_i), .b_i(op_b_i), .c_i(op_c_i), .res_o(exact));

  always #5 clk_i = !clk_i;

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    if (res_valid_o !== due_valid[Stages-1] || (res_valid_o && res_o !== due[Stages-1])) begin
      $display("%0t: valid %b (%b), result %h (%h)", $time, res_valid_o, due_valid[Stages-1], res_o, due[Stages-1]);
      $finish_and_return(1);
    end
    if (res_valid_o) begin
      results = results + 1;
      if (&res_o[Fraction +: Exponent]) specials = specials + 1;
      if (res_o[Fraction +: Exponent] == '0 && res_o[Fraction-1:0] != '0) subnormals = subnormals + 1;
    end
    due_valid = {due_valid[3:0], op_valid_i};
    for (int s = 4; s > 0; s--) due[s] = due[s-1];
    due[0] = exact;
  end

  // A number whose exponent is that of `near` or close to it, or any; its fraction often at an end.
  function automatic [Width-1:0] number(input [Width-1:0] near, input integer any);
    number = {$urandom, $urandom};
    if (any % 4 != 0) number[Fraction +: Exponent] = near[Fraction +: Exponent] + any / 4 % 8 - 4;
    if (any / 32 % 4 == 1) number[Fraction-1:0] = '0;
    if (any / 32 % 4 == 2) number[Fraction-1:0] = '1;
    if (any / 128 % 8 == 1) number[Fraction +: Exponent] = '0;
    if (any / 128 % 16 == 2) number[Fraction +: Exponent] = '1;
  endfunction

  logic [Width-1:0] one, product;
  initial begin
    one = '0;
    one[Fraction +: Exponent-1] = '1;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    for (int o = 0; o < Operations; o++) begin
      op_valid_i = $urandom % 8 != 0;
      op_a_i = number(one, $urandom % 4096);
      op_b_i = number(one, $urandom % 4096);
      product = op_a_i + op_b_i - one;  // near the product's exponent
      op_c_i = number(product, $urandom % 4096);
      if (!op_valid_i) {op_a_i, op_b_i, op_c_i} = 'x;
      @(negedge clk_i);
    end
    op_valid_i = 1'b0;
    repeat (6) @(negedge clk_i);
    if (due_valid !== '0 || results < Operations / 2 || specials == 0 || subnormals == 0) $finish_and_return(1);
    $display("PASS: %0d results, %0d infinite or no numbers, %0d subnormal", results, specials, subnormals);
    $finish;
  end

endmodule

`default_nettype wire
