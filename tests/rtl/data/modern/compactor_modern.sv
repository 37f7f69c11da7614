// SPDX-License-Identifier: Apache-2.0
`timescale 1ns / 1ps
`default_nettype none
`include "sizes.svh"

interface pick_if #(parameter int Lanes = 32, parameter int Rows = 32);
  typedef logic [`INDEX_WIDTH(Rows)-1:0] row_t;
  logic [Rows-1:0][Lanes-1:0] waiting, after;
  logic                       together;
  logic [Lanes-1:0]           mask;
  row_t [Lanes-1:0]           row;
  modport chooser(input waiting, together, output mask, row, after);
endinterface

// The highest row of each lane, or the highest row as it is.
module highest_rows #(parameter int Lanes = 32, parameter int Rows = 32) (pick_if.chooser pick);
  always_comb begin
    automatic logic [Lanes-1:0] chosen;
    automatic bit               found = 0;
    pick.mask = '0;
    pick.row = '{default: '0};
    pick.after = pick.waiting;
    for (int r = Rows - 1; r >= 0; r--) begin
      chosen = pick.waiting[r] & ~pick.mask & {Lanes{pick.together || !found}};
      found |= |chosen;
      pick.mask |= chosen;
      pick.after[r] &= ~chosen;
      foreach (chosen[l]) if (chosen[l]) pick.row[l] = `INDEX_WIDTH(Rows)'(r);
    end
  end
endmodule

// A compactor whose highest rows leave first, a clock after it has taken a request.
module thread_compactor
  import pick_pkg::*;
#(
  parameter int Lanes = 32,
  parameter int Rows = 32
) (
  input  wire                                clk_i,
  input  wire                                rst_ni,
  input  wire                                req_valid_i,
  output logic                               req_ready_o,
  input  wire                                req_regroup_i,
  input  wire  [Rows*Lanes-1:0]              req_threads_i,
  output logic                               warp_valid_o,
  input  wire                                warp_ready_i,
  output logic [Lanes-1:0]                   warp_mask_o,
  output logic [Lanes*`INDEX_WIDTH(Rows)-1:0] warp_row_o,
  output logic                               warp_last_o
);
  state_t state_q;
  logic [Rows-1:0][Lanes-1:0] waiting_q;

  pick_if #(.Lanes(Lanes), .Rows(Rows)) pick ();
  highest_rows #(.Lanes(Lanes), .Rows(Rows)) chooser (.pick);
  assign pick.waiting = waiting_q;
  assign pick.together = state_q.together;

  assign {req_ready_o, warp_valid_o} = {state_q.phase == Idle, state_q.phase == Offer};
  assign {warp_mask_o, warp_row_o, warp_last_o} = {pick.mask, pick.row, pick.after == '0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= '{phase: Idle, default: '0};
    else unique case (state_q.phase)
      Idle: if (req_valid_i && req_threads_i != '0) state_q <= '{phase: Look, together: req_regroup_i};
      Look: state_q <= entered(state_q, Offer);
      default: if (warp_ready_i && warp_last_o) state_q <= entered(state_q, Idle);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (state_q.phase inside {Idle}) waiting_q <= req_threads_i;
    else if (state_q.phase == Offer && warp_ready_i) waiting_q <= pick.after;
  end
endmodule

`default_nettype wire
