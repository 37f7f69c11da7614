// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Random operands and settings, legal or not as a permutation: every output lane gets the lane that
// is named, 0 when it is off, and the operand stays until the next one. What no setting names is X.
module swizzle_crossbar_case #(
  parameter int Lanes = 16,
  parameter int Width = 4,
  parameter int DataBits = 32,
  parameter int Clocks = 1000
) (
  input  wire  clk_i,
  input  wire  rst_ni,
  output logic done_o
);

  localparam int Quads = Lanes / Width;
  localparam int QuadWidth = Quads > 1 ? $clog2(Quads) : 1;
  localparam int LaneWidth = $clog2(Width);

  logic                       data_valid;
  logic [Lanes*DataBits-1:0]  data;
  logic [Width-1:0]           set_enable;
  logic [Width*QuadWidth-1:0] set_quad;
  logic [Width*LaneWidth-1:0] set_lane;
  logic [Width*DataBits-1:0]  alu_data;

  swizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) u_dut (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .data_valid_i(data_valid),
    .data_i      (data),
    .set_enable_i(set_enable),
    .set_quad_i  (set_quad),
    .set_lane_i  (set_lane),
    .alu_data_o  (alu_data)
  );

  logic [DataBits-1:0]       operand [0:Lanes-1];
  logic [Width*DataBits-1:0] want;
  int                        quad, lane;

  task automatic load();
    for (int l = 0; l < Lanes; l++) begin
      operand[l] = ($urandom & 3) == 0 ? 'x : DataBits'({$urandom, $urandom});
      data[l*DataBits +: DataBits] = operand[l];
    end
    data_valid = 1'b1;
  endtask

  task automatic set();
    set_enable = '0;
    set_quad = '0;
    set_lane = '0;
    want = '0;
    for (int n = 0; n < Width; n++) begin
      quad = $urandom % Quads;
      lane = $urandom % Width;
      if (($urandom & 3) != 0 && ^operand[quad*Width+lane] !== 1'bx) begin
        set_enable[n] = 1'b1;
        set_quad[n*QuadWidth +: QuadWidth] = quad;
        set_lane[n*LaneWidth +: LaneWidth] = lane;
        want[n*DataBits +: DataBits] = operand[quad*Width+lane];
      end
    end
  endtask

  initial begin
    done_o = 1'b0;
    data_valid = 1'b0;
    set_enable = '0;
    set_quad = '0;
    set_lane = '0;
    wait (rst_ni);
    for (int i = 0; i < Clocks; i++) begin
      @(negedge clk_i);
      data_valid = 1'b0;
      data = 'x;
      if (i == 0 || ($urandom & 3) == 0) load();
      set_enable = '0;
      @(posedge clk_i);
      #1 set();
      #1;
      if (alu_data !== want) begin
        $display("FAIL: Lanes %0d Width %0d, clock %0d: enable %b quad %b lane %b", Lanes, Width, i,
                 set_enable, set_quad, set_lane);
        $display("give %h, wanted %h", alu_data, want);
        $fatal(1);
      end
    end
    done_o = 1'b1;
  end

endmodule

module swizzle_crossbar_tb;

  logic       clk, rst_n;
  logic [3:0] done;

  swizzle_crossbar_case #(16, 4, 32) u_paper (clk, rst_n, done[0]);
  swizzle_crossbar_case #(32, 8, 32) u_wide (clk, rst_n, done[1]);
  swizzle_crossbar_case #(12, 3, 7) u_odd (clk, rst_n, done[2]);
  swizzle_crossbar_case #(4, 4, 1) u_equal (clk, rst_n, done[3]);

  `include "shared/cases.svh"

endmodule

`default_nettype wire
