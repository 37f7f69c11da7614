// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A lane of the unit of popacc.u32, an instruction of a plug-in (tb/examples/popacc.cpp): the bits that are set in a,
// and c. An operation per clock, its result three clocks later: sums of bytes, their sum, the sum with c.
module popacc_lane (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire         op_valid_i,
  input  wire  [31:0] op_a_i,
  input  wire  [31:0] op_b_i,  // c
  output logic        res_valid_o,
  output logic [31:0] res_o
);

  logic [1:0]  valid;
  logic [15:0] bytes;  // 0 to 8 of each byte
  logic [5:0]  bits;
  logic [31:0] c_of_bytes, c_of_bits;

  function automatic [3:0] ones_of(input [7:0] a);
    ones_of = 4'd0;
    for (int i = 0; i < 8; i++) ones_of = ones_of + {3'd0, a[i]};
  endfunction

  always_ff @(posedge clk_i) begin
    bytes <= {ones_of(op_a_i[31:24]), ones_of(op_a_i[23:16]), ones_of(op_a_i[15:8]), ones_of(op_a_i[7:0])};
    c_of_bytes <= op_b_i;
    bits <= {2'd0, bytes[15:12]} + {2'd0, bytes[11:8]} + {2'd0, bytes[7:4]} + {2'd0, bytes[3:0]};
    c_of_bits <= c_of_bytes;
    res_o <= c_of_bits + {26'd0, bits};
    if (!rst_ni) begin
      valid <= 2'd0;
      res_valid_o <= 1'b0;
    end else begin
      valid <= {valid[0], op_valid_i};
      res_valid_o <= valid[1];
    end
  end

endmodule

`default_nettype wire
