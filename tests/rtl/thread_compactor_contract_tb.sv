// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of any compactor, whatever its policy and its clocks: each thread of a request leaves
// once, in its lane, from its row. What no handshake offers is X, and a stalled warp must not change.
module thread_compactor_contract_tb #(
  parameter int Lanes = 8,
  parameter int Rows = 6,
  parameter int Requests = 1000,  // random ones, after the directed
  parameter int Patience = 1000   // clocks without a warp or a request taken
);

  localparam int RowWidth = simt_pkg::idx_width(Rows);
  localparam int Threads = Rows * Lanes;

  logic                      clk_i = 1'b0, rst_ni = 1'b0;
  logic                      req_valid_i = 1'b0, req_ready_o, req_regroup_i = 1'bx;
  logic [Threads-1:0]        req_threads_i = 'x;
  logic                      warp_valid_o, warp_ready_i = 1'b0, warp_last_o;
  logic [Lanes-1:0]          warp_mask_o;
  logic [Lanes*RowWidth-1:0] warp_row_o;

  thread_compactor #(.Lanes(Lanes), .Rows(Rows)) dut (.*);

  always #5 clk_i = !clk_i;

  // The model: the threads left of the first request, and the requests behind it.
  localparam int Most = 64;
  logic [Threads-1:0]        behind [0:Most-1];
  logic                      behind_regroup [0:Most-1];
  integer                    waiting = 0;
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

  // What the outputs take off `left`, where they are within the contract.
  logic                      stalled = 1'b0, last;
  integer                    waits = 0;

  task automatic check_warp;
    integer l, r, from;
    begin
      if (stalled) begin
        expect_is("a stalled warp stays", warp_valid_o && warp_mask_o === mask && warp_last_o === last);
      end
      expect_is("a warp of a request", left != 0);
      expect_is("the mask", ^warp_mask_o !== 1'bx && warp_mask_o != 0);
      after = left;
      from = -1;
      for (l = 0; l < Lanes; l = l + 1) if (warp_mask_o[l]) begin
        r = warp_row_o[l*RowWidth +: RowWidth];
        expect_is("the row", ^warp_row_o[l*RowWidth +: RowWidth] !== 1'bx && r < Rows);
        expect_is("its lane, once", left[r*Lanes + l]);
        if (stalled) expect_is("a stalled row", row[l*RowWidth +: RowWidth] === warp_row_o[l*RowWidth +: RowWidth]);
        expect_is("row by row", regroup || from == -1 || from == r);
        after[r*Lanes + l] = 1'b0;
        from = r;
      end
      expect_is("a whole row", regroup || after[from*Lanes +: Lanes] == 0);
      expect_is("last", warp_last_o === (after == 0));
      mask = warp_mask_o;
      row = warp_row_o;
      last = warp_last_o;
      stalled = !warp_ready_i;
      if (stalled) stalls = stalls + 1;
    end
  endtask

  task automatic check_contract;
    begin
      expect_is("handshakes are known", ^{warp_valid_o, req_ready_o} !== 1'bx);
      expect_is("a stalled warp stays", warp_valid_o || !stalled);
      if (warp_valid_o) check_warp;
      waits = (left != 0 ? warp_valid_o : req_ready_o || !req_valid_i) ? 0 : waits + 1;
      expect_is("an answer", waits < Patience);
    end
  endtask

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    check_contract;
    if (left != 0 && warp_valid_o && warp_ready_i) begin
      warps = warps + 1;
      if (after == 0 && (waiting != 0 || req_valid_i)) back_to_back = back_to_back + 1;
      left = after;
    end
    if (req_valid_i && req_ready_o) begin
      requests = requests + 1;
      expect_is("fewer requests at a time", waiting < Most);
      behind[waiting] = req_threads_i;
      behind_regroup[waiting] = req_regroup_i;
      waiting = waiting + 1;
    end
    while (left == 0 && waiting != 0) begin
      left = behind[0];
      regroup = behind_regroup[0];
      waiting = waiting - 1;
      for (int w = 0; w < waiting; w++) begin
        behind[w] = behind[w+1];
        behind_regroup[w] = behind_regroup[w+1];
      end
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
    while (left != 0) @(negedge clk_i);
  endtask

  task automatic reset;
    begin
      rst_ni = 1'b0;
      left = '0;
      waiting = 0;
      stalled = 1'b0;
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
