// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Of each lane the highest row with a thread, or the highest row as it is.
module compactor_pick #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input  wire  [Rows*Lanes-1:0]     waiting_i,
  input  wire                       together_i,
  output logic [Lanes-1:0]          mask_o,
  output logic [Lanes*RowWidth-1:0] row_o,
  output logic [Rows*Lanes-1:0]     after_o
);

  logic [Lanes-1:0] chosen;
  logic             found;

  always_comb begin
    mask_o = '0;
    row_o = '0;
    after_o = waiting_i;
    found = 1'b0;
    chosen = '0;
    for (int r = Rows - 1; r >= 0; r--) begin
      chosen = waiting_i[r*Lanes +: Lanes] & ~mask_o & {Lanes{together_i || !found}};
      found = found || chosen != '0;
      mask_o |= chosen;
      after_o[r*Lanes +: Lanes] = waiting_i[r*Lanes +: Lanes] & ~chosen;
      for (int l = 0; l < Lanes; l++) begin
        if (chosen[l]) row_o[l*RowWidth +: RowWidth] = RowWidth'(r);
      end
    end
  end

endmodule

`default_nettype wire
