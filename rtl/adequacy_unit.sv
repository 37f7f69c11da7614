// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The adequacy unit: is compaction worth the wait? A population counter per lane, their maximum
// (warps that the threads compact to), and the comparison that CAPRI or a stage of TSTBC makes with
// it (TSTBC sec. 2 and 3, Algorithm 1). Two clocks, one operation per clock.
module adequacy_unit #(
  parameter int Lanes = 32,  // threads of a warp
  parameter int Rows = 8,    // static warps of a block
  localparam int CountWidth = simt_pkg::idx_width(Rows + 1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,
  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [1:0]            op_kind_i,     // see KIND_*
  input  wire  [1:0]            op_stage_i,    // see STAGE_*
  input  wire  [Rows*Lanes-1:0] op_threads_i,  // of the path in question
  input  wire  [CountWidth-1:0] op_warps_i,    // that they are in now
  input  wire  [CountWidth-1:0] op_n_i,
  input  wire  [CountWidth-1:0] op_t_wct_i,
  input  wire                   op_literal_i,  // threshold: t_wct are left; 0: saved
  output logic                  res_valid_o,
  input  wire                   res_ready_i,
  output logic [CountWidth-1:0] res_count_o,
  output logic                  res_adequate_o,
  output logic [1:0]            res_stage_o    // from now on
);

  localparam logic [1:0] KIND_FIRST_CAME = 2'd0;  // the first n warps: wait for the others too?
  localparam logic [1:0] KIND_ALL_CAME = 2'd1;    // all that are waited for: compact their path?
  localparam logic [1:0] KIND_OTHER_PATH = 2'd2;  // through that path: compact the other one?

  localparam logic [1:0] STAGE_FIRST = 2'd0;  // whom a branch waits for: the first n warps
  localparam logic [1:0] STAGE_WHOLE = 2'd1;  // all
  localparam logic [1:0] STAGE_REST = 2'd2;   // all but those n

  logic counts_valid_d, counts_valid_q, res_valid_d, res_valid_q;
  logic counts_free, res_free, op_taken, counts_taken;

  assign res_free = !res_valid_q || res_ready_i;
  assign counts_free = !counts_valid_q || res_free;  // seeded-bug: assign counts_free = 1'b1;
  assign op_taken = op_valid_i && counts_free;
  assign counts_taken = counts_valid_q && res_free;

  // First clock: the threads of each lane. Those of one weight queue up; an adder takes three, puts
  // their sum behind them and a carry into the queue of the next weight: a logarithmic depth.
  logic [CountWidth*Lanes-1:0] count;  // bit w of lane l's count is bit w*Lanes+l

  for (genvar w = 0; w < CountWidth; w++) begin : gen_weight
    localparam int Terms = Rows >> w;
    for (genvar t = 0; t < Terms + Terms / 2; t++) begin : gen_term
      logic [Lanes-1:0] value;
      if (t >= Terms) begin : gen_adder
        localparam int First = 3 * (t - Terms);
        logic [Lanes-1:0] a, b, c, carry;
        assign a = gen_term[First].value;
        assign b = gen_term[First+1].value;
        if (First + 2 < t) assign c = gen_term[First+2].value;
        else assign c = '0;
        assign value = a ^ b ^ c;
        assign carry = (a & b) | (a & c) | (b & c);
      end else begin : gen_input
        if (w == 0) assign value = op_threads_i[t*Lanes +: Lanes];
        else assign value = gen_weight[w-1].gen_term[(Rows >> (w - 1)) + t].gen_adder.carry;
      end
    end
    assign count[w*Lanes +: Lanes] = gen_term[Terms+Terms/2-1].value;
  end

  // Meanwhile: every kind asks whether that is fewer than some number of warps.
  logic [CountWidth:0] saved_bound, threshold_bound, warps, bound;

  always_comb begin
    warps = {1'b0, op_warps_i};
    saved_bound = '0;
    if (op_t_wct_i <= op_warps_i) saved_bound = warps - {1'b0, op_t_wct_i} + (CountWidth + 1)'(1);
    threshold_bound = op_literal_i ? {1'b0, op_t_wct_i} : saved_bound;
    bound = '0;
    case (op_kind_i)
      KIND_FIRST_CAME: bound = {1'b0, op_n_i};
      KIND_ALL_CAME: begin
        if (op_warps_i != '0) bound = op_stage_i == STAGE_WHOLE ? threshold_bound : warps;
      end
      KIND_OTHER_PATH: bound = op_stage_i == STAGE_FIRST ? warps : threshold_bound;
      default: ;
    endcase
  end

  logic [CountWidth*Lanes-1:0] count_d, count_q;
  logic [CountWidth:0]         bound_d, bound_q;
  logic                        decides_d, decides_q;  // the verdict chooses the stage
  logic [1:0]                  stage_d, stage_q;

  always_comb begin
    counts_valid_d = op_taken || (counts_valid_q && !res_free);
    count_d = count_q;
    bound_d = bound_q;
    decides_d = decides_q;
    stage_d = stage_q;
    if (op_taken) begin
      count_d = count;
      bound_d = bound;
      decides_d = op_kind_i == KIND_FIRST_CAME;
      stage_d = op_stage_i;
    end
  end

  // Second clock: the largest count and its comparison, digit by digit from the highest; lanes drop
  // out whose digit is smaller. One step a digit: for each of its values, does some lane reach it?
  // Digits of three or four bits are the fastest.
  localparam int Digits = (CountWidth + 3) / 4;
  localparam int DigitWidth = (CountWidth + Digits - 1) / Digits;
  localparam int Radix = 1 << DigitWidth;
  localparam int NumberWidth = Digits * DigitWidth;

  logic [NumberWidth*Lanes-1:0] counts;
  logic [NumberWidth-1:0]       bounds, largest;
  logic [Lanes-1:0]             in_question, reach, keep;
  logic [Radix:0]               reached;
  logic [DigitWidth-1:0]        digit;
  logic                         fewer, as_many;

  assign counts = (NumberWidth * Lanes)'(count_q);
  assign bounds = NumberWidth'(bound_q);

  logic unused_padding;
  assign unused_padding = ^largest;  // the bits above CountWidth

  always_comb begin
    in_question = '1;
    fewer = bound_q[CountWidth];
    as_many = 1'b1;
    largest = '0;
    reach = '1;
    keep = '1;
    reached = '0;
    digit = '0;
    for (int d = Digits - 1; d >= 0; d--) begin
      reached[0] = 1'b1;
      keep = in_question;
      for (int v = 1; v < Radix; v++) begin
        reach = '1;
        for (int b = 0; b < DigitWidth; b++) begin
          if (((v >> b) & 1) == 1) reach &= counts[(d*DigitWidth + b)*Lanes +: Lanes];
          else reach |= counts[(d*DigitWidth + b)*Lanes +: Lanes];
        end
        reached[v] = |(in_question & reach);
        keep &= reach | {Lanes{!reached[v]}};
      end
      in_question = keep;
      // A bit of the digit is set from one of its values on, and no longer from a later one.
      for (int b = 0; b < DigitWidth; b++) begin
        for (int v = 1; v < Radix; v++) begin
          if (v % (2 << b) == 1 << b && reached[v] && !reached[v + (1 << b)]) begin
            largest[d*DigitWidth + b] = 1'b1;
          end
        end
      end
      digit = bounds[d*DigitWidth +: DigitWidth];
      fewer |= as_many & !reached[{1'b0, digit}];
      as_many &= reached[{1'b0, digit}] & !reached[{1'b0, digit} + (DigitWidth + 1)'(1)];
    end
  end

  logic [CountWidth-1:0] res_count_d, res_count_q;
  logic                  res_adequate_d, res_adequate_q;
  logic [1:0]            res_stage_d, res_stage_q;

  always_comb begin
    res_valid_d = counts_taken || (res_valid_q && !res_ready_i);
    res_count_d = res_count_q;
    res_adequate_d = res_adequate_q;
    res_stage_d = res_stage_q;
    if (counts_taken) begin
      res_count_d = CountWidth'(largest);
      res_adequate_d = fewer;
      res_stage_d = stage_q;
      if (decides_q) res_stage_d = fewer ? STAGE_WHOLE : STAGE_REST;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counts_valid_q <= 1'b0;
      res_valid_q <= 1'b0;
    end else begin
      counts_valid_q <= counts_valid_d;
      res_valid_q <= res_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    count_q <= count_d;
    bound_q <= bound_d;
    decides_q <= decides_d;
    stage_q <= stage_d;
    res_count_q <= res_count_d;
    res_adequate_q <= res_adequate_d;
    res_stage_q <= res_stage_d;
  end

  assign op_ready_o = counts_free;
  assign res_valid_o = res_valid_q;
  assign res_count_o = res_count_q;
  assign res_adequate_o = res_adequate_q;
  assign res_stage_o = res_stage_q;

  `ASSERT(CountIsARowCount, !res_valid_o || res_count_o <= CountWidth'(Rows))
  `ASSERT_INIT(Sizes, Lanes > 0 && Rows > 0)

endmodule

`default_nettype wire
