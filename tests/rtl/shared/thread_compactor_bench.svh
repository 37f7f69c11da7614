// SPDX-License-Identifier: Apache-2.0
// What the benches of thread_compactor share: its ports, what it is asked for, and the counts of what came. They have a
// task `reset`, which gives up what is under way, and `drain`, which waits until all of it has come.

  localparam int RowWidth = simt_pkg::idx_width(Rows);
  localparam int Threads = Rows * Lanes;

  logic                      clk_i = 1'b0, rst_ni = 1'b0;
  logic                      req_valid_i = 1'b0, req_ready_o, req_regroup_i = 1'bx;
  logic [Threads-1:0]        req_threads_i = 'x;
  logic                      warp_valid_o, warp_ready_i = 1'b0, warp_last_o;
  logic [Lanes-1:0]          warp_mask_o;
  logic [Lanes*RowWidth-1:0] warp_row_o;

  always #5 clk_i = !clk_i;

  // The model: the threads left of a request, the warp that is expected of them, and what is left after it.
  logic [Threads-1:0]        left = '0;
  logic                      regroup = 1'b0;
  logic [Lanes-1:0]          mask;
  logic [Lanes*RowWidth-1:0] row;
  logic [Threads-1:0]        after;
  integer                    requests = 0, warps = 0, stalls = 0, back_to_back = 0;

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: left %h regroup %b: valid %b ready %b mask %b row %h last %b, not %b %h",
               $time, what, left, regroup, warp_valid_o, req_ready_o, warp_mask_o, warp_row_o,
               warp_last_o, mask, row);
      $finish_and_return(1);
    end
  endtask

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
      // One thread: any, or of many each row and each lane and those of the last.
      for (int t = 0; t < Threads; t++) begin
        if (Threads <= 64 || t / Lanes == t % Lanes || t / Lanes == Rows - 1 || t % Lanes == Lanes - 1)
          offer(Threads'(1) << t, regroup_it[0]);
      end
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
