// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The write-back side of SCC (Intra-warp sec. 4.2): the results of a unit of Width lanes go back to
// the lanes of the warp that their operands came from, by the inverse of the settings with which
// swizzle_control sent them. Combinational.
module unswizzle_crossbar #(
  parameter int Lanes = 16,     // of a warp, a multiple of Width
  parameter int Width = 4,      // of the unit
  parameter int DataBits = 32,  // of a lane
  localparam int Quads = Lanes / Width,
  localparam int QuadWidth = simt_pkg::idx_width(Quads),
  localparam int LaneWidth = simt_pkg::idx_width(Width)
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  input  wire  [Width-1:0]           set_enable_i,
  input  wire  [Width*QuadWidth-1:0] set_quad_i,
  input  wire  [Width*LaneWidth-1:0] set_lane_i,
  input  wire  [Width*DataBits-1:0]  alu_data_i,
  output logic [Lanes-1:0]           write_enable_o,
  output logic [Lanes*DataBits-1:0]  write_data_o  // 0 where it is not enabled
);

  // Outputs are assigned once, as Icarus 11 runs the block again with every later one.
  always_comb begin : unswizzle
    logic [Lanes*DataBits-1:0] results;
    logic [Lanes-1:0]          enables;
    logic [DataBits-1:0]       data;
    logic                      from;
    results = '0;
    enables = '0;
    data = '0;
    from = 1'b0;
    for (int q = 0; q < Quads; q++) begin
      for (int m = 0; m < Width; m++) begin
        data = '0;
        for (int n = 0; n < Width; n++) begin
          from = set_quad_i[n*QuadWidth +: QuadWidth] == QuadWidth'(q) &&
                 set_lane_i[n*LaneWidth +: LaneWidth] == LaneWidth'(m);
          from &= set_enable_i[n];  // seeded-bug: ;
          data |= alu_data_i[n*DataBits +: DataBits] & {DataBits{from}};
          enables[q*Width+m] = enables[q*Width+m] | from;
        end
        results[(q*Width+m)*DataBits +: DataBits] = data;
      end
    end
    write_enable_o = enables;
    write_data_o = results;
  end

  `ASSERT(EachToItsLane, $countones(write_enable_o) == $countones(set_enable_i))
  `ASSERT_INIT(LanesPerUnit, Width >= 2 && Quads * Width == Lanes)

endmodule

`default_nettype wire
