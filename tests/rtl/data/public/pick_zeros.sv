// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Glue for compactor_policy: the lowest row of each lane is as many as there are zeros before it (common_cells).
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
  logic [Rows-1:0]     used;
  logic [RowWidth-1:0] first;
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    assign used[r] = waiting_i[r*Lanes +: Lanes] != '0;
  end
  cc_lzc #(.Width(Rows), .Mode(cc_pkg::LZC_TRAILING_ZERO_CNT)) of_rows (.in_i(used), .cnt_o(first), .empty_o());
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [Rows-1:0]     column;
    logic [RowWidth-1:0] row;
    logic                empty;
    for (genvar r = 0; r < Rows; r++) begin : gen_row
      assign column[r] = waiting_i[r*Lanes+l] && (together_i || first == RowWidth'(r));
      assign after_o[r*Lanes+l] = waiting_i[r*Lanes+l] && !(mask_o[l] && row == RowWidth'(r));
    end
    cc_lzc #(.Width(Rows), .Mode(cc_pkg::LZC_TRAILING_ZERO_CNT)) of_lane (.in_i(column), .cnt_o(row), .empty_o(empty));
    assign mask_o[l] = !empty;
    assign row_o[l*RowWidth +: RowWidth] = empty ? '0 : row;
  end
endmodule

`default_nettype wire
