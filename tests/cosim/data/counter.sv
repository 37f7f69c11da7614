// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What the tests of tb/cosim look at: every class of port width, a register and an assertion.
module counter #(
  parameter int Width = 8
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire  [Width-1:0] step_i,
  input  wire  [12:0]      short_i,
  input  wire  [59:0]      quad_i,
  input  wire  [99:0]      wide_i,
  input  wire              say_i,
  output logic [Width-1:0] count_o,
  output logic [Width-1:0] next_o,
  output logic [12:0]      short_o,
  output logic [59:0]      quad_o,
  output logic [99:0]      wide_o,
  output logic [31:0]      unset_o
);

  logic [31:0] unset_q;  // without reset

  assign next_o = count_o + step_i;
  assign short_o = ~short_i;
  assign quad_o = ~quad_i;
  assign wide_o = ~wide_i;
  assign unset_o = unset_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_o <= '0;
    else count_o <= next_o;
  end
  always_ff @(posedge clk_i) begin
    if (wide_i == '1) unset_q <= '0;
    if (say_i) $display("count %0d", count_o);
  end

  SmallSteps: assert property (@(posedge clk_i) disable iff (!rst_ni) (step_i < 9))
    else $error("a step of %0d", step_i);

endmodule

`default_nettype wire
