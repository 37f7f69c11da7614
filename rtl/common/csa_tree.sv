// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Terms numbers to two of the same sum, modulo 2^Width. They queue up; a carry-save adder takes three from the front and
// puts its sum and its carries behind the last: a logarithmic depth.
module csa_tree #(
  parameter int Terms = 3,  // 3 or more
  parameter int Width = 8
) (
  input  wire  [Terms*Width-1:0] terms_i,
  output logic [Width-1:0]       sum_o,
  output logic [Width-1:0]       carry_o
);

  localparam int Nodes = 3 * Terms - 4;

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    logic [Width-1:0] value;
    if (n < Terms) begin : gen_term
      assign value = terms_i[n*Width +: Width];
    end else begin : gen_adder
      localparam int First = 3 * ((n - Terms) / 2);
      logic [Width-1:0] a, b, c;
      assign a = gen_node[First].value;
      assign b = gen_node[First+1].value;
      assign c = gen_node[First+2].value;
      if ((n - Terms) % 2 == 0) begin : gen_sum
        assign value = a ^ b ^ c;
      end else begin : gen_carry
        assign value = {(a[Width-2:0] & b[Width-2:0]) | (a[Width-2:0] & c[Width-2:0]) | (b[Width-2:0] & c[Width-2:0]), 1'b0};
        logic unused;
        assign unused = a[Width-1] ^ b[Width-1] ^ c[Width-1];
      end
    end
  end

  assign sum_o = gen_node[Nodes-2].value;
  assign carry_o = gen_node[Nodes-1].value;

endmodule

`default_nettype wire
