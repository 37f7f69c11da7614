// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A memory with one write port and one combinational read port; a read sees the writes of earlier
// clocks. Synthesis leaves it out as a black box: the area model counts its bits.
module ram_1r1w #(
  parameter int Width = 32,  // bits of a word
  parameter int Depth = 32,  // words
  localparam int AddrWidth = simt_pkg::idx_width(Depth)
) (
  input  wire                  clk_i,
  input  wire                  write_en_i,
  input  wire  [AddrWidth-1:0] write_addr_i,
  input  wire  [Width-1:0]     write_data_i,
  input  wire  [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     read_data_o
);

  logic [Width-1:0] mem_q [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (write_en_i) mem_q[write_addr_i] <= write_data_i;
  end

  assign read_data_o = mem_q[read_addr_i];

`ifdef FORMAL
  // All words, for the invariants of proofs.
  logic [Depth*Width-1:0] words;
  for (genvar i = 0; i < Depth; i++) begin : gen_words
    assign words[i*Width +: Width] = mem_q[i];
  end
`endif

endmodule

`default_nettype wire
