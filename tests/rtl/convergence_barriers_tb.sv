// SPDX-License-Identifier: Apache-2.0
// Smoke bench of convergence_barriers against a model of loops over threads: every clock, every output, four states.
// First a lock that the threads of a warp spin for, then random ops.
`default_nettype none

module convergence_barriers_tb #(
  parameter int Lanes = 6,
  parameter int Barriers = 5,
  parameter int PcWidth = 8,
  parameter int Operations = 4000  // random ones, after the directed
);

  localparam int IndexWidth = simt_pkg::idx_width(Barriers);
  localparam integer BEGIN_AT = 0, ARRIVE = 1, EXIT = 2, YIELD = 3, RUN = 4, END_AT = 5;
  localparam integer NOT_HERE = 0, MISSING = 1, WAITS = 2;

  logic                  clk_i = 1'b0, rst_ni = 1'b0;
  logic                  op_valid_i = 1'b0, op_has_outer_i = 1'bx;
  logic [2:0]            op_kind_i = 'x;
  logic [Lanes-1:0]      op_mask_i = 'x;
  logic [IndexWidth-1:0] op_barrier_i = 'x, op_outer_i = 'x;
  logic [PcWidth-1:0]    op_pc_i = 'x;
  logic                  free_o, complete_o, has_outer_o;
  logic [IndexWidth-1:0] free_index_o, index_o, outer_o;
  logic [PcWidth-1:0]    pc_o;
  logic [Lanes-1:0]      arrived_o;

  convergence_barriers #(.Lanes(Lanes), .Barriers(Barriers), .PcWidth(PcWidth)) dut (.*);

  always #5 clk_i = !clk_i;

  // --- The model --------------------------------------------------------------------------------

  integer is [0:Barriers*Lanes-1];  // of each thread in each entry
  integer at [0:Barriers-1], next [0:Barriers-1];  // next: -1 where threads meet nowhere else
  reg [Lanes-1:0] yielded = 0;
  integer vacant, whole;  // the lowest such entry, -1: none
  integer fullest = 0, ended = 0, without_yielded = 0, inherited = 0;

  task automatic look;
    integer b, l, here, waits, holds_up;
    begin
      vacant = -1;
      whole = -1;
      for (b = Barriers - 1; b >= 0; b = b - 1) begin
        here = 0;
        waits = 0;
        holds_up = 0;
        for (l = 0; l < Lanes; l = l + 1) begin
          if (is[b*Lanes+l] != NOT_HERE) here = here + 1;
          if (is[b*Lanes+l] == WAITS) waits = waits + 1;
          if (is[b*Lanes+l] == MISSING && !yielded[l]) holds_up = holds_up + 1;
        end
        if (here == 0) vacant = b;
        if (waits != 0 && holds_up == 0) whole = b;
      end
    end
  endtask

  task automatic expect_is(input [639:0] what, input is_so);
    if (is_so !== 1'b1) begin
      $display("%0t: %0s: free %b %0d, complete %b %0d: pc %0d, arrived %b, outer %b %0d; the model has %0d and %0d",
               $time, what, free_o, free_index_o, complete_o, index_o, pc_o, arrived_o, has_outer_o, outer_o, vacant,
               whole);
      $finish_and_return(1);
    end
  endtask

  task automatic compare;
    integer l;
    begin
      look;
      expect_is("free", free_o === (vacant >= 0));
      if (vacant >= 0) expect_is("the free entry", free_index_o === IndexWidth'(vacant));
      expect_is("complete", complete_o === (whole >= 0));
      if (whole >= 0) begin
        expect_is("the complete entry", index_o === IndexWidth'(whole) && pc_o === PcWidth'(at[whole]));
        expect_is("an outer one", has_outer_o === (next[whole] >= 0));
        if (next[whole] >= 0) expect_is("the outer one", outer_o === IndexWidth'(next[whole]));
        for (l = 0; l < Lanes; l = l + 1) expect_is("who goes on", arrived_o[l] === (is[whole*Lanes+l] == WAITS));
      end
    end
  endtask

  task automatic change(input integer kind, input [Lanes-1:0] mask, input integer barrier, input integer pc,
                        input integer outer);
    integer b, l, ends;
    begin
      for (l = 0; l < Lanes; l = l + 1) begin
        for (b = 0; b < Barriers; b = b + 1) begin
          if (kind == BEGIN_AT && b == vacant) is[b*Lanes+l] = mask[l] ? MISSING : NOT_HERE;
          if (kind == ARRIVE && b == barrier && mask[l]) is[b*Lanes+l] = WAITS;
          if (kind == EXIT && mask[l]) is[b*Lanes+l] = NOT_HERE;
          if (kind == END_AT && b == whole) is[b*Lanes+l] = NOT_HERE;
        end
      end
      if (kind == BEGIN_AT && vacant >= 0) begin
        at[vacant] = pc;
        next[vacant] = outer;
      end
      if (kind == END_AT && whole >= 0) begin
        ended = ended + 1;
        if (yielded != 0) without_yielded = without_yielded + 1;
        ends = whole;
        for (b = 0; b < Barriers; b = b + 1) begin
          if (b != ends && next[b] == ends) begin
            next[b] = next[ends];
            inherited = inherited + 1;
          end
        end
      end
      if (kind == EXIT || kind == RUN) yielded = yielded & ~mask;
      if (kind == YIELD) yielded = yielded | mask;
    end
  endtask

  // One op, what it needs of the payload only; then a clock in which nothing is offered.
  task automatic run(input integer kind, input [Lanes-1:0] mask, input integer barrier, input integer pc,
                     input integer outer);
    begin
      op_valid_i = 1'b1;
      op_kind_i = kind;
      if (kind != END_AT) op_mask_i = mask;
      if (kind == ARRIVE) op_barrier_i = barrier;
      if (kind == BEGIN_AT) begin
        op_pc_i = pc;
        op_has_outer_i = outer >= 0;
        if (outer >= 0) op_outer_i = outer;
      end
      @(negedge clk_i);
      change(kind, mask, barrier, pc, outer);
      op_valid_i = 1'b0;
      {op_kind_i, op_mask_i, op_barrier_i, op_pc_i, op_has_outer_i, op_outer_i} = 'x;
      compare;
      if ($urandom % 4 == 0) begin
        @(negedge clk_i);
        compare;
      end
    end
  endtask

  // Thread by thread: who has the lock leaves the loop, the others yield at their next turn round it.
  task automatic spin_lock;
    integer l;
    reg [Lanes-1:0] spin;
    begin
      spin = '1;
      for (l = 0; l < Lanes - 1; l = l + 1) begin
        run(RUN, spin, 0, 0, 0);
        run(BEGIN_AT, spin, 0, 2, -1);
        run(ARRIVE, Lanes'(1) << l, 0, 0, 0);
        spin[l] = 1'b0;
        expect_is("nobody has yielded", !complete_o);
        run(YIELD, spin, 0, 0, 0);
        expect_is("the holder goes on", complete_o && arrived_o === Lanes'(1) << l && pc_o === 2);
        run(END_AT, 0, 0, 0, 0);
        run(EXIT, Lanes'(1) << l, 0, 0, 0);
      end
      run(EXIT, spin, 0, 0, 0);
      expect_is("nobody is left", free_o && free_index_o === 0 && !complete_o);
    end
  endtask

  task automatic random_op;
    integer b, l, used;
    reg [Lanes-1:0] mask;
    begin
      used = 0;
      mask = $urandom;
      b = $urandom % Barriers;
      case ($urandom % 16)
        0, 1, 2, 3: run(BEGIN_AT, mask != 0 ? mask : 1, 0, $urandom % 256, $urandom % 3 ? b : -1);
        4, 5, 6, 7, 8, 9: begin
          for (l = 0; l < Lanes; l = l + 1) mask[l] = mask[l] && is[b*Lanes+l] == MISSING;
          run(ARRIVE, mask, b, 0, 0);
        end
        10: run(EXIT, mask & $urandom, 0, 0, 0);
        11: run(YIELD, mask & $urandom, 0, 0, 0);
        12: run(RUN, mask, 0, 0, 0);
        default: run(END_AT, 0, 0, 0, 0);
      endcase
      for (b = 0; b < Barriers; b = b + 1) begin
        mask = 0;
        for (l = 0; l < Lanes; l = l + 1) mask[l] = is[b*Lanes+l] != NOT_HERE;
        used = used + (mask != 0);
      end
      if (used > fullest) fullest = used;
    end
  endtask

  initial begin
    for (int i = 0; i < Barriers * Lanes; i++) is[i] = NOT_HERE;
    for (int b = 0; b < Barriers; b++) next[b] = -1;
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    compare;
    spin_lock;
    for (int o = 0; o < Operations; o++) random_op;
    expect_is("coverage", fullest == Barriers && ended > Operations / 20 && without_yielded > 0 &&
                          (inherited > 0 || Barriers == 1));
    $display("PASS: %0d entries ended, %0d of them while threads had yielded", ended, without_yielded);
    $finish;
  end

endmodule

`default_nettype wire
