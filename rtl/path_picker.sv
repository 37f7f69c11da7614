// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// Which threads of a warp run next, where each has a pc and a state (independent thread scheduling, US 10,067,768 B2):
// the thread of the lowest lane among those that are preferred, or among all that run, or, if all others wait, among
// those that have yielded; and with it all in its state that stand at its pc and meet others next at its barrier.
// Whom to prefer, as those that were issued last, is the scheduler's business.
//
// What the warp has comes from a RAM. The payload of an op stays until op_ready_o, in its second clock; done_valid_o is
// the clock after. Until the next op ends, the outputs are its results.
module path_picker #(
  parameter int Lanes = 32,
  parameter int Barriers = 16,
  parameter int PcWidth = 16,
  localparam int BarrierWidth = simt_pkg::idx_width(Barriers + 1)
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  input  wire                          op_valid_i,
  output logic                         op_ready_o,
  input  wire  [2*Lanes-1:0]           op_states_i,    // of lane l: bits 2l…
  input  wire  [Lanes*PcWidth-1:0]     op_pcs_i,
  input  wire  [Lanes*BarrierWidth-1:0] op_barriers_i,  // where they meet others next, Barriers: nowhere
  input  wire  [Lanes-1:0]             op_prefer_i,

  output logic                         done_valid_o,
  output logic [Lanes-1:0]             res_mask_o,     // none: nobody runs or has yielded
  output logic [PcWidth-1:0]           res_pc_o
);

  // Others have exited, or wait at their barrier.
  localparam logic [1:0] RUNS = 2'd2, YIELDED = 2'd3;

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Barriers >= 1 && PcWidth >= 1)

  // --- First clock: the thread that leads ---------------------------------------------------------

  logic [Lanes-1:0] runs, yielded, may_lead, leads, lower;
  logic             unused_any, unused_many;
  logic [simt_pkg::idx_width(Lanes)-1:0] unused_lane;

  for (genvar l = 0; l < Lanes; l++) begin : gen_state
    assign runs[l] = op_states_i[2*l +: 2] == RUNS;
    assign yielded[l] = op_states_i[2*l +: 2] == YIELDED;
  end
  assign may_lead = (runs & op_prefer_i) != '0 ? runs & op_prefer_i :
                    runs != '0 ? runs : yielded;

  lane_priority #(.Lanes(1), .Rows(Lanes)) u_lead (
    .threads_i(may_lead),
    .lower_o(lower),
    .any_o(unused_any),
    .many_o(unused_many),
    .row_o(unused_lane)
  );
  assign leads = may_lead & ~lower;

  logic [PcWidth-1:0]      pc_d, pc_q;
  logic [BarrierWidth-1:0] barrier_d, barrier_q;
  always_comb begin
    pc_d = '0;
    barrier_d = '0;
    for (int l = 0; l < Lanes; l++) begin
      pc_d = pc_d | (op_pcs_i[l*PcWidth +: PcWidth] & {PcWidth{leads[l]}});
      barrier_d = barrier_d | (op_barriers_i[l*BarrierWidth +: BarrierWidth] & {BarrierWidth{leads[l]}});
    end
  end

  // --- Second clock: who goes with it -------------------------------------------------------------

  logic             led_q, done_q;
  logic [Lanes-1:0] mask_d, mask_q, like;

  assign like = runs != '0 ? runs : yielded;
  for (genvar l = 0; l < Lanes; l++) begin : gen_with
    wire same_barrier = op_barriers_i[l*BarrierWidth +: BarrierWidth] == barrier_q;
    assign mask_d[l] = like[l] && op_pcs_i[l*PcWidth +: PcWidth] == pc_q &&
                       same_barrier;  // seeded-bug: 1'b1;
  end

  assign op_ready_o = op_valid_i && led_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      led_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      led_q <= op_valid_i && !led_q;
      done_q <= op_ready_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (op_valid_i && !led_q) begin
      pc_q <= pc_d;
      barrier_q <= barrier_d;
    end
    if (op_ready_o) mask_q <= mask_d;
  end

  assign done_valid_o = done_q;
  assign res_mask_o = mask_q;
  assign res_pc_o = pc_q;

  `ASSERT(OpStays, !led_q || op_valid_i)
  `ASSERT(SomebodyIfAny, !op_ready_o || (like == '0) == (mask_d == '0))

endmodule

`default_nettype wire
