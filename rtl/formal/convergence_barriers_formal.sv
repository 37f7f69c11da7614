// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What convergence_barriers must do, said thread by thread: each is not in an entry, missing there
// or waiting there. Sums of these say which entry is free and which complete.
module convergence_barriers_formal #(
  parameter int Lanes = 4,
  parameter int Barriers = 3,
  parameter int PcWidth = 2,
  localparam int IndexWidth = simt_pkg::idx_width(Barriers)
) (
  input wire                  clk_i,
  input wire                  rst_ni,
  input wire                  op_valid_i,
  input wire [2:0]            op_kind_i,
  input wire [Lanes-1:0]      op_mask_i,
  input wire [IndexWidth-1:0] op_barrier_i,
  input wire [PcWidth-1:0]    op_pc_i,
  input wire                  op_has_outer_i,
  input wire [IndexWidth-1:0] op_outer_i
);

  logic                  free, complete, has_outer;
  logic [IndexWidth-1:0] free_index, index, outer;
  logic [PcWidth-1:0]    pc;
  logic [Lanes-1:0]      arrived;

  convergence_barriers #(.Lanes(Lanes), .Barriers(Barriers), .PcWidth(PcWidth)) dut (
    .free_o      (free),
    .free_index_o(free_index),
    .complete_o  (complete),
    .index_o     (index),
    .pc_o        (pc),
    .arrived_o   (arrived),
    .has_outer_o (has_outer),
    .outer_o     (outer),
    .*
  );

  `ASSUME_RESET_FIRST
  // Threads come where they are missing, and an entry begins for somebody.
  `ASSUME(ArriveOnce, !op_valid_i || op_kind_i != 3'd1 || all_missing)
  `ASSUME(ForSomebody, !op_valid_i || op_kind_i != 3'd0 || op_mask_i != '0)

  localparam logic [1:0] NOT_HERE = 2'd0, MISSING = 2'd1, WAITS = 2'd2;
  localparam int CountWidth = simt_pkg::idx_width(Lanes + 1);

  logic [2*Lanes*Barriers-1:0]    is_q, is_d;  // of each thread in each entry
  logic [Lanes-1:0]               yielded_q;
  logic [PcWidth*Barriers-1:0]    at_q;
  logic [Barriers-1:0]            nested_q;
  logic [IndexWidth*Barriers-1:0] next_q;

  // --- What there is to see of it ---------------------------------------------------------------

  logic [Barriers-1:0]   vacant, whole;
  logic [Lanes-1:0]      waiting;
  logic                  all_missing, any_vacant, any_whole;
  logic [IndexWidth-1:0] first_vacant, first_whole;
  logic [CountWidth-1:0] here, wait_here, hold_up;

  always_comb begin
    any_vacant = 1'b0;
    any_whole = 1'b0;
    first_vacant = '0;
    first_whole = '0;
    for (int b = 0; b < Barriers; b++) begin
      here = '0;
      wait_here = '0;
      hold_up = '0;
      for (int l = 0; l < Lanes; l++) begin
        here = here + CountWidth'(is_q[2*(b*Lanes+l) +: 2] != NOT_HERE);
        wait_here = wait_here + CountWidth'(is_q[2*(b*Lanes+l) +: 2] == WAITS);
        hold_up = hold_up + CountWidth'(is_q[2*(b*Lanes+l) +: 2] == MISSING && !yielded_q[l]);
      end
      vacant[b] = here == '0;
      whole[b] = wait_here != '0 && hold_up == '0;
      if (vacant[b] && !any_vacant) first_vacant = IndexWidth'(b);
      if (whole[b] && !any_whole) first_whole = IndexWidth'(b);
      any_vacant = any_vacant || vacant[b];
      any_whole = any_whole || whole[b];
    end
    all_missing = 32'(op_barrier_i) < Barriers;
    for (int l = 0; l < Lanes; l++) begin
      waiting[l] = is_q[2*(first_whole*Lanes+l) +: 2] == WAITS;
      if (op_mask_i[l] && is_q[2*(op_barrier_i*Lanes+l) +: 2] != MISSING) all_missing = 1'b0;
    end
  end

  `ASSERT(Free, free == any_vacant && (!free || free_index == first_vacant))
  `ASSERT(Complete, complete == any_whole && (!complete || index == first_whole))
  `ASSERT(WhoGoesOn, !complete || arrived == waiting)
  `ASSERT(Where, !complete || pc == at_q[first_whole*PcWidth +: PcWidth])
  `ASSERT(WhereNext, !complete || (has_outer == nested_q[first_whole] &&
                     (!has_outer || outer == next_q[first_whole*IndexWidth +: IndexWidth])))
  `COVER(WithoutThoseWhoYielded, complete && yielded_q != '0 && arrived != '1)
  `COVER(Full, !free)

  // --- What an op makes of it -------------------------------------------------------------------

  always_comb begin
    is_d = is_q;
    for (int b = 0; b < Barriers; b++) begin
      for (int l = 0; l < Lanes; l++) begin
        case (op_kind_i)
          3'd0: if (any_vacant && first_vacant == IndexWidth'(b))
            is_d[2*(b*Lanes+l) +: 2] = op_mask_i[l] ? MISSING : NOT_HERE;
          3'd1: if (op_mask_i[l] && op_barrier_i == IndexWidth'(b))
            is_d[2*(b*Lanes+l) +: 2] = WAITS;
          3'd2: if (op_mask_i[l]) is_d[2*(b*Lanes+l) +: 2] = NOT_HERE;
          3'd5: if (any_whole && first_whole == IndexWidth'(b))
            is_d[2*(b*Lanes+l) +: 2] = NOT_HERE;
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_q <= '0;
      yielded_q <= '0;
      nested_q <= '0;
    end else if (op_valid_i) begin
      is_q <= is_d;
      if (op_kind_i == 3'd2 || op_kind_i == 3'd4) yielded_q <= yielded_q & ~op_mask_i;
      if (op_kind_i == 3'd3) yielded_q <= yielded_q | op_mask_i;
      for (int b = 0; b < Barriers; b++) begin
        if (op_kind_i == 3'd0 && any_vacant && first_vacant == IndexWidth'(b)) begin
          nested_q[b] <= op_has_outer_i;
        end
        if (op_kind_i == 3'd5 && any_whole && nested_q[b] &&
            next_q[b*IndexWidth +: IndexWidth] == first_whole) begin
          nested_q[b] <= nested_q[first_whole];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < Barriers; b++) begin
      if (op_valid_i && op_kind_i == 3'd0 && any_vacant && first_vacant == IndexWidth'(b)) begin
        at_q[b*PcWidth +: PcWidth] <= op_pc_i;
        next_q[b*IndexWidth +: IndexWidth] <= op_outer_i;
      end
      if (op_valid_i && op_kind_i == 3'd5 && any_whole && nested_q[b] &&
          next_q[b*IndexWidth +: IndexWidth] == first_whole) begin
        next_q[b*IndexWidth +: IndexWidth] <= next_q[first_whole*IndexWidth +: IndexWidth];
      end
    end
  end

