// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The settings by which the active lanes of a warp go through a unit that is narrower than the
// warp, one cycle's settings per clock: SCC (Intra-warp sec. 4.2, Fig. 6) or BCC (sec. 4.1).
// A quad is an aligned group of Width lanes. Its lane m feeds output lane m unless it is moved.
module swizzle_control #(
  parameter int Lanes = 16,   // of a warp: 4 to 64, a multiple of Width
  parameter int Width = 4,    // of the unit: 2 to 64
  parameter int Swizzle = 1,  // 1: SCC, 0: BCC
  localparam int Quads = Lanes / Width,
  localparam int QuadWidth = simt_pkg::idx_width(Quads),
  localparam int LaneWidth = simt_pkg::idx_width(Width)
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  // A mask without lanes takes one cycle, in which nothing is enabled.
  input  wire                        mask_valid_i,
  output logic                       mask_ready_o,
  input  wire  [Lanes-1:0]           mask_i,
  // Its first settings are there one clock later, the others follow one per clock. Per output
  // lane: the quad and the lane in it that feed it, both 0 where it is off.
  output logic                       set_valid_o,
  input  wire                        set_ready_i,
  output logic                       set_last_o,  // of its mask
  output logic [Width-1:0]           set_enable_o,
  output logic [Width*QuadWidth-1:0] set_quad_o,
  output logic [Width*LaneWidth-1:0] set_lane_o
);

  localparam int COUNT_WIDTH = simt_pkg::idx_width(Lanes + 1);
  localparam int SUM_WIDTH = simt_pkg::idx_width(Lanes / 4 + 1);  // no mask has a larger surplus
  localparam int DEPTH = Quads < Width ? Quads : Width;  // most lanes that leave a queue in a cycle

  logic             busy_d, busy_q;
  // Active lanes that have not left. Lane m's queue is its bits here, lowest quad first.
  logic [Lanes-1:0] queues_d, queues_q;

  // The other state is SCC's. Bit j of left: more than j cycles are left. Moving: the mask has more
  // active quads than cycles. Surplus, per lane m: how many have still to move away from lanes 0 to
  // m, because their queues are longer than there are cycles.
  logic [Quads-1:0]           left_d, left_q;
  logic                       moving_d, moving_q, moving;
  logic [Width*SUM_WIDTH-1:0] surplus_d, surplus_q, surplus;

  logic mask_taken, settings_taken;

  assign mask_taken = mask_valid_i && mask_ready_o;
  assign settings_taken = busy_q && set_ready_i;  // seeded-bug: assign settings_taken = busy_q;
  assign moving = Swizzle != 0 && moving_q;
  assign surplus = Swizzle != 0 ? surplus_q : '0;

  // A new mask: its cycles and surplus. While the lanes are counted, the surplus is summed up for
  // every number of cycles.
  logic [Quads-1:0]           new_left;
  logic                       new_moving;
  logic [Width*SUM_WIDTH-1:0] new_surplus;

  always_comb begin : count
    logic [COUNT_WIDTH-1:0]     lanes, quads;
    logic [Width-1:0]           quad;
    logic [Lanes-1:0]           longer;  // bits of row j: lanes with more than j in their queues
    logic [SUM_WIDTH-1:0]       sum;
    logic [Width*SUM_WIDTH-1:0] sums;
    new_left = '0;
    new_moving = 1'b0;
    new_surplus = '0;
    lanes = '0;
    quads = '0;
    quad = '0;
    longer = '0;
    sum = '0;
    sums = '0;
    if (Swizzle != 0 && mask_taken) begin
      lanes = COUNT_WIDTH'($countones(mask_i));
      for (int q = 0; q < Quads; q++) begin
        quad = mask_i[q*Width +: Width];
        quads = quads + COUNT_WIDTH'(quad != '0);
        longer |= {Quads{quad}} & (longer << Width | Lanes'({Width{1'b1}}));
      end
      for (int j = 0; j < Quads; j++) begin
        new_left[j] = lanes > COUNT_WIDTH'(j * Width);
        new_moving |= quads > COUNT_WIDTH'(j) && !new_left[j];
      end
      for (int j = Quads - 1; j > 0; j--) begin
        sum = '0;
        for (int m = 0; m < Width; m++) begin
          sum = sum + SUM_WIDTH'(longer[j*Width+m]);
          sums[m*SUM_WIDTH +: SUM_WIDTH] = sums[m*SUM_WIDTH +: SUM_WIDTH] + sum;
        end
        if (new_left[j-1] && !new_left[j]) new_surplus |= sums;  // j cycles
      end
    end
  end

  // In each lane, the quads above the first one that is set.
  function automatic logic [Lanes-1:0] above(input logic [Lanes-1:0] set);
    above = set << Width;
    for (int s = Width; s < Lanes; s *= 2) above |= above << s;
  endfunction

  // The queues' entries that may leave, as masks and as bits of their quads' numbers. Without
  // moving only those of the first active quad may.
  logic [DEPTH*Lanes-1:0]           entries;
  logic [DEPTH*QuadWidth*Width-1:0] numbers;
  logic [Width-1:0]                 ready;  // lanes whose queue gives one

  // Each output is assigned once, as Icarus 11 runs the block again with every later one.
  always_comb begin : find
    logic [DEPTH*Lanes-1:0]           masks;
    logic [DEPTH*QuadWidth*Width-1:0] bits;
    logic [Lanes-1:0]                 quads, entry, behind;
    logic [Width-1:0]                 lanes;
    masks = '0;
    bits = '0;
    quads = queues_q;
    entry = '0;
    behind = queues_q;
    lanes = '0;
    for (int q = 0; q < Quads; q++) begin
      if (!moving && queues_q[q*Width +: Width] != '0) quads[q*Width +: Width] = '1;
    end
    for (int k = 0; k < DEPTH; k++) begin
      entry = behind & ~above(k == 0 ? quads : behind);
      behind &= ~entry;
      masks[k*Lanes +: Lanes] = entry;
      for (int b = 0; b < QuadWidth; b++) begin
        lanes = '0;
        for (int q = 0; q < Quads; q++) if (((q >> b) & 1) != 0) lanes |= entry[q*Width +: Width];
        bits[(k*QuadWidth+b)*Width +: Width] = lanes;
      end
    end
    lanes = '0;
    for (int q = 0; q < Quads; q++) lanes |= masks[q*Width +: Width];
    entries = masks;
    numbers = bits;
    ready = lanes;
  end

  // The settings. A lane without an entry of its own takes one from the next of the movers: the
  // lanes that have a surplus, in ascending order, each as often as it has one.
  logic [Lanes-1:0] rest;  // of the queues

  always_comb begin : settings
    logic [(Width-1)*Width-1:0] movers;
    logic [DEPTH*Width-1:0]     taken;  // bits of row k: lanes that have given more than k entries
    logic [Width-1:0]           reached, from, now;
    logic [LaneWidth-1:0]       lane;
    movers = '0;
    taken = '0;
    reached = '0;
    from = '0;
    now = '0;
    lane = '0;
    set_enable_o = '0;
    set_quad_o = '0;
    set_lane_o = '0;
    rest = queues_q;
    for (int p = 0; p < Width - 1; p++) begin
      for (int m = 0; m < Width; m++) reached[m] = 32'(surplus[m*SUM_WIDTH +: SUM_WIDTH]) > p;
      reached &= ~(reached << 1);  // seeded-bug: ;
      movers[p*Width +: Width] = reached;
    end
    for (int n = 0; n < Width; n++) begin
      if (ready[n]) begin
        from = Width'(1) << n;
      end else begin
        from = Width'(movers);
        movers = movers >> Width;
      end
      set_enable_o[n] = from != '0;
      for (int k = DEPTH - 1; k >= 0; k--) begin
        now = from & ~taken[k*Width +: Width];
        if (k > 0) now &= taken[(k == 0 ? 0 : k-1)*Width +: Width];
        taken[k*Width +: Width] = taken[k*Width +: Width] | now;
        for (int b = 0; b < QuadWidth; b++) begin
          set_quad_o[n*QuadWidth+b] |= (now & numbers[(k*QuadWidth+b)*Width +: Width]) != '0;
        end
      end
      lane = '0;
      for (int m = 0; m < Width; m++) if (from[m]) lane |= LaneWidth'(m);
      set_lane_o[n*LaneWidth +: LaneWidth] = lane;
    end
    for (int k = 0; k < DEPTH; k++) begin
      rest &= ~(entries[k*Lanes +: Lanes] & {Quads{taken[k*Width +: Width]}});
    end
  end

  // Lanes whose queue is empty use up the surplus, if there is any.
  logic [Width*SUM_WIDTH-1:0] rest_surplus;

  always_comb begin : use_surplus
    logic [Width-1:0]       free;
    logic [COUNT_WIDTH-1:0] moves;
    free = '1;
    for (int q = 0; q < Quads; q++) free &= ~queues_q[q*Width +: Width];
    moves = COUNT_WIDTH'($countones(free));
    rest_surplus = '0;
    for (int m = 0; m < Width; m++) begin
      if (COUNT_WIDTH'(surplus[m*SUM_WIDTH +: SUM_WIDTH]) > moves) begin
        rest_surplus[m*SUM_WIDTH +: SUM_WIDTH] =
            surplus[m*SUM_WIDTH +: SUM_WIDTH] - SUM_WIDTH'(moves);
      end
    end
  end

  assign set_valid_o = busy_q;
  assign set_last_o = Swizzle != 0 ? (left_q >> 1) == '0 : rest == '0;
  assign mask_ready_o = !busy_q || (settings_taken && set_last_o);

  assign busy_d = mask_taken || (busy_q && !(settings_taken && set_last_o));
  assign queues_d = mask_taken ? mask_i : settings_taken ? rest : queues_q;
  assign left_d = mask_taken ? new_left : settings_taken ? left_q >> 1 : left_q;
  assign moving_d = mask_taken ? new_moving : moving_q;
  assign surplus_d = mask_taken ? new_surplus : settings_taken ? rest_surplus : surplus_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= busy_d;
  end

  always_ff @(posedge clk_i) begin
    queues_q <= queues_d;
    left_q <= left_d;
    moving_q <= moving_d;
    surplus_q <= surplus_d;
  end

  `ASSERT(LastTakesAll, !busy_q || set_last_o == (rest == '0))
  `ASSERT_INIT(LanesPerWarp, Lanes >= 4 && Lanes <= 64)
  `ASSERT_INIT(LanesPerUnit, Width >= 2 && Quads * Width == Lanes)

endmodule

`default_nettype wire
