// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The convergence barriers of a warp (US 10,067,768 B2, claims 1 and 2). An entry says where its
// threads meet, which they are, which of them have not come, and which entry they meet at next. It
// is complete when somebody waits at it and nobody is missing but threads that have yielded.
// Twin: models/divergence/parts/meeting_points.
//
// One op per clock, always taken. What it changes shows in the next clock.
module convergence_barriers #(
  parameter int Lanes = 32,
  parameter int Barriers = 16,
  parameter int PcWidth = 32,
  localparam int IndexWidth = simt_pkg::idx_width(Barriers)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  input  wire  [2:0]            op_kind_i,       // BEGIN_AT ...
  input  wire  [Lanes-1:0]      op_mask_i,       // threads; no matter for end
  input  wire  [IndexWidth-1:0] op_barrier_i,    // arrive
  input  wire  [PcWidth-1:0]    op_pc_i,         // begin
  input  wire                   op_has_outer_i,  // begin
  input  wire  [IndexWidth-1:0] op_outer_i,      // begin

  output logic                  free_o,          // begin takes an entry, this one
  output logic [IndexWidth-1:0] free_index_o,
  output logic                  complete_o,      // end frees the lowest that is complete
  output logic [IndexWidth-1:0] index_o,
  output logic [PcWidth-1:0]    pc_o,
  output logic [Lanes-1:0]      arrived_o,       // who goes on
  output logic                  has_outer_o,     // and where they meet next
  output logic [IndexWidth-1:0] outer_o
);

  // run: threads that yielded have issued again.
  localparam logic [2:0] BEGIN_AT = 3'd0, ARRIVE = 3'd1, EXIT = 3'd2, YIELD = 3'd3, RUN = 3'd4;
  localparam logic [2:0] END_AT = 3'd5;

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Barriers >= 1 && PcWidth >= 1)

  logic [Lanes-1:0]               yielded_q, yielded_d, leaving;
  logic [Barriers*Lanes-1:0]      threads_q, threads_d, pending_q, pending_d;
  logic [Barriers*PcWidth-1:0]    pc_q, pc_d;
  logic [Barriers-1:0]            has_outer_q, has_outer_d;
  logic [Barriers*IndexWidth-1:0] outer_q, outer_d;
  logic [Barriers-1:0]            used, complete, begins, ends;

  assign leaving = op_valid_i && op_kind_i == EXIT ? op_mask_i : '0;

  // --- Which entry ------------------------------------------------------------------------------

  always_comb begin
    free_o = 1'b0;
    free_index_o = '0;
    complete_o = 1'b0;
    index_o = '0;
    for (int b = Barriers - 1; b >= 0; b--) begin
      if (!used[b]) begin
        free_o = 1'b1;
        free_index_o = IndexWidth'(b);
      end
      if (complete[b]) begin
        complete_o = 1'b1;
        index_o = IndexWidth'(b);
      end
    end
  end

  assign pc_o = pc_q[index_o*PcWidth +: PcWidth];
  assign arrived_o = threads_q[index_o*Lanes +: Lanes] & ~pending_q[index_o*Lanes +: Lanes];
  assign has_outer_o = has_outer_q[index_o];
  assign outer_o = outer_q[index_o*IndexWidth +: IndexWidth];

  // --- The entries ------------------------------------------------------------------------------

  for (genvar b = 0; b < Barriers; b++) begin : gen_barrier
    logic [Lanes-1:0] threads, pending;
    logic             arrives, outer_ends;

    assign threads = threads_q[b*Lanes +: Lanes];
    assign pending = pending_q[b*Lanes +: Lanes];
    assign used[b] = threads != '0;
    assign complete[b] = (threads & ~pending) != '0 &&
                         (pending & ~yielded_q) == '0;  // seeded-bug: pending == '0;

    assign begins[b] = op_valid_i && op_kind_i == BEGIN_AT && free_o && free_index_o == IndexWidth'(b);
    assign arrives = op_valid_i && op_kind_i == ARRIVE && op_barrier_i == IndexWidth'(b);
    assign ends[b] = op_valid_i && op_kind_i == END_AT && complete_o && index_o == IndexWidth'(b);
    // Who was to meet there next meets where that one's threads meet next.
    assign outer_ends = op_valid_i && op_kind_i == END_AT && complete_o && has_outer_q[b] &&
                        outer_q[b*IndexWidth +: IndexWidth] == index_o;

    always_comb begin
      threads_d[b*Lanes +: Lanes] = threads & ~leaving;
      pending_d[b*Lanes +: Lanes] = pending & ~leaving;
      if (arrives) pending_d[b*Lanes +: Lanes] = pending & ~op_mask_i;
      if (ends[b]) begin
        threads_d[b*Lanes +: Lanes] = '0;
        pending_d[b*Lanes +: Lanes] = '0;
      end
      pc_d[b*PcWidth +: PcWidth] = pc_q[b*PcWidth +: PcWidth];
      has_outer_d[b] = outer_ends ? has_outer_o : has_outer_q[b];
      outer_d[b*IndexWidth +: IndexWidth] =
          outer_ends ? outer_o : outer_q[b*IndexWidth +: IndexWidth];
      if (begins[b]) begin
        threads_d[b*Lanes +: Lanes] = op_mask_i;
        pending_d[b*Lanes +: Lanes] = op_mask_i;
        pc_d[b*PcWidth +: PcWidth] = op_pc_i;
        has_outer_d[b] = op_has_outer_i;
        outer_d[b*IndexWidth +: IndexWidth] = op_outer_i;
      end
    end
  end

  always_comb begin
    yielded_d = yielded_q & ~leaving;
    if (op_valid_i && op_kind_i == YIELD) yielded_d = yielded_q | op_mask_i;
    if (op_valid_i && op_kind_i == RUN) yielded_d = yielded_q & ~op_mask_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      yielded_q <= '0;
      threads_q <= '0;
      pending_q <= '0;
      has_outer_q <= '0;
    end else begin
      yielded_q <= yielded_d;
      threads_q <= threads_d;
      pending_q <= pending_d;
      has_outer_q <= has_outer_d;
    end
  end
  always_ff @(posedge clk_i) begin
    pc_q <= pc_d;
    outer_q <= outer_d;
  end

endmodule

`default_nettype wire
