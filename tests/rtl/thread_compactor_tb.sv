// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of thread_compactor against a model of loops: every clock, every output, four states.
// What no handshake offers is X, and a stalled warp must not change.
module thread_compactor_tb #(
  parameter int Lanes = 8,
  parameter int Rows = 6,
  parameter int Stages = 1,
  parameter int Requests = 1000  // random ones, after the directed
);

  localparam int RowWidth = simt_pkg::idx_width(Rows);
  localparam int Threads = Rows * Lanes;

  logic                      clk_i = 1'b0, rst_ni = 1'b0;
  logic                      req_valid_i = 1'b0, req_ready_o, req_regroup_i = 1'bx;
  logic [Threads-1:0]        req_threads_i = 'x;
  logic                      warp_valid_o, warp_ready_i = 1'b0, warp_last_o;
  logic [Lanes-1:0]          warp_mask_o;
  logic [Lanes*RowWidth-1:0] warp_row_o;

  thread_compactor #(.Lanes(Lanes), .Rows(Rows), .Stages(Stages)) dut (.*);

  always #5 clk_i = !clk_i;

  // The model: the threads left of a request; of two stages, those that are not in one of the warps
  // behind the first, of which there are up to two.
  logic [Threads-1:0]        left = '0;
  logic                      regroup = 1'b0;
  logic [Lanes-1:0]          mask;
  logic [Lanes*RowWidth-1:0] row;
  logic [Threads-1:0]        after;
  integer                    requests = 0, warps = 0, stalls = 0, back_to_back = 0;

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

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: left %h regroup %b: valid %b ready %b mask %b row %h last %b, not %b %h",
               $time, what, left, regroup, warp_valid_o, req_ready_o, warp_mask_o, warp_row_o,
               warp_last_o, mask, row);
      $finish_and_return(1);
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

  // Valid stays until it is taken; ready comes and goes.
  task automatic offer(input [Threads-1:0] threads, input regroup_it);
    begin
      req_valid_i = 1'b1;
      req_threads_i = threads;
      req_regroup_i = regroup_it;
      @(posedge clk_i);
      while (!req_ready_o) @(posedge clk_i);
      @(negedge clk_i);
      req_valid_i = 1'b0;
      req_threads_i = 'x;
      req_regroup_i = 1'bx;
    end
  endtask

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

  integer ready_of_8 = 8;
  always @(negedge clk_i) warp_ready_i = $urandom % 8 < ready_of_8;

  function automatic [Threads-1:0] random_threads(input integer of_16);
    integer t;
    for (t = 0; t < Threads; t = t + 1) random_threads[t] = $urandom % 16 < of_16;
  endfunction

  logic [Threads-1:0] pattern;
  initial begin
    reset;
    for (int regroup_it = 0; regroup_it < 2; regroup_it++) begin
      offer('0, regroup_it[0]);
      offer('1, regroup_it[0]);
      for (int t = 0; t < Threads; t++) offer(Threads'(1) << t, regroup_it[0]);
      for (int r = 0; r < Rows; r++) offer({Lanes{1'b1}} << (r * Lanes), regroup_it[0]);
      for (int l = 0; l < Lanes; l++) begin  // a full column, then that against the rest
        pattern = '0;
        for (int r = 0; r < Rows; r++) pattern[r*Lanes + l] = 1'b1;
        offer(pattern, regroup_it[0]);
        offer(~pattern, regroup_it[0]);
      end
    end
    offer('1, 1'b1);  // reset drops what is left
    reset;
    for (int n = 0; n < Requests; n++) begin
      if (n % 16 == 0) ready_of_8 = 1 + $urandom % 8;
      offer(random_threads($urandom % 17), $urandom % 2 == 1);
      if ($urandom % 4 == 0) drain;
    end
    ready_of_8 = 8;
    drain;
    repeat (2) @(negedge clk_i);
    expect_is("coverage", warps > 0 && back_to_back > 0 && stalls > 0 && requests > Requests);
    $display("PASS: %0d requests, %0d warps, %0d stalls", requests, warps, stalls);
    $finish;
  end

endmodule

`default_nettype wire
