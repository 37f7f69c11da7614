// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of path_picker: threads at a few pcs and barriers, in any states, against a search.
`default_nettype none

module path_picker_tb #(
  parameter int Lanes = 32,
  parameter int Barriers = 16,
  parameter int PcWidth = 16,
  parameter int Operations = 10000,
  parameter int Equal = 1
);

  localparam int BarrierWidth = simt_pkg::idx_width(Barriers + 1);

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0;
  logic [2:0] op_kind;  // shared/one_operation.svh sets it: there is one kind
  logic [2*Lanes-1:0] op_states;
  logic [Lanes*PcWidth-1:0] op_pcs;
  logic [Lanes*BarrierWidth-1:0] op_barriers;
  logic [Lanes-1:0] op_prefer;
  wire ready, done;
  wire [Lanes-1:0] mask;
  wire [PcWidth-1:0] pc;

  path_picker #(.Lanes(Lanes), .Barriers(Barriers), .PcWidth(PcWidth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_states_i(op_states), .op_pcs_i(op_pcs),
    .op_barriers_i(op_barriers), .op_prefer_i(op_prefer), .done_valid_o(done), .res_mask_o(mask), .res_pc_o(pc));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 2;
  `include "shared/one_operation.svh"

  integer nobody = 0, others = 0, yielded = 0, apart = 0;
  reg [Lanes-1:0] led = 0;

  task random_op;
    integer l, leader, waits, yields;
    reg [PcWidth-1:0] a_pc;
    reg [Lanes-1:0] expected;
    begin
      waits = pick(5);
      yields = pick(3);
      a_pc = $random(seed);
      op_prefer = pick(2) ? 0 : 1 << pick(Lanes) | 1 << pick(Lanes);
      for (l = 0; l < Lanes; l = l + 1) begin
        op_states[2*l +: 2] = pick(5) < waits || waits == 4 ? pick(2) : pick(3) < yields || yields == 2 ? 3 : 2;
        op_pcs[l*PcWidth +: PcWidth] = pick(3) ? a_pc : a_pc ^ 1 << pick(PcWidth);
        op_barriers[l*BarrierWidth +: BarrierWidth] = pick(3) ? Barriers : pick(Barriers);
      end
      leader = -1;
      for (l = Lanes - 1; l >= 0; l = l - 1) if (op_states[2*l +: 2] == 3) leader = l;
      if (leader >= 0) yields = 9;
      for (l = Lanes - 1; l >= 0; l = l - 1) if (op_states[2*l +: 2] == 2) leader = l;
      for (l = Lanes - 1; l >= 0; l = l - 1) if (op_states[2*l +: 2] == 2 && op_prefer[l]) leader = l;
      expected = 0;
      for (l = 0; l < Lanes && leader >= 0; l = l + 1) begin
        expected[l] = op_states[2*l +: 2] == op_states[2*leader +: 2] &&
                      op_pcs[l*PcWidth +: PcWidth] == op_pcs[leader*PcWidth +: PcWidth] &&
                      op_barriers[l*BarrierWidth +: BarrierWidth] == op_barriers[leader*BarrierWidth +: BarrierWidth];
        if (!expected[l] && op_pcs[l*PcWidth +: PcWidth] == op_pcs[leader*PcWidth +: PcWidth]) apart = apart + 1;
      end
      run(0);
      if (Equal != 0 && clocks != 2) fail("clocks");
      if (mask !== expected) fail("mask");
      if (leader < 0) nobody = nobody + 1;
      else begin
        if (pc !== op_pcs[leader*PcWidth +: PcWidth]) fail("pc");
        led[leader] = 1;
        if (op_states[2*leader +: 2] == 3) yielded = yielded + 1;
        if (expected != 1 << leader) others = others + 1;
      end
      {op_states, op_pcs, op_barriers, op_prefer} = 'x;
      pause;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (done !== 0) fail("after reset");
    for (n = 0; n < Operations; n = n + 1) random_op;
    if (nobody < 50 || (Lanes > 1 && others < 50) || yielded < 50 || (Lanes > 1 && apart < 50) || led !== {Lanes{1'b1}}) fail("coverage");
    $display("PASS path_picker: %0d ops; nobody %0d, several %0d, yielded %0d", ops, nobody, others, yielded);
    $finish;
  end

endmodule

`default_nettype wire
