// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of path_table: splits of some rows part, go on, meet, exit, leave and come back at random, against
// plain lists; after each operation the block tells all splits of the row in their order.
`default_nettype none

module path_table_tb #(
  parameter int Lanes = 32,
  parameter int Splits = 32,
  parameter int Points = 32,
  parameter int Rows = 32,
  parameter int PcWidth = 16,
  parameter int Early = 1,
  parameter int Turns = 1,
  parameter int Lifo = 0,
  parameter int Operations = 5000,
  parameter int Equal = 1
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), SplitWidth = simt_pkg::idx_width(Splits);
  localparam int CountWidth = simt_pkg::idx_width(Splits + 1), PointWidth = simt_pkg::idx_width(Points + 1);
  localparam logic [2:0] START = 0, PART = 1, GO = 2, EXIT = 3, LEAVE = 4, ENTER = 5, LET_GO = 6, NEXT = 7;
  localparam int Nowhere = Points;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, op_jumps;
  logic [2:0] op_kind;
  logic [RowWidth-1:0] op_row;
  logic [SplitWidth-1:0] op_split;
  logic [PointWidth-1:0] op_point;
  logic [Lanes-1:0] op_mask;
  logic [PcWidth-1:0] op_pc, op_target, op_meet;
  logic [Splits-1:0] op_busy;
  wire ready, done, found, overflow;
  wire [SplitWidth-1:0] split;
  wire [PcWidth-1:0] pc;
  wire [Lanes-1:0] mask;
  wire [PointWidth-1:0] point;
  wire [CountWidth-1:0] count;
  wire [Points-1:0] points;

  path_table #(.Lanes(Lanes), .Splits(Splits), .Points(Points), .Rows(Rows), .PcWidth(PcWidth), .Early(Early),
               .Turns(Turns), .Lifo(Lifo)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind), .op_row_i(op_row),
    .op_split_i(op_split), .op_point_i(op_point), .op_mask_i(op_mask), .op_pc_i(op_pc), .op_target_i(op_target),
    .op_meet_i(op_meet), .op_jumps_i(op_jumps), .op_busy_i(op_busy), .done_valid_o(done), .res_found_o(found),
    .res_split_o(split), .res_pc_o(pc), .res_mask_o(mask), .res_point_o(point), .count_o(count), .points_o(points),
    .overflow_o(overflow));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 10 * (Splits + Points) + 10;
  `include "shared/one_operation.svh"

  // --- The lists ---------------------------------------------------------------------------------

  integer m_count [0:Rows-1];  // -1: not started
  reg [PcWidth-1:0] m_pc [0:Rows*Splits-1];
  reg [Lanes-1:0] m_mask [0:Rows*Splits-1];
  integer m_point [0:Rows*Splits-1];
  integer m_entry [0:Rows*Splits-1];  // -1: not known yet
  reg [Points-1:0] m_used [0:Rows-1];
  reg [PcWidth-1:0] m_at [0:Rows*Points-1];
  reg [Lanes-1:0] m_threads [0:Rows*Points-1], m_pending [0:Rows*Points-1];
  integer m_outer [0:Rows*Points-1];
  integer m_away [0:Rows-1];  // splits that left
  reg [Lanes-1:0] away_mask [0:Rows*Lanes-1];
  integer away_point [0:Rows*Lanes-1];

  integer row, base, pbase, expected;
  reg lost, grows, joins;  // the row gets many splits; of which many have the same point
  integer joined = 0, earlier = 0, stopped = 0, passed = 0, lost_splits = 0, lost_branches = 0, emptied = 0;
  integer settled = 0, let_go = 0, entered = 0, nobody = 0, most = 0;
  reg [Splits-1:0] entries_seen = 0;
  reg [Points-1:0] points_seen = 0;
  reg [Rows-1:0] rows_seen = 0, fills = 0;  // fills: parts until each split has one thread

  function integer ones(input [Lanes-1:0] lanes);
    integer l;
    begin
      ones = 0;
      for (l = 0; l < Lanes; l = l + 1) ones = ones + lanes[l];
    end
  endfunction

  // Some of the lanes, and `all`: not all of them.
  function [Lanes-1:0] some(input [Lanes-1:0] lanes, input not_all);
    integer l;
    begin
      some = lanes;
      for (l = 0; l < Lanes; l = l + 1) if (pick(2)) some[l] = 0;
      while (some == 0) begin
        l = pick(Lanes);
        some[l] = lanes[l];
      end
      while (not_all && some == lanes) some[pick(Lanes)] = 0;
      if (some == 0) for (l = 0; l < Lanes; l = l + 1) if (some == 0 && lanes[l]) some[l] = 1;
    end
  endfunction

  function [PcWidth-1:0] any_pc(input integer next);
    any_pc = next != Nowhere && pick(grows ? 20 : 2) == 0 ? m_at[pbase+next] : fills[row] ? pick(1 << PcWidth - 2) : pick(grows ? 200 : 3) << PcWidth / 2 | pick(2);
  endfunction

  task take_out(input integer place);
    integer i;
    begin
      for (i = place; i < m_count[row] - 1; i = i + 1)
        {m_pc[base+i], m_mask[base+i], m_point[base+i], m_entry[base+i]} =
            {m_pc[base+i+1], m_mask[base+i+1], m_point[base+i+1], m_entry[base+i+1]};
      m_count[row] = m_count[row] - 1;
    end
  endtask

  task put_in(input integer place, input [PcWidth-1:0] at, input [Lanes-1:0] who, input integer next, input integer entry);
    integer i;
    begin
      for (i = m_count[row]; i > place; i = i - 1)
        {m_pc[base+i], m_mask[base+i], m_point[base+i], m_entry[base+i]} =
            {m_pc[base+i-1], m_mask[base+i-1], m_point[base+i-1], m_entry[base+i-1]};
      {m_pc[base+place], m_mask[base+place], m_point[base+place], m_entry[base+place]} = {at, who, next, entry};
      m_count[row] = m_count[row] + 1;
    end
  endtask

  // To place `at`, -1: behind all.
  task come(input [PcWidth-1:0] to, input [Lanes-1:0] threads, input integer next_point, input integer at,
            input by_jump, input itself);
    integer next, place, i, met;
    reg [Lanes-1:0] who;
    reg stays, jumps, whole;
    begin
      {next, place, who, jumps, whole, stays} = {next_point, at, threads, by_jump, itself, 1'b0};
      met = 0;
      while (!stays && next != Nowhere && m_at[pbase+next] == to) begin
        expected = expected + 2;
        m_pending[pbase+next] = m_pending[pbase+next] & ~who;
        if (m_pending[pbase+next] != 0) begin
          stays = 1;
          stopped = stopped + 1;
        end else begin
          who = m_threads[pbase+next];
          m_used[row][next] = 0;
          next = m_outer[pbase+next];
          if (Lifo == 0) place = -1;
          {jumps, whole} = 2'b10;
          passed = passed + 1;
          met = 1;
        end
      end
      if (!stays) expected = expected + 1;
      for (i = 0; i < m_count[row] && !stays && jumps && Early != 0; i = i + 1) begin
        expected = expected + 2;
        if (!op_busy[m_entry[base+i] < 0 ? op_split : m_entry[base+i]] && m_pc[base+i] == to && m_point[base+i] == next) begin
          stays = 1;
          joined = joined + 1;
          who = who | m_mask[base+i];
          m_mask[base+i] = who;
          if (place >= 0 && place < i) begin
            earlier = earlier + 1;
            met = m_entry[base+i];
            take_out(i);
            put_in(place, to, who, next, met);
          end
        end
      end
      if (!stays && m_count[row] == Splits) begin
        expected = expected + 1;
        lost = 1;
        lost_splits = lost_splits + 1;
      end else if (!stays) begin
        expected = expected + 2;
        if (place < 0 || (whole && jumps && Turns != 0)) place = m_count[row];
        put_in(place, to, who, next, itself && met == 0 ? op_split : -1);
        if (m_count[row] > most) most = m_count[row];
      end
    end
  endtask

  // --- Operations --------------------------------------------------------------------------------

  task idle;
    begin
      {op_kind, op_row, op_split, op_point, op_mask, op_pc, op_target, op_meet, op_jumps, op_busy} = 'x;
      pause;
    end
  endtask

  // Some splits are under way, not the one in place `but`.
  task some_busy(input integer but);
    integer i;
    begin
      op_busy = 0;
      for (i = 0; i < m_count[row]; i = i + 1) if (i != but && pick(4) == 0) op_busy[m_entry[base+i]] = 1;
    end
  endtask

  task work(input [2:0] kind);
    begin
      op_row = row;
      run(kind);
      if (Equal != 0 && clocks != expected) fail("clocks");
      if (overflow !== lost) fail("overflow");
      if (count !== m_count[row]) fail("count");
      if (points !== m_used[row]) fail("points");
    end
  endtask

  // The first that is not among `told`, in place `place`: -1 there is none.
  task next(input [Splits-1:0] told, input integer place);
    begin
      op_busy = told;
      lost = 0;
      expected = place < 0 ? 2 : 3;
      work(NEXT);
      if (found !== (place >= 0)) fail("next: found");
      if (place < 0) nobody = nobody + 1;
      else begin
        if (m_entry[base+place] < 0) m_entry[base+place] = split;
        if (split !== m_entry[base+place]) fail("next: split");
        if (told[split]) fail("next: told before");
        if (pc !== m_pc[base+place] || mask !== m_mask[base+place] || point !== m_point[base+place]) fail("next: contents");
        entries_seen[split] = 1;
      end
    end
  endtask

  task tell_all;
    integer i;
    reg [Splits-1:0] told;
    begin
      told = 0;
      for (i = 0; i < m_count[row]; i = i + 1) begin
        next(told, i);
        told[split] = 1;
        idle;
      end
      next(told, -1);
      idle;
    end
  endtask

  task start;
    begin
      op_mask = pick(2) || row % 3 == 0 ? {Lanes{1'b1}} : $random(seed) | 1 << pick(Lanes);
      op_pc = any_pc(Nowhere);
      {m_count[row], m_pc[base], m_mask[base], m_point[base], m_entry[base]} = {32'd1, op_pc, op_mask, Nowhere, -32'd1};
      m_used[row] = 0;
      m_away[row] = 0;
      rows_seen[row] = 1;
      fills[row] = row % 3 == 0;
      op_busy = 'x;
      work(START);
    end
  endtask

  task part(input integer place);
    integer p, into, next;
    reg [Lanes-1:0] who;
    begin
      {who, next, op_split} = {m_mask[base+place], m_point[base+place], m_entry[base+place][SplitWidth-1:0]};
      op_mask = some(who, 1) | (some({Lanes{1'b1}}, 0) & ~who);
      {op_pc, op_target} = {any_pc(next), any_pc(next)};
      op_meet = fills[row] ? -1 - pick(200) : pick(grows ? 20 : 4) == 0 ? op_pc : pick(grows ? 20 : 3) == 0 ? op_target : any_pc(next);
      if (joins && next != Nowhere && pick(2)) op_meet = m_at[pbase+next];
      some_busy(place);
      into = next;
      if (next == Nowhere || m_at[pbase+next] != op_meet) begin
        into = -1;
        for (p = Points - 1; p >= 0; p = p - 1) if (!m_used[row][p]) into = p;
        if (into >= 0) begin
          m_used[row][into] = 1;
          points_seen[into] = 1;
          {m_at[pbase+into], m_threads[pbase+into], m_pending[pbase+into], m_outer[pbase+into]} = {op_meet, who, who, next};
        end
      end
      if (into < 0) begin
        lost = 1;
        lost_branches = lost_branches + 1;
      end else begin
        take_out(place);
        come(op_pc, who & ~op_mask, into, Lifo != 0 ? 0 : -1, 1, 0);
        come(op_target, who & op_mask, into, Lifo != 0 ? 0 : -1, 1, 0);
      end
      work(PART);
    end
  endtask

  task go(input integer place);
    integer next, near;
    reg [Lanes-1:0] who;
    begin
      {who, next, op_split} = {m_mask[base+place], m_point[base+place], m_entry[base+place][SplitWidth-1:0]};
      op_pc = any_pc(next);
      for (near = pick(m_count[row]); near > 0 && (near == place || m_point[base+near] != next); near = near - 1) ;
      if (m_point[base+near] == next && pick(grows && !joins ? 20 : 2) == 0) op_pc = m_pc[base+near];
      op_jumps = pick(4) != 0;
      some_busy(place);
      take_out(place);
      come(op_pc, who, next, place, op_jumps, 1);
      work(GO);
    end
  endtask

  task retire(input integer place);
    integer next, p;
    reg [Lanes-1:0] who;
    reg [Points-1:0] complete;
    begin
      {who, next, op_split} = {m_mask[base+place], m_point[base+place], m_entry[base+place][SplitWidth-1:0]};
      op_mask = pick(2) ? who : some(who, 0);
      op_pc = any_pc(next);
      some_busy(place);
      take_out(place);
      complete = 0;
      for (p = 0; p < Points; p = p + 1) if (m_used[row][p]) begin
        expected = expected + 1;
        m_threads[pbase+p] = m_threads[pbase+p] & ~op_mask;
        m_pending[pbase+p] = m_pending[pbase+p] & ~op_mask;
        if (m_threads[pbase+p] == 0) begin
          m_used[row][p] = 0;
          emptied = emptied + 1;
        end else complete[p] = m_pending[pbase+p] == 0;
      end
      if (who != op_mask) come(op_pc, who & ~op_mask, next, place, 0, 1);
      for (p = 0; p < Points; p = p + 1) if (complete[p]) begin
        expected = expected + 1;
        settled = settled + 1;
        m_used[row][p] = 0;
        come(m_at[pbase+p], m_threads[pbase+p], m_outer[pbase+p], Lifo != 0 ? 0 : -1, 1, 0);
      end
      work(EXIT);
    end
  endtask

  task leave(input integer place);
    begin
      op_split = m_entry[base+place];
      {away_mask[row*Lanes+m_away[row]], away_point[row*Lanes+m_away[row]]} = {m_mask[base+place], m_point[base+place]};
      m_away[row] = m_away[row] + 1;
      op_busy = 'x;
      take_out(place);
      work(LEAVE);
    end
  endtask

  task enter;
    begin
      m_away[row] = m_away[row] - 1;
      {op_mask, op_point} = {away_mask[row*Lanes+m_away[row]], away_point[row*Lanes+m_away[row]][PointWidth-1:0]};
      op_pc = any_pc(op_point);
      some_busy(-1);
      entered = entered + 1;
      come(op_pc, op_mask, op_point, -1, 1, 0);
      work(ENTER);
    end
  endtask

  task go_without(input integer p);
    reg [Lanes-1:0] who;
    begin
      who = m_threads[pbase+p] & ~m_pending[pbase+p];
      op_point = PointWidth'(p);
      some_busy(-1);
      m_threads[pbase+p] = m_pending[pbase+p];
      let_go = let_go + 1;
      come(m_at[pbase+p], who, m_outer[pbase+p], Lifo != 0 ? 0 : -1, 1, 0);
      work(LET_GO);
    end
  endtask

  task random_op;
    integer place, p;
    begin
      row = pick(5) ? pick(Rows < 3 ? Rows : 3) : pick(Rows);
      base = row * Splits;
      pbase = row * Points;
      expected = 2;
      lost = 0;
      grows = row % 3 != 1;
      joins = row % 3 == 2;
      place = m_count[row] > 0 ? pick(m_count[row]) : 0;
      p = pick(Points);
      if (m_count[row] < 0 || (m_count[row] == 0 && m_away[row] == 0) || pick(grows ? 400 : 100) == 0) start;
      else if (m_away[row] > 0 && !fills[row] && (m_count[row] == 0 || pick(8) == 0)) enter;
      else if (m_used[row][p] && m_pending[pbase+p] != 0 && m_pending[pbase+p] != m_threads[pbase+p] && pick(8) == 0 && !fills[row])
        go_without(p);
      else if (m_count[row] == 0) start;
      else if (fills[row]) begin
        for (place = 0; place < m_count[row] - 1 && ones(m_mask[base+place]) == 1; place = place + 1) ;
        fills[row] = ones(m_mask[base+place]) > 1 && m_count[row] < Splits;
        if (fills[row]) part(place); else go(place);
      end
      else if (pick(grows ? 200 : 20) == 0) retire(place);
      else if (pick(grows ? 60 : 16) == 0) leave(place);
      else if (pick(joins ? 2 : grows ? 4 : 3) > (grows ? 0 : 1) && ones(m_mask[base+place]) > 1) part(place);
      else go(place);
      idle;
      tell_all;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (done !== 0) fail("after reset");
    for (n = 0; n < Rows; n = n + 1) begin
      m_count[n] = -1;
      m_away[n] = 0;
      m_used[n] = 0;
    end
    for (n = 0; n < Operations; n = n + 1) random_op;
    $display("path_table: %0d ops; %0d joined (%0d earlier), %0d stopped, %0d passed, %0d splits lost, %0d branches lost, %0d emptied, %0d complete by exits, %0d let go, %0d entered, %0d splits",
             ops, joined, earlier, stopped, passed, lost_splits, lost_branches, emptied, settled, let_go, entered, most);
    if ((Early != 0 && (joined < 50 || (earlier == 0 && Turns != 0))) || stopped < 50 || passed < 50 || emptied == 0 || settled < 10 || let_go < 10 || entered < 20 ||
        nobody < 50 || most < (Splits < Lanes ? Splits : Lanes) || entries_seen !== {Splits{1'b1}} || rows_seen !== {Rows{1'b1}})
      fail("coverage");
    $display("PASS");
    $finish;
  end

endmodule

`default_nettype wire
