// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The thread compactor: turns the threads of a block into warps, one per clock (TBC sec. 3.2, Fig.
// 8). Threads keep their lanes; per lane a priority encoder picks the lowest row that has one left.
module thread_compactor #(
  parameter int Lanes = 32,  // threads of a warp
  parameter int Rows = 32,   // static warps of a block
  parameter int Stages = 1,  // 2: who is lowest is found in one clock, the warp made in the next
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  // A request without threads is taken and yields nothing.
  input  wire                       req_valid_i,
  output logic                      req_ready_o,
  input  wire                       req_regroup_i,  // 0: the rows leave as they are
  input  wire  [Rows*Lanes-1:0]     req_threads_i,  // row r, lane l is bit r*Lanes+l
  // Its first warp is there Stages clocks later, the others follow one per clock. With one stage
  // the next request is taken with its last warp, with two a clock after that one was found.
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
  logic                       req_taken, step, room, last;

  assign req_taken = req_valid_i && req_ready_o;
  assign step = busy_q && room;  // seeded-bug: assign step = busy_q;

  // What is lowest, per lane.
  logic [Rows*Lanes-1:0]     lower;
  logic [Lanes-1:0]          lane_any, lane_many;
  logic [RowWidth*Lanes-1:0] lane_row;

  lane_priority #(.Lanes(Lanes), .Rows(Rows)) u_lanes (
    .threads_i(threads_q),
    .lower_o  (lower),
    .any_o    (lane_any),
    .many_o   (lane_many),
    .row_o    (lane_row)
  );

  // The lowest of the rows, for requests that do not regroup. `lead`: the rows that may lose threads
  // in this clock: the lowest one and those below, which have none; all of requests that regroup.
  logic [Rows-1:0]     req_rows, row_lower, lead;
  logic                row_many;
  logic [RowWidth-1:0] first_row, lowest_row;
  logic                unused_row_any, rows_many;

  always_comb begin
    for (int r = 0; r < Rows; r++) req_rows[r] = |req_threads_i[r*Lanes +: Lanes];
  end
  lane_priority #(.Lanes(1), .Rows(Rows)) u_rows (
    .threads_i(rows_q),
    .lower_o  (row_lower),
    .any_o    (unused_row_any),
    .many_o   (rows_many),
    .row_o    (lowest_row)
  );

  if (Stages == 1) begin : gen_rows
    assign lead = {Rows{regroup_q}} | ~row_lower;
    assign first_row = lowest_row;
    assign row_many = rows_many;
    assign rows_d = req_taken ? req_rows : rows_q & (row_lower | {Rows{!step}});
  end else begin : gen_rows_ahead
    // Found a clock ahead: rows_q are those above the lowest.
    logic [Rows-1:0]     lead_q, req_lower;
    logic [RowWidth-1:0] first_q, req_first;
    logic                unused_any, unused_many;
    wire                 unused_rows_many = rows_many;

    lane_priority #(.Lanes(1), .Rows(Rows)) u_req_rows (
      .threads_i(req_rows),
      .lower_o  (req_lower),
      .any_o    (unused_any),
      .many_o   (unused_many),
      .row_o    (req_first)
    );
    always_ff @(posedge clk_i) begin
      if (req_taken) begin
        lead_q <= ~req_lower;
        first_q <= req_first;
      end else if (step) begin
        lead_q <= ~row_lower;
        first_q <= lowest_row;
      end
    end
    assign lead = {Rows{regroup_q}} | lead_q;
    assign first_row = first_q;
    assign row_many = rows_q != '0;
    assign rows_d = req_taken ? req_rows & req_lower : step ? rows_q & row_lower : rows_q;
  end

  assign last = regroup_q ? lane_many == '0 : !row_many;

  // What the warp is made of.
  logic                      made_regroup;
  logic [Lanes-1:0]          made_any;
  logic [RowWidth*Lanes-1:0] made_row;
  logic [RowWidth-1:0]       made_first;

  if (Stages == 1) begin : gen_one
    assign made_regroup = regroup_q;
    assign made_any = lane_any;
    assign made_row = lane_row;
    assign made_first = first_row;
    assign warp_valid_o = busy_q;
    assign warp_last_o = last;
    assign room = warp_ready_i;
    assign req_ready_o = !busy_q || (step && last);
  end else begin : gen_two
    // What the output shows, and what was found while that was not taken: so that whether there is
    // room is in a register.
    localparam int MadeWidth = 2 + Lanes * (RowWidth + 1) + RowWidth;
    logic                 valid_q, spare_valid_q;
    logic [MadeWidth-1:0] made, made_q, spare_q;

    assign made = {last, regroup_q, lane_any, lane_row, first_row};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= 1'b0;
        spare_valid_q <= 1'b0;
      end else if (!valid_q || warp_ready_i) begin
        valid_q <= step || spare_valid_q;
        spare_valid_q <= 1'b0;
      end else begin
        spare_valid_q <= step || spare_valid_q;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!valid_q || warp_ready_i) made_q <= spare_valid_q ? spare_q : made;
      if (!spare_valid_q) spare_q <= made;
    end

    assign {warp_last_o, made_regroup, made_any, made_row, made_first} = made_q;
    assign warp_valid_o = valid_q;
    assign room = !spare_valid_q;  // seeded-bug[Stages=2]: assign room = 1'b1;
    assign req_ready_o = !busy_q;
  end

  // The warp. A lane's lowest thread belongs to the lowest row if their numbers are the same.
  logic [Lanes-1:0] elsewhere;

  always_comb begin
    elsewhere = '0;
    for (int b = 0; b < RowWidth; b++) begin
      elsewhere |= made_row[b*Lanes +: Lanes] ^ {Lanes{made_first[b]}};
    end
    warp_mask_o = made_any & ({Lanes{made_regroup}} | ~elsewhere);
    for (int l = 0; l < Lanes; l++) begin
      for (int b = 0; b < RowWidth; b++) begin
        warp_row_o[l*RowWidth + b] = made_row[b*Lanes + l] & warp_mask_o[l];
      end
    end
  end

  // The threads left. A row loses its lanes' lowest threads if it takes part in this clock's warp.
  logic [Rows-1:0]       leaving;
  logic [Rows*Lanes-1:0] rest;

  assign leaving = {Rows{step}} & lead;

  always_comb begin
    for (int r = 0; r < Rows; r++) begin
      rest[r*Lanes +: Lanes] =
          threads_q[r*Lanes +: Lanes] & (lower[r*Lanes +: Lanes] | {Lanes{!leaving[r]}});
    end
  end

  always_comb begin
    threads_d = rest;
    regroup_d = regroup_q;
    busy_d = busy_q && !(step && last);
    if (req_taken) begin
      threads_d = req_threads_i;
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
  `ASSERT(LastIsLast, !step || last == (rest == '0))
  `ASSERT_INIT(Sizes, Lanes > 0 && Rows > 0 && (Stages == 1 || Stages == 2))

endmodule

`default_nettype wire
