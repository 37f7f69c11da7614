// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of split_table: rows divide, their splits move, meet and leave at random, against a plain list.
`default_nettype none

module split_table_tb #(
  parameter int Lanes = 32,
  parameter int Entries = 16,
  parameter int Rows = 32,
  parameter int PcWidth = 16,
  parameter int PointWidth = 6,
  parameter int Operations = 20000,
  parameter int Equal = 1
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), EntryWidth = simt_pkg::idx_width(Entries);
  localparam int UsedWidth = simt_pkg::idx_width(Entries + 1);
  localparam logic [2:0] ROOM = 0, ENTER = 1, MOVE = 2, LEAVE = 3, MEET = 4;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, op_own, op_stands;
  logic [2:0] op_kind;
  logic [RowWidth-1:0] op_row;
  logic [EntryWidth-1:0] op_entry;
  logic [PcWidth-1:0] op_pc;
  logic [PointWidth-1:0] op_point;
  logic [Lanes-1:0] op_mask;
  wire ready, done, ok;
  wire [EntryWidth-1:0] entry;
  wire [Lanes-1:0] mask;
  wire [UsedWidth-1:0] left, used;

  split_table #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth), .PointWidth(PointWidth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind),
    .op_row_i(op_row), .op_entry_i(op_entry), .op_own_i(op_own), .op_pc_i(op_pc), .op_point_i(op_point),
    .op_mask_i(op_mask), .op_stands_i(op_stands), .done_valid_o(done), .res_ok_o(ok), .res_entry_o(entry),
    .res_mask_o(mask), .res_left_o(left), .used_o(used));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 2;
  `include "shared/one_operation.svh"

  // --- The list: -1 where an entry is free --------------------------------------------------------

  integer m_row [0:Entries-1];
  reg [PcWidth-1:0] m_pc [0:Entries-1];
  reg [PointWidth-1:0] m_point [0:Entries-1];
  reg [Lanes-1:0] m_mask [0:Entries-1];
  reg m_stands [0:Entries-1];
  integer m_used = 0, no_room = 0, no_room_for_two = 0, refused = 0, joined = 0, missed = 0;
  reg [Entries-1:0] entries_seen = 0, joined_at = 0;
  reg [Rows-1:0] rows_seen = 0;

  function integer count(input integer row);
    integer e;
    begin
      count = 0;
      for (e = 0; e < Entries; e = e + 1) if (m_row[e] == row) count = count + 1;
    end
  endfunction

  task idle;
    begin
      {op_kind, op_row, op_entry, op_own, op_pc, op_point, op_mask, op_stands} = 'x;
      pause;
    end
  endtask

  // A few pcs and points, of any bits, so that splits meet and nearly meet.
  task any_split;
    begin
      op_pc = pick(2) ? 1 << pick(PcWidth) : pick(2);
      op_point = pick(3) ? 0 : 1 << pick(PointWidth);
      op_mask = $random(seed) | 1 << pick(Lanes);
      op_stands = pick(4) != 0;
    end
  endtask

  task room(input integer row);
    reg expected;
    begin
      op_row = row;
      run(ROOM);
      expected = m_used + (count(row) == 0 ? 2 : 1) <= Entries;
      if (ok !== expected) fail("room");
      if (!ok) no_room = no_room + 1;
      if (!ok && m_used < Entries) no_room_for_two = no_room_for_two + 1;
    end
  endtask

  task enter(input integer row);
    integer e, into;
    begin
      into = -1;
      for (e = Entries - 1; e >= 0; e = e - 1) if (m_row[e] < 0) into = e;
      op_row = row;
      any_split;
      run(ENTER);
      if (ok !== (into >= 0)) fail("enter: ok");
      if (into < 0) refused = refused + 1;
      else begin
        if (entry !== into) fail("enter: entry");
        {m_row[into], m_pc[into], m_point[into], m_mask[into], m_stands[into]} = {row, op_pc, op_point, op_mask, op_stands};
        m_used = m_used + 1;
        entries_seen[into] = 1;
        rows_seen[row] = 1;
      end
    end
  endtask

  task move(input integer e);
    begin
      op_row = m_row[e];
      op_entry = e;
      any_split;
      run(MOVE);
      {m_pc[e], m_point[e], m_mask[e], m_stands[e]} = {op_pc, op_point, op_mask, op_stands};
    end
  endtask

  task leave(input integer e);
    begin
      op_row = m_row[e];
      op_entry = e;
      run(LEAVE);
      m_row[e] = -1;
      m_used = m_used - 1;
    end
  endtask

  // A split of the row, in entry `own` if there is one, comes to where another is, or nearly.
  task meet(input integer row, input integer own);
    integer e, at;
    begin
      op_row = row;
      op_own = own >= 0;
      if (own >= 0) op_entry = own;
      any_split;
      op_stands = 'x;
      e = pick(Entries);
      if (m_row[e] >= 0) {op_pc, op_point} = {m_pc[e], m_point[e]};
      if (m_row[e] >= 0 && own < 0) op_row = m_row[e];
      if (pick(8) == 0) op_pc[pick(PcWidth)] = ~op_pc[0];
      at = -1;
      for (e = Entries - 1; e >= 0; e = e - 1) begin
        if (e != own && m_row[e] == op_row && m_stands[e] && m_pc[e] == op_pc && m_point[e] == op_point) at = e;
      end
      run(MEET);
      if (Equal != 0 && clocks != 2) fail("meet: clocks");
      if (ok !== (at >= 0)) fail("meet: ok");
      if (at < 0) missed = missed + 1;
      else begin
        if (entry !== at) fail("meet: entry");
        m_mask[at] = m_mask[at] | op_mask;
        if (mask !== m_mask[at]) fail("meet: mask");
        joined = joined + 1;
        joined_at[at] = 1;
        if (own >= 0) begin
          m_row[own] = -1;
          m_used = m_used - 1;
        end
      end
    end
  endtask

  task random_op;
    integer e, row;
    begin
      e = pick(Entries);
      row = pick(4) ? pick(Rows) : pick(2);
      op_row = row;
      case (pick(8))
        0, 1, 2: enter(row);
        3: room(row);
        4: if (m_row[e] >= 0) move(e); else room(row);
        5: if (m_row[e] >= 0 && pick(2)) leave(e); else room(row);
        default: begin
          if (m_row[e] >= 0 && pick(2)) meet(m_row[e], e);
          else meet(row, -1);
        end
      endcase
      if (used !== m_used) fail("used");
      if (left !== count(op_row)) fail("left");
      idle;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (used !== 0 || done !== 0) fail("after reset");
    for (n = 0; n < Entries; n = n + 1) m_row[n] = -1;
    for (n = 0; n < Operations; n = n + 1) random_op;
    if (no_room < 50 || no_room_for_two < 10 || refused < 50 || joined < 100 || missed < 100 ||
        entries_seen !== {Entries{1'b1}} || joined_at !== {Entries{1'b1}} || rows_seen !== {Rows{1'b1}})
      fail("coverage");
    $display("PASS split_table: %0d ops; %0d joined, %0d found nobody, %0d without room, %0d refused",
             ops, joined, missed, no_room, refused);
    $finish;
  end

endmodule

`default_nettype wire
