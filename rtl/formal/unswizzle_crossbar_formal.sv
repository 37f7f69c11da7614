// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// swizzle_crossbar and unswizzle_crossbar with a unit between them that returns what it gets, for
// any settings that name no lane twice, as swizzle_control's do not: the lanes that they
// name are written with their own data, no others are.
module unswizzle_crossbar_formal #(
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
  logic [Lanes-1:0]          write_enable;
  logic [Lanes*DataBits-1:0] write_data;

  swizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) operand (
    .alu_data_o(alu_data),
    .*
  );

  unswizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) dut (
    .alu_data_i    (alu_data),
    .write_enable_o(write_enable),
    .write_data_o  (write_data),
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

  // The lanes of the warp that the settings name, and whether any is named twice or does not exist.
  logic [Lanes-1:0]     named;
  logic [QuadWidth-1:0] quad;
  logic [LaneWidth-1:0] lane;
  logic                 legal;

  always_comb begin
    named = '0;
    quad = '0;
    lane = '0;
    legal = 1'b1;
    for (int n = 0; n < Width; n++) begin
      quad = set_quad_i[n*QuadWidth +: QuadWidth];
      lane = set_lane_i[n*LaneWidth +: LaneWidth];
      if (set_enable_i[n]) begin
        legal = legal && 32'(quad) < Quads && 32'(lane) < Width;
        for (int l = 0; l < Lanes; l++) begin
          if (32'(quad) == l / Width && 32'(lane) == l % Width) begin
            legal = legal && !named[l];
            named[l] = 1'b1;
          end
        end
      end
    end
  end

  `ASSUME(Legal, legal)

  logic [Lanes*DataBits-1:0] want;

  always_comb begin
    for (int l = 0; l < Lanes; l++) begin
      want[l*DataBits +: DataBits] = data_q[l*DataBits +: DataBits] & {DataBits{named[l]}};
    end
  end

  `ASSERT(NamedAreWritten, write_enable == named)
  `ASSERT(WithTheirOwnData, !loaded_q || write_data == want)

  // For the induction.
  (* hierconn *) wire [Lanes*DataBits-1:0] \operand.data_q ;

  `ASSERT(HoldsTheOperand, !loaded_q || \operand.data_q == data_q)

endmodule

`default_nettype wire
