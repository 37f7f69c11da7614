// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of pool_table: threads go into pools and are given out at random, against a plain list of pools.
`default_nettype none

module pool_table_tb #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  parameter int Pools = 16,
  parameter int Groups = 4,
  parameter int PcWidth = 16,
  parameter int AgeWidth = 16,
  parameter int LongestWait = 4096,
  parameter int Operations = 2500,
  parameter int Equal = 1
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), GroupWidth = simt_pkg::idx_width(Groups);
  localparam int PoolWidth = simt_pkg::idx_width(Pools), UsedWidth = simt_pkg::idx_width(Pools + 1);
  localparam logic [1:0] ADD = 0, GIVE = 1, PICK = 2, TICK = 3;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, op_by_age;
  logic [1:0] op_kind;
  logic [Lanes-1:0] op_mask;
  logic [Lanes*RowWidth-1:0] op_row;
  logic [PcWidth-1:0] op_pc;
  logic [GroupWidth-1:0] op_group;
  logic [PoolWidth-1:0] op_pool;
  logic [Pools-1:0] op_among;
  logic [AgeWidth-1:0] op_now;
  wire ready, done, ok, full;
  wire [PoolWidth-1:0] pool;
  wire [UsedWidth-1:0] used;

  pool_table #(.Lanes(Lanes), .Rows(Rows), .Pools(Pools), .Groups(Groups), .PcWidth(PcWidth), .AgeWidth(AgeWidth),
               .LongestWait(LongestWait)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind),
    .op_mask_i(op_mask), .op_row_i(op_row), .op_pc_i(op_pc), .op_group_i(op_group), .op_pool_i(op_pool),
    .op_among_i(op_among), .op_by_age_i(op_by_age), .op_now_i(op_now), .done_valid_o(done), .res_ok_o(ok),
    .res_pool_o(pool), .res_full_o(full), .used_o(used));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 2;
  `include "shared/one_operation.svh"

  // --- The pools: a mask of lanes for each row; none has threads: free ----------------------------

  reg [Lanes-1:0] m_threads [0:Pools*Rows-1];
  integer m_pc [0:Pools-1], m_group [0:Pools-1], m_since [0:Pools-1], m_count [0:Pools-1];  // since -1: fresh
  integer now = 0, no_pool = 0, filled = 0, filled_still = 0, overdue = 0;
  reg [Pools-1:0] pools_seen = 0, picked = 0;
  reg [Rows-1:0] rows_seen = 0;

  task idle;
    begin
      {op_kind, op_mask, op_row, op_pc, op_group, op_pool, op_among, op_by_age, op_now} = 'x;
      pause;
    end
  endtask

  function fills(input integer p);
    integer r;
    reg [Lanes-1:0] lanes;
    begin
      lanes = 0;
      for (r = 0; r < Rows; r = r + 1) lanes = lanes | m_threads[p*Rows+r];
      fills = lanes == {Lanes{1'b1}};
    end
  endfunction

  function integer used_now(input integer unused);
    integer p;
    begin
      used_now = 0;
      for (p = 0; p < Pools; p = p + 1) if (m_count[p] != 0) used_now = used_now + 1;
    end
  endfunction

  // Random threads, none of which is in the pool that they go to.
  task add;
    integer p, into, l, r;
    reg [Lanes-1:0] mask;
    begin
      op_pc = pick(3) ? pick(4) : 1 << pick(PcWidth);
      op_group = pick(8) ? 0 : pick(Groups);
      into = -1;
      for (p = Pools - 1; p >= 0; p = p - 1) if (m_count[p] == 0) into = p;
      for (p = 0; p < Pools; p = p + 1) begin
        if (m_count[p] != 0 && m_pc[p] == op_pc && m_group[p] == op_group) into = p;
      end
      mask = pick(2) ? $random(seed) | $random(seed) : $random(seed) & $random(seed);
      op_row = 'x;
      for (l = 0; l < Lanes; l = l + 1) begin
        r = pick(Rows);
        if (into >= 0) if (m_threads[into*Rows+r][l]) mask[l] = 0;
        if (mask[l]) op_row[l*RowWidth +: RowWidth] = r;
      end
      if (mask != 0) begin
        op_mask = mask;
        run(ADD);
        if (Equal != 0 && clocks != 2) fail("add: clocks");
        if (ok !== (into >= 0)) fail("add: ok");
        if (into < 0) no_pool = no_pool + 1;
        else begin
          if (pool !== into) fail("add: pool");
          if (m_count[into] == 0) {m_pc[into], m_group[into], m_since[into]} = {32'(op_pc), 32'(op_group), -32'd1};
          pools_seen[into] = 1;
          for (l = 0; l < Lanes; l = l + 1) begin
            if (mask[l]) begin
              r = op_row[l*RowWidth +: RowWidth];
              rows_seen[r] = 1;
              m_threads[into*Rows+r][l] = 1;
              m_count[into] = m_count[into] + 1;
            end
          end
        end
        if (full !== (into >= 0 && fills(into))) fail("add: full");
        if (full) filled = filled + 1;
      end
    end
  endtask

  // The lowest thread of each lane, of all or of some.
  task give(input integer p);
    integer l, r;
    reg [Lanes-1:0] mask;
    begin
      op_pool = p;
      mask = 0;
      op_row = 'x;
      for (l = 0; l < Lanes; l = l + 1) begin
        for (r = Rows - 1; r >= 0; r = r - 1) begin
          if (m_threads[p*Rows+r][l]) begin
            op_row[l*RowWidth +: RowWidth] = r;
            mask[l] = 1;
          end
        end
      end
      op_mask = pick(8) ? mask : mask & -mask;
      for (l = 0; l < Lanes; l = l + 1) begin
        if (op_mask[l]) begin
          r = op_row[l*RowWidth +: RowWidth];
          m_threads[p*Rows+r][l] = 0;
          m_count[p] = m_count[p] - 1;
        end else op_row[l*RowWidth +: RowWidth] = 'x;
      end
      run(GIVE);
      if (full !== fills(p)) fail("give: full");
      if (full) filled_still = filled_still + 1;
    end
  endtask

  // Does pool o go before pool p?
  function goes_first(input integer o, input integer p, input by_age);
    begin
      if (!by_age && m_count[o] != m_count[p]) goes_first = m_count[o] > m_count[p];
      else if (m_since[o] != m_since[p]) goes_first = m_since[p] < 0 || (m_since[o] >= 0 && m_since[o] < m_since[p]);
      else goes_first = o < p;
    end
  endfunction

  function integer first_of(input [Pools-1:0] among, input by_age);
    integer p;
    begin
      first_of = -1;
      for (p = 0; p < Pools; p = p + 1) begin
        if (m_count[p] != 0 && among[p]) if (first_of < 0 || goes_first(p, first_of, by_age)) first_of = p;
      end
    end
  endfunction

  task choose;
    integer p;
    begin
      op_among = pick(2) ? {Pools{1'b1}} : $random(seed);
      op_by_age = pick(2);
      op_now = now;
      p = first_of(op_among, op_by_age);
      run(PICK);
      if (ok !== (p >= 0)) fail("pick: ok");
      if (ok && pool !== p) fail("pick: pool");
      if (ok) picked[p] = 1;
    end
  endtask

  task tick;
    integer p, q;
    reg late;
    begin
      now = now + (pick(8) == 0 ? pick(LongestWait) : pick(16));
      op_now = now;
      op_among = pick(4) ? {Pools{1'b1}} : 0;
      p = first_of(op_among, 1'b1);
      late = 0;
      if (p >= 0) late = m_since[p] >= 0 && now - m_since[p] >= LongestWait;
      run(TICK);
      if (ok !== late) fail("tick: ok");
      if (late && pool !== p) fail("tick: pool");
      for (q = 0; q < Pools; q = q + 1) if (m_since[q] < 0) m_since[q] = now;
      if (late) m_since[p] = now;
      if (late) overdue = overdue + 1;
      // Whoever is older than the bits of an age say gets out.
      for (q = 0; q < Pools; q = q + 1) begin
        while (m_count[q] != 0 && now - m_since[q] > (1 << AgeWidth) - 2 * LongestWait) begin
          give(q);
          if (used !== used_now(0)) fail("used");
        end
      end
    end
  endtask

  task random_op;
    integer p;
    begin
      p = pick(Pools);
      case (pick(8))
        0, 1, 2, 3: add;
        4: if (m_count[p] != 0) give(p);
        5: begin
          p = first_of({Pools{1'b1}}, pick(2));
          if (p >= 0) give(p);
        end
        6: choose;
        default: tick;
      endcase
      if (used !== used_now(0)) fail("used");
      idle;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (used !== 0 || done !== 0) fail("after reset");
    for (n = 0; n < Pools; n = n + 1) {m_pc[n], m_group[n], m_since[n], m_count[n]} = {96'd0, 32'd0};
    for (n = 0; n < Pools * Rows; n = n + 1) m_threads[n] = 0;
    for (n = 0; n < Operations; n = n + 1) random_op;
    if (no_pool < 10 || filled < 50 || filled_still < 10 || overdue < 10 || pools_seen !== {Pools{1'b1}} ||
        picked !== {Pools{1'b1}} || rows_seen !== {Rows{1'b1}}) fail("coverage");
    $display("PASS pool_table: %0d ops; %0d found no pool, %0d filled one, %0d left it full, %0d pools overdue",
             ops, no_pool, filled, filled_still, overdue);
    $finish;
  end

endmodule

`default_nettype wire
