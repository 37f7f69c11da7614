// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The thread compactor: turns the threads of a block into warps, one per clock (TBC sec. 3.2, Fig.
// 8). Threads keep their lanes; per lane a priority encoder picks the lowest row that has one left.
module thread_compactor #(
  parameter int Lanes = 32,  // threads of a warp
  parameter int Rows = 32,   // static warps of a block
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  // A request without threads is taken and yields nothing.
  input  wire                       req_valid_i,
  output logic                      req_ready_o,
  input  wire                       req_regroup_i,  // 0: the rows leave as they are
  input  wire  [Rows*Lanes-1:0]     req_threads_i,  // row r, lane l is bit r*Lanes+l
  // Its first warp is there one clock later, the others follow one per clock.
  output logic                      warp_valid_o,
  input  wire                       warp_ready_i,
  output logic [Lanes-1:0]          warp_mask_o,
  output logic [Lanes*RowWidth-1:0] warp_row_o,     // of each lane's thread; 0 where off
  output logic                      warp_last_o     // of its request
);

  logic                       busy_d, busy_q;
  logic                       regroup_d, regroup_q;
  logic [Rows*Lanes-1:0]      threads_d, threads_q;  // those that are left
  logic [Rows-1:0]            rows_d, rows_q;        // rows left, for requests that do not regroup
  logic                       req_taken, warp_taken;

  assign req_taken = req_valid_i && req_ready_o;
  assign warp_taken = busy_q && warp_ready_i;  // seeded-bug: assign warp_taken = busy_q;

  // What is lowest, per lane and for whole rows.
  logic [Rows*Lanes-1:0]     lower;
  logic [Lanes-1:0]          lane_any, lane_many;
  logic [RowWidth*Lanes-1:0] lane_row;
  logic [Rows-1:0]           row_lower;
  logic                      row_many, unused_row_any;
  logic [RowWidth-1:0]       first_row;

  lane_priority #(.Lanes(Lanes), .Rows(Rows)) u_lanes (
    .threads_i(threads_q),
    .lower_o  (lower),
    .any_o    (lane_any),
    .many_o   (lane_many),
    .row_o    (lane_row)
  );
  lane_priority #(.Lanes(1), .Rows(Rows)) u_rows (
    .threads_i(rows_q),
    .lower_o  (row_lower),
    .any_o    (unused_row_any),
    .many_o   (row_many),
    .row_o    (first_row)
  );

  // The warp. A lane's lowest thread belongs to the lowest row if their numbers are the same.
  logic [Lanes-1:0] elsewhere;

  always_comb begin
    elsewhere = '0;
    for (int b = 0; b < RowWidth; b++) begin
      elsewhere |= lane_row[b*Lanes +: Lanes] ^ {Lanes{first_row[b]}};
    end
    warp_mask_o = lane_any & ({Lanes{regroup_q}} | ~elsewhere);
    for (int l = 0; l < Lanes; l++) begin
      for (int b = 0; b < RowWidth; b++) begin
        warp_row_o[l*RowWidth + b] = lane_row[b*Lanes + l] & warp_mask_o[l];
      end
    end
  end

  assign warp_valid_o = busy_q;
  assign warp_last_o = regroup_q ? lane_many == '0 : !row_many;
  assign req_ready_o = !busy_q || (warp_taken && warp_last_o);

  // The threads left. A row loses its lanes' lowest threads if it takes part in this clock's warp.
  logic [Rows-1:0]       leaving;
  logic [Rows*Lanes-1:0] rest;

  assign leaving = {Rows{warp_taken}} & ({Rows{regroup_q}} | ~row_lower);

  always_comb begin
    for (int r = 0; r < Rows; r++) begin
      rest[r*Lanes +: Lanes] =
          threads_q[r*Lanes +: Lanes] & (lower[r*Lanes +: Lanes] | {Lanes{!leaving[r]}});
    end
  end

  always_comb begin
    threads_d = rest;
    rows_d = rows_q & (row_lower | {Rows{!warp_taken}});
    regroup_d = regroup_q;
    busy_d = busy_q && !(warp_taken && warp_last_o);
    if (req_taken) begin
      threads_d = req_threads_i;
      for (int r = 0; r < Rows; r++) rows_d[r] = |req_threads_i[r*Lanes +: Lanes];
      regroup_d = req_regroup_i;
      busy_d = |req_threads_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= busy_d;
  end

  always_ff @(posedge clk_i) begin
    threads_q <= threads_d;
    rows_q <= rows_d;
    regroup_q <= regroup_d;
  end

  `ASSERT(WarpHasThreads, !warp_valid_o || warp_mask_o != '0)
  `ASSERT(LastIsLast, !warp_taken || warp_last_o == (rest == '0))
  `ASSERT_INIT(Sizes, Lanes > 0 && Rows > 0)

endmodule

`default_nettype wire
