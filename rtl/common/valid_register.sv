// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The valid bit beside a pipe_register, off after reset.
module valid_register #(
  parameter int Enabled = 1
) (
  input  wire  clk_i,
  input  wire  rst_ni,
  input  wire  d_i,
  output logic q_o
);

  if (Enabled != 0) begin : gen_register
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) q_o <= 1'b0;
      else q_o <= d_i;
    end
  end else begin : gen_wire
    assign q_o = d_i;
    logic unused;
    assign unused = clk_i ^ rst_ni;
  end

endmodule

`default_nettype wire
