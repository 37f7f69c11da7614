// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A block without a twin: watches for branches that diverge.
module branch_probe #(
  parameter int Lanes = 32
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              issue_i,
  input  wire              branch_i,
  input  wire  [Lanes-1:0] mask_i,
  input  wire  [Lanes-1:0] taken_i,
  output logic             issue_o,
  output logic             diverges_o,
  output logic [31:0]      branches_o
);

  assign issue_o = issue_i;
  assign diverges_o = branch_i && (taken_i & mask_i) != '0 && (taken_i & mask_i) != mask_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) branches_o <= '0;
    else if (branch_i) branches_o <= branches_o + 32'd1;
  end

endmodule

`default_nettype wire
