// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The zeros above the highest one, Width - 1 where there is none, by halves: one step a bit of the number.
module leading_zeros #(
  parameter int Width = 8,  // 2 or more
  localparam int Count = simt_pkg::idx_width(Width)
) (
  input  wire  [Width-1:0] value_i,
  output logic [Count-1:0] zeros_o
);

  localparam int Padded = 1 << Count;

  always_comb begin : halve
    logic [Padded-1:0] rest;
    zeros_o = '0;
    rest = {value_i, {(Padded - Width){1'b1}}};
    for (int step = Count - 1; step >= 0; step--) begin
      if ((rest >> (Padded - (1 << step))) == '0) begin
        zeros_o[step] = 1'b1;
        rest = rest << (1 << step);
      end
    end
    if (value_i == '0) zeros_o = Count'(Width - 1);
  end

endmodule

`default_nettype wire
