// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Two rows at most: the lowest with threads, and of the next one what fits beside it. More warps, of fewer rows each.
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
  logic [1:0]       found;

  always_comb begin
    mask_o = '0;
    row_o = '0;
    after_o = waiting_i;
    found = 2'd0;
    chosen = '0;
    for (int r = 0; r < Rows; r++) begin
      chosen = waiting_i[r*Lanes +: Lanes] & ~mask_o & {Lanes{found == 2'd0 || (together_i && found == 2'd1)}};
      found = found + 2'(chosen != '0);
      mask_o |= chosen;
      after_o[r*Lanes +: Lanes] = waiting_i[r*Lanes +: Lanes] & ~chosen;
      for (int l = 0; l < Lanes; l++) begin
        if (chosen[l]) row_o[l*RowWidth +: RowWidth] = RowWidth'(r);
      end
    end
  end

endmodule

`default_nettype wire
