// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What thread_compactor must do, said with loops over rows. Any design: the threads of a request
// leave exactly once, in their lanes. Ours (Equal): the lowest rows first, in as few warps as the
// fullest lane has threads, the first after a clock.
module thread_compactor_formal #(
  parameter int Lanes = 4,
  parameter int Rows = 4,
  parameter bit Counts = 1'b1,  // the number of warps too, which is hard for a solver
  parameter bit Equal = 1'b1,
  parameter int Patience = 16,  // clocks that any design may take for a warp
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int CountWidth = simt_pkg::idx_width(Rows + 1),
  localparam int Threads = Rows * Lanes
) (
  input wire               clk_i,
  input wire               rst_ni,
  input wire               req_valid_i,
  input wire               req_regroup_i,
  input wire [Threads-1:0] req_threads_i,
  input wire               warp_ready_i
);

  logic                      req_ready, warp_valid, warp_last;
  logic [Lanes-1:0]          warp_mask;
  logic [Lanes*RowWidth-1:0] warp_row;

  thread_compactor #(.Lanes(Lanes), .Rows(Rows)) dut (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o  (req_ready),
    .req_regroup_i,
    .req_threads_i,
    .warp_valid_o (warp_valid),
    .warp_ready_i,
    .warp_mask_o  (warp_mask),
    .warp_row_o   (warp_row),
    .warp_last_o  (warp_last)
  );

  `ASSUME_RESET_FIRST

  // The threads that have not left yet, and their rows.
  logic [Threads-1:0] left_q, after;
  logic [Rows-1:0]    rows_left;
  logic               regroup_q;
  logic               req_taken, warp_taken;

  assign req_taken = req_valid_i && req_ready;
  assign warp_taken = warp_valid && warp_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (req_taken) left_q <= req_threads_i;
    else if (warp_taken) left_q <= after;
  end
  always_ff @(posedge clk_i) if (req_taken) regroup_q <= req_regroup_i;
  always_comb begin
    for (int r = 0; r < Rows; r++) rows_left[r] = left_q[r*Lanes +: Lanes] != '0;
  end

  // What the outputs say of each lane: threads that were left and not a lower one, in a row of the
  // block. `after` loses these threads and nothing else.
  logic [Lanes-1:0] lane_left, row_left;
  logic             in_its_lane, lowest, off_is_zero, whole_row, any_row, all_lanes, row_found;

  always_comb begin
    after = left_q;
    lane_left = '0;
    row_left = '0;
    row_found = 1'b0;
    in_its_lane = 1'b1;
    lowest = 1'b1;
    off_is_zero = 1'b1;
    any_row = 1'b0;
    for (int r = 0; r < Rows; r++) begin
      if (!row_found) row_left = left_q[r*Lanes +: Lanes];
      row_found = row_found || left_q[r*Lanes +: Lanes] != '0;
    end
    for (int l = 0; l < Lanes; l++) begin
      if (!warp_mask[l] && warp_row[l*RowWidth +: RowWidth] != '0) off_is_zero = 1'b0;
      if (warp_mask[l] && warp_row[l*RowWidth +: RowWidth] > RowWidth'(Rows - 1)) begin
        in_its_lane = 1'b0;
      end
      for (int r = 0; r < Rows; r++) begin
        if (left_q[r*Lanes + l]) lane_left[l] = 1'b1;
        if (warp_mask[l] && warp_row[l*RowWidth +: RowWidth] == RowWidth'(r)) begin
          if (!left_q[r*Lanes + l]) in_its_lane = 1'b0;
          after[r*Lanes + l] = 1'b0;
        end
        if (left_q[r*Lanes + l] && warp_mask[l] && warp_row[l*RowWidth +: RowWidth] > RowWidth'(r))
          lowest = 1'b0;
      end
    end
    all_lanes = warp_mask == lane_left;
    whole_row = warp_mask == row_left;
    for (int r = 0; r < Rows; r++) begin
      if (warp_mask == left_q[r*Lanes +: Lanes] && after[r*Lanes +: Lanes] == '0) any_row = 1'b1;
    end
  end

  `ASSERT(NoneInvented, !warp_valid || left_q != '0)
  `ASSERT(InItsLane, !warp_valid || in_its_lane)
  `ASSERT(HasThreads, !warp_valid || warp_mask != '0)
  `ASSERT(SomeRow, !warp_valid || regroup_q || any_row)
  `ASSERT(LastAtTheEnd, !warp_valid || warp_last == (after == '0))
  `ASSERT(OneAtATime, !req_taken || left_q == '0 || (warp_taken && warp_last))

  if (Equal) begin : gen_equal
    `ASSERT(NoneLost, warp_valid == (left_q != '0))
    `ASSERT(LowestRow, !warp_valid || lowest)
    `ASSERT(OffIsZero, !warp_valid || off_is_zero)
    `ASSERT(EveryLane, !warp_valid || !regroup_q || all_lanes)
    `ASSERT(WholeRow, !warp_valid || regroup_q || whole_row)
    `ASSERT(ReadyWhenFree, req_ready == (!warp_valid || (warp_ready_i && warp_last)))
  end else begin : gen_contract
    // Neither a warp nor a request waits for ever.
    logic [31:0] waits_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waits_q <= '0;
      else if (left_q != '0 ? warp_valid : req_ready || !req_valid_i) waits_q <= '0;
      else waits_q <= waits_q + 32'd1;
    end
    `ASSERT(NoneLost, waits_q <= 32'(Patience))
  end

  // A warp that is not taken stays as it is.
  logic                      stalled_q, last_q;
  logic [Lanes-1:0]          mask_q;
  logic [Lanes*RowWidth-1:0] row_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stalled_q <= 1'b0;
    else stalled_q <= warp_valid && !warp_ready_i;
  end
  always_ff @(posedge clk_i) begin
    mask_q <= warp_mask;
    row_q <= warp_row;
    last_q <= warp_last;
  end

  logic same_rows;  // of the lanes that are on
  always_comb begin
    same_rows = 1'b1;
    for (int l = 0; l < Lanes; l++) begin
      if (warp_mask[l] && warp_row[l*RowWidth +: RowWidth] != row_q[l*RowWidth +: RowWidth]) begin
        same_rows = 1'b0;
      end
    end
  end

  `ASSERT(StableWhileStalled, !stalled_q || (warp_valid && warp_mask == mask_q &&
                                             same_rows && warp_last == last_q))

`ifndef PORTS_ONLY
  // For the induction: the block's registers hold what is left, and its rows.
  (* hierconn *) wire [Threads-1:0] \dut.threads_q ;
  (* hierconn *) wire [Rows-1:0] \dut.rows_q ;
  (* hierconn *) wire \dut.regroup_q ;

  `ASSERT(HoldsWhatIsLeft, !warp_valid || \dut.threads_q == left_q)
  `ASSERT(HoldsItsRows, !warp_valid || \dut.regroup_q || \dut.rows_q == rows_left)
  `ASSERT(HoldsTheMode, !warp_valid || \dut.regroup_q == regroup_q)
`endif

  // As many warps as the fullest lane has threads, or as there are rows with threads.
  if (Counts && Equal) begin : gen_counts
    logic [CountWidth-1:0] warps_q, due_q, lane_count, due, due_left;

    always_comb begin
      due = '0;
      due_left = '0;
      lane_count = '0;
      for (int r = 0; r < Rows; r++) begin
        if (!req_regroup_i) due += CountWidth'(req_threads_i[r*Lanes +: Lanes] != '0);
        if (!regroup_q) due_left += CountWidth'(rows_left[r]);
      end
      for (int l = 0; l < Lanes; l++) begin
        lane_count = '0;
        for (int r = 0; r < Rows; r++) lane_count += CountWidth'(req_threads_i[r*Lanes + l]);
        if (req_regroup_i && lane_count > due) due = lane_count;
        lane_count = '0;
        for (int r = 0; r < Rows; r++) lane_count += CountWidth'(left_q[r*Lanes + l]);
        if (regroup_q && lane_count > due_left) due_left = lane_count;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        warps_q <= '0;
        due_q <= '0;
      end else if (req_taken) begin
        warps_q <= '0;
        due_q <= due;
      end else if (warp_taken) begin
        warps_q <= warps_q + CountWidth'(1);
      end
    end

    `ASSERT(FewestWarps, !(warp_valid && warp_last) || warps_q + CountWidth'(1) == due_q)
    `ASSERT(WarpsAreLeft, !warp_valid || warps_q + due_left == due_q)
  end

endmodule

`default_nettype wire
