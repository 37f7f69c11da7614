// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of ready_lookup: HARP Fig. 10, then random diverged warps against a plain list
// of warps in the order of the queue.
`default_nettype none

module ready_lookup_tb #(
  parameter int Lanes = 16,
  parameter int Entries = 8,
  parameter int Rows = 48,
  parameter int PcWidth = 16,
  parameter int Equal = 1
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), UsedWidth = simt_pkg::idx_width(Entries + 1);
  localparam logic TAKE = 0, POP = 1;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, op_kind;
  logic [2*Lanes-1:0] op_mask;
  logic [2*PcWidth-1:0] op_pc;
  logic [Lanes*RowWidth-1:0] op_row;
  wire ready, done;
  wire [Lanes-1:0] left, mask;
  wire [UsedWidth-1:0] used;
  wire [Lanes*RowWidth-1:0] row;
  wire [PcWidth-1:0] pc;

  ready_lookup #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind),
    .op_mask_i(op_mask), .op_pc_i(op_pc), .op_row_i(op_row), .done_valid_o(done), .res_left_o(left),
    .used_o(used), .warp_mask_o(mask), .warp_row_o(row), .warp_pc_o(pc));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = Entries + 3;
  `include "shared/one_operation.svh"

  task idle;
    begin
      op_kind = 'x; op_mask = 'x; op_row = 'x; op_pc = 'x;
      pause;
    end
  endtask

  // --- The model: warps as the rows of their lanes, -1 where a lane is off ----------------------

  integer m_row [0:2*Entries*Lanes-1], m_pc [0:2*Entries-1], m_length, m_joined;
  integer m_left;  // lanes that found it full
  reg [Rows-1:0] rows_seen = 0;  // of threads that left
  integer joins = 0, doubles = 0, refused = 0, popped = 0, fullest = 0;

  task m_move(input integer from, input integer to);
    integer l;
    begin
      m_pc[to] = m_pc[from];
      for (l = 0; l < Lanes; l = l + 1) m_row[to*Lanes+l] = m_row[from*Lanes+l];
    end
  endtask

  task m_remove(input integer i);
    integer j;
    begin
      for (j = i; j + 1 < m_length; j = j + 1) m_move(j + 1, j);
      m_length = m_length - 1;
    end
  endtask

  // Those that get threads go to the end of the list at once; new warps are put in before them.
  task m_take;
    integer s, i, l, n, looks;
    reg [Lanes-1:0] rest [0:1];
    reg got;
    begin
      m_joined = 0;
      for (s = 0; s < 2; s = s + 1) begin
        rest[s] = op_mask[s*Lanes +: Lanes];
        i = 0;
        for (looks = m_length - m_joined; looks > 0; looks = looks - 1) begin
          got = 0;
          if (m_pc[i] == op_pc[s*PcWidth +: PcWidth])
            for (l = 0; l < Lanes; l = l + 1) if (rest[s][l] && m_row[i*Lanes+l] < 0) begin
              m_row[i*Lanes+l] = op_row[l*RowWidth +: RowWidth];
              rest[s][l] = 0;
              got = 1;
            end
          if (got) begin
            m_move(i, m_length);
            m_length = m_length + 1;
            m_remove(i);
            m_joined = m_joined + 1;
          end else i = i + 1;
        end
      end
      for (s = 0; s < 2; s = s + 1) if (rest[s] != 0 && m_length < Entries) begin
        n = m_length - m_joined;
        for (i = m_length; i > n; i = i - 1) m_move(i - 1, i);
        m_pc[n] = op_pc[s*PcWidth +: PcWidth];
        for (l = 0; l < Lanes; l = l + 1)
          m_row[n*Lanes+l] = rest[s][l] ? op_row[l*RowWidth +: RowWidth] : -1;
        m_length = m_length + 1;
        rest[s] = 0;
      end
      m_left = rest[0] | rest[1];
    end
  endtask

  task check_first;
    integer l;
    begin
      if (used !== m_length) fail("used");
      if (m_length > fullest) fullest = m_length;
      if (m_length > 0) begin
        if (pc !== m_pc[0]) fail("first: pc");
        for (l = 0; l < Lanes; l = l + 1) begin
          if (mask[l] !== (m_row[l] >= 0)) fail("first: mask");
          if (mask[l]) rows_seen[row[l*RowWidth +: RowWidth]] = 1;
          if (row[l*RowWidth +: RowWidth] !== (mask[l] ? m_row[l] : 0)) fail("first: row");
        end
      end
    end
  endtask

  task take;
    begin
      m_take;
      run(TAKE);
      if (left !== m_left) fail("take: left");
      if (Equal != 0 && clocks != 3 + m_joined) fail("take: clocks");
      joins = joins + m_joined;
      if (m_joined > 1) doubles = doubles + 1;
      if (m_left != 0) refused = refused + 1;
      check_first;
    end
  endtask

  task pop;
    begin
      idle;
      m_remove(0);
      run(POP);
      if (Equal != 0 && clocks != 1) fail("pop: clocks");
      popped = popped + 1;
      check_first;
    end
  endtask

  // --- HARP Fig. 10: thread t is in lane t mod 4 of row t / 4; B and C are the paths ------------

  localparam integer B = 3, C = 5;

  task figure10;
    begin
      op_mask = {Lanes'(4'b0101), Lanes'(4'b1010)};  // T1 and T3 go to B, T0 and T2 to C
      op_pc = {PcWidth'(C), PcWidth'(B)};
      op_row = '0;
      take;
      if (used !== 2 || mask !== 4'b1010 || pc !== B) fail("Fig. 10: W0 diverges");
      pop;  // departs as W2
      op_mask = {Lanes'(4'b1000), Lanes'(4'b0111)};  // T4, T5 and T6 go to B, T7 to C
      op_pc = {PcWidth'(C), PcWidth'(B)};
      op_row = {Lanes{RowWidth'(1)}};
      take;
      // The new warp leaves before the older one, which T7 has joined.
      if (used !== 2 || mask !== 4'b0111 || pc !== B) fail("Fig. 10: W1 diverges");
      pop;
      if (mask !== 4'b1101 || pc !== C || row !== (Lanes*RowWidth)'(1) << (3*RowWidth)) fail("Fig. 10: T7");
      pop;
      if (used !== 0) fail("Fig. 10: not empty");
    end
  endtask

  task random_op;
    integer l;
    reg [Lanes-1:0] taken, active;
    begin
      if (m_length > 0 && pick(m_length == Entries ? 2 : 4) == 0) pop;
      else begin
        active = pick(2) ? {Lanes{1'b1}} : $random(seed);
        taken = $random(seed);
        op_mask = {active & taken, active & ~taken};
        op_pc = pick(2) ? {PcWidth'(1 + pick(2)), PcWidth'(3 + pick(2))} : {PcWidth'(3), PcWidth'(1)};
        for (l = 0; l < Lanes; l = l + 1)
          op_row[l*RowWidth +: RowWidth] = active[l] ? pick(Rows) : 'x;
        take;
      end
      idle;
      check_first;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (used !== 0 || done !== 0) fail("after reset");
    m_length = 0;
    figure10;
    for (n = 0; n < 1500; n = n + 1) random_op;
    if (joins < 500 || doubles < 50 || refused < 100 || popped < 500 || fullest != Entries || rows_seen !== {Rows{1'b1}})
      fail("coverage");
    $display("PASS ready_lookup: %0d ops; %0d joins, %0d takes of several, %0d that found it full",
             ops, joins, doubles, refused);
    $finish;
  end

endmodule

`default_nettype wire
