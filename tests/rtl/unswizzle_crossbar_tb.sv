// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The whole way: masks to swizzle_control, operands through swizzle_crossbar to a unit that returns
// what it gets, results through unswizzle_crossbar. Every active lane must be written
// once, with its own datum, and no other lane at all. Lanes that are off hold X.
module unswizzle_crossbar_case #(
  parameter int Lanes = 16,
  parameter int Width = 4,
  parameter int Swizzle = 1,
  parameter int DataBits = 32,
  parameter int Masks = 200
) (
  input  wire  clk_i,
  input  wire  rst_ni,
  output logic done_o
);

  localparam int Quads = Lanes / Width;
  localparam int QuadWidth = Quads > 1 ? $clog2(Quads) : 1;
  localparam int LaneWidth = $clog2(Width);

  logic                       mask_valid, mask_ready, set_valid, set_ready, set_last;
  logic [Lanes-1:0]           mask, write_enable;
  logic [Lanes*DataBits-1:0]  data, write_data;
  logic [Width-1:0]           set_enable;
  logic [Width*QuadWidth-1:0] set_quad;
  logic [Width*LaneWidth-1:0] set_lane;
  logic [Width*DataBits-1:0]  alu_data;

  swizzle_control #(.Lanes(Lanes), .Width(Width), .Swizzle(Swizzle)) u_control (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .mask_valid_i(mask_valid),
    .mask_ready_o(mask_ready),
    .mask_i      (mask),
    .set_valid_o (set_valid),
    .set_ready_i (set_ready),
    .set_last_o  (set_last),
    .set_enable_o(set_enable),
    .set_quad_o  (set_quad),
    .set_lane_o  (set_lane)
  );

  wire                data_valid = mask_valid && mask_ready;
  wire [Width-1:0]    enable = set_valid && set_ready ? set_enable : '0;

  swizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) u_operand (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .data_valid_i(data_valid),
    .data_i      (data),
    .set_enable_i(enable),
    .set_quad_i  (set_quad),
    .set_lane_i  (set_lane),
    .alu_data_o  (alu_data)
  );

  unswizzle_crossbar #(.Lanes(Lanes), .Width(Width), .DataBits(DataBits)) u_dut (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .set_enable_i  (enable),
    .set_quad_i    (set_quad),
    .set_lane_i    (set_lane),
    .alu_data_i    (alu_data),
    .write_enable_o(write_enable),
    .write_data_o  (write_data)
  );

  // The lanes of the mask at work that are still to be written, and all their data.
  logic [Lanes-1:0]          due;
  logic [Lanes*DataBits-1:0] due_data;
  int                        masks, lanes;

  task automatic check_write(input int l);
    if ((write_enable[l] && !due[l]) || (write_enable[l] !== 1'b1 && write_enable[l] !== 1'b0) ||
        write_data[l*DataBits +: DataBits] !==
            (write_enable[l] ? due_data[l*DataBits +: DataBits] : '0)) begin
      $display("FAIL: Lanes %0d Width %0d Swizzle %0d, mask %0d lane %0d: due %b", Lanes, Width,
               Swizzle, masks, l, due[l]);
      $display("written %b with %h", write_enable[l], write_data[l*DataBits +: DataBits]);
      $fatal(1);
    end
  endtask

  initial begin
    done_o = 1'b0;
    mask_valid = 1'b0;
    mask = 'x;
    data = 'x;
    set_ready = 1'b0;
    due = '0;
    due_data = 'x;
    masks = 0;
    lanes = 0;
    wait (rst_ni);
    while (masks < Masks || mask_valid || set_valid) begin
      @(negedge clk_i);
      if (!mask_valid && masks < Masks) begin
        mask = Lanes'({$urandom, $urandom});
        for (int l = 0; l < Lanes; l++) begin
          data[l*DataBits +: DataBits] = mask[l] ? DataBits'({$urandom, $urandom}) : 'x;
        end
        mask_valid = 1'b1;
        masks++;
      end
      set_ready = ($urandom & 3) != 0;
      #1;
      for (int l = 0; l < Lanes; l++) check_write(l);
      lanes += $countones(write_enable);
      due &= ~write_enable;
      if (set_valid && set_ready && set_last && due != '0) begin
        $display("FAIL: Lanes %0d Width %0d Swizzle %0d, mask %0d: lanes %b are not written", Lanes,
                 Width, Swizzle, masks, due);
        $fatal(1);
      end
      if (data_valid) begin
        due = mask;
        due_data = data;
        @(posedge clk_i);
        #1;
        mask_valid = 1'b0;
        mask = 'x;
        data = 'x;
      end
    end
    $display("Lanes %0d Width %0d Swizzle %0d: %0d masks, %0d lanes", Lanes, Width, Swizzle, masks,
             lanes);
    done_o = 1'b1;
  end

endmodule

module unswizzle_crossbar_tb;

  logic       clk, rst_n;
  logic [3:0] done;

  unswizzle_crossbar_case #(16, 4, 1, 32, 100) u_scc (clk, rst_n, done[0]);
  unswizzle_crossbar_case #(16, 4, 0, 32, 100) u_bcc (clk, rst_n, done[1]);
  unswizzle_crossbar_case #(12, 3, 1, 7, 100) u_odd (clk, rst_n, done[2]);
  unswizzle_crossbar_case #(32, 8, 1, 32, 20) u_wide (clk, rst_n, done[3]);

  `include "shared/cases.svh"

endmodule

`default_nettype wire
