// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of waiting_lookup: random warps issue and complete memory operations, against a
// plain list of entries.
`default_nettype none

module waiting_lookup_tb #(
  parameter int Lanes = 16,
  parameter int Entries = 8,
  parameter int Rows = 48,
  parameter int PcWidth = 16,
  parameter int Equal = 1
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), UsedWidth = simt_pkg::idx_width(Entries + 1);
  localparam int EntryWidth = simt_pkg::idx_width(Entries);
  localparam logic ISSUE = 0, COMPLETE = 1;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0, op_kind;
  logic [Lanes-1:0] op_mask;
  logic [Lanes*RowWidth-1:0] op_row;
  logic [PcWidth-1:0] op_pc;
  logic [EntryWidth-1:0] op_entry;
  wire ready, done, merged, full, last;
  wire [EntryWidth-1:0] entry;
  wire [UsedWidth-1:0] used;
  wire [Lanes-1:0] mask;
  wire [Lanes*RowWidth-1:0] row;
  wire [PcWidth-1:0] pc;

  waiting_lookup #(.Lanes(Lanes), .Entries(Entries), .Rows(Rows), .PcWidth(PcWidth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .op_valid_i(op_valid), .op_ready_o(ready), .op_kind_i(op_kind),
    .op_mask_i(op_mask), .op_row_i(op_row), .op_pc_i(op_pc), .op_entry_i(op_entry),
    .done_valid_o(done), .res_merged_o(merged), .res_full_o(full), .res_entry_o(entry),
    .res_last_o(last), .used_o(used), .warp_mask_o(mask), .warp_row_o(row), .warp_pc_o(pc));

  integer seed = 1, ops = 0, clocks;

  `include "shared/bench.svh"

  localparam int Limit = 2;
  `include "shared/one_operation.svh"

  task idle;
    begin
      op_kind = 'x; op_mask = 'x; op_row = 'x; op_pc = 'x; op_entry = 'x;
      pause;
    end
  endtask

  // --- The model: entries as the rows of their lanes, -1 where a lane is free -------------------

  integer m_row [0:Entries*Lanes-1], m_pc [0:Entries-1], m_flights [0:Entries-1];
  reg [Rows-1:0] rows_seen = 0;        // of threads that left
  reg [Entries-1:0] entries_seen = 0;  // that had warps
  integer m_used = 0, merges = 0, refused = 0, together = 0;

  task issue;
    integer e, l, into;
    reg fits, joins;
    begin
      into = -1;
      joins = 0;
      for (e = Entries - 1; e >= 0; e = e - 1) if (m_flights[e] == 0) into = e;
      for (e = Entries - 1; e >= 0; e = e - 1) begin
        fits = m_flights[e] != 0 && m_pc[e] == op_pc;
        for (l = 0; l < Lanes; l = l + 1) if (op_mask[l] && m_row[e*Lanes+l] >= 0) fits = 0;
        if (fits) {into, joins} = {e, 1'b1};
      end
      run(ISSUE);
      if (Equal != 0 && clocks != 2) fail("issue: clocks");
      if (full !== (into < 0)) fail("issue: full");
      if (merged !== joins) fail("issue: merged");
      if (into < 0) refused = refused + 1;
      else begin
        if (entry !== into) fail("issue: entry");
        merges = merges + joins;
        entries_seen[into] = 1;
        if (!joins) m_used = m_used + 1;
        m_pc[into] = op_pc;
        m_flights[into] = m_flights[into] + 1;
        for (l = 0; l < Lanes; l = l + 1) begin
          if (op_mask[l]) m_row[into*Lanes+l] = op_row[l*RowWidth +: RowWidth];
        end
      end
    end
  endtask

  task complete(input integer e);
    integer l;
    begin
      op_entry = e;
      run(COMPLETE);
      if (Equal != 0 && clocks != 1) fail("complete: clocks");
      if (last !== (m_flights[e] == 1)) fail("complete: last");
      if (pc !== m_pc[e]) fail("complete: pc");
      for (l = 0; l < Lanes; l = l + 1) begin
        if (mask[l] !== (m_row[e*Lanes+l] >= 0)) fail("complete: mask");
        if (mask[l]) rows_seen[row[l*RowWidth +: RowWidth]] = 1;
        if (row[l*RowWidth +: RowWidth] !== (mask[l] ? m_row[e*Lanes+l] : 0)) fail("complete: row");
      end
      if (m_flights[e] == 1) begin
        m_used = m_used - 1;
        if (mask == {Lanes{1'b1}}) together = together + 1;
        for (l = 0; l < Lanes; l = l + 1) m_row[e*Lanes+l] = -1;
      end
      m_flights[e] = m_flights[e] - 1;
    end
  endtask

  task random_op;
    integer e, l;
    begin
      e = pick(Entries);
      if (m_flights[e] != 0 && pick(3 + Lanes / 4) == 0) complete(e);
      else begin
        // One lane now and then: as many warps as there are lanes come together.
        op_mask = pick(2) ? $random(seed) & $random(seed) : 0;
        if (op_mask == 0) op_mask = 1 << pick(Lanes);
        op_pc = 7 + pick(Entries / 2 + 2);
        for (l = 0; l < Lanes; l = l + 1)
          op_row[l*RowWidth +: RowWidth] = op_mask[l] ? pick(Rows) : 'x;
        issue;
      end
      if (used !== m_used) fail("used");
      idle;
    end
  endtask

  integer n;
  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1;
    if (used !== 0 || done !== 0) fail("after reset");
    for (n = 0; n < Entries; n = n + 1) m_flights[n] = 0;
    for (n = 0; n < Entries * Lanes; n = n + 1) m_row[n] = -1;
    for (n = 0; n < 4000; n = n + 1) random_op;
    if (merges < 100 || refused < 100 || together < 20 || rows_seen !== {Rows{1'b1}} ||
        entries_seen !== {Entries{1'b1}}) fail("coverage");
    $display("PASS waiting_lookup: %0d ops; %0d merged, %0d found it full, %0d full warps went on",
             ops, merges, refused, together);
    $finish;
  end

endmodule

`default_nettype wire
