// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Glue: a compactor whose warps wait in a queue (common_cells), up to four of a request.
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
  typedef struct packed {
    logic [Lanes-1:0]               mask;
    logic [Lanes-1:0][RowWidth-1:0] row;
    logic                           last;
  } warp_t;

  logic                  busy_q, together_q, full, empty;
  logic [Rows*Lanes-1:0] waiting_q, after;
  warp_t                 made, first;

  compactor_pick #(.Lanes(Lanes), .Rows(Rows)) pick (
    .waiting_i(waiting_q), .together_i(together_q), .mask_o(made.mask), .row_o(made.row), .after_o(after)
  );
  assign made.last = after == '0;
  cc_fifo #(.Depth(4), .data_t(warp_t)) warps (
    .clk_i, .rst_ni, .clr_i(1'b0), .flush_i(1'b0), .full_o(full), .empty_o(empty), .usage_o(),
    .data_i(made), .push_i(busy_q && !full), .data_o(first), .pop_i(warp_ready_i && !empty)
  );
  assign warp_valid_o = !empty;
  assign {warp_mask_o, warp_row_o, warp_last_o} = first;
  assign req_ready_o = !busy_q && empty;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (!busy_q) busy_q <= req_valid_i && req_ready_o && req_threads_i != '0;
    else if (!full && made.last) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) {waiting_q, together_q} <= {req_threads_i, req_regroup_i};
    else if (!full) waiting_q <= after;
  end
endmodule

`default_nettype wire
