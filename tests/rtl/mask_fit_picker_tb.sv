// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of mask_fit_picker: random masks of warps, an op in each clock or now and then, against a search. With
// Equal=0 one op after another, each in the design's own clocks.
`default_nettype none

module mask_fit_picker_tb #(
  parameter int Lanes = 32,
  parameter int Warps = 32,
  parameter int Sets = 1,
  parameter int Operations = 4000,
  parameter int Equal = 1
);

  localparam int WarpWidth = simt_pkg::idx_width(Warps), SetWidth = simt_pkg::idx_width(Sets);

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0;
  logic [2:0] op_kind;  // shared/one_operation.svh sets it: there is one kind
  logic [Warps-1:0] op_ready = 'x;
  logic [Warps*Lanes-1:0] op_masks = 'x;
  logic [Lanes-1:0] op_taken = 'x;
  logic [SetWidth-1:0] op_set = 'x;
  wire ready, done, found;
  wire [WarpWidth-1:0] warp;

  mask_fit_picker #(.Lanes(Lanes), .Warps(Warps), .Sets(Sets)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_ready_i(op_ready), .op_masks_i(op_masks),
    .op_taken_i(op_taken), .op_set_i(op_set), .done_valid_o(done), .res_found_o(found), .res_warp_o(warp));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 2;
  `include "shared/one_operation.svh"

  // What is due in this clock and the next: -2: nothing, -1: none fits.
  integer due = -2, next_due = -2, after = -2;
  integer none = 0, ties = 0;
  reg [Warps-1:0] warps_seen = 0;

  function integer lanes_of(input [Lanes-1:0] mask);
    integer l;
    begin
      lanes_of = 0;
      for (l = 0; l < Lanes; l = l + 1) lanes_of = lanes_of + mask[l];
    end
  endfunction

  // Masks with one of several densities, so that some fit, and many have as many lanes.
  function [Lanes-1:0] any_mask(input integer kind);
    begin
      any_mask = kind < 2 ? $random(seed) & $random(seed) & $random(seed) : kind < 4 ? 1 << pick(Lanes)
                 : kind < 5 ? {Lanes{1'b1}} : $random(seed);
    end
  endfunction

  task draw;
    integer w, most;
    reg [Lanes-1:0] mask;
    begin
      op_taken = pick(6) == 0 ? 0 : any_mask(pick(3)) >> pick(Lanes);
      op_set = pick(Sets);
      case (pick(4))
        0: op_ready = {Warps{1'b1}};
        1: op_ready = $random(seed) & $random(seed) & $random(seed) & $random(seed);
        default: op_ready = $random(seed);
      endcase
      if (Warps > 32) op_ready[Warps-1] = pick(2);
      most = 0;
      after = -1;
      for (w = 0; w < Warps; w = w + 1) begin
        mask = any_mask(pick(6));
        if (pick(2)) mask = mask & ~op_taken;
        op_masks[w*Lanes +: Lanes] = mask;
        if (op_ready[w] && (Sets == 1 || w % Sets == op_set) && (mask & op_taken) == 0) begin
          if (lanes_of(mask) == most && most != 0) ties = ties + 1;
          if (lanes_of(mask) > most) {most, after} = {lanes_of(mask), w};
        end
      end
    end
  endtask

  task compare(input integer wanted);
    begin
      if (wanted == -1) none = none + 1;
      if (found !== (wanted >= 0)) fail("found");
      if (wanted >= 0) begin
        if (warp !== wanted) fail("warp");
        warps_seen[wanted] = 1;
      end
    end
  endtask

  task one_clock;
    begin
      if (ready !== 1) fail("ready");
      if (done !== (due != -2)) fail("done");
      if (due != -2) compare(due);
      after = -2;
      op_valid = pick(8) != 0;
      {op_ready, op_masks, op_taken, op_set} = 'x;
      if (op_valid) begin
        draw;
        ops = ops + 1;
      end
      {due, next_due} = {next_due, after};
      @(negedge clk);
    end
  endtask

  task one_operation;
    begin
      draw;
      run(0);
      compare(after);
      {op_ready, op_masks, op_taken, op_set} = 'x;
      pause;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (done !== 0) fail("after reset");
    for (n = 0; n < Operations; n = n + 1) if (Equal != 0) one_clock; else one_operation;
    if (none < 5 || (Warps > 1 && ties < 100) || warps_seen !== {Warps{1'b1}}) fail("coverage");
    $display("PASS mask_fit_picker: %0d ops; none fitted %0d, %0d ties", ops, none, ties);
    $finish;
  end

endmodule

`default_nettype wire