`ifndef PORTS_ONLY
  // For the induction: the block holds the same, in masks.
  (* hierconn *) wire [Barriers*Lanes-1:0] \dut.threads_q ;
  (* hierconn *) wire [Barriers*Lanes-1:0] \dut.pending_q ;
  (* hierconn *) wire [Lanes-1:0] \dut.yielded_q ;
  (* hierconn *) wire [Barriers*PcWidth-1:0] \dut.pc_q ;
  (* hierconn *) wire [Barriers-1:0] \dut.has_outer_q ;
  (* hierconn *) wire [Barriers*IndexWidth-1:0] \dut.outer_q ;
  logic same;

  always_comb begin
    same = \dut.yielded_q == yielded_q && \dut.has_outer_q == nested_q;
    for (int b = 0; b < Barriers; b++) begin
      for (int l = 0; l < Lanes; l++) begin
        if (is_q[2*(b*Lanes+l) +: 2] !=
            (\dut.pending_q [b*Lanes+l] ? MISSING : \dut.threads_q [b*Lanes+l] ? WAITS : NOT_HERE))
          same = 1'b0;
        if (\dut.pending_q [b*Lanes+l] && !\dut.threads_q [b*Lanes+l]) same = 1'b0;
      end
      if (!vacant[b] && \dut.pc_q [b*PcWidth +: PcWidth] != at_q[b*PcWidth +: PcWidth]) same = 1'b0;
      if (nested_q[b] &&
          \dut.outer_q [b*IndexWidth +: IndexWidth] != next_q[b*IndexWidth +: IndexWidth]) same = 1'b0;
    end
  end

  `ASSERT(HoldsTheSame, same)
`endif

endmodule

`default_nettype wire
