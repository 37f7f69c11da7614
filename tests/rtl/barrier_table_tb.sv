// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of barrier_table: HARP Fig. 8 with the numbers of tests/papers, then random
// warps of a core's threads against a plain list of entries that is searched thread by thread.
`default_nettype none

module barrier_table_tb #(
  parameter int Lanes = 16,
  parameter int Entries = 128,
  parameter int Ways = 4,
  parameter int Schedulers = 2,
  parameter int Rows = 96,
  parameter int PcWidth = 16,
  parameter int Stages = 1,
  parameter int Equal = 1  // 0: a design of other clocks
);

  // Figure 8 takes two lanes, four sets of two ways, one scheduler.
  localparam int RowWidth = simt_pkg::idx_width(Rows), CountWidth = simt_pkg::idx_width(Lanes * Ways + 1);
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1), Sets = Entries / Ways;
  localparam logic [2:0] RESERVE = 0, REACH = 1, LEAVE = 2, HELD = 3, TAKE = 4;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, all_or_none = 0, on_figure = 0;
  logic [2:0] op_kind;
  logic [Lanes-1:0] op_mask;
  logic [Lanes*RowWidth-1:0] op_row;
  logic [PcWidth-1:0] op_pc;

  wire big_ready, big_done, big_complete, small_ready, small_done, small_complete;
  wire [Lanes-1:0] big_lanes, big_mask;
  wire [1:0] small_lanes, small_mask;
  wire [CountWidth-1:0] big_count;
  wire [UsedWidth-1:0] big_used;
  wire [3:0] small_used;
  wire [2:0] small_count;
  wire [Lanes*RowWidth-1:0] big_row;
  wire [2*RowWidth-1:0] small_row;
  wire [PcWidth-1:0] big_pc, small_pc;

  barrier_table #(.Lanes(Lanes), .Entries(Entries), .Ways(Ways), .Schedulers(Schedulers),
                  .Rows(Rows), .PcWidth(PcWidth), .Stages(Stages)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid && !on_figure), .op_ready_o(big_ready),
    .op_kind_i(op_kind), .op_mask_i(op_mask), .op_row_i(op_row), .op_pc_i(op_pc),
    .op_all_or_none_i(all_or_none), .done_valid_o(big_done), .res_lanes_o(big_lanes),
    .res_count_o(big_count), .complete_o(big_complete), .used_o(big_used),
    .warp_mask_o(big_mask), .warp_row_o(big_row), .warp_pc_o(big_pc));

  barrier_table #(.Lanes(2), .Entries(8), .Ways(2), .Rows(Rows), .PcWidth(PcWidth)) figure (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid && on_figure), .op_ready_o(small_ready),
    .op_kind_i(op_kind), .op_mask_i(op_mask[1:0]), .op_row_i(op_row[2*RowWidth-1:0]),
    .op_pc_i(op_pc), .op_all_or_none_i(all_or_none), .done_valid_o(small_done),
    .res_lanes_o(small_lanes), .res_count_o(small_count), .complete_o(small_complete),
    .used_o(small_used), .warp_mask_o(small_mask), .warp_row_o(small_row), .warp_pc_o(small_pc));

  wire ready = on_figure ? small_ready : big_ready;
  wire done = on_figure ? small_done : big_done;
  wire complete = on_figure ? small_complete : big_complete;
  wire [Lanes-1:0] lanes = on_figure ? Lanes'(small_lanes) : big_lanes;
  wire [CountWidth-1:0] count = on_figure ? CountWidth'(small_count) : big_count;
  wire [UsedWidth-1:0] used = on_figure ? UsedWidth'(small_used) : big_used;

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 4 * Lanes + Entries + 1;
  `include "shared/one_operation.svh"

  task idle;
    begin
      op_kind = 'x; op_mask = 'x; op_row = 'x; op_pc = 'x; all_or_none = 'x;
      pause;
    end
  endtask

  // --- HARP Fig. 8: thread t is in lane t mod 2 of row t / 2 ------------------------------------

  localparam integer NONE = -1, RPC = 40, OTHER = 50;

  task warp_of(input integer even, input integer odd, input integer pc);
    begin
      op_mask = {2'b0, odd != NONE, even != NONE};
      op_row = 'x;
      if (odd != NONE) op_row[RowWidth +: RowWidth] = odd / 2;
      if (even != NONE) op_row[0 +: RowWidth] = even / 2;
      op_pc = pc;
      all_or_none = 0;
    end
  endtask

  task diverges(input integer even, input integer odd, input integer pc, input [1:0] misses);
    begin
      warp_of(even, odd, pc);
      run(RESERVE);
      if (lanes !== misses) fail("Fig. 8a: misses");
    end
  endtask

  task commits(input integer even, input integer odd, input integer pc, input [1:0] stay);
    begin
      warp_of(even, odd, pc);
      run(HELD);
      if (lanes !== stay) fail("Fig. 8b: held");
      if (stay != 0) begin
        op_mask = stay;
        run(REACH);
      end
    end
  endtask

  task reborn(input [1:0] mask, input integer even, input integer odd, input integer pc);
    begin
      if (complete !== 1) fail("Fig. 8: nothing complete");
      run(TAKE);
      if (small_mask !== mask || small_pc !== pc) fail("Fig. 8: the warp reborn");
      if (small_row !== {RowWidth'(odd / 2), RowWidth'(even / 2)}) fail("Fig. 8: its rows");
    end
  endtask

  task empty_figure;
    integer t;
    begin
      for (t = 0; t < 20; t = t + 2) begin
        warp_of(t, t + 1, 0);
        run(LEAVE);
      end
      if (used !== 0 || complete !== 0) fail("Fig. 8: not empty");
    end
  endtask

  task figure8;
    begin
      on_figure = 1;
      diverges(0, 1, RPC, 2'b00);
      if (used !== 1 || count !== 1) fail("one entry serves both lanes of a row");
      diverges(8, 9, RPC, 2'b00);
      diverges(16, 17, RPC, 2'b11);      // both ways of set 0 are taken, lanes and all
      diverges(16, 3, RPC, 2'b01);       // thread 3 is of set 1
      commits(16, 3, RPC - 1, 2'b00);
      commits(16, 3, RPC, 2'b10);
      reborn(2'b10, 0, 3, RPC);
      empty_figure;
      diverges(0, NONE, RPC, 2'b00);     // a lookup that hits a valid entry
      diverges(NONE, 9, RPC, 2'b00);
      if (used !== 1) fail("9 enters the entry of 0");
      diverges(8, NONE, OTHER, 2'b00);
      diverges(NONE, 17, OTHER, 2'b00);  // a full set, but the lane is free
      diverges(16, NONE, RPC, 2'b01);
      empty_figure;
      diverges(0, 1, RPC, 2'b00);
      commits(0, 3, RPC, 2'b01);         // 3 has no barrier here
      if (complete !== 0) fail("1 has not reached");
      commits(2, 1, RPC, 2'b10);
      reborn(2'b11, 0, 1, RPC);
      diverges(0, 7, RPC, 2'b00);        // of two sets
      if (count !== 2) fail("two entries");
      commits(0, 7, RPC, 2'b11);
      reborn(2'b01, 0, 0, RPC);
      reborn(2'b10, 0, 7, RPC);
      empty_figure;
      diverges(0, 9, RPC, 2'b00);        // not in the figure: 9 and 17 wait for 0, which leaves
      diverges(0, 17, OTHER, 2'b00);
      commits(NONE, 9, RPC, 2'b10);
      commits(NONE, 17, OTHER, 2'b10);
      warp_of(0, NONE, 0);
      run(LEAVE);
      if (count !== 2 || used !== 2 || (Equal != 0 && clocks !== 4)) fail("two complete in one step");
      reborn(2'b10, 0, 9, RPC);
      reborn(2'b10, 0, 17, OTHER);
      empty_figure;
      all_wait_to_be_taken;
      on_figure = 0;
    end
  endtask

  // Each entry is complete before the first is taken.
  task all_wait_to_be_taken;
    integer row;
    begin
      for (row = 0; row < 8; row = row + 1) diverges(2 * row, 2 * row + 1, RPC, 2'b00);
      for (row = 0; row < 8; row = row + 1) commits(2 * row, 2 * row + 1, RPC, 2'b11);
      if (used !== 8) fail("all entries");
      for (row = 0; row < 8; row = row + 1) reborn(2'b11, 2 * row, 2 * row + 1, RPC);
      empty_figure;
    end
  endtask

  // --- The model: entries as the threads in them, -1 where a lane has none ----------------------

  integer m_pc [0:Entries-1], m_row [0:Entries*Lanes-1], m_threads [0:Entries-1];
  reg [Lanes-1:0] m_reached [0:Entries-1];
  reg [Entries-1:0] m_complete;
  integer m_queue [0:Entries-1], m_queued, m_used;
  reg [Lanes-1:0] m_lanes;
  integer m_count;
  reg [Rows*Lanes-1:0] waiting;  // threads that have reached: in no warp

  integer w_row [0:Lanes-1];     // of the warp
  reg [Lanes-1:0] w_mask;

  // The entry of a thread's set at `pc` that holds it, or -1.
  function integer holder(input integer row, input integer lane, input integer pc);
    integer e;
    begin
      holder = -1;
      for (e = row / Schedulers % Sets * Ways; e < (row / Schedulers % Sets + 1) * Ways; e = e + 1)
        if (!m_complete[e] && m_threads[e] != 0 && m_pc[e] == pc && m_row[e*Lanes+lane] == row)
          holder = e;
    end
  endfunction

  // The first that a thread could enter: one at `pc`, or a free one if there is none.
  function integer place(input integer row, input integer lane, input integer pc,
                         input reg also_free);
    integer e, first;
    begin
      place = -1;
      first = row / Schedulers % Sets * Ways;
      for (e = first + Ways - 1; e >= first; e = e - 1)
        if (also_free && m_threads[e] == 0) place = e;
      for (e = first + Ways - 1; e >= first; e = e - 1)
        if (!m_complete[e] && m_threads[e] != 0 && m_pc[e] == pc && m_row[e*Lanes+lane] < 0)
          place = e;
    end
  endfunction

  task m_settle(input integer e);
    integer lane, reached;
    begin
      reached = 0;
      for (lane = 0; lane < Lanes; lane = lane + 1) reached = reached + m_reached[e][lane];
      if (m_threads[e] == 0) m_used = m_used - 1;
      else if (reached == m_threads[e]) begin
        m_complete[e] = 1;
        m_queue[m_queued] = e;
        m_queued = m_queued + 1;
      end
    end
  endtask

  task m_enter(input integer lane, input integer pc);
    integer e;
    begin
      e = place(w_row[lane], lane, pc, 1);
      if (e < 0) m_lanes[lane] = 1;
      else begin
        if (m_threads[e] == 0) begin
          m_pc[e] = pc;
          m_reached[e] = 0;
          m_used = m_used + 1;
          m_count = m_count + 1;
        end
        m_row[e*Lanes+lane] = w_row[lane];
        m_threads[e] = m_threads[e] + 1;
      end
    end
  endtask

  task m_reserve(input integer pc, input reg together);
    integer lane, other, fresh;
    reg missed;
    reg [Lanes-1:0] without;
    begin
      m_lanes = 0;
      m_count = 0;
      missed = 0;
      without = 0;
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        if (w_mask[lane] && holder(w_row[lane], lane, pc) < 0) begin
          without[lane] = 1;
          if (place(w_row[lane], lane, pc, 1) < 0) missed = 1;
        end
      end
      if (together && missed) m_lanes = without;
      else begin
        // Row by row; those that an entry at `pc` has room for go first.
        for (lane = 0; lane < Lanes; lane = lane + 1) if (without[lane]) begin
          for (fresh = 0; fresh < 2; fresh = fresh + 1) begin
            for (other = lane; other < Lanes; other = other + 1)
              if (without[other] && w_row[other] == w_row[lane] &&
                  (fresh || place(w_row[other], other, pc, 0) >= 0)) begin
                without[other] = 0;
                m_enter(other, pc);
              end
          end
        end
      end
    end
  endtask

  // Entries settle row by row, way by way: those that the threads of a row have moved.
  task m_reach(input [Lanes-1:0] mask, input integer pc);
    integer lane, other, e;
    reg [Lanes-1:0] left;
    reg touched;
    begin
      left = mask;
      for (lane = 0; lane < Lanes; lane = lane + 1) if (left[lane]) begin
        for (e = 0; e < Entries; e = e + 1) begin
          touched = 0;
          for (other = lane; other < Lanes; other = other + 1)
            if (left[other] && w_row[other] == w_row[lane] && holder(w_row[other], other, pc) == e)
            begin
              m_reached[e][other] = 1;
              waiting[w_row[other]*Lanes+other] = 1;
              touched = 1;
            end
          if (touched) m_settle(e);
        end
        for (other = Lanes - 1; other >= lane; other = other - 1)
          if (w_row[other] == w_row[lane]) left[other] = 0;
      end
    end
  endtask

  task m_leave(input [Lanes-1:0] mask);
    integer lane, other, e;
    reg [Lanes-1:0] left;
    reg touched;
    begin
      m_count = 0;
      left = mask;
      for (lane = 0; lane < Lanes; lane = lane + 1) if (left[lane]) begin
        for (e = 0; e < Entries; e = e + 1) if (!m_complete[e] && m_threads[e] != 0) begin
          touched = 0;
          for (other = lane; other < Lanes; other = other + 1)
            if (left[other] && w_row[other] == w_row[lane] && m_row[e*Lanes+other] == w_row[lane])
            begin
              m_row[e*Lanes+other] = -1;
              m_threads[e] = m_threads[e] - 1;
              m_count = m_count + 1;
              touched = 1;
            end
          if (touched) m_settle(e);
        end
        for (other = Lanes - 1; other >= lane; other = other - 1)
          if (w_row[other] == w_row[lane]) left[other] = 0;
      end
    end
  endtask

  task m_free(input integer e);
    integer lane;
    begin
      m_threads[e] = 0;
      m_complete[e] = 0;
      for (lane = 0; lane < Lanes; lane = lane + 1) m_row[e*Lanes+lane] = -1;
    end
  endtask

  // --- Random warps -----------------------------------------------------------------------------

  integer misses = 0, all_missed = 0, merges = 0, taken = 0, together = 0, fullest = 0;
  integer longest = 0;

  // Threads of the scheduler's rows that do not wait; often of one row.
  task random_warp;
    integer lane, row;
    begin
      row = pick(Rows / Schedulers) * Schedulers + 1;
      w_mask = $random(seed) | (pick(2) ? {Lanes{1'b1}} : 0);
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        if (pick(3) == 0) row = pick(Rows / Schedulers) * Schedulers + 1;
        w_row[lane] = row;
        if (waiting[row*Lanes+lane]) w_mask[lane] = 0;
        op_row[lane*RowWidth +: RowWidth] = w_mask[lane] ? row : {RowWidth{1'bx}};
      end
      op_mask = w_mask;
    end
  endtask

  // Those of a random entry that have not reached, some from others at its pc instead.
  task warp_of_entry;
    integer lane, e, f;
    begin
      e = pick(Entries);
      if (m_threads[e] != 0 && !m_complete[e]) begin
        op_pc = m_pc[e];
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          f = e;
          repeat (4) begin
            if (m_threads[f] == 0 || m_complete[f] || m_pc[f] != m_pc[e]) f = e;
            if (f == e || m_row[f*Lanes+lane] < 0) f = pick(Entries);
          end
          if (m_threads[f] == 0 || m_complete[f] || m_pc[f] != m_pc[e]) f = e;
          w_row[lane] = m_row[f*Lanes+lane];
          w_mask[lane] = w_row[lane] >= 0 && !waiting[w_row[lane]*Lanes+lane];
          op_row[lane*RowWidth +: RowWidth] = w_mask[lane] ? w_row[lane] : {RowWidth{1'bx}};
        end
        op_mask = w_mask;
      end
    end
  endtask

  task check;
    begin
      if (used !== m_used || complete !== (m_queued != 0)) fail("used or complete");
      if (clocks > longest) longest = clocks;
      if (m_used > fullest) fullest = m_used;
    end
  endtask

  task random_op;
    integer lane, e, pc, i;
    reg [Lanes-1:0] held;
    reg some, fills;
    begin
      random_warp;
      fills = Sets >= 16 && n < 700;  // a large table fills only where most reserve
      pc = 10 + pick(Sets < 16 ? 2 : 2 * Ways);
      op_pc = pc;
      some = pick(2);
      if (m_queued != 0 && pick(fills ? 8 : 2) == 1) begin
        idle;
        e = m_queue[0];
        run(TAKE);
        if (big_pc !== m_pc[e]) fail("take: pc");
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          if (big_mask[lane] !== (m_row[e*Lanes+lane] >= 0)) fail("take: mask");
          if (big_row[lane*RowWidth +: RowWidth] !==
              (big_mask[lane] ? m_row[e*Lanes+lane] : 0)) fail("take: row");
          if (big_mask[lane]) waiting[m_row[e*Lanes+lane]*Lanes+lane] = 0;
        end
        m_free(e);
        m_used = m_used - 1;
        m_queued = m_queued - 1;
        for (i = 0; i < m_queued; i = i + 1) m_queue[i] = m_queue[i+1];
        taken = taken + 1;
      end else if (pick(fills ? 64 : 8) == 0) begin
        m_leave(w_mask);
        run(LEAVE);
        if (count !== m_count) fail("leave: given up");
      end else if (fills ? pick(16) != 0 : pick(2)) begin
        all_or_none = some;
        i = m_used;
        m_reserve(pc, some);
        run(RESERVE);
        if (lanes !== m_lanes) fail("reserve: misses");
        if (count !== m_count) fail("reserve: entries");
        if (m_lanes != 0) misses = misses + 1;
        if (some && m_lanes != 0) all_missed = all_missed + 1;
        if (w_mask != 0 && m_lanes == 0 && m_used == i) merges = merges + 1;
      end else begin
        if (pick(3)) warp_of_entry;
        pc = op_pc;
        for (lane = 0; lane < Lanes; lane = lane + 1)
          held[lane] = w_mask[lane] && holder(w_row[lane], lane, pc) >= 0;
        run(HELD);
        if (lanes !== held) fail("held");
        if (some && pick(2)) held = held & $random(seed);
        i = m_queued;
        m_reach(held, pc);
        op_mask = held;
        run(REACH);
        if (m_queued > i + 1) together = together + 1;
      end
      check;
      idle;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (big_used !== 0 || big_complete !== 0 || big_done !== 0) fail("after reset");
    figure8;
    m_complete = 0;
    m_queued = 0;
    m_used = 0;
    waiting = 0;
    for (n = 0; n < Entries; n = n + 1) m_free(n);
    for (n = 0; n < (Sets < 16 ? 3000 : 1400); n = n + 1) random_op;
    if (misses < 100 || all_missed < 100 || merges < (Sets < 16 ? 100 : 30) || taken < (Sets < 16 ? 100 : 30) || (Sets < 16 && together < 5) ||
        fullest != Entries) begin
      $display("%0d misses, %0d of all, %0d merges, %0d taken, %0d together, %0d entries", misses, all_missed, merges,
               taken, together, fullest);
      fail("coverage");
    end
    $display("PASS barrier_table: %0d ops, at most %0d clocks; %0d with misses, %0d warps reborn",
             ops, longest + 1, misses, taken);
    $finish;
  end
endmodule
`default_nettype wire
