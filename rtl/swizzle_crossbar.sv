// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The operand side of SCC (Intra-warp sec. 4.2, Fig. 5c): a latch for the operand of a whole warp,
// per quad a swizzler with lane enables, and an OR of the quads that feeds a unit of Width lanes.
// The settings are those of swizzle_control.
module swizzle_crossbar #(
  parameter int Lanes = 16,     // of a warp, a multiple of Width
  parameter int Width = 4,      // of the unit
  parameter int DataBits = 32,  // of a lane
  localparam int Quads = Lanes / Width,
  localparam int QuadWidth = simt_pkg::idx_width(Quads),
  localparam int LaneWidth = simt_pkg::idx_width(Width)
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  // The operand, with its mask: it is there with the mask's first settings.
  input  wire                        data_valid_i,
  input  wire  [Lanes*DataBits-1:0]  data_i,
  input  wire  [Width-1:0]           set_enable_i,
  input  wire  [Width*QuadWidth-1:0] set_quad_i,
  input  wire  [Width*LaneWidth-1:0] set_lane_i,
  output logic [Width*DataBits-1:0]  alu_data_o  // in the same clock; 0 where a lane is off
);

  logic [Lanes*DataBits-1:0] data_d, data_q;

  assign data_d = data_valid_i ? data_i : data_q;  // seeded-bug: assign data_d = data_i;

  always_ff @(posedge clk_i) data_q <= data_d;

  // The output is assigned once, as Icarus 11 runs the block again with every later one.
  always_comb begin : swizzle
    logic [Width*DataBits-1:0] bus, quad;
    logic [DataBits-1:0]       data;
    logic                      from;
    bus = '0;
    quad = '0;
    data = '0;
    from = 1'b0;
    for (int q = 0; q < Quads; q++) begin
      for (int n = 0; n < Width; n++) begin
        data = '0;
        for (int m = 0; m < Width; m++) begin
          from = set_enable_i[n] && set_quad_i[n*QuadWidth +: QuadWidth] == QuadWidth'(q) &&
                 set_lane_i[n*LaneWidth +: LaneWidth] == LaneWidth'(m);
          data |= data_q[(q*Width+m)*DataBits +: DataBits] & {DataBits{from}};
        end
        quad[n*DataBits +: DataBits] = data;
      end
      bus |= quad;
    end
    alu_data_o = bus;
  end

  logic [Width-1:0] named;  // lanes whose settings name one of the warp

  for (genvar n = 0; n < Width; n++) begin : gen_named
    assign named[n] = 32'(set_quad_i[n*QuadWidth +: QuadWidth]) < Quads &&
                      32'(set_lane_i[n*LaneWidth +: LaneWidth]) < Width;
  end

  `ASSERT(EnabledAreNamed, (set_enable_i & ~named) == '0)
  `ASSERT_INIT(LanesPerUnit, Width >= 2 && Quads * Width == Lanes)

endmodule

`default_nettype wire
