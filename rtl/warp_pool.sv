// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// Warp formation of dynamic warp formation, and its majority policy (TBC 2.3, HARP 2.2): threads
// that come back from the pipeline join the open warp of their pc where their lanes are free, the
// rest become the open warp; of the pcs that have a ready warp the one with the most threads goes
// first, and is kept until none of its warps is ready. Twin: models/divergence/parts/warp_pool.
//
// The warp lookup table has an entry for each pc that has warps in the pool. It is searched by pc,
// which takes a CAM, as hundreds of comparators are too many: the search is a step before this
// block, whose result comes with the op (op_hit_i, op_entry_i); tags are written by enter without a
// hit at res_entry_o, and freed where res_freed_o says so. The table's words are RAMs here, one of
// the pcs and one of thread count, open warp and the lanes that it takes (none: there is no open
// warp). In flip-flops: which entries are in use, the majority, and a selection on its way. The pool
// itself, pc and rows of each warp, lies outside: res_join_o and res_slot_o say where those that
// join are written.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. In that clock and until the next op is there, the outputs are its results.
// Clocks: enter and issue 1; select 1 if the majority is kept or nothing is ready, else 1 more for
// each ready entry.
module warp_pool #(
  parameter int Lanes = 32,
  parameter int Entries = 256,  // of the lookup table
  parameter int Slots = 1024,   // of the core's warp buffer
  parameter int Threads = 1024, // of the core
  parameter int PcWidth = 16,
  localparam int EntryWidth = simt_pkg::idx_width(Entries),
  localparam int SlotWidth = simt_pkg::idx_width(Slots)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [1:0]            op_kind_i,    // ENTER ...
  input  wire  [Lanes-1:0]      op_mask_i,    // enter: the threads; issue: the warp's
  input  wire  [SlotWidth-1:0]  op_slot_i,    // enter: of those that do not join; issue: the warp's
  input  wire  [PcWidth-1:0]    op_pc_i,      // enter
  input  wire                   op_hit_i,     // enter: the table has the pc
  input  wire  [EntryWidth-1:0] op_entry_i,   // of it; issue: the warp's
  input  wire                   op_closed_i,  // enter: they join nobody, nor does anybody join them
  input  wire  [Entries-1:0]    op_ready_i,   // select: entries that have a ready warp

  output logic                  done_valid_o,
  output logic [Lanes-1:0]      res_join_o,   // enter: those that have joined a warp
  output logic [SlotWidth-1:0]  res_slot_o,   // which one, if any
  output logic                  res_alone_o,  // enter: the table is full: not looked up, not counted
  output logic [EntryWidth-1:0] res_entry_o,  // enter: of their pc, unless alone; select: the choice
  output logic                  res_found_o,  // select: an entry has a ready warp
  output logic                  res_freed_o   // issue: the entry is free now
);

  localparam logic [1:0] ENTER = 2'd0, ISSUE = 2'd1, SELECT = 2'd2;
  localparam int CountWidth = simt_pkg::idx_width(Threads + 1);
  localparam int LaneCountWidth = simt_pkg::idx_width(Lanes + 1);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Entries >= 1 && Slots >= 1 && Threads >= Lanes && PcWidth >= 1)

  typedef struct packed {
    logic [CountWidth-1:0] threads;
    logic [SlotWidth-1:0]  slot;
    logic [Lanes-1:0]      lanes;
  } word_t;

  logic [Entries-1:0]    used_q, used_d;
  logic                  kept_q, kept_d;          // the majority is chosen
  logic [EntryWidth-1:0] majority_q, majority_d;
  logic                  scan_q, scan_d;          // a selection goes from entry to entry
  logic [EntryWidth-1:0] at_q, at_d;              // where it is
  logic                  last_q, last_d;          // which is the last one
  logic [Entries-1:0]    rest_q, rest_d;          // those after
  logic                  best_valid_q, best_valid_d;
  logic [EntryWidth-1:0] best_q, best_d;          // of those that it has
  logic [CountWidth-1:0] best_threads_q, best_threads_d;
  logic [PcWidth-1:0]    best_pc_q, best_pc_d;
  logic                  done_q;
  logic [Lanes-1:0]      res_join_q, res_join_d;
  logic [SlotWidth-1:0]  res_slot_q, res_slot_d;
  logic                  res_alone_q, res_alone_d;
  logic [EntryWidth-1:0] res_entry_q, res_entry_d;
  logic                  res_found_q, res_found_d;
  logic                  res_freed_q, res_freed_d;

  // --- The words of the lookup table ------------------------------------------------------------

  word_t                 word, word_d;
  logic [PcWidth-1:0]    pc;
  logic                  write_word, write_pc;
  logic [EntryWidth-1:0] read_entry, write_entry;

  ram_1r1w #(.Width(CountWidth + SlotWidth + Lanes), .Depth(Entries)) u_words (
    .clk_i,
    .write_en_i(write_word),
    .write_addr_i(write_entry),
    .write_data_i(word_d),
    .read_addr_i(read_entry),
    .read_data_o(word)
  );

  ram_1r1w #(.Width(PcWidth), .Depth(Entries)) u_pcs (
    .clk_i,
    .write_en_i(write_pc),
    .write_addr_i(write_entry),
    .write_data_i(op_pc_i),
    .read_addr_i(read_entry),
    .read_data_o(pc)
  );

  // --- Which entry: the lowest that is free, the next of a selection ----------------------------

  logic [EntryWidth-1:0] free_entry, next_entry;
  logic                  any_free, any_next, many_next, unused_many_free;
  logic [Entries-1:0]    to_see, lower_next, unused_lower_free;

  lane_priority #(.Lanes(1), .Rows(Entries)) u_free (
    .threads_i(~used_q),
    .lower_o(unused_lower_free),
    .any_o(any_free),
    .many_o(unused_many_free),
    .row_o(free_entry)
  );
  lane_priority #(.Lanes(1), .Rows(Entries)) u_next (
    .threads_i(to_see),
    .lower_o(lower_next),
    .any_o(any_next),
    .many_o(many_next),
    .row_o(next_entry)
  );

  assign to_see = scan_q ? rest_q : used_q & op_ready_i;
  assign read_entry = op_kind_i == SELECT ? at_q : op_entry_i;

  // --- Enter and issue --------------------------------------------------------------------------

  logic                      enter, issue, select, allocates, leaves_none;
  logic [Lanes-1:0]          joins, stay, filled;
  logic [LaneCountWidth-1:0] op_threads;
  logic [CountWidth-1:0]     more, fewer;

  assign enter = op_valid_i && op_kind_i == ENTER;
  assign issue = op_valid_i && op_kind_i == ISSUE;
  assign select = op_valid_i && op_kind_i == SELECT;

  // Threads of the op, counted in a tree: node 1 is the root, lane l is Leaves+l.
  localparam int Leaves = 1 << simt_pkg::idx_width(Lanes);
  for (genvar n = 2 * Leaves - 1; n > 0; n--) begin : gen_count
    logic [LaneCountWidth-1:0] threads;
    if (n < Leaves) assign threads = gen_count[2*n].threads + gen_count[2*n+1].threads;
    else if (n < Leaves + Lanes) assign threads = LaneCountWidth'(op_mask_i[n-Leaves]);
    else assign threads = '0;
  end
  assign op_threads = gen_count[1].threads;
  assign more = word.threads + CountWidth'(op_threads);
  assign fewer = word.threads - CountWidth'(op_threads);
  assign leaves_none = issue && word.threads == CountWidth'(op_threads);

  // Without an open warp nobody joins: all lanes of the word are off then.
  assign joins = op_hit_i && !op_closed_i && word.lanes != '0
                     ? op_mask_i & ~word.lanes : '0;  // seeded-bug: ? op_mask_i : '0;
  assign stay = op_mask_i & ~joins;
  assign filled = word.lanes | joins;
  assign allocates = enter && !op_hit_i && any_free;

  assign write_word = allocates || (enter && op_hit_i) || issue;
  assign write_pc = allocates;
  assign write_entry = allocates ? free_entry : op_entry_i;

  always_comb begin : next_word
    word_d = word;
    if (issue) begin
      word_d.threads = fewer;
      if (word.slot == op_slot_i) word_d.lanes = '0;
    end else begin
      word_d.threads = op_hit_i ? more : CountWidth'(op_threads);
      word_d.lanes = op_hit_i && filled != '1 ? filled : '0;  // a full warp is closed
      if (!op_closed_i && stay != '0 && stay != '1) begin
        word_d.lanes = stay;
        word_d.slot = op_slot_i;
      end
    end
  end

  // --- Select -----------------------------------------------------------------------------------

  logic keeps, begins, better, last;

  assign keeps = kept_q && op_ready_i[majority_q];
  assign begins = select && !scan_q && !keeps && any_next;
  assign better = !best_valid_q || word.threads > best_threads_q ||
                  (word.threads == best_threads_q && pc < best_pc_q);
  assign last = scan_q && last_q;

  always_comb begin : selection
    scan_d = begins || (scan_q && !last_q);
    last_d = !many_next;
    at_d = next_entry;
    rest_d = to_see & lower_next;
    best_valid_d = scan_q;
    best_d = best_q;
    best_threads_d = best_threads_q;
    best_pc_d = best_pc_q;
    if (scan_q && better) begin
      best_d = at_q;
      best_threads_d = word.threads;
      best_pc_d = pc;
    end
  end

  // --- State and results ------------------------------------------------------------------------

  assign op_ready_o = op_valid_i && (scan_q ? last : !begins);

  always_comb begin : state
    used_d = used_q;
    if (allocates) used_d[free_entry] = 1'b1;
    if (leaves_none) used_d[op_entry_i] = 1'b0;
    kept_d = kept_q && !(leaves_none && majority_q == op_entry_i);
    majority_d = majority_q;
    if (last) begin
      kept_d = 1'b1;
      majority_d = best_d;
    end
    res_join_d = res_join_q;
    res_slot_d = res_slot_q;
    res_alone_d = res_alone_q;
    res_entry_d = res_entry_q;
    res_found_d = res_found_q;
    res_freed_d = res_freed_q;
    if (op_valid_i) begin
      res_join_d = enter ? joins : '0;
      res_slot_d = word.slot;
      res_alone_d = enter && !op_hit_i && !any_free;
      res_entry_d = select ? majority_d : write_entry;
      res_found_d = select && (keeps || last);
      res_freed_d = leaves_none;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      kept_q <= 1'b0;
      scan_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      used_q <= used_d;
      kept_q <= kept_d;
      scan_q <= scan_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end

  // Of no meaning before a selection or an op.
  always_ff @(posedge clk_i) begin
    majority_q <= majority_d;
    at_q <= at_d;
    last_q <= last_d;
    rest_q <= rest_d;
    best_valid_q <= best_valid_d;
    best_q <= best_d;
    best_threads_q <= best_threads_d;
    best_pc_q <= best_pc_d;
    res_join_q <= res_join_d;
    res_slot_q <= res_slot_d;
    res_alone_q <= res_alone_d;
    res_entry_q <= res_entry_d;
    res_found_q <= res_found_d;
    res_freed_q <= res_freed_d;
  end

  assign done_valid_o = done_q;
  assign res_join_o = res_join_q;
  assign res_slot_o = res_slot_q;
  assign res_alone_o = res_alone_q;
  assign res_entry_o = res_entry_q;
  assign res_found_o = res_found_q;
  assign res_freed_o = res_freed_q;

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= SELECT)
  `ASSERT(HasThreads, !(enter || issue) || op_mask_i != '0)
  `ASSERT(EntryIsUsed, !(issue || (enter && op_hit_i)) || used_q[op_entry_i])
  `ASSERT(IssuesWhatItHas, !issue || word.threads >= CountWidth'(op_threads))
  `ASSERT(MajorityIsUsed, !kept_q || used_q[majority_q])
  `ASSERT(ScansWhatIsUsed, !scan_q || (used_q[at_q] && (rest_q & ~used_q) == '0))
  `ASSERT(LastIsLast, !scan_q || last_q == (rest_q == '0))

endmodule

`default_nettype wire
