// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A compactor of another policy, which compactor_pick chooses by. It looks at a request for a clock before its first
// warp is there.
module thread_compactor #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire                       req_valid_i,
  output logic                      req_ready_o,
  input  wire                       req_regroup_i,
  input  wire  [Rows*Lanes-1:0]     req_threads_i,
  output logic                      warp_valid_o,
  input  wire                       warp_ready_i,
  output logic [Lanes-1:0]          warp_mask_o,
  output logic [Lanes*RowWidth-1:0] warp_row_o,
  output logic                      warp_last_o
);

  localparam logic [1:0] Idle = 2'd0, Look = 2'd1, Offer = 2'd2;
  logic [1:0]            phase;
  logic                  together;
  logic [Rows*Lanes-1:0] waiting, after;

  compactor_pick #(.Lanes(Lanes), .Rows(Rows)) pick (
    .waiting_i (waiting),
    .together_i(together),
    .mask_o    (warp_mask_o),
    .row_o     (warp_row_o),
    .after_o   (after)
  );

  assign req_ready_o = phase == Idle;
  assign warp_valid_o = phase == Offer;
  assign warp_last_o = after == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase <= Idle;
    else if (phase == Idle) phase <= req_valid_i && req_threads_i != '0 ? Look : Idle;
    else if (phase == Look) phase <= Offer;
    else if (warp_ready_i && warp_last_o) phase <= Idle;
  end

  always_ff @(posedge clk_i) begin
    if (phase == Idle) begin
      waiting <= req_threads_i;
      together <= req_regroup_i;
    end else if (phase == Offer && warp_ready_i) begin
      waiting <= after;
    end
  end

endmodule

`default_nettype wire
