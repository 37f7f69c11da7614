// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What swizzle_crossbar must do for any operands and settings: each output lane has what the named
// lane of the last operand had, 0 if it is off.
module swizzle_crossbar_formal #(
  parameter int Lanes = 16,
  parameter int Width = 4,
  parameter int DataBits = 4,
  localparam int Quads = Lanes / Width,
  localparam int QuadWidth = simt_pkg::idx_width(Quads),
  localparam int LaneWidth = simt_pkg::idx_width(Width)
) (
  input wire                       clk_i,
  input wire                       rst_ni,
  input wire                       data_valid_i,
  input wire [Lanes*DataBits-1:0]  data_i,
  input wire [Width-1:0]           set_enable_i,
  input wire [Width*QuadWidth-1:0] set_quad_i,
  input wire [Width*LaneWidth-1:0] set_lane_i
);

  logic [Width*DataBits-1:0] alu_data;

  swizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) dut (
    .alu_data_o(alu_data),
    .*
  );

  `ASSUME_RESET_FIRST

  logic                      loaded_q;
  logic [Lanes*DataBits-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loaded_q <= 1'b0;
    else if (data_valid_i) loaded_q <= 1'b1;
  end
  always_ff @(posedge clk_i) if (data_valid_i) data_q <= data_i;

  for (genvar n = 0; n < Width; n++) begin : gen_lane
    logic [QuadWidth+LaneWidth-1:0] lane;
    logic [DataBits-1:0]            want;
    logic                           named;
    assign lane = set_quad_i[n*QuadWidth +: QuadWidth] * Width +
                  set_lane_i[n*LaneWidth +: LaneWidth];
    assign named = 32'(set_quad_i[n*QuadWidth +: QuadWidth]) < Quads &&
                   32'(set_lane_i[n*LaneWidth +: LaneWidth]) < Width;
    assign want = set_enable_i[n] ? data_q >> (lane * DataBits) : '0;
    `ASSUME(EnabledIsNamed, named || !set_enable_i[n])
    `ASSERT(BringsWhatIsNamed, !loaded_q || alu_data[n*DataBits +: DataBits] == want)
  end

`ifndef PORTS_ONLY
  // For the induction.
  (* hierconn *) wire [Lanes*DataBits-1:0] \dut.data_q ;

  `ASSERT(HoldsTheOperand, !loaded_q || \dut.data_q == data_q)
`endif

endmodule

`default_nettype wire
