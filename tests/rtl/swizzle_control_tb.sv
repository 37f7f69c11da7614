// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One size against Fig. 6 as the paper prints it: queues, and one lane after the other. All masks,
// or some random ones, with pauses on both sides.
module swizzle_control_case #(
  parameter int Lanes = 16,
  parameter int Width = 4,
  parameter int Swizzle = 1,
  parameter int Masks = 0,  // 0: all
  parameter int Equal = 1   // 0: any design that keeps the contract, in its own time
) (
  input  wire  clk_i,
  input  wire  rst_ni,
  output logic done_o
);

  localparam int Quads = Lanes / Width;
  localparam int QuadWidth = Quads > 1 ? $clog2(Quads) : 1;
  localparam int LaneWidth = $clog2(Width);
  localparam int Total = Masks == 0 ? 1 << Lanes : Masks;

  logic                       mask_valid, mask_ready, set_valid, set_ready, set_last;
  logic [Lanes-1:0]           mask;
  logic [Width-1:0]           set_enable;
  logic [Width*QuadWidth-1:0] set_quad;
  logic [Width*LaneWidth-1:0] set_lane;

  swizzle_control #(.Lanes(Lanes), .Width(Width), .Swizzle(Swizzle)) u_dut (
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

  // What the mask that was taken last must yield, by cycle.
  logic [Width-1:0]           want_enable [0:Quads-1];
  logic [Width*QuadWidth-1:0] want_quad [0:Quads-1];
  logic [Width*LaneWidth-1:0] want_lane [0:Quads-1];
  int                         want_cycles;

  logic [Quads-1:0] queue [0:Width-1];
  int               surplus [0:Width-1];
  int               lanes, quads, optimum, total_surplus;

  task automatic enable(input int cycle, input int n, input int quad, input int lane);
    want_enable[cycle][n] = 1'b1;
    want_quad[cycle][n*QuadWidth +: QuadWidth] = quad;
    want_lane[cycle][n*LaneWidth +: LaneWidth] = lane;
  endtask

  // dequeue(a_ln_q[lane]) for output lane n.
  task automatic dequeue(input int cycle, input int n, input int lane);
    int quad;
    quad = 0;
    while (!queue[lane][quad]) quad++;
    queue[lane][quad] = 1'b0;
    enable(cycle, n, quad, lane);
  endtask

  task automatic skip_quads(input logic [Lanes-1:0] active);
    for (int q = 0; q < Quads; q++) begin
      if (active[q*Width +: Width] != '0) begin
        for (int n = 0; n < Width; n++) if (active[q*Width+n]) enable(want_cycles, n, q, n);
        want_cycles++;
      end
    end
    if (want_cycles == 0) want_cycles = 1;
  endtask

  task automatic move_lanes(input logic [Lanes-1:0] active);
    int source;
    total_surplus = 0;
    for (int n = 0; n < Width; n++) begin
      for (int q = 0; q < Quads; q++) queue[n][q] = active[q*Width+n];
      surplus[n] = $countones(queue[n]) > optimum ? $countones(queue[n]) - optimum : 0;
      total_surplus += surplus[n];
    end
    for (int c = 0; c < optimum; c++) begin
      for (int n = 0; n < Width; n++) begin
        if (queue[n] != '0) begin
          dequeue(c, n, n);
        end else if (total_surplus != 0) begin
          source = 0;
          while (surplus[source] == 0) source++;
          dequeue(c, n, source);
          surplus[source]--;
          total_surplus--;
        end
      end
    end
    want_cycles = optimum;
  endtask

  task automatic expect_mask(input logic [Lanes-1:0] active);
    lanes = $countones(active);
    quads = 0;
    for (int q = 0; q < Quads; q++) begin
      if (active[q*Width +: Width] != '0) quads++;
      want_enable[q] = '0;
      want_quad[q] = '0;
      want_lane[q] = '0;
    end
    optimum = (lanes + Width - 1) / Width;
    want_cycles = 0;
    if (Swizzle == 0 || quads == optimum) skip_quads(active);
    else move_lanes(active);
  endtask

  task automatic fail(input string what);
    $display("FAIL: Lanes %0d Width %0d Swizzle %0d, %s in cycle %0d of mask %h", Lanes, Width,
             Swizzle, what, cycle, taken);
    $display("valid %b last %b ready %b enable %b quad %b lane %b", set_valid, set_last, mask_ready,
             set_enable, set_quad, set_lane);
    $display("wanted enable %b quad %b lane %b", want_enable[cycle], want_quad[cycle],
             want_lane[cycle]);
    $fatal(1);
  endtask

  logic [Lanes-1:0] taken;
  logic             busy, last;
  int               cycle, sent;

  // Each active lane goes through once and no other; no cycle is empty, but that of a mask without lanes; the last says
  // so; without a crossbar lanes keep their place.
  logic [Lanes-1:0] left;
  int               from, waits;
  task automatic check_contract;
    if (set_enable === '0 && taken != '0) fail("an empty");
    for (int n = 0; n < Width; n++) begin
      if (set_enable[n] !== 1'b0) begin
        from = set_quad[n*QuadWidth +: QuadWidth] * Width + set_lane[n*LaneWidth +: LaneWidth];
        if (set_enable[n] !== 1'b1 || from >= Lanes || left[from] !== 1'b1) fail("a lane that is not due");
        if (Swizzle == 0 && from % Width != n) fail("a lane that leaves its place");
        left[from] = 1'b0;
      end
    end
    if (set_last !== (left == '0)) fail("last");
  endtask

  initial begin
    waits = 0;
    done_o = 1'b0;
    mask_valid = 1'b0;
    mask = 'x;
    set_ready = 1'b0;
    taken = 'x;
    busy = 1'b0;
    cycle = 0;
    sent = 0;
    wait (rst_ni);
    while (sent < Total || mask_valid || busy) begin
      // Inputs change after the rising edge; what they lead to is there before the next.
      @(negedge clk_i);
      if (!mask_valid && (Equal != 0 || !busy) && sent < Total && ($urandom & 7) != 0) begin
        mask = Lanes'({$urandom, $urandom});
        if (($urandom & 1) != 0) mask &= Lanes'({$urandom, $urandom});
        if (Masks == 0) mask = Lanes'(sent);
        mask_valid = 1'b1;
        sent++;
      end
      set_ready = ($urandom & 7) != 0;
      #1;
      last = cycle == want_cycles - 1;
      if (Equal != 0 && set_valid !== busy) fail("valid");
      if (Equal != 0 && mask_ready !== (!busy || (set_ready && last))) fail("ready");
      if (Equal == 0) begin
        if (set_valid !== 1'b0 && !(set_valid === 1'b1 && busy)) fail("valid");
        waits = (set_valid && set_ready) || (!busy && !mask_valid) ? 0 : waits + 1;
        if (waits > 1000) fail("nothing for 1000 clocks");
        if (busy && set_valid && set_ready) begin
          check_contract;
          if (set_last) busy = 1'b0;
          cycle++;
        end
      end else if (busy) begin
        if (set_last !== last) fail("last");
        if (set_enable !== want_enable[cycle]) fail("enable");
        if (set_quad !== want_quad[cycle]) fail("quad");
        if (set_lane !== want_lane[cycle]) fail("lane");
        if (set_ready) begin
          if (last) busy = 1'b0;
          cycle++;
        end
      end
      if (mask_valid && mask_ready) begin
        taken = mask;
        expect_mask(mask);
        left = mask;
        waits = 0;
        busy = 1'b1;
        cycle = 0;
        @(posedge clk_i);
        #1;
        mask_valid = 1'b0;
        mask = 'x;
      end
    end
    $display("Lanes %0d Width %0d Swizzle %0d: %0d masks", Lanes, Width, Swizzle, sent);
    done_o = 1'b1;
  end

endmodule

module swizzle_control_tb #(
  parameter int Masks = 1000,  // of 16 lanes on 4; 0: all, in about a minute
  parameter int Equal = 1
);

  logic       clk, rst_n;
  logic [7:0] done;

  swizzle_control_case #(16, 4, 1, Masks, Equal) u_scc (clk, rst_n, done[0]);
  swizzle_control_case #(16, 4, 0, Masks, Equal) u_bcc (clk, rst_n, done[1]);
  swizzle_control_case #(8, 2, 1, 0, Equal) u_deep (clk, rst_n, done[2]);
  swizzle_control_case #(4, 4, 1, 0, Equal) u_equal (clk, rst_n, done[3]);
  swizzle_control_case #(12, 3, 1, 500, Equal) u_odd (clk, rst_n, done[4]);
  swizzle_control_case #(32, 8, 1, 300, Equal) u_wide (clk, rst_n, done[5]);
  swizzle_control_case #(64, 4, 1, 50, Equal) u_long (clk, rst_n, done[6]);
  swizzle_control_case #(64, 32, 1, 30, Equal) u_large (clk, rst_n, done[7]);

  `include "shared/cases.svh"

endmodule

`default_nettype wire
