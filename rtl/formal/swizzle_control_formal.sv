// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`include "shared/stays.svh"
`default_nettype none

// What swizzle_control must do for any masks and any pauses: every active lane is sent exactly once
// and nothing else. Ours (Equal): in the fewest cycles, with the fewest lanes moved.
module swizzle_control_formal #(
  parameter int Lanes = 8,
  parameter int Width = 4,
  parameter int Swizzle = 1,
  parameter bit Equal = 1'b1,   // our order and clocks, the fewest cycles and moves
  parameter int Patience = 16,  // clocks that any design may take for settings
  localparam int Quads = Lanes / Width,
  localparam int QuadWidth = simt_pkg::idx_width(Quads),
  localparam int LaneWidth = simt_pkg::idx_width(Width),
  localparam int SumWidth = simt_pkg::idx_width(Lanes / 4 + 1),
  localparam int CountWidth = simt_pkg::idx_width(Lanes + 1)
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             mask_valid_i,
  input wire [Lanes-1:0] mask_i,
  input wire             set_ready_i
);

  logic                       mask_ready, set_valid, set_last;
  logic [Width-1:0]           set_enable;
  logic [Width*QuadWidth-1:0] set_quad;
  logic [Width*LaneWidth-1:0] set_lane;

  swizzle_control #(.Lanes(Lanes), .Width(Width), .Swizzle(Swizzle)) dut (
    .mask_ready_o(mask_ready),
    .set_valid_o (set_valid),
    .set_last_o  (set_last),
    .set_enable_o(set_enable),
    .set_quad_o  (set_quad),
    .set_lane_o  (set_lane),
    .*
  );

  `ASSUME_RESET_FIRST

  // ceil(active lanes / Width); the numbers of active quads; what the queues of lanes 0 to `last`
  // have together that is more than `cycles` each.
  function logic [CountWidth-1:0] optimum(input logic [Lanes-1:0] mask);
    optimum = '0;
    for (int j = 0; j < Quads; j++) begin
      optimum = optimum + CountWidth'(CountWidth'($countones(mask)) > CountWidth'(j * Width));
    end
  endfunction
  function logic [CountWidth-1:0] active_quads(input logic [Lanes-1:0] mask);
    active_quads = '0;
    for (int q = 0; q < Quads; q++) begin
      active_quads = active_quads + CountWidth'(mask[q*Width +: Width] != '0);
    end
  endfunction
  function logic [CountWidth-1:0] surplus(input logic [Lanes-1:0] mask,
                                          input logic [CountWidth-1:0] cycles, input int last);
    logic [CountWidth-1:0] length;
    surplus = '0;
    for (int m = 0; m <= last; m++) begin
      length = '0;
      for (int q = 0; q < Quads; q++) length = length + CountWidth'(mask[q*Width+m]);
      if (length > cycles) surplus = surplus + length - cycles;
    end
  endfunction

  // The lanes that have not been sent, and what is due for the mask and what was done.
  logic                  busy_q, moving_q;
  logic [Lanes-1:0]      left_q, sent, after;
  logic [CountWidth-1:0] cycles_due_q, cycles_q, moves_due_q, moves_q, moves;
  logic                  mask_taken, settings_taken;

  assign mask_taken = mask_valid_i && mask_ready;
  assign settings_taken = set_valid && set_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (mask_taken) busy_q <= 1'b1;
    else if (settings_taken && set_last) busy_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (mask_taken) begin
      left_q <= mask_i;
      moving_q <= Swizzle != 0 && active_quads(mask_i) > optimum(mask_i);
      cycles_due_q <= Swizzle != 0 ? optimum(mask_i) : active_quads(mask_i);
      moves_due_q <= Swizzle != 0 ? surplus(mask_i, optimum(mask_i), Width - 1) : '0;
      cycles_q <= '0;
      moves_q <= '0;
    end else if (settings_taken) begin
      left_q <= after;
      cycles_q <= cycles_q + CountWidth'(1);
      moves_q <= moves_q + moves;
    end
  end

  // The lanes that the settings name leave. Unless lanes move they are the first active quad.
  logic [QuadWidth-1:0] quad;
  logic [LaneWidth-1:0] lane;
  logic                 legal, off_is_zero, first_quad, in_order;

  always_comb begin
    after = left_q;
    moves = '0;
    quad = '0;
    lane = '0;
    legal = 1'b1;
    off_is_zero = 1'b1;
    first_quad = 1'b1;
    in_order = 1'b1;
    for (int n = 0; n < Width; n++) begin
      quad = set_quad[n*QuadWidth +: QuadWidth];
      lane = set_lane[n*LaneWidth +: LaneWidth];
      if (set_enable[n]) begin
        legal = legal && 32'(quad) < Quads && 32'(lane) < Width;
        moves = moves + CountWidth'(32'(lane) != n);
      end else begin
        off_is_zero = off_is_zero && quad == '0 && lane == '0;
      end
      for (int q = 0; q < Quads; q++) begin
        for (int m = 0; m < Width; m++) begin
          if (set_enable[n] && 32'(quad) == q && 32'(lane) == m) begin
            legal = legal && after[q*Width+m];
            after[q*Width+m] = 1'b0;
          end
        end
      end
    end
    sent = left_q & ~after;
    for (int q = 0; q < Quads; q++) begin
      for (int p = 0; p < q; p++) begin
        if ((sent[q*Width +: Width] & after[p*Width +: Width]) != '0) in_order = 1'b0;
        if (sent[q*Width +: Width] != '0 && left_q[p*Width +: Width] != '0) first_quad = 1'b0;
      end
      if (sent[q*Width +: Width] != '0 && after[q*Width +: Width] != '0) first_quad = 1'b0;
    end
  end

  `ASSERT(NoneInvented, !set_valid || busy_q)
  `ASSERT(EachOnceNoneInvented, !set_valid || legal)
  `ASSERT(LastTakesAll, !set_valid || set_last == (after == '0))
  `ASSERT(StayInPlace, !set_valid || Swizzle != 0 || moves == '0)
  `ASSERT(OneAtATime, !mask_taken || !busy_q || (settings_taken && set_last))

  if (Equal) begin : gen_equal
    `ASSERT(ValidWhileBusy, set_valid == busy_q)
    `ASSERT(ReadyWhenFree, mask_ready == (!busy_q || (set_ready_i && set_last)))
    `ASSERT(OffIsZero, !busy_q || off_is_zero)
    `ASSERT(LowestQuadsFirst, !busy_q || in_order)
    `ASSERT(QuadByQuad, !busy_q || moving_q || (first_quad && moves == '0))
    `ASSERT(FewestCycles, !busy_q || !set_last || cycles_q + CountWidth'(1) == cycles_due_q ||
                          (cycles_q == '0 && cycles_due_q == '0))
    `ASSERT(FewestMoves, !busy_q || !set_last || moves_q + moves == moves_due_q)
  end else begin : gen_contract
    `ASSERT_WITHIN(NoneLost, Patience, busy_q ? set_valid : mask_ready || !mask_valid_i)
    `ASSERT(EachCycleSends, !set_valid || sent != '0 || left_q == '0)
  end

  `ASSERT_STAYS(StableWhileStalled, set_valid, set_ready_i, {set_last, set_enable, set_quad, set_lane})

`ifndef PORTS_ONLY
  // For the induction: the block's registers follow from what is left.
  (* hierconn *) wire [Lanes-1:0] \dut.queues_q ;
  (* hierconn *) wire [Quads-1:0] \dut.left_q ;
  (* hierconn *) wire \dut.moving_q ;
  (* hierconn *) wire [Width*SumWidth-1:0] \dut.surplus_q ;

  `ASSERT(HoldsWhatIsLeft, !busy_q || \dut.queues_q == left_q)

  if (Swizzle != 0) begin : gen_scc
    logic [CountWidth-1:0] moves_left;
    logic                  holds_cycles, holds_surplus;

    always_comb begin : state
      logic [Width*SumWidth-1:0] sums;
      holds_cycles = 1'b1;
      sums = '0;
      for (int j = 0; j < Quads; j++) begin
        holds_cycles = holds_cycles && \dut.left_q [j] == (optimum(left_q) > CountWidth'(j));
      end
      for (int m = 0; m < Width; m++) begin
        sums[m*SumWidth +: SumWidth] = SumWidth'(surplus(left_q, optimum(left_q), m));
      end
      holds_surplus = \dut.surplus_q == sums;
      moves_left = surplus(left_q, optimum(left_q), Width - 1);
    end

    `ASSERT(HoldsTheCycles, !busy_q || holds_cycles)
    `ASSERT(HoldsTheSurplus, !busy_q || holds_surplus)
    `ASSERT(HoldsTheMode, !busy_q || \dut.moving_q == moving_q)
    `ASSERT(NothingToMove, !busy_q || moving_q || active_quads(left_q) <= optimum(left_q))
    `ASSERT(CyclesAreLeft, !busy_q || cycles_q + optimum(left_q) == cycles_due_q)
    `ASSERT(MovesAreLeft, !busy_q || moves_q + moves_left == moves_due_q)
  end else begin : gen_bcc
    `ASSERT(HoldsTheMode, !busy_q || !moving_q)
    `ASSERT(CyclesAreLeft, !busy_q || cycles_q + active_quads(left_q) == cycles_due_q)
  end
`endif

endmodule

`default_nettype wire
