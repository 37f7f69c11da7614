// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of adequacy_unit against a model of loops and sums: every clock, every output, four
// states. What no handshake offers is X, and a stalled result must not change.
module adequacy_unit_tb #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  parameter int Operations = 400,  // random ones, after the directed
  parameter int Equal = 1
);

  localparam int CountWidth = simt_pkg::idx_width(Rows + 1);
  localparam int Threads = Rows * Lanes;

  `include "shared/results_in_order.svh"

  logic                  op_literal_i = 1'bx;
  logic [1:0]            op_kind_i = 'x, op_stage_i = 'x;
  logic [Threads-1:0]    op_threads_i = 'x;
  logic [CountWidth-1:0] op_warps_i = 'x, op_n_i = 'x, op_t_wct_i = 'x;
  logic                  res_adequate_o;
  logic [CountWidth-1:0] res_count_o;
  logic [1:0]            res_stage_o;

  adequacy_unit #(.Lanes(Lanes), .Rows(Rows)) dut (.*);

  // The model: the results that are due, oldest first.
  integer count_due [0:Deep-1];
  logic   adequate_due [0:Deep-1];
  integer stage_due [0:Deep-1];
  integer verdicts [0:15];  // per kind, literal and verdict

  task automatic check_result;
    begin
      expect_is("count", res_count_o === CountWidth'(count_due[0]));
      expect_is("adequate", res_adequate_o === adequate_due[0]);
      expect_is("stage", res_stage_o === 2'(stage_due[0]));
    end
  endtask

  task automatic move_up;
    begin
      for (int i = 1; i < Deep; i++) begin
        count_due[i-1] = count_due[i];
        adequate_due[i-1] = adequate_due[i];
        stage_due[i-1] = stage_due[i];
      end
    end
  endtask

  task automatic work_out;
    integer l, r, in_lane, wct, warps, verdict, count, stage;
    logic adequate, threshold;
    begin
      count = 0;
      for (l = 0; l < Lanes; l = l + 1) begin
        in_lane = 0;
        for (r = 0; r < Rows; r = r + 1) if (op_threads_i[r*Lanes + l]) in_lane = in_lane + 1;
        if (in_lane > count) count = in_lane;
      end
      wct = op_t_wct_i;
      warps = op_warps_i;
      threshold = op_literal_i ? count < wct : count + wct <= warps;
      stage = op_stage_i;
      adequate = 1'b0;
      case (op_kind_i)
        0: begin
          adequate = count < op_n_i;
          stage = adequate ? 1 : 2;
        end
        1: adequate = warps != 0 && (stage == 1 ? threshold : count < warps);
        2: adequate = stage == 0 ? count < warps : threshold;
        default: ;
      endcase
      verdict = {op_kind_i, op_literal_i, adequate};
      verdicts[verdict] = verdicts[verdict] + 1;
      count_due[due] = count;
      adequate_due[due] = adequate;
      stage_due[due] = stage;
    end
  endtask

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: valid %b ready %b, %0d %b %0d; due: %0d (%b), %0d %b %0d", $time, what,
               res_valid_o, op_ready_o, res_count_o, res_adequate_o, res_stage_o, due,
               oldest_is_out, count_due[0], adequate_due[0], stage_due[0]);
      $finish_and_return(1);
    end
  endtask

  task automatic offer(input [1:0] kind, input [1:0] in_stage, input [Threads-1:0] threads,
                       input integer warps, input integer n, input integer t_wct, input literal);
    begin
      op_kind_i = kind;
      op_stage_i = in_stage;
      op_threads_i = threads;
      op_warps_i = warps;
      op_n_i = n;
      op_t_wct_i = t_wct;
      op_literal_i = literal;
      hand_over;
      {op_kind_i, op_stage_i, op_warps_i, op_n_i, op_t_wct_i, op_literal_i} = 'x;
      op_threads_i = 'x;
    end
  endtask

  function automatic [Threads-1:0] random_threads(input integer of_16);
    integer t;
    for (t = 0; t < Threads; t = t + 1) random_threads[t] = $urandom % 16 < of_16;
  endfunction

  function automatic logic near(input integer a, input integer b);
    near = a - b <= 1 && b - a <= 1;
  endfunction

  // Every count of one lane at every kind, stage and threshold, from below to above; of many rows those thresholds that
  // a count just reaches.
  task automatic directed;
    logic [Threads-1:0] column;
    for (int c = 0; c <= Rows; c++) begin
      column = '0;
      for (int r = 0; r < c; r++) column[r*Lanes + c%Lanes] = 1'b1;
      for (int k = 0; k < 4; k++) begin
        for (int s = 0; s < 4; s++) begin
          for (int t = 0; t <= Rows; t++) if (Rows <= 8 || t == 0 || t == Rows || near(t, c) || near(2 * t, Rows - c)) begin
            offer(k[1:0], s[1:0], column, Rows - t, t, t, 1'b0);
            offer(k[1:0], s[1:0], column, t, Rows - t, t, 1'b1);
          end
        end
      end
    end
    offer(2'd1, 2'd1, '1, (1 << CountWidth) - 1, 0, 0, 1'b0);  // the largest bound
    offer(2'd1, 2'd1, '0, 0, 0, 0, 1'b0);                      // nobody waits
    offer(2'd2, 2'd1, '0, 0, 0, 0, 1'b0);
  endtask

  initial begin
    for (int v = 0; v < 16; v++) verdicts[v] = 0;
    reset;
    directed;
    offer(2'd0, 2'd0, '1, Rows, 1, 1, 1'b0);  // reset drops it
    reset;
    for (int o = 0; o < Operations; o++) begin
      if (o % 16 == 0) ready_of_8 = 1 + $urandom % 8;
      offer($urandom, $urandom, random_threads($urandom % 17), $urandom, $urandom, $urandom,
            $urandom);
      if ($urandom % 4 == 0) repeat ($urandom % 4) @(negedge clk_i);
    end
    finish_results(Operations);
    // Kind 3 is never adequate; all else comes both ways.
    for (int v = 0; v < 16; v++) begin
      expect_is("coverage of verdicts", (verdicts[v] == 0) == (v > 12 && v % 2 == 1));
    end
    $display("PASS: %0d results, %0d stalls", results, stalls);
    $finish;
  end

endmodule

`default_nettype wire
