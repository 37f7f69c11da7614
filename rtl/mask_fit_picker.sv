// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The mask-fit picker of simultaneous warp interweaving (Brunie, Collange and Diamos, ISCA 2012): of
// the ready warps of a set that have no active lane among those that are taken, the one with the
// most lanes goes beside the warp that issues; of equal ones that of the lowest slot.
// Twin: models/divergence/parts/warp/mask_fit.h.
//
// Slots that are congruent by `Sets` are a set. One op per clock, always taken; done_valid_o is two
// clocks later, with the results of that op.
module mask_fit_picker #(
  parameter int Lanes = 32,
  parameter int Warps = 32,  // slots of a scheduler
  parameter int Sets = 1,    // that they are divided into
  localparam int WarpWidth = simt_pkg::idx_width(Warps),
  localparam int SetWidth = simt_pkg::idx_width(Sets)
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    op_valid_i,
  output logic                   op_ready_o,
  input  wire  [Warps-1:0]       op_ready_i,
  input  wire  [Warps*Lanes-1:0] op_masks_i,  // of warp w: bits w*Lanes…
  input  wire  [Lanes-1:0]       op_taken_i,
  input  wire  [SetWidth-1:0]    op_set_i,

  output logic                   done_valid_o,
  output logic                   res_found_o,
  output logic [WarpWidth-1:0]   res_warp_o   // where found
);

  localparam int Ways = (Warps + Sets - 1) / Sets;
  localparam int CountWidth = simt_pkg::idx_width(Lanes + 1);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Sets >= 1 && Warps >= 1)

  // --- First clock: who fits, and with how many lanes ---------------------------------------------

  logic                       compared_q, done_q;
  logic [Ways*CountWidth-1:0] counts_d, counts_q;  // 0: does not fit
  logic [SetWidth-1:0]        set_q;

  for (genvar w = 0; w < Ways; w++) begin : gen_way
    // One of the ways' warps, by the set.
    logic             ready;
    logic [Lanes-1:0] mask;
    always_comb begin
      ready = 1'b0;
      mask = '0;
      for (int s = 0; s < Sets; s++) begin
        if (w * Sets + s < Warps && op_set_i == SetWidth'(s)) begin
          ready = op_ready_i[w*Sets+s];
          mask = op_masks_i[(w*Sets+s)*Lanes +: Lanes];
        end
      end
    end
    wire fits = ready && (mask & op_taken_i) == '0;  // seeded-bug: wire fits = ready;

    // Its lanes, counted in a tree: node 1 is the root, lane l is Leaves+l.
    localparam int Leaves = 1 << simt_pkg::idx_width(Lanes);
    for (genvar n = 2 * Leaves - 1; n > 0; n--) begin : gen_count
      logic [CountWidth-1:0] lanes;
      if (n < Leaves) assign lanes = gen_count[2*n].lanes + gen_count[2*n+1].lanes;
      else if (n < Leaves + Lanes) assign lanes = CountWidth'(mask[n-Leaves]);
      else assign lanes = '0;
    end
    assign counts_d[w*CountWidth +: CountWidth] = fits ? gen_count[1].lanes : '0;
  end

  // --- Second clock: the most lanes, in a tree; of equal ones the lower way ------------------------

  localparam int WayWidth = simt_pkg::idx_width(Ways);
  localparam int WayLeaves = 1 << WayWidth;
  for (genvar n = 2 * WayLeaves - 1; n > 0; n--) begin : gen_most
    logic [CountWidth-1:0] lanes;
    logic [WayWidth-1:0]   way;
    // The right child's first way; where there is none, all that is there is the left one's.
    localparam int First = n < WayLeaves ? (2 * n + 1) << (WayWidth + 1 - $clog2(2 * n + 2)) : 0;
    if (n < WayLeaves && First >= WayLeaves + Ways) begin : gen_left
      assign lanes = gen_most[2*n].lanes | gen_most[2*n+1].lanes;
      assign way = gen_most[2*n].way | gen_most[2*n+1].way;
    end else if (n < WayLeaves) begin : gen_node
      wire upper = gen_most[2*n+1].lanes > gen_most[2*n].lanes;
      assign lanes = upper ? gen_most[2*n+1].lanes : gen_most[2*n].lanes;
      assign way = upper ? gen_most[2*n+1].way : gen_most[2*n].way;
    end else if (n < WayLeaves + Ways) begin : gen_leaf
      assign lanes = counts_q[(n-WayLeaves)*CountWidth +: CountWidth];
      assign way = WayWidth'(n - WayLeaves);
    end else begin : gen_none
      assign lanes = '0;
      assign way = '0;
    end
  end

  logic                 found_q;
  logic [WarpWidth-1:0] warp_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      compared_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      compared_q <= op_valid_i;
      done_q <= compared_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (op_valid_i) begin
      counts_q <= counts_d;
      set_q <= op_set_i;
    end
    if (compared_q) begin
      found_q <= gen_most[1].lanes != '0;
      warp_q <= WarpWidth'(32'(gen_most[1].way) * Sets + (Sets > 1 ? 32'(set_q) : 0));
    end
  end

  assign op_ready_o = 1'b1;
  assign done_valid_o = done_q;
  assign res_found_o = found_q;
  assign res_warp_o = warp_q;

endmodule

`default_nettype wire
