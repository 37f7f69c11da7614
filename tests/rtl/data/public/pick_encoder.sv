// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Glue for compactor_policy: the highest row of each lane is what a priority encoder says (verilog-axis).
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
  logic [Rows-1:0] used, first;
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    assign used[r] = waiting_i[r*Lanes +: Lanes] != '0;
  end
  priority_encoder #(.WIDTH(Rows)) of_rows (
    .input_unencoded(used), .output_valid(), .output_encoded(), .output_unencoded(first)
  );
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [Rows-1:0]     column, chosen;
    logic [RowWidth-1:0] row;
    for (genvar r = 0; r < Rows; r++) begin : gen_row
      assign column[r] = waiting_i[r*Lanes+l] && (together_i || first[r]);
      assign after_o[r*Lanes+l] = waiting_i[r*Lanes+l] && !(mask_o[l] && chosen[r]);
    end
    priority_encoder #(.WIDTH(Rows)) of_lane (
      .input_unencoded(column), .output_valid(mask_o[l]), .output_encoded(row), .output_unencoded(chosen)
    );
    assign row_o[l*RowWidth +: RowWidth] = mask_o[l] ? row : '0;
  end
endmodule

`default_nettype wire
