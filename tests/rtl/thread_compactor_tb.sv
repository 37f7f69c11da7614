// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of thread_compactor against a model of loops: every clock, every output, four states.
// What no handshake offers is X, and a stalled warp must not change.
module thread_compactor_tb #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  parameter int Stages = 1,
  parameter int Requests = 150  // random ones, after the directed
);

  `include "shared/thread_compactor_bench.svh"

  thread_compactor #(.Lanes(Lanes), .Rows(Rows), .Stages(Stages)) dut (.*);

  // The model: of two stages `left` are those that are not in one of the warps behind the first, of which there are up to
  // two.
  task automatic next_warp;
    integer l, r, from;
    begin
      mask = '0;
      row = '0;
      after = left;
      from = -1;
      for (r = Rows - 1; r >= 0; r = r - 1) if (left[r*Lanes +: Lanes] != 0) from = r;
      for (l = 0; l < Lanes; l = l + 1) begin
        for (r = 0; r < Rows; r = r + 1) begin
          if (left[r*Lanes + l] && !mask[l] && (regroup || r == from)) begin
            mask[l] = 1'b1;
            row[l*RowWidth +: RowWidth] = r;
            after[r*Lanes + l] = 1'b0;
          end
        end
      end
    end
  endtask

  logic [Lanes-1:0]          made_mask [0:1];
  logic [Lanes*RowWidth-1:0] made_row [0:1];
  logic                      made_last [0:1];
  integer                    made = 0;
  logic                      step;

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni && Stages == 2) begin
    next_warp;
    expect_is("warp valid", warp_valid_o === (made != 0));
    expect_is("request ready", req_ready_o === (left == 0));
    step = left != 0 && made < 2;
    if (made != 0) begin
      expect_is("made mask", warp_mask_o === made_mask[0]);
      expect_is("made row", warp_row_o === made_row[0]);
      expect_is("made last", warp_last_o === made_last[0]);
      if (!warp_ready_i) stalls = stalls + 1;
    end
    if (made != 0 && warp_ready_i) begin
      warps = warps + 1;
      if (made_last[0] && left != 0) back_to_back = back_to_back + 1;
      made_mask[0] = made_mask[1];
      made_row[0] = made_row[1];
      made_last[0] = made_last[1];
      made = made - 1;
    end
    if (step) begin
      made_mask[made] = mask;
      made_row[made] = row;
      made_last[made] = after == 0;
      made = made + 1;
      left = after;
    end else if (req_valid_i && req_ready_o) begin
      requests = requests + 1;
      left = req_threads_i;
      regroup = req_regroup_i;
    end
  end

  always @(posedge clk_i) if (rst_ni && Stages == 1) begin
    next_warp;
    expect_is("warp valid", warp_valid_o === (left != 0));
    expect_is("request ready", req_ready_o === (left == 0 || (warp_ready_i && after == 0)));
    if (left != 0) begin
      expect_is("mask", warp_mask_o === mask);
      expect_is("row", warp_row_o === row);
      expect_is("last", warp_last_o === (after == 0));
      if (!warp_ready_i) stalls = stalls + 1;
    end
    if (left != 0 && warp_ready_i) begin
      warps = warps + 1;
      if (after == 0 && req_valid_i) back_to_back = back_to_back + 1;
      left = after;
    end
    if (req_valid_i && req_ready_o) begin
      requests = requests + 1;
      left = req_threads_i;
      regroup = req_regroup_i;
    end
  end

  task automatic drain;
    while (left != 0 || made != 0) @(negedge clk_i);
  endtask

  task automatic reset;
    begin
      rst_ni = 1'b0;
      left = '0;
      made = 0;
      repeat (2) @(negedge clk_i);
      rst_ni = 1'b1;
    end
  endtask

endmodule

`default_nettype wire
