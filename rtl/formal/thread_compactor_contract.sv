// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What any compactor must do, whatever its policy and its clocks, said at its ports: the threads of a
// request leave exactly once, in their lanes, from their rows; row by row where they do not regroup.
module thread_compactor_contract #(
  parameter int Lanes = 4,
  parameter int Rows = 4,
  parameter int Patience = 16,  // clocks that it may take for a warp
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int Threads = Rows * Lanes
) (
  input wire               clk_i,
  input wire               rst_ni,
  input wire               req_valid_i,
  input wire               req_regroup_i,
  input wire [Threads-1:0] req_threads_i,
  input wire               warp_ready_i
);

  logic                      req_ready_o, warp_valid_o, warp_last_o;
  logic [Lanes-1:0]          warp_mask_o;
  logic [Lanes*RowWidth-1:0] warp_row_o;

  thread_compactor #(.Lanes(Lanes), .Rows(Rows)) dut (.*);

  `ASSUME_RESET_FIRST

  // The threads that have not left yet, and a request behind: there are two at most.
  logic [Threads-1:0] left_q, after, next_q;
  logic               regroup_q, next_regroup_q, next_there_q;
  logic               req_taken, warp_taken, free;

  assign req_taken = req_valid_i && req_ready_o;
  assign warp_taken = warp_valid_o && warp_ready_i;

  assign free = left_q == '0 || (warp_taken && after == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      next_there_q <= 1'b0;
    end else begin
      if (!free) left_q <= warp_taken ? after : left_q;
      else if (next_there_q) left_q <= next_q;
      else left_q <= req_taken ? req_threads_i : '0;
      next_there_q <= !free && (next_there_q || (req_taken && req_threads_i != '0));
    end
  end
  always_ff @(posedge clk_i) begin
    if (free) regroup_q <= next_there_q ? next_regroup_q : req_regroup_i;
    if (!next_there_q) begin
      next_q <= req_threads_i;
      next_regroup_q <= req_regroup_i;
    end
  end

  `ASSUME(TwoAtMost, !req_valid_i || !next_there_q)
  // What the outputs say of each lane: threads that were left, in a row of the block. `after` loses
  // these threads and nothing else.
  logic in_its_lane, any_row;

  always_comb begin
    after = left_q;
    in_its_lane = 1'b1;
    any_row = 1'b0;
    for (int l = 0; l < Lanes; l++) begin
      if (warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] > RowWidth'(Rows - 1)) begin
        in_its_lane = 1'b0;
      end
      for (int r = 0; r < Rows; r++) begin
        if (warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] == RowWidth'(r)) begin
          if (!left_q[r*Lanes + l]) in_its_lane = 1'b0;
          after[r*Lanes + l] = 1'b0;
        end
      end
    end
    for (int r = 0; r < Rows; r++) begin
      if (warp_mask_o == left_q[r*Lanes +: Lanes] && after[r*Lanes +: Lanes] == '0) any_row = 1'b1;
    end
  end

  `ASSERT(NoneInvented, !warp_valid_o || left_q != '0)
  `ASSERT(InItsLane, !warp_valid_o || in_its_lane)
  `ASSERT(HasThreads, !warp_valid_o || warp_mask_o != '0)
  `ASSERT(SomeRow, !warp_valid_o || regroup_q || any_row)
  `ASSERT(LastAtTheEnd, !warp_valid_o || warp_last_o == (after == '0))

  // Neither a warp nor a request waits for ever.
  `ASSERT_WITHIN(NoneLost, Patience, left_q != '0 ? warp_valid_o : req_ready_o || !req_valid_i)

  // A warp that is not taken stays as it is.
  logic                      stalled_q, last_q;
  logic [Lanes-1:0]          mask_q;
  logic [Lanes*RowWidth-1:0] row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stalled_q <= 1'b0;
    else stalled_q <= warp_valid_o && !warp_ready_i;
  end
  always_ff @(posedge clk_i) begin
    mask_q <= warp_mask_o;
    row_q <= warp_row_o;
    last_q <= warp_last_o;
  end

  logic same_rows;  // of the lanes that are on
  always_comb begin
    same_rows = 1'b1;
    for (int l = 0; l < Lanes; l++) begin
      if (warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] != row_q[l*RowWidth +: RowWidth]) begin
        same_rows = 1'b0;
      end
    end
  end

  `ASSERT(StableWhileStalled, !stalled_q || (warp_valid_o && warp_mask_o == mask_q &&
                                             same_rows && warp_last_o == last_q))

endmodule

`default_nettype wire
