// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of any compactor, whatever its policy and its clocks: each thread of a request leaves
// once, in its lane, from its row. What no handshake offers is X, and a stalled warp must not change.
module thread_compactor_contract_tb #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  parameter int Requests = 150,  // random ones, after the directed
  parameter int Patience = 1000   // clocks without a warp or a request taken
);

  `include "shared/thread_compactor_bench.svh"

  thread_compactor #(.Lanes(Lanes), .Rows(Rows)) dut (.*);

  // Besides `left`, the threads of the first request: the requests behind it.
  localparam int Most = 64;
  logic [Threads-1:0]        behind [0:Most-1];
  logic                      behind_regroup [0:Most-1];
  integer                    waiting = 0;

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

endmodule

`default_nettype wire
