// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What warp_pool must do, held against a pool that is written down slot by slot: every warp with
// its threads and its entry, every pc's open warp, the tags that the search before the block needs.
// Who joins, what is freed and which pc goes first follow from counting there.
module warp_pool_formal #(
  parameter int Lanes = 2,
  parameter int Entries = 2,
  parameter int Slots = 3,
  parameter int PcWidth = 2,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 16 + Entries,  // clocks that any design may take for an op, and to be done with it
  localparam int EntryWidth = simt_pkg::idx_width(Entries),
  localparam int SlotWidth = simt_pkg::idx_width(Slots)
) (
  input wire                  clk_i,
  input wire                  rst_ni,
  input wire                  op_valid_i,
  input wire [1:0]            op_kind_i,
  input wire [Lanes-1:0]      op_mask_i,
  input wire [SlotWidth-1:0]  op_slot_i,
  input wire [PcWidth-1:0]    op_pc_i,
  input wire                  op_closed_i,
  input wire [Entries-1:0]    op_ready_i
);

  localparam logic [1:0] ENTER = 2'd0, ISSUE = 2'd1, SELECT = 2'd2;
  localparam int Threads = Slots * Lanes;
  localparam int CountWidth = simt_pkg::idx_width(Threads + 1);
  localparam int WordWidth = CountWidth + SlotWidth + Lanes;

  logic                  op_ready, op_hit, done_valid, alone, found, freed;
  logic [EntryWidth-1:0] op_entry, entry;
  logic [Lanes-1:0]      join_lanes;
  logic [SlotWidth-1:0]  slot;

  warp_pool #(.Lanes(Lanes), .Entries(Entries), .Slots(Slots), .Threads(Threads), .PcWidth(PcWidth)) dut (
    .op_ready_o  (op_ready),
    .op_hit_i    (op_hit),
    .op_entry_i  (op_entry),
    .done_valid_o(done_valid),
    .res_join_o  (join_lanes),
    .res_slot_o  (slot),
    .res_alone_o (alone),
    .res_entry_o (entry),
    .res_found_o (found),
    .res_freed_o (freed),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- The pool, between ops --------------------------------------------------------------------

  logic [Slots-1:0]            live_q, live_d;
  logic [Slots*Lanes-1:0]      masks_q, masks_d;
  logic [Slots*EntryWidth-1:0] homes_q, homes_d;     // entries of the warps
  logic [Entries-1:0]          tagged_q, tagged_d;
  logic [Entries*PcWidth-1:0]  tags_q, tags_d;
  logic [Entries-1:0]          open_q, open_d;
  logic [Entries*SlotWidth-1:0] openings_q, openings_d;
  logic                        kept_q, kept_d;
  logic [EntryWidth-1:0]       majority_q, majority_d;
  logic                        taken;

  assign taken = op_valid_i && op_ready;

  // The search.
  always_comb begin
    op_hit = 1'b0;
    op_entry = '0;
    if (op_kind_i == ISSUE) op_entry = homes_q[op_slot_i*EntryWidth +: EntryWidth];
    for (int e = 0; e < Entries; e++) begin
      if (op_kind_i == ENTER && tagged_q[e] && tags_q[e*PcWidth +: PcWidth] == op_pc_i) begin
        op_hit = 1'b1;
        op_entry = EntryWidth'(e);
      end
    end
  end

  // Threads of each entry.
  logic [Entries*CountWidth-1:0] threads;
  always_comb begin
    threads = '0;
    for (int e = 0; e < Entries; e++) begin
      for (int s = 0; s < Slots; s++) begin
        if (live_q[s] && 32'(homes_q[s*EntryWidth +: EntryWidth]) == e)
          threads[e*CountWidth +: CountWidth] = threads[e*CountWidth +: CountWidth] +
                                                CountWidth'($countones(masks_q[s*Lanes +: Lanes]));
      end
    end
  end

  // --- What an op does --------------------------------------------------------------------------

  logic [SlotWidth-1:0]  opening;  // the open warp of the op's entry, if there is one
  logic [Lanes-1:0]      opening_mask, joins, stay;
  logic                  due_alone, due_found, due_freed, wins;
  logic [EntryWidth-1:0] due_entry;

  always_comb begin : spec
    live_d = live_q;
    masks_d = masks_q;
    homes_d = homes_q;
    tagged_d = tagged_q;
    tags_d = tags_q;
    open_d = open_q;
    openings_d = openings_q;
    kept_d = kept_q;
    majority_d = majority_q;
    {due_alone, due_found, due_freed, wins} = 4'b0000;
    due_entry = op_entry;
    opening = openings_q[op_entry*SlotWidth +: SlotWidth];
    opening_mask = masks_q[opening*Lanes +: Lanes];
    joins = op_hit && !op_closed_i && open_q[op_entry] ? op_mask_i & ~opening_mask : '0;
    stay = op_mask_i & ~joins;
    case (op_kind_i)
      ENTER: begin
        if (!op_hit) begin
          due_alone = tagged_q == '1;
          for (int e = Entries - 1; e >= 0; e--) if (!tagged_q[e]) due_entry = EntryWidth'(e);
        end
        if (!due_alone) begin
          masks_d[opening*Lanes +: Lanes] = opening_mask | joins;
          if (joins != '0 && (opening_mask | joins) == '1) open_d[due_entry] = 1'b0;
          tagged_d[due_entry] = 1'b1;
          tags_d[due_entry*PcWidth +: PcWidth] = op_pc_i;
          if (stay != '0) begin
            live_d[op_slot_i] = 1'b1;
            masks_d[op_slot_i*Lanes +: Lanes] = stay;
            homes_d[op_slot_i*EntryWidth +: EntryWidth] = due_entry;
            if (!op_closed_i && stay != '1) begin
              open_d[due_entry] = 1'b1;
              openings_d[due_entry*SlotWidth +: SlotWidth] = op_slot_i;
            end
          end
        end
      end
      ISSUE: begin
        live_d[op_slot_i] = 1'b0;
        if (opening == op_slot_i) open_d[op_entry] = 1'b0;
        due_freed = 1'b1;
        for (int s = 0; s < Slots; s++) begin
          if (live_d[s] && homes_q[s*EntryWidth +: EntryWidth] == op_entry) due_freed = 1'b0;
        end
        if (due_freed) begin
          tagged_d[op_entry] = 1'b0;
          kept_d = kept_q && majority_q != op_entry;
        end
      end
      default: begin
        // The majority as it is while it has a ready warp; else the most threads, then the lowest pc.
        due_found = (tagged_q & op_ready_i) != '0;
        due_entry = majority_q;
        if (due_found && !(kept_q && op_ready_i[majority_q])) begin
          for (int e = 0; e < Entries; e++) begin
            wins = tagged_q[e] && op_ready_i[e];
            for (int o = 0; o < Entries; o++) begin
              if (o != e && tagged_q[o] && op_ready_i[o] &&
                  (threads[o*CountWidth +: CountWidth] > threads[e*CountWidth +: CountWidth] ||
                   (threads[o*CountWidth +: CountWidth] == threads[e*CountWidth +: CountWidth] &&
                    tags_q[o*PcWidth +: PcWidth] < tags_q[e*PcWidth +: PcWidth]))) wins = 1'b0;
            end
            if (wins) due_entry = EntryWidth'(e);
          end
          kept_d = 1'b1;
          majority_d = due_entry;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= '0;
      tagged_q <= '0;
      open_q <= '0;
      kept_q <= 1'b0;
    end else if (taken) begin
      live_q <= live_d;
      tagged_q <= tagged_d;
      open_q <= open_d;
      kept_q <= kept_d;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) {masks_q, homes_q, tags_q, openings_q, majority_q} <=
               {masks_d, homes_d, tags_d, openings_d, majority_d};
  end

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 2 + Lanes + SlotWidth + PcWidth + 1 + Entries;
  logic [OpWidth-1:0] op;
  logic [1:0]         kind_q;

  assign op = {op_kind_i, op_mask_i, op_slot_i, op_pc_i, op_closed_i, op_ready_i};
  `include "shared/one_operation.svh"

  assign kind_q = op_q[OpWidth-1 -: 2];

  `ASSUME(KindExists, op_kind_i <= SELECT)
  `ASSUME(SlotExists, 32'(op_slot_i) < Slots)
  `ASSUME(EntersSomething, op_kind_i != ENTER || (op_mask_i != '0 && !live_q[op_slot_i]))
  `ASSUME(IssuesAWarp, op_kind_i != ISSUE || (live_q[op_slot_i] &&
                       op_mask_i == masks_q[op_slot_i*Lanes +: Lanes]))

  // --- Results ----------------------------------------------------------------------------------

  logic [Lanes-1:0]      joins_q;
  logic [SlotWidth-1:0]  opening_q;
  logic                  alone_q, found_q, freed_q;
  logic [EntryWidth-1:0] entry_q;
  always_ff @(posedge clk_i) begin
    if (taken) {joins_q, opening_q, alone_q, found_q, freed_q, entry_q} <=
               {joins, opening, due_alone, due_found, due_freed, due_entry};
  end

  `ASSERT(Joins, !done_valid || kind_q != ENTER || (join_lanes == joins_q &&
                 (joins_q == '0 || slot == opening_q)))
  `ASSERT(Alone, !done_valid || kind_q != ENTER || alone == alone_q)
  `ASSERT(Entry, !done_valid || kind_q != ENTER || alone_q || entry == entry_q)
  `ASSERT(Frees, !done_valid || freed == (kind_q == ISSUE && freed_q))
  `ASSERT(Chooses, !done_valid || kind_q != SELECT || (found == found_q && (!found_q || entry == entry_q)))

  `COVER(FullTable, done_valid && kind_q == ENTER && alone)
  `COVER(SomeJoinSomeStay, done_valid && kind_q == ENTER && join_lanes != '0 && join_lanes != op_q[OpWidth-3 -: Lanes])
  `COVER(HigherEntryGoesFirst, done_valid && kind_q == SELECT && found && entry != '0 && op_q[0] && tagged_q[0])

  localparam int OutWidth = Lanes + SlotWidth + EntryWidth + 3;
  logic [OutWidth-1:0] outs;
  assign outs = {join_lanes, slot, entry, alone, found, freed};
  `include "shared/outputs_stay.svh"

  // Clocks: of enter and issue one, of a selection one more for each entry that it looks at.
  logic [EntryWidth+1:0] clocks_q, due_clocks;
  always_ff @(posedge clk_i) clocks_q <= busy_q ? clocks_q + 1'b1 : '0;  // before this one
  always_comb begin
    due_clocks = '0;
    if (op_kind_i == SELECT && !(kept_q && op_ready_i[majority_q]))
      due_clocks = (EntryWidth + 2)'($countones(tagged_q & op_ready_i));
  end
  logic [EntryWidth+1:0] before;
  assign before = busy_q ? clocks_q + 1'b1 : '0;
  if (Equal) begin : gen_clocks
    `ASSERT(ClocksOfAnOp, !op_valid_i || op_ready == (before == due_clocks))
  end

`ifndef PORTS_ONLY
  // --- For the induction ------------------------------------------------------------------------

  (* hierconn *) wire [Entries-1:0] \dut.used_q ;
  (* hierconn *) wire [Entries*WordWidth-1:0] \dut.u_words.words ;
  (* hierconn *) wire [Entries*PcWidth-1:0] \dut.u_pcs.words ;
  (* hierconn *) wire \dut.kept_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.majority_q ;
  (* hierconn *) wire \dut.scan_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.at_q ;
  (* hierconn *) wire [Entries-1:0] \dut.rest_q ;
  (* hierconn *) wire \dut.best_valid_q ;
  (* hierconn *) wire [EntryWidth-1:0] \dut.best_q ;
  (* hierconn *) wire [CountWidth-1:0] \dut.best_threads_q ;
  (* hierconn *) wire [PcWidth-1:0] \dut.best_pc_q ;

  logic words_fit, tags_differ, warps_fit, best_fits;
  logic [Entries-1:0] has_warp, seen;

  always_comb begin : fits
    logic [CountWidth-1:0] of_word;
    logic [SlotWidth-1:0]  word_slot, at;
    logic [Lanes-1:0]      word_lanes;
    {words_fit, tags_differ, warps_fit} = 3'b111;
    has_warp = '0;
    for (int s = 0; s < Slots; s++) begin
      if (live_q[s]) begin
        has_warp[homes_q[s*EntryWidth +: EntryWidth]] = 1'b1;
        if (masks_q[s*Lanes +: Lanes] == '0 || 32'(homes_q[s*EntryWidth +: EntryWidth]) >= Entries)
          warps_fit = 1'b0;
      end
    end
    for (int e = 0; e < Entries; e++) begin
      {of_word, word_slot, word_lanes} = \dut.u_words.words [e*WordWidth +: WordWidth];
      at = openings_q[e*SlotWidth +: SlotWidth];
      if (tagged_q[e]) begin
        if (of_word != threads[e*CountWidth +: CountWidth] ||
            \dut.u_pcs.words [e*PcWidth +: PcWidth] != tags_q[e*PcWidth +: PcWidth] ||
            word_lanes != (open_q[e] ? masks_q[at*Lanes +: Lanes] : '0) ||
            (open_q[e] && word_slot != at)) words_fit = 1'b0;
        if (open_q[e] && (32'(at) >= Slots || !live_q[at] || word_lanes == '1 ||
                          32'(homes_q[at*EntryWidth +: EntryWidth]) != e)) warps_fit = 1'b0;
      end else if (open_q[e]) warps_fit = 1'b0;
      for (int o = 0; o < e; o++) begin
        if (tagged_q[e] && tagged_q[o] &&
            tags_q[e*PcWidth +: PcWidth] == tags_q[o*PcWidth +: PcWidth]) tags_differ = 1'b0;
      end
    end
  end

  `ASSERT(WordsFit, words_fit && \dut.used_q == tagged_q)
  `ASSERT(TagsDiffer, tags_differ)
  `ASSERT(WarpsFit, warps_fit && has_warp == tagged_q)
  `ASSERT(MajorityIsKept, \dut.kept_q == kept_q && (!kept_q ||
                          (\dut.majority_q == majority_q && tagged_q[majority_q])))

  // A selection on its way has seen the entries that are neither its place nor after.
  always_comb begin
    seen = tagged_q & op_ready_i & ~\dut.rest_q ;
    seen[\dut.at_q ] = 1'b0;
    best_fits = \dut.best_valid_q == (seen != '0) && (seen == '0 || seen[\dut.best_q ]);
    for (int e = 0; e < Entries; e++) begin
      if (seen[e] && (threads[e*CountWidth +: CountWidth] > \dut.best_threads_q ||
                      (threads[e*CountWidth +: CountWidth] == \dut.best_threads_q &&
                       tags_q[e*PcWidth +: PcWidth] < \dut.best_pc_q ))) best_fits = 1'b0;
      if (seen[e] && 32'(\dut.best_q ) == e &&
          (threads[e*CountWidth +: CountWidth] != \dut.best_threads_q ||
           tags_q[e*PcWidth +: PcWidth] != \dut.best_pc_q )) best_fits = 1'b0;
    end
  end

  `ASSERT(SelectsInAnOp, \dut.scan_q == busy_q && (!busy_q || kind_q == SELECT))
  `ASSERT(RestIsReady, !busy_q || ((\dut.rest_q & ~(tagged_q & op_ready_i)) == '0 &&
                                   !\dut.rest_q [\dut.at_q ] && tagged_q[\dut.at_q ] &&
                                   op_ready_i[\dut.at_q ]))
  `ASSERT(BestOfThoseSeen, !busy_q || best_fits)
  `ASSERT(NotKeptWhileSelecting, !busy_q || !(kept_q && op_ready_i[majority_q]))
  `ASSERT(ClocksSoFar, !busy_q || before == (EntryWidth + 2)'(1) + (EntryWidth + 2)'($countones(seen)))
`endif

endmodule

`default_nettype wire
