// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What pool_table must do, held against pools that are sets of threads: one for each pc and group
// that has any. How many they are, whether they fill all lanes, and which pool goes before which
// follow from the sets.
module pool_table_formal #(
  parameter int Lanes = 2,
  parameter int Rows = 2,
  parameter int Pools = 2,
  parameter int Groups = 2,
  parameter int PcWidth = 1,
  parameter int AgeWidth = 2,
  parameter int LongestWait = 2,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16,  // clocks that any design may take for an op, and to be done with it
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int GroupWidth = simt_pkg::idx_width(Groups),
  localparam int PoolWidth = simt_pkg::idx_width(Pools)
) (
  input wire                      clk_i,
  input wire                      rst_ni,
  input wire                      op_valid_i,
  input wire [1:0]                op_kind_i,
  input wire [Lanes-1:0]          op_mask_i,
  input wire [Lanes*RowWidth-1:0] op_row_i,
  input wire [PcWidth-1:0]        op_pc_i,
  input wire [GroupWidth-1:0]     op_group_i,
  input wire [PoolWidth-1:0]      op_pool_i,
  input wire [Pools-1:0]          op_among_i,
  input wire                      op_by_age_i,
  input wire [AgeWidth-1:0]       op_now_i
);

  localparam logic [1:0] ADD = 2'd0, GIVE = 2'd1, PICK = 2'd2, TICK = 2'd3;
  localparam int Threads = Lanes * Rows;
  localparam int CountWidth = simt_pkg::idx_width(Threads + 1);
  localparam int UsedWidth = simt_pkg::idx_width(Pools + 1);

  logic                 op_ready, done_valid, ok, full;
  logic [PoolWidth-1:0] pool;
  logic [UsedWidth-1:0] used;

  pool_table #(.Lanes(Lanes), .Rows(Rows), .Pools(Pools), .Groups(Groups), .PcWidth(PcWidth),
               .AgeWidth(AgeWidth), .LongestWait(LongestWait)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_ok_o    (ok),
    .res_pool_o  (pool),
    .res_full_o  (full),
    .used_o      (used),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- The pools, between ops -----------------------------------------------------------------------

  logic [Pools*Threads-1:0]    sets_q, sets_d;  // of each pool, lane l, row r is bit l*Rows+r; none: free
  logic [Pools*PcWidth-1:0]    pcs_q, pcs_d;
  logic [Pools*GroupWidth-1:0] groups_q, groups_d;
  logic [Pools-1:0]            fresh_q, fresh_d;
  logic [Pools*AgeWidth-1:0]   since_q, since_d;
  logic                        taken, ok_d, ok_q, full_d, full_q;
  logic [PoolWidth-1:0]        pool_d, pool_q;
  logic [Threads-1:0]          coming, set;

  assign taken = op_valid_i && op_ready;
  always_comb begin
    coming = '0;
    for (int l = 0; l < Lanes; l++) begin
      if (op_mask_i[l]) coming[l*Rows + 32'(op_row_i[l*RowWidth +: RowWidth])] = 1'b1;
    end
  end

  function automatic logic fills(input logic [Threads-1:0] threads);
    fills = 1'b1;
    for (int l = 0; l < Lanes; l++) if (threads[l*Rows +: Rows] == '0) fills = 1'b0;
  endfunction

  // Does pool `o` go before pool `p`? Fresh ones are the youngest, and of pools alike the lower goes.
  function automatic logic goes_first(input int o, input int p, input logic by_age);
    logic [CountWidth-1:0] many, others;
    logic [AgeWidth:0]     age, other_age;
    others = CountWidth'($countones(sets_q[p*Threads +: Threads]));
    many = CountWidth'($countones(sets_q[o*Threads +: Threads]));
    age = '0;
    other_age = '0;
    if (!fresh_q[o]) age = {1'b0, AgeWidth'(op_now_i - since_q[o*AgeWidth +: AgeWidth])} + 1'b1;
    if (!fresh_q[p]) other_age = {1'b0, AgeWidth'(op_now_i - since_q[p*AgeWidth +: AgeWidth])} + 1'b1;
    if (!by_age && many != others) goes_first = many > others;
    else if (age != other_age) goes_first = age > other_age;
    else goes_first = o < p;
  endfunction

  logic first;
  always_comb begin : spec
    sets_d = sets_q;
    pcs_d = pcs_q;
    groups_d = groups_q;
    fresh_d = fresh_q;
    since_d = since_q;
    ok_d = 1'b0;
    pool_d = '0;
    full_d = 1'b0;
    set = '0;
    first = 1'b0;
    case (op_kind_i)
      ADD: begin
        for (int p = Pools - 1; p >= 0; p--) begin
          if (sets_q[p*Threads +: Threads] == '0) {ok_d, pool_d} = {1'b1, PoolWidth'(p)};
        end
        for (int p = 0; p < Pools; p++) begin
          if (sets_q[p*Threads +: Threads] != '0 && pcs_q[p*PcWidth +: PcWidth] == op_pc_i &&
              groups_q[p*GroupWidth +: GroupWidth] == op_group_i) {ok_d, pool_d} = {1'b1, PoolWidth'(p)};
        end
        if (ok_d) begin
          set = sets_q[pool_d*Threads +: Threads];
          if (set == '0) fresh_d[pool_d] = 1'b1;
          pcs_d[pool_d*PcWidth +: PcWidth] = op_pc_i;
          groups_d[pool_d*GroupWidth +: GroupWidth] = op_group_i;
          sets_d[pool_d*Threads +: Threads] = set | coming;
          full_d = fills(set | coming);
        end
      end
      GIVE: begin
        set = sets_q[op_pool_i*Threads +: Threads] & ~coming;
        sets_d[op_pool_i*Threads +: Threads] = set;
        full_d = fills(set);
      end
      default: begin
        for (int p = 0; p < Pools; p++) begin
          first = sets_q[p*Threads +: Threads] != '0 && op_among_i[p];
          for (int o = 0; o < Pools; o++) begin
            if (o != p && sets_q[o*Threads +: Threads] != '0 && op_among_i[o] &&
                goes_first(o, p, op_kind_i == TICK || op_by_age_i)) first = 1'b0;
          end
          if (first) {ok_d, pool_d} = {1'b1, PoolWidth'(p)};
        end
        if (op_kind_i == TICK) begin
          if (fresh_q[pool_d] || 32'(AgeWidth'(op_now_i - since_q[pool_d*AgeWidth +: AgeWidth])) < LongestWait)
            ok_d = 1'b0;
          for (int p = 0; p < Pools; p++) if (fresh_q[p]) since_d[p*AgeWidth +: AgeWidth] = op_now_i;
          if (ok_d) since_d[pool_d*AgeWidth +: AgeWidth] = op_now_i;
          fresh_d = '0;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sets_q <= '0;
    else if (taken) sets_q <= sets_d;
  end
  always_ff @(posedge clk_i) begin
    if (taken) {pcs_q, groups_q, fresh_q, since_q, ok_q, pool_q, full_q} <=
               {pcs_d, groups_d, fresh_d, since_d, ok_d, pool_d, full_d};
  end

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 2 + Lanes + Lanes * RowWidth + PcWidth + GroupWidth + PoolWidth + Pools + 1 + AgeWidth;
  logic [OpWidth-1:0] op;
  logic [1:0]         kind_q;

  assign op = {op_kind_i, op_mask_i, op_row_i, op_pc_i, op_group_i, op_pool_i, op_among_i, op_by_age_i, op_now_i};
  `include "shared/one_operation.svh"

  assign kind_q = op_q[OpWidth-1 -: 2];

  logic rows_exist;
  always_comb begin
    rows_exist = 1'b1;
    for (int l = 0; l < Lanes; l++) if (32'(op_row_i[l*RowWidth +: RowWidth]) >= Rows) rows_exist = 1'b0;
  end

  `ASSUME(RowsExist, rows_exist)
  `ASSUME(HasThreads, op_kind_i > GIVE || op_mask_i != '0)
  `ASSUME(GivesWhatItHas, op_kind_i != GIVE || (32'(op_pool_i) < Pools &&
                          (coming & ~sets_q[op_pool_i*Threads +: Threads]) == '0))
  `ASSUME(NewToThePool, op_kind_i != ADD || !ok_d || (coming & sets_q[pool_d*Threads +: Threads]) == '0)

  // --- What must hold ---------------------------------------------------------------------------

  logic [UsedWidth-1:0] in_use;
  always_comb begin
    in_use = '0;
    for (int p = 0; p < Pools; p++) in_use = in_use + UsedWidth'(sets_q[p*Threads +: Threads] != '0);
  end

  if (Equal) begin : gen_clocks
    `ASSERT(Clocks, !op_valid_i || op_ready == (op_kind_i == GIVE || busy_q))
  end
  `ASSERT(UsedIsTheirNumber, !between || used == in_use)
  `ASSERT(Ok, !done_valid || kind_q == GIVE || ok == ok_q)
  `ASSERT(Pool, !done_valid || kind_q == GIVE || !ok_q || pool == pool_q)
  `ASSERT(Full, !done_valid || kind_q > GIVE || full == full_q)

  `COVER(NoPool, done_valid && kind_q == ADD && !ok)
  `COVER(Fills, done_valid && kind_q == ADD && full)
  `COVER(FillsStill, done_valid && kind_q == GIVE && full)
  `COVER(MoreThreadsThoughYounger, done_valid && kind_q == PICK && ok && 32'(pool) == 1 && !op_q[AgeWidth] && fresh_q[1] && !fresh_q[0] && op_q[AgeWidth+1])
  `COVER(TooLong, done_valid && kind_q == TICK && ok)

`ifndef PORTS_ONLY
  // --- For the induction: the pools are the sets --------------------------------------------------

  (* hierconn *) wire [Pools*PcWidth-1:0] \dut.pcs_q ;
  (* hierconn *) wire [Pools*GroupWidth-1:0] \dut.groups_q ;
  (* hierconn *) wire [Pools*CountWidth-1:0] \dut.counts_q ;
  (* hierconn *) wire [Pools*AgeWidth-1:0] \dut.since_q ;
  (* hierconn *) wire [Pools-1:0] \dut.fresh_q ;
  (* hierconn *) wire [Pools*Threads-1:0] \dut.u_threads.words ;
  (* hierconn *) wire \dut.second_q ;
  (* hierconn *) wire \dut.ok_q ;
  (* hierconn *) wire [PoolWidth-1:0] \dut.pool_q ;

  logic fits;
  always_comb begin
    fits = 1'b1;
    for (int p = 0; p < Pools; p++) begin
      if (32'(\dut.counts_q [p*CountWidth +: CountWidth]) != $countones(sets_q[p*Threads +: Threads])) fits = 1'b0;
      if (sets_q[p*Threads +: Threads] != '0 &&
          (sets_q[p*Threads +: Threads] != \dut.u_threads.words [p*Threads +: Threads] ||
           pcs_q[p*PcWidth +: PcWidth] != \dut.pcs_q [p*PcWidth +: PcWidth] ||
           groups_q[p*GroupWidth +: GroupWidth] != \dut.groups_q [p*GroupWidth +: GroupWidth] ||
           fresh_q[p] != \dut.fresh_q [p] ||
           (!fresh_q[p] && since_q[p*AgeWidth +: AgeWidth] != \dut.since_q [p*AgeWidth +: AgeWidth]))) fits = 1'b0;
      for (int o = 0; o < p; o++) begin
        if (sets_q[p*Threads +: Threads] != '0 && sets_q[o*Threads +: Threads] != '0 &&
            pcs_q[p*PcWidth +: PcWidth] == pcs_q[o*PcWidth +: PcWidth] &&
            groups_q[p*GroupWidth +: GroupWidth] == groups_q[o*GroupWidth +: GroupWidth]) fits = 1'b0;
      end
    end
  end

  `ASSERT(PoolsAreTheSets, fits)
  `ASSERT(SecondClock, \dut.second_q == busy_q)
  `ASSERT(FoundAlready, !busy_q || kind_q != ADD || (\dut.ok_q == ok_d && (!ok_d || \dut.pool_q == pool_d)))
`endif

endmodule

`default_nettype wire
