// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Smoke bench of context_sorter against a model that takes one context after the other: every clock,
// every output, four states. What no handshake offers is X, and a stalled result must not change.
module context_sorter_tb #(
  parameter int Lanes = 32,
  parameter int PcWidth = 16,
  parameter int DepthWidth = 8,
  parameter int Operations = 2000,  // random ones, after the directed
  parameter int Equal = 1  // 0: contexts at one place may stay apart, too
);

  localparam int Contexts = 3;
  localparam int Masks = Contexts * Lanes, Pcs = Contexts * PcWidth, Depths = Contexts * DepthWidth;

  `include "shared/results_in_order.svh"

  logic [Masks-1:0]  op_mask_i = 'x, res_mask_o;
  logic [Pcs-1:0]    op_pc_i = 'x, res_pc_o;
  logic [Depths-1:0] op_depth_i = 'x, res_depth_o;

  context_sorter #(.Lanes(Lanes), .PcWidth(PcWidth), .DepthWidth(DepthWidth)) dut (.*);

  // The model: the results that are due, oldest first.
  logic [Masks-1:0]  mask_due [0:Deep-1], mask_came [0:Deep-1];
  logic [Pcs-1:0]    pc_due [0:Deep-1], pc_came [0:Deep-1];
  logic [Depths-1:0] depth_due [0:Deep-1], depth_came [0:Deep-1];
  integer left [0:Contexts];  // operations by the contexts that they leave

  // Contexts that have been taken in, sorted; `left_now` of them.
  logic [Lanes-1:0]      masks [0:Contexts];
  logic [PcWidth-1:0]    pcs [0:Contexts];
  logic [DepthWidth-1:0] depths [0:Contexts];
  integer left_now;

  task automatic take_in(input [Lanes-1:0] mask, input [PcWidth-1:0] pc, input [DepthWidth-1:0] depth);
    integer i;
    begin
      i = 0;
      while (i < left_now && pcs[i] != pc) i = i + 1;
      if (i == left_now) begin
        left_now = left_now + 1;
        masks[i] = '0;
        pcs[i] = pc;
        depths[i] = depth;
      end
      masks[i] = masks[i] | mask;
      if (depth > depths[i]) depths[i] = depth;
    end
  endtask

  // Every thread is at its place, in one context; the deeper goes first, then the lower place; empty contexts are last.
  task automatic check_contract;
    logic [Lanes-1:0] mask, came, own, seen, all;
    logic [DepthWidth-1:0] deepest;
    begin
      seen = '0;
      all = '0;
      for (int s = 0; s < Contexts; s++) begin
        mask = res_mask_o[s*Lanes +: Lanes];
        all = all | mask_came[0][s*Lanes +: Lanes];
        own = '0;
        deepest = '0;
        for (int c = 0; c < Contexts; c++) begin
          came = mask_came[0][c*Lanes +: Lanes];
          if ((came & mask) !== '0) begin
            expect_is("a context stays whole", (came & ~mask) === '0);
            expect_is("threads stay at their place", pc_came[0][c*PcWidth +: PcWidth] === res_pc_o[s*PcWidth +: PcWidth]);
            own = own | came;
            if (depth_came[0][c*DepthWidth +: DepthWidth] > deepest) deepest = depth_came[0][c*DepthWidth +: DepthWidth];
          end
        end
        expect_is("threads that came", own === mask && (seen & mask) === '0);
        seen = seen | mask;
        if (mask !== '0) expect_is("as deep as the deepest", res_depth_o[s*DepthWidth +: DepthWidth] === deepest);
        if (s > 0 && mask !== '0) begin
          expect_is("empty contexts are last", res_mask_o[(s-1)*Lanes +: Lanes] !== '0);
          expect_is("the deeper first, then the lower",
                    res_depth_o[(s-1)*DepthWidth +: DepthWidth] > deepest ||
                    (res_depth_o[(s-1)*DepthWidth +: DepthWidth] === deepest &&
                     res_pc_o[(s-1)*PcWidth +: PcWidth] <= res_pc_o[s*PcWidth +: PcWidth]));
        end
      end
      expect_is("all threads", seen === all);
    end
  endtask

  task automatic check_result;
    if (Equal == 0) check_contract;
    else begin
      expect_is("masks", res_mask_o === mask_due[0]);
      expect_is("pcs", res_pc_o === pc_due[0]);
      expect_is("depths", res_depth_o === depth_due[0]);
    end
  endtask

  task automatic move_up;
    begin
      for (int i = 1; i < Deep; i++) begin
        {mask_due[i-1], pc_due[i-1], depth_due[i-1]} = {mask_due[i], pc_due[i], depth_due[i]};
        {mask_came[i-1], pc_came[i-1], depth_came[i-1]} = {mask_came[i], pc_came[i], depth_came[i]};
      end
    end
  endtask

  task automatic work_out;
    begin
      left_now = 0;
      for (int c = 0; c < Contexts; c++) begin
        if (op_mask_i[c*Lanes +: Lanes] != '0) begin
          take_in(op_mask_i[c*Lanes +: Lanes], op_pc_i[c*PcWidth +: PcWidth],
                  op_depth_i[c*DepthWidth +: DepthWidth]);
        end
      end
      for (int round = 0; round < Contexts; round++) begin
        for (int i = 0; i + 1 < left_now; i++) begin
          if (depths[i] < depths[i + 1] || (depths[i] == depths[i + 1] && pcs[i] > pcs[i + 1])) begin
            masks[Contexts] = masks[i];
            masks[i] = masks[i + 1];
            masks[i + 1] = masks[Contexts];
            pcs[Contexts] = pcs[i];
            pcs[i] = pcs[i + 1];
            pcs[i + 1] = pcs[Contexts];
            depths[Contexts] = depths[i];
            depths[i] = depths[i + 1];
            depths[i + 1] = depths[Contexts];
          end
        end
      end
      {mask_came[due], pc_came[due], depth_came[due]} = {op_mask_i, op_pc_i, op_depth_i};
      mask_due[due] = '0;
      pc_due[due] = '0;
      depth_due[due] = '0;
      for (int i = 0; i < left_now; i++) begin
        mask_due[due][i*Lanes +: Lanes] = masks[i];
        pc_due[due][i*PcWidth +: PcWidth] = pcs[i];
        depth_due[due][i*DepthWidth +: DepthWidth] = depths[i];
      end
      left[left_now] = left[left_now] + 1;
    end
  endtask

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: valid %b ready %b, %h %h %h; due: %0d (%b), %h %h %h", $time, what,
               res_valid_o, op_ready_o, res_mask_o, res_pc_o, res_depth_o, due, oldest_is_out,
               mask_due[0], pc_due[0], depth_due[0]);
      $finish_and_return(1);
    end
  endtask

  task automatic offer(input [Masks-1:0] mask, input [Pcs-1:0] pc, input [Depths-1:0] depth);
    begin
      op_mask_i = mask;
      op_pc_i = pc;
      op_depth_i = depth;
      hand_over;
      op_mask_i = 'x;
      op_pc_i = 'x;
      op_depth_i = 'x;
    end
  endtask

  // Lanes of one context each; pcs and depths near each other or far apart.
  logic [Masks-1:0]  random_mask;
  logic [Pcs-1:0]    random_pc;
  logic [Depths-1:0] random_depth;
  task automatic draw(input integer lanes_of_4, input integer near);
    integer lane, c;
    begin
      random_mask = '0;
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        c = $urandom % 4;
        if (c < lanes_of_4) random_mask[c*Lanes + lane] = 1'b1;
      end
      random_pc = {$urandom, $urandom, $urandom};
      random_depth = $urandom;
      for (c = 0; c < Contexts; c = c + 1) begin
        if (near != 0) random_pc[c*PcWidth +: PcWidth] = PcWidth'(near + $urandom % 3);
        if (near != 0) random_depth[c*DepthWidth +: DepthWidth] = DepthWidth'($urandom % 4);
      end
    end
  endtask

  // Every three contexts of two depths and three pcs, there or not.
  task automatic directed;
    logic [Masks-1:0]  mask;
    logic [Pcs-1:0]    pc;
    logic [Depths-1:0] depth;
    integer rest;
    for (int n = 0; n < 7 * 7 * 7; n++) begin
      mask = '0;
      pc = '0;
      depth = '0;
      rest = n;
      for (int c = 0; c < Contexts; c++) begin
        if (rest % 7 != 6) mask[c*Lanes + c%Lanes] = 1'b1;
        pc[c*PcWidth +: PcWidth] = PcWidth'(rest % 7 % 3);
        depth[c*DepthWidth +: DepthWidth] = DepthWidth'(rest % 7 / 3);
        rest = rest / 7;
      end
      offer(mask, pc, depth);
    end
  endtask

  initial begin
    for (int i = 0; i <= Contexts; i++) left[i] = 0;
    reset;
    directed;
    offer('1, '0, '0);  // reset drops it
    reset;
    for (int o = 0; o < Operations; o++) begin
      if (o % 16 == 0) ready_of_8 = 1 + $urandom % 8;
      draw(1 + $urandom % 4, $urandom % 4 == 0 ? 0 : 1 + $urandom % 5);
      offer(random_mask, random_pc, random_depth);
      if ($urandom % 4 == 0) repeat ($urandom % 4) @(negedge clk_i);
    end
    finish_results(Operations);
    for (int i = 0; i <= Contexts; i++) expect_is("coverage of contexts left", left[i] > 0);
    $display("PASS: %0d results, %0d stalls", results, stalls);
    $finish;
  end

endmodule

`default_nettype wire
