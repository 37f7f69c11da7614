// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of mask_unit against the language's operators: every clock, every output, four states. What is not valid is X.
module mask_unit_tb #(
  parameter int Lanes = 32,
  parameter int Operations = 10000
);

  logic             clk_i = 1'b0, rst_ni = 1'b0, op_valid_i = 1'b0, res_valid_o, res_zero_o;
  logic [2:0]       op_kind_i = 'x;
  logic [Lanes-1:0] op_a_i = 'x, op_b_i = 'x, res_mask_o, res_saved_o;

  mask_unit #(.Lanes(Lanes)) dut (.*);

  always #5 clk_i = !clk_i;

  // The model.
  logic             due_valid = 1'b0;
  logic [Lanes-1:0] due_mask, due_saved;
  integer           results = 0, seed = 1, nobody [0:4], somebody [0:4];  // of each kind

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    if (res_valid_o !== due_valid ||
        (due_valid && {res_mask_o, res_saved_o, res_zero_o} !== {due_mask, due_saved, due_mask == 0})) begin
      $display("%0t: valid %b (%b), mask %h (%h), saved %h (%h), zero %b", $time, res_valid_o, due_valid, res_mask_o,
               due_mask, res_saved_o, due_saved, res_zero_o);
      $finish_and_return(1);
    end
    if (due_valid) results = results + 1;
    due_valid = op_valid_i;
    if (op_valid_i) begin
      case (op_kind_i)
        0: due_mask = op_a_i & op_b_i;
        1: due_mask = op_a_i | op_b_i;
        2: due_mask = op_a_i ^ op_b_i;
        3: due_mask = op_a_i & ~op_b_i;
        default: due_mask = op_b_i;
      endcase
      due_saved = op_a_i;
      if (due_mask == 0) nobody[op_kind_i] = nobody[op_kind_i] + 1;
      else somebody[op_kind_i] = somebody[op_kind_i] + 1;
    end
  end

  // Any mask, few lanes, all or none.
  function automatic [Lanes-1:0] lanes(input integer any);
    integer l;
    begin
      lanes = 0;
      for (l = 0; l < Lanes; l = l + 1) lanes[l] = $unsigned($random(seed)) % 4 < any % 4;
      if (any % 8 == 4) lanes = 1 << any / 8 % Lanes;
      if (any % 8 == 7) lanes = {Lanes{1'b1}};
    end
  endfunction

  integer o, k;
  initial begin
    for (k = 0; k < 5; k = k + 1) {nobody[k], somebody[k]} = 64'd0;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    for (o = 0; o < Operations; o = o + 1) begin
      op_valid_i = $unsigned($random(seed)) % 8 != 0;
      op_kind_i = op_valid_i ? $unsigned($random(seed)) % 5 : 'x;
      op_a_i = op_valid_i ? lanes($unsigned($random(seed)) % 1024) : 'x;
      op_b_i = !op_valid_i ? 'x : $unsigned($random(seed)) % 4 == 0 ? op_a_i : lanes($unsigned($random(seed)) % 1024);
      @(negedge clk_i);
    end
    op_valid_i = 1'b0;
    repeat (2) @(negedge clk_i);
    for (k = 0; k < 5; k = k + 1) begin
      if (nobody[k] < 20 || somebody[k] < 20) begin
        $display("coverage: kind %0d, nobody %0d, somebody %0d", k, nobody[k], somebody[k]);
        $finish_and_return(1);
      end
    end
    if (due_valid || results < Operations / 2) $finish_and_return(1);
    $display("PASS: %0d results", results);
    $finish;
  end

endmodule

`default_nettype wire
