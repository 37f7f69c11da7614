// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/stays.svh"
`default_nettype none

// What thread_compactor must do, said with loops over rows: the threads of a request leave exactly
// once, in their lanes, as the lowest rows first, in as few warps as its fullest lane has threads.
module thread_compactor_formal #(
  parameter int Lanes = 4,
  parameter int Rows = 4,
  parameter int Stages = 1,
  parameter bit Counts = 1'b1,  // the number of warps too, which is hard for a solver
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

  logic                      req_ready_o, warp_valid_o, warp_last_o;
  logic [Lanes-1:0]          warp_mask_o;
  logic [Lanes*RowWidth-1:0] warp_row_o;

  `ASSUME_RESET_FIRST

  if (Stages == 1) begin : gen_one_stage
    thread_compactor #(.Lanes(Lanes), .Rows(Rows), .Stages(Stages)) dut (.*);

    // The threads that have not left yet.
    logic [Threads-1:0] left_q, after;
    logic               regroup_q;
    logic               req_taken, warp_taken;

    assign req_taken = req_valid_i && req_ready_o;
    assign warp_taken = warp_valid_o && warp_ready_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= '0;
      else if (req_taken) left_q <= req_threads_i;
      else if (warp_taken) left_q <= after;
    end
    always_ff @(posedge clk_i) if (req_taken) regroup_q <= req_regroup_i;

    // What the outputs say of each lane: threads that were left and not a lower one, in a row of the
    // block. `after` loses these threads and nothing else.
    logic [Lanes-1:0] lane_left, row_left;
    logic             in_its_lane, lowest, off_is_zero, whole_row, all_lanes, row_found;

    always_comb begin
      after = left_q;
      lane_left = '0;
      row_left = '0;
      row_found = 1'b0;
      in_its_lane = 1'b1;
      lowest = 1'b1;
      off_is_zero = 1'b1;
      for (int r = 0; r < Rows; r++) begin
        if (!row_found) row_left = left_q[r*Lanes +: Lanes];
        row_found = row_found || left_q[r*Lanes +: Lanes] != '0;
      end
      for (int l = 0; l < Lanes; l++) begin
        if (!warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] != '0) off_is_zero = 1'b0;
        if (warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] > RowWidth'(Rows - 1)) begin
          in_its_lane = 1'b0;
        end
        for (int r = 0; r < Rows; r++) begin
          if (left_q[r*Lanes + l]) lane_left[l] = 1'b1;
          if (warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] == RowWidth'(r)) begin
            if (!left_q[r*Lanes + l]) in_its_lane = 1'b0;
            after[r*Lanes + l] = 1'b0;
          end
          if (left_q[r*Lanes + l] && warp_mask_o[l] && warp_row_o[l*RowWidth +: RowWidth] > RowWidth'(r))
            lowest = 1'b0;
        end
      end
      all_lanes = warp_mask_o == lane_left;
      whole_row = warp_mask_o == row_left;
    end

    `ASSERT(NoneLostNoneInvented, warp_valid_o == (left_q != '0))
    `ASSERT(InItsLane, !warp_valid_o || in_its_lane)
    `ASSERT(LowestRow, !warp_valid_o || lowest)
    `ASSERT(OffIsZero, !warp_valid_o || off_is_zero)
    `ASSERT(EveryLane, !warp_valid_o || !regroup_q || all_lanes)
    `ASSERT(WholeRow, !warp_valid_o || regroup_q || whole_row)
    `ASSERT(LastAtTheEnd, !warp_valid_o || warp_last_o == (after == '0))
    `ASSERT(ReadyWhenFree, req_ready_o == (!warp_valid_o || (warp_ready_i && warp_last_o)))

    `ASSERT_STAYS(StableWhileStalled, warp_valid_o, warp_ready_i, {warp_mask_o, warp_row_o, warp_last_o})

    logic [Rows-1:0] rows_left;

    always_comb begin
      for (int r = 0; r < Rows; r++) rows_left[r] = left_q[r*Lanes +: Lanes] != '0;
    end

`ifndef PORTS_ONLY
    // For the induction: the block's registers hold what is left, and its rows.
    (* hierconn *) wire [Threads-1:0] \dut.threads_q ;
    (* hierconn *) wire [Rows-1:0] \dut.rows_q ;
    (* hierconn *) wire \dut.regroup_q ;

    `ASSERT(HoldsWhatIsLeft, !warp_valid_o || \dut.threads_q == left_q)
    `ASSERT(HoldsItsRows, !warp_valid_o || \dut.regroup_q || \dut.rows_q == rows_left)
    `ASSERT(HoldsTheMode, !warp_valid_o || \dut.regroup_q == regroup_q)
`endif

    // As many warps as the fullest lane has threads, or as there are rows with threads.
    if (Counts) begin : gen_counts
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

      `ASSERT(FewestWarps, !(warp_valid_o && warp_last_o) || warps_q + CountWidth'(1) == due_q)
      `ASSERT(WarpsAreLeft, !warp_valid_o || warps_q + due_left == due_q)
    end
  end else begin : gen_two_stages
    thread_compactor #(.Lanes(Lanes), .Rows(Rows), .Stages(Stages)) dut (.*);

    // Two stages: what one stage of loops over rows finds is what comes out, in its order, behind up to
    // two places; and it is found as long as one of them was free.
    localparam int WarpWidth = Lanes * (RowWidth + 1) + 1;  // mask, rows, last

    logic [Threads-1:0]   left_q, after;
    logic                 regroup_q, found, step, taken;
    logic [WarpWidth-1:0] spec, first_q, second_q;
    logic [1:0]           made_q;
    logic [Lanes-1:0]     spec_mask;
    logic [Lanes*RowWidth-1:0] spec_row;
    logic [RowWidth-1:0]  spec_first;

    always_comb begin
      spec_mask = '0;
      spec_row = '0;
      spec_first = '0;
      after = left_q;
      found = 1'b0;
      for (int r = 0; r < Rows; r++) begin
        if (!found && left_q[r*Lanes +: Lanes] != '0) begin
          found = 1'b1;
          spec_first = RowWidth'(r);
        end
      end
      for (int r = 0; r < Rows; r++) begin
        for (int l = 0; l < Lanes; l++) begin
          if (left_q[r*Lanes + l] && !spec_mask[l] && (regroup_q || spec_first == RowWidth'(r))) begin
            spec_mask[l] = 1'b1;
            spec_row[l*RowWidth +: RowWidth] = RowWidth'(r);
            after[r*Lanes + l] = 1'b0;
          end
        end
      end
      spec = {spec_mask, spec_row, after == '0};
    end

    assign step = left_q != '0 && made_q < 2'd2;
    assign taken = made_q != 2'd0 && warp_ready_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q <= '0;
        made_q <= 2'd0;
      end else begin
        if (req_valid_i && req_ready_o) left_q <= req_threads_i;
        else if (step) left_q <= after;
        made_q <= made_q + 2'(step) - 2'(taken);
      end
    end
    always_ff @(posedge clk_i) begin
      if (req_valid_i && req_ready_o) regroup_q <= req_regroup_i;
      if (made_q == 2'd0 || (taken && made_q == 2'd1)) first_q <= spec;
      else if (taken) first_q <= second_q;
      if (made_q == 2'd1) second_q <= spec;
    end

    `ASSERT(ReadyWhenFound, req_ready_o == (left_q == '0))
    `ASSERT(ValidWhenMade, warp_valid_o == (made_q != 2'd0))
    `ASSERT(WhatWasFound, made_q == 2'd0 || {warp_mask_o, warp_row_o, warp_last_o} == first_q)

    // For the induction: the registers hold what is left, the rows above the lowest, and the second.
    localparam int MadeWidth = 2 + Lanes * (RowWidth + 1) + RowWidth;
    (* hierconn *) wire [Threads-1:0] \dut.threads_q ;
    (* hierconn *) wire [Rows-1:0] \dut.rows_q ;
    (* hierconn *) wire \dut.regroup_q ;
    (* hierconn *) wire [Rows-1:0] \dut.gen_rows_ahead.lead_q ;
    (* hierconn *) wire [RowWidth-1:0] \dut.gen_rows_ahead.first_q ;
    (* hierconn *) wire [MadeWidth-1:0] \dut.gen_two.spare_q ;
    (* hierconn *) wire \dut.gen_two.spare_valid_q ;
    logic [Rows-1:0]           above, lead;
    logic [WarpWidth-1:0]      spare;
    logic [Lanes-1:0]          spare_mask;
    logic [Lanes*RowWidth-1:0] spare_row;
    logic                      elsewhere;

    always_comb begin
      for (int r = 0; r < Rows; r++) begin
        above[r] = left_q[r*Lanes +: Lanes] != '0 && RowWidth'(r) != spec_first;
        lead[r] = RowWidth'(r) <= spec_first;
      end
      spare_row = '0;
      elsewhere = 1'b0;
      for (int l = 0; l < Lanes; l++) begin
        elsewhere = 1'b0;
        for (int b = 0; b < RowWidth; b++) begin
          if (\dut.gen_two.spare_q [RowWidth + b*Lanes + l] != \dut.gen_two.spare_q [b]) elsewhere = 1'b1;
        end
        spare_mask[l] = \dut.gen_two.spare_q [RowWidth + RowWidth*Lanes + l] &&
                        (\dut.gen_two.spare_q [MadeWidth-2] || !elsewhere);
        for (int b = 0; b < RowWidth; b++) begin
          spare_row[l*RowWidth + b] = \dut.gen_two.spare_q [RowWidth + b*Lanes + l] && spare_mask[l];
        end
      end
      spare = {spare_mask, spare_row, \dut.gen_two.spare_q [MadeWidth-1]};
    end

    `ASSERT(HoldsWhatIsLeft, left_q == '0 || \dut.threads_q == left_q)
    `ASSERT(HoldsTheMode, left_q == '0 || \dut.regroup_q == regroup_q)
    `ASSERT(HoldsItsRows, left_q == '0 || regroup_q || \dut.rows_q == above)
    `ASSERT(HoldsItsLead, left_q == '0 || regroup_q || \dut.gen_rows_ahead.lead_q == lead)
    `ASSERT(HoldsItsFirst, left_q == '0 || regroup_q || \dut.gen_rows_ahead.first_q == spec_first)
    `ASSERT(HoldsTheSecond, \dut.gen_two.spare_valid_q == (made_q == 2'd2) && made_q != 2'd3)
    `ASSERT(TheSecond, made_q != 2'd2 || spare == second_q)
  end

endmodule

`default_nettype wire
