// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of sfu_lane against the simulator's functions of double precision, within what PTX allows: every clock, every
// output, four states. What is not valid is X.
module sfu_lane_tb #(
  parameter int Stages = 5,
  parameter int Operations = 6000
);

  localparam logic [31:0] Infinity = 32'h7f800000;
  localparam logic [31:0] Nan = 32'h7fffffff;

  logic        clk_i = 1'b0, rst_ni = 1'b0, op_valid_i = 1'b0, res_valid_o;
  logic [2:0]  op_kind_i = 'x, kind [0:4];
  logic [31:0] op_a_i = 'x, res_o, operand [0:4];
  logic [4:0]  due_valid = '0;
  integer      seed = 1, ops = 0, specials = 0, kinds [0:5];
  real         worst [0:5];

  sfu_lane #(.Stages(Stages)) dut (.*);

  always #5 clk_i = !clk_i;

  `include "shared/bench.svh"

  function real value(input [31:0] bits);
    value = (bits[31] ? -1.0 : 1.0) * (bits[22:0] + (bits[30:23] == 0 ? 0.0 : 8388608.0)) *
            $pow(2.0, (bits[30:23] == 0 ? 1.0 : 1.0 * bits[30:23]) - 150.0);
  endfunction

  function real size(input real of);
    size = of < 0.0 ? -of : of;
  endfunction

  // What is no matter of precision: bit 32 says so.
  function [32:0] special(input [2:0] of, input [31:0] a);
    reg zero, infinite, nan;
    begin
      zero = a[30:0] == 0;
      infinite = a[30:0] == Infinity;
      nan = a[30:0] > Infinity;
      special = 0;
      case (of)
        0, 1: begin
          if (zero) special = {1'b1, a[31], Infinity[30:0]};
          if (infinite) special = {1'b1, a[31], 31'b0};
        end
        2: begin
          if (zero) special = {2'b11, Infinity[30:0]};
          if (infinite || a == 32'h3f800000) special = {1'b1, infinite ? Infinity : 32'b0};
        end
        3: begin
          if (value(a) > 128.0 || infinite) special = {1'b1, Infinity};
          if (a[31] && (value(a) < -150.0 || infinite)) special = {1'b1, 32'b0};
        end
        4: if (zero) special = {1'b1, a};
      endcase
      if (of == 0 && !zero && size(value(a)) < 2.93e-39) special = {1'b1, a[31], Infinity[30:0]};
      if (nan || (infinite && of > 3) || ((of == 1 || of == 2) && a[31] && !zero)) special = {1'b1, Nan};
    end
  endfunction

  // How much of what PTX allows an error takes.
  function real share(input [2:0] of, input real a, input real got);
    real wanted, ulp, error;
    begin
      case (of)
        0: wanted = 1.0 / a;
        1: wanted = 1.0 / $sqrt(a);
        2: wanted = $ln(a) / $ln(2.0);
        3: wanted = $pow(2.0, a);
        4: wanted = $sin(a);
        default: wanted = $cos(a);
      endcase
      ulp = $pow(2.0, -149.0);
      if (size(wanted) > 1.2e-38) ulp = $pow(2.0, $floor($ln(size(wanted)) / $ln(2.0)) - 23.0);
      error = size(got - wanted);
      case (of)
        0: share = error / ulp;
        1: share = error / wanted * $pow(2.0, 22.9);
        2: share = a > 0.5 && a < 2.0 ? error * $pow(2.0, 22.6) : error / size(wanted) * $pow(2.0, 22.0);
        3: share = error / ulp / 2.0;
        default: share = size(a) > 314.15 ? (size(got) > 1.0 ? 2.0 : 0.0) : error * $pow(2.0, 20.9);
      endcase
    end
  endfunction

  // Values from before the edge: inputs change at the falling one.
  reg [32:0] is_special;
  real       taken;
  always @(posedge clk_i) if (rst_ni) begin
    if (res_valid_o !== due_valid[Stages-1]) fail("a result not in time");
    if (res_valid_o) begin
      is_special = special(kind[Stages-1], operand[Stages-1]);
      if (is_special[32]) begin
        specials = specials + 1;
        if (res_o !== is_special[31:0]) fail("a special value");
      end else begin
        taken = share(kind[Stages-1], value(operand[Stages-1]), value(res_o));
        if (!(taken <= 1.0) || ^res_o === 1'bx) fail("an error beyond PTX's");
        if (taken > worst[kind[Stages-1]]) worst[kind[Stages-1]] = taken;
      end
      kinds[kind[Stages-1]] = kinds[kind[Stages-1]] + 1;
    end
    due_valid = {due_valid[3:0], op_valid_i};
    for (int s = 4; s > 0; s--) begin
      operand[s] = operand[s-1];
      kind[s] = kind[s-1];
    end
    operand[0] = op_a_i;
    kind[0] = op_kind_i;
  end

  initial begin
    for (int k = 0; k < 6; k++) begin
      kinds[k] = 0;
      worst[k] = 0.0;
    end
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    for (ops = 0; ops < Operations; ops++) begin
      op_valid_i = pick(8) != 0;
      op_kind_i = pick(6);
      op_a_i = $random(seed);
      if (pick(4) != 0) op_a_i[30:23] = 117 + pick(20);
      if (pick(4) == 0) op_a_i[22:0] = pick(2) == 0 ? 0 : 8388607 - pick(3);
      if (pick(32) == 0) op_a_i[30:23] = pick(2) == 0 ? 0 : 255;
      if (pick(32) == 0) op_a_i[30:23] = 133;  // exponentials at the ends
      if (!op_valid_i) {op_kind_i, op_a_i} = 'x;
      @(negedge clk_i);
    end
    op_valid_i = 1'b0;
    repeat (6) @(negedge clk_i);
    if (due_valid !== '0 || specials < Operations / 10) fail("too little was seen");
    for (int k = 0; k < 6; k++) if (kinds[k] < Operations / 10) fail("a function was hardly seen");
    $display("PASS: %0d special values; of what PTX allows: rcp %.2f, rsqrt %.2f, lg2 %.2f, ex2 %.2f, sin %.2f, cos %.2f",
             specials, worst[0], worst[1], worst[2], worst[3], worst[4], worst[5]);
    $finish;
  end

endmodule

`default_nettype wire
