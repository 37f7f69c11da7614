// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`include "shared/stays.svh"
`default_nettype none

// What adequacy_unit must do, said with sums and loops over lanes: results in order, none lost, ours
// two clocks after their operation or as soon as they are taken; counts and verdicts as TSTBC has them.
module adequacy_unit_formal #(
  parameter int Lanes = 4,
  parameter int Rows = 4,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for a result
  localparam int CountWidth = simt_pkg::idx_width(Rows + 1)
) (
  input wire                  clk_i,
  input wire                  rst_ni,
  input wire                  op_valid_i,
  input wire [1:0]            op_kind_i,
  input wire [1:0]            op_stage_i,
  input wire [Rows*Lanes-1:0] op_threads_i,
  input wire [CountWidth-1:0] op_warps_i,
  input wire [CountWidth-1:0] op_n_i,
  input wire [CountWidth-1:0] op_t_wct_i,
  input wire                  op_literal_i,
  input wire                  res_ready_i
);

  logic                  op_ready, res_valid, res_adequate;
  logic [CountWidth-1:0] res_count;
  logic [1:0]            res_stage;

  adequacy_unit #(.Lanes(Lanes), .Rows(Rows)) dut (
    .op_ready_o    (op_ready),
    .res_valid_o   (res_valid),
    .res_count_o   (res_count),
    .res_adequate_o(res_adequate),
    .res_stage_o   (res_stage),
    .*
  );

  `ASSUME_RESET_FIRST

  // The operations on their way, each with the sum of every lane.
  localparam int AskedWidth = 2 + 2 + 3 * CountWidth + 1;
  localparam int OpWidth = AskedWidth + Lanes * CountWidth;
  logic [OpWidth-1:0]          op;
  logic [AskedWidth-1:0]       first_asked;
  logic [Lanes*CountWidth-1:0] sums, first_sums;

  always_comb begin
    sums = '0;
    for (int l = 0; l < Lanes; l++) begin
      for (int r = 0; r < Rows; r++) begin
        sums[l*CountWidth +: CountWidth] =
            sums[l*CountWidth +: CountWidth] + CountWidth'(op_threads_i[r*Lanes + l]);
      end
    end
  end

  assign op = {op_kind_i, op_stage_i, op_warps_i, op_n_i, op_t_wct_i, op_literal_i, sums};
  `include "shared/results_in_order.svh"
  assign {first_asked, first_sums} = first_q;

  // The verdict on an operation whose threads compact to t warps.
  function automatic logic verdict(input logic [CountWidth-1:0] t, input logic [AskedWidth-1:0] of);
    logic [1:0]            kind, stage;
    logic [CountWidth-1:0] warps, n, t_wct;
    logic                  literal, threshold;
    {kind, stage, warps, n, t_wct, literal} = of;
    threshold = literal ? t < t_wct : {1'b0, t} + {1'b0, t_wct} <= {1'b0, warps};
    case (kind)
      2'd0: verdict = t < n;
      2'd1: verdict = warps != '0 && (stage == 2'd1 ? threshold : t < warps);
      2'd2: verdict = stage == 2'd0 ? t < warps : threshold;
      default: verdict = 1'b0;
    endcase
  endfunction

  // The oldest operation's result.
  logic [CountWidth-1:0] count;
  logic                  adequate;
  logic [1:0]            stage;

  always_comb begin
    count = '0;
    for (int l = 0; l < Lanes; l++) begin
      if (first_sums[l*CountWidth +: CountWidth] > count) count = first_sums[l*CountWidth +: CountWidth];
    end
    adequate = verdict(count, first_asked);
    stage = first_asked[AskedWidth-3 -: 2];
    if (first_asked[AskedWidth-1 -: 2] == 2'd0) stage = adequate ? 2'd1 : 2'd2;
  end

  `ASSERT(Count, !res_valid || res_count == count)
  `ASSERT(Adequate, !res_valid || res_adequate == adequate)
  `ASSERT(Stage, !res_valid || res_stage == stage)
  `ASSERT_STAYS(StableWhileStalled, res_valid, res_ready_i, {res_count, res_adequate, res_stage})

`ifndef PORTS_ONLY
  // For the induction: between its two clocks the block holds an operation's sums, and a bound that
  // says the verdict for every count.
  (* hierconn *) wire \dut.counts_valid_q ;
  (* hierconn *) wire [CountWidth*Lanes-1:0] \dut.count_q ;
  (* hierconn *) wire [CountWidth:0] \dut.bound_q ;
  (* hierconn *) wire \dut.decides_q ;
  (* hierconn *) wire [1:0] \dut.stage_q ;
  logic [AskedWidth-1:0]       newest_asked;
  logic [Lanes*CountWidth-1:0] newest_sums, second_sums, held_sums;
  logic                        bound_fits, sums_fit;

  always_comb begin
    {newest_asked, newest_sums} = due_q == 2'd2 ? second_q : first_q;
    second_sums = second_q[0 +: Lanes*CountWidth];
    held_sums = '0;
    for (int l = 0; l < Lanes; l++) begin
      for (int w = 0; w < CountWidth; w++) begin
        held_sums[l*CountWidth + w] = \dut.count_q [w*Lanes + l];
      end
    end
    sums_fit = due_q != '0 || !here_q;
    for (int l = 0; l < Lanes; l++) begin
      if (due_q > 2'd0 && first_sums[l*CountWidth +: CountWidth] > CountWidth'(Rows)) begin
        sums_fit = 1'b0;
      end
      if (due_q > 2'd1 && second_sums[l*CountWidth +: CountWidth] > CountWidth'(Rows)) begin
        sums_fit = 1'b0;
      end
    end
    bound_fits = 1'b1;
    for (int t = 0; t <= Rows; t++) begin
      if (((CountWidth + 1)'(t) < \dut.bound_q ) != verdict(CountWidth'(t), newest_asked)) begin
        bound_fits = 1'b0;
      end
    end
  end

  `ASSERT(SumsFit, sums_fit)
  `ASSERT(HoldsOne, \dut.counts_valid_q == (due_q > 2'(here_q)))
  `ASSERT(HoldsTheSums, !\dut.counts_valid_q || held_sums == newest_sums)
  `ASSERT(HoldsTheBound, !\dut.counts_valid_q || bound_fits)
  `ASSERT(HoldsTheStage, !\dut.counts_valid_q || (\dut.stage_q == newest_asked[AskedWidth-3 -: 2] &&
                         \dut.decides_q == (newest_asked[AskedWidth-1 -: 2] == 2'd0)))
`endif

endmodule

`default_nettype wire
