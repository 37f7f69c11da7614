// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A place where a datapath may be cut: a register there, or a wire.
module pipe_register #(
  parameter int Width = 1,
  parameter int Enabled = 1
) (
  input  wire              clk_i,
  input  wire  [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Enabled != 0) begin : gen_register
    always_ff @(posedge clk_i) q_o <= d_i;
  end else begin : gen_wire
    assign q_o = d_i;
    logic unused_clk;
    assign unused_clk = clk_i;
  end

endmodule

`default_nettype wire
