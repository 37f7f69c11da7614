// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The pool table of spare-time compaction: threads that have diverged wait in the pool of their pc
// for the compactor. Which pool do threads of a warp go to, has it threads in all lanes now, which
// pool gives a warp where a scheduler has nothing to issue, and which has waited too long?
// Twin: models/divergence/mechanisms/stc.cpp.
//
// In flip-flops: of each pool its pc and group, which are all compared at once, how many threads it
// has, none in a free one, and since when. In RAM: which threads. Age is told from `op_now_i`, the
// low bits of the core's cycle; a pool is fresh until the first tick.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. In that clock and until the next op is there, the outputs are its results.
// Clocks: give 1, others 2.
module pool_table #(
  parameter int Lanes = 32,
  parameter int Rows = 32,     // of the core
  parameter int Pools = 16,
  parameter int Groups = 1,    // whose threads may not be in one pool
  parameter int PcWidth = 16,
  parameter int AgeWidth = 16,
  parameter int LongestWait = 4096,
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int GroupWidth = simt_pkg::idx_width(Groups),
  localparam int PoolWidth = simt_pkg::idx_width(Pools),
  localparam int UsedWidth = simt_pkg::idx_width(Pools + 1)
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,

  input  wire                      op_valid_i,
  output logic                     op_ready_o,
  input  wire  [1:0]               op_kind_i,    // ADD ...
  input  wire  [Lanes-1:0]         op_mask_i,    // add: threads; give: the compactor has taken these
  input  wire [Lanes*RowWidth-1:0] op_row_i,     // theirs
  input  wire  [PcWidth-1:0]       op_pc_i,      // add
  input  wire  [GroupWidth-1:0]    op_group_i,   // add
  input  wire  [PoolWidth-1:0]     op_pool_i,    // give
  input  wire  [Pools-1:0]         op_among_i,   // pick, tick: pools that may give
  input  wire                      op_by_age_i,  // pick: the oldest, not that of most threads
  input  wire  [AgeWidth-1:0]      op_now_i,     // pick, tick

  output logic                     done_valid_o,
  output logic                     res_ok_o,     // add: they have a pool; pick, tick: one gives
  output logic [PoolWidth-1:0]     res_pool_o,   // which, where ok
  output logic                     res_full_o,   // add, give: it has threads in all lanes
  output logic [UsedWidth-1:0]     used_o        // pools
);

  localparam logic [1:0] ADD = 2'd0, GIVE = 2'd1, PICK = 2'd2, TICK = 2'd3;
  localparam int Threads = Lanes * Rows;
  localparam int CountWidth = simt_pkg::idx_width(Threads + 1);
  localparam int LaneCountWidth = simt_pkg::idx_width(Lanes + 1);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Rows >= 1 && Pools >= 1 && Groups >= 1 && PcWidth >= 1 &&
                                AgeWidth < 32 && LongestWait < (1 << AgeWidth))

  logic [Pools*PcWidth-1:0]    pcs_q, pcs_d;
  logic [Pools*GroupWidth-1:0] groups_q, groups_d;
  logic [Pools*CountWidth-1:0] counts_q, counts_d;
  logic [Pools*AgeWidth-1:0]   since_q, since_d;
  logic [Pools-1:0]            fresh_q, fresh_d;
  logic                        second_q, second_d;  // the second clock of an op
  logic                        ok_q, ok_d, full_q, full_d, done_q;
  logic [PoolWidth-1:0]        pool_q, pool_d;

  // --- The search by pc -------------------------------------------------------------------------

  logic [Pools-1:0]     used, same, unused_lower_same, unused_lower_free;
  logic [PoolWidth-1:0] same_pool, free_pool;
  logic                 any_same, any_free, unused_many_same, unused_many_free;

  for (genvar p = 0; p < Pools; p++) begin : gen_search
    assign used[p] = counts_q[p*CountWidth +: CountWidth] != '0;
    wire same_pc = pcs_q[p*PcWidth +: PcWidth] == op_pc_i;
    wire same_group = groups_q[p*GroupWidth +: GroupWidth] == op_group_i;
    assign same[p] = used[p] && same_pc && same_group;
  end

  lane_priority #(.Lanes(1), .Rows(Pools)) u_same (
    .threads_i(same),
    .lower_o(unused_lower_same),
    .any_o(any_same),
    .many_o(unused_many_same),
    .row_o(same_pool)
  );
  lane_priority #(.Lanes(1), .Rows(Pools)) u_free (
    .threads_i(~used),
    .lower_o(unused_lower_free),
    .any_o(any_free),
    .many_o(unused_many_free),
    .row_o(free_pool)
  );

  // --- The choice: a tree, whose node 1 is the root; pool p is Leaves+p. Nodes Half to 2*Half-1 hold
  // what the first clock found ---------------------------------------------------------------------

  logic add, give, tick, chooses;

  assign add = op_valid_i && op_kind_i == ADD;
  assign give = op_valid_i && op_kind_i == GIVE;
  assign tick = op_valid_i && op_kind_i == TICK;
  assign chooses = tick || (op_valid_i && op_kind_i == PICK);

  localparam int Leaves = 1 << PoolWidth, Half = 1 << (PoolWidth / 2);
  for (genvar n = 2 * Leaves - 1; n > 0; n--) begin : gen_choice
    logic                  there, there_d;
    logic [CountWidth-1:0] number, number_d;
    logic [AgeWidth:0]     age, age_d;  // 0: fresh, else one more than its age
    logic [PoolWidth-1:0]  at, at_d;
    // The right child's first pool; where there is none, all that is there is the left one's.
    localparam int First = n < Leaves ? (2 * n + 1) << (PoolWidth + 1 - $clog2(2 * n + 2)) : 0;
    if (n < Leaves && First >= Leaves + Pools) begin : gen_left
      assign there_d = gen_choice[2*n].there | gen_choice[2*n+1].there;
      assign number_d = gen_choice[2*n].number | gen_choice[2*n+1].number;
      assign age_d = gen_choice[2*n].age | gen_choice[2*n+1].age;
      assign at_d = gen_choice[2*n].at | gen_choice[2*n+1].at;
    end else if (n < Leaves) begin : gen_node
      wire more = gen_choice[2*n+1].number > gen_choice[2*n].number;
      wire as_many = gen_choice[2*n+1].number == gen_choice[2*n].number;
      wire older = gen_choice[2*n+1].age > gen_choice[2*n].age;
      wire second = gen_choice[2*n+1].there &&
                    (!gen_choice[2*n].there || more || (as_many && older));  // seeded-bug: (!gen_choice[2*n].there || more || older);
      assign there_d = gen_choice[2*n].there || gen_choice[2*n+1].there;
      assign number_d = second ? gen_choice[2*n+1].number : gen_choice[2*n].number;
      assign age_d = second ? gen_choice[2*n+1].age : gen_choice[2*n].age;
      assign at_d = second ? gen_choice[2*n+1].at : gen_choice[2*n].at;
    end else if (n < Leaves + Pools) begin : gen_pool
      localparam int P = n - Leaves;
      wire [AgeWidth-1:0] waits = op_now_i - since_q[P*AgeWidth +: AgeWidth];
      assign there_d = used[P] && op_among_i[P];
      assign number_d = tick || op_by_age_i ? '0 : counts_q[P*CountWidth +: CountWidth];
      assign age_d = fresh_q[P] ? '0 : (AgeWidth + 1)'(waits) + (AgeWidth + 1)'(1);
      assign at_d = PoolWidth'(P);
    end else begin : gen_none
      assign there_d = 1'b0;
      assign number_d = '0;
      assign age_d = '0;
      assign at_d = '0;
    end
    if (n >= Half && n < 2 * Half) begin : gen_half
      always_ff @(posedge clk_i) begin
        if (!second_q) {there, number, age, at} <= {there_d, number_d, age_d, at_d};
      end
      `ASSERT(StandsStill, !(op_valid_i && second_q && chooses) ||
                           (there == there_d && (!there || {number, age, at} == {number_d, age_d, at_d})))
    end else begin : gen_through
      assign {there, number, age, at} = {there_d, number_d, age_d, at_d};
    end
  end

  wire [CountWidth-1:0] unused_number = gen_choice[1].number;
  wire overdue = gen_choice[1].there && gen_choice[1].age > (AgeWidth + 1)'(LongestWait);

  // --- The threads --------------------------------------------------------------------------------

  logic [Threads-1:0]   threads, threads_d, op_threads;  // lane l, row r is bit l*Rows+r: banks by lane
  logic [Lanes-1:0]     lanes_d;
  logic [PoolWidth-1:0] pool;
  logic                 writes;

  assign second_d = op_valid_i && !give && !second_q;
  assign op_ready_o = op_valid_i && !second_d;
  assign writes = (add && second_q && ok_q) || give;
  assign pool = give ? op_pool_i : pool_q;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    wire [RowWidth-1:0] row = op_row_i[l*RowWidth +: RowWidth];
    for (genvar r = 0; r < Rows; r++) begin : gen_row
      assign op_threads[l*Rows+r] = op_mask_i[l] && row == RowWidth'(r);
    end
    assign lanes_d[l] = |threads_d[l*Rows +: Rows];
  end
  // What a free pool's word has is from before.
  assign threads_d = give ? threads & ~op_threads
                          : (used[pool] ? threads : '0) | op_threads;

  ram_1r1w #(.Width(Threads), .Depth(Pools)) u_threads (
    .clk_i,
    .write_en_i(writes),
    .write_addr_i(pool),
    .write_data_i(threads_d),
    .read_addr_i(pool),
    .read_data_o(threads)
  );

  // Threads of the op, counted in a tree: node 1 is the root, lane l is LaneLeaves+l.
  localparam int LaneLeaves = 1 << simt_pkg::idx_width(Lanes);
  for (genvar n = 2 * LaneLeaves - 1; n > 0; n--) begin : gen_count
    logic [LaneCountWidth-1:0] lanes;
    if (n < LaneLeaves) assign lanes = gen_count[2*n].lanes + gen_count[2*n+1].lanes;
    else if (n < LaneLeaves + Lanes) assign lanes = LaneCountWidth'(op_mask_i[n-LaneLeaves]);
    else assign lanes = '0;
  end
  wire [CountWidth-1:0] op_count = CountWidth'(gen_count[1].lanes);

  // --- State and results --------------------------------------------------------------------------

  always_comb begin : state
    pcs_d = pcs_q;
    groups_d = groups_q;
    counts_d = counts_q;
    since_d = since_q;
    fresh_d = tick && second_q ? '0 : fresh_q;
    for (int p = 0; p < Pools; p++) begin
      if (tick && second_q && fresh_q[p]) since_d[p*AgeWidth +: AgeWidth] = op_now_i;
      if (writes && pool == PoolWidth'(p)) begin
        counts_d[p*CountWidth +: CountWidth] =
            give ? counts_q[p*CountWidth +: CountWidth] - op_count
                 : counts_q[p*CountWidth +: CountWidth] + op_count;
        if (add && !used[p]) begin
          pcs_d[p*PcWidth +: PcWidth] = op_pc_i;
          groups_d[p*GroupWidth +: GroupWidth] = op_group_i;
          fresh_d[p] = 1'b1;
        end
      end
      // One that has waited too long gives a warp, and its wait begins anew.
      if (tick && second_q && overdue && gen_choice[1].at == PoolWidth'(p))
        since_d[p*AgeWidth +: AgeWidth] = op_now_i;
    end
    ok_d = ok_q;
    pool_d = pool_q;
    full_d = full_q;
    if (add && !second_q) begin
      ok_d = any_same || any_free;
      pool_d = any_same ? same_pool : free_pool;
    end
    if (give) pool_d = op_pool_i;
    if (chooses && second_q) begin
      ok_d = tick ? overdue : gen_choice[1].there;
      pool_d = gen_choice[1].at;
    end
    if (op_ready_o) full_d = writes && lanes_d == '1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counts_q <= '0;
      second_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      counts_q <= counts_d;
      second_q <= second_d;
      done_q <= op_ready_o;
    end
  end

  // Of no meaning but after an op, or in pools that are used.
  always_ff @(posedge clk_i) begin
    pcs_q <= pcs_d;
    groups_q <= groups_d;
    since_q <= since_d;
    fresh_q <= fresh_d;
    ok_q <= ok_d;
    pool_q <= pool_d;
    full_q <= full_d;
  end

  always_comb begin : count
    used_o = '0;
    for (int p = 0; p < Pools; p++) used_o = used_o + UsedWidth'(used[p]);
  end

  assign done_valid_o = done_q;
  assign res_ok_o = ok_q;
  assign res_pool_o = pool_q;
  assign res_full_o = full_q;

  `ASSERT(HasThreads, !(add || give) || op_mask_i != '0)
  `ASSERT(GivesWhatItHas, !give || (op_threads & ~threads) == '0)
  `ASSERT(NewToThePool, !(add && second_q && ok_q && used[pool]) || (op_threads & threads) == '0)

endmodule

`default_nettype wire
