// SPDX-License-Identifier: Apache-2.0
// Part of barrier_table_formal, for designs of which only the ports are known: plain entries, which an op changes at once
// when it is taken, and the queue of those that are complete. What the block tells must follow from them.

  logic [Entries-1:0]                there_q, there_d, full_q, full_d;  // entries in use; complete
  logic [Entries*Lanes-1:0]          in_q, in_d, came_q, came_d;        // threads of each; that have reached
  logic [Entries*Lanes*RowWidth-1:0] of_q, of_d;                        // their rows
  logic [Entries*PcWidth-1:0]        at_q, at_d;
  logic [Entries*EntryWidth-1:0]     order_q, order_d;                  // the first to be taken lowest
  logic [UsedWidth-1:0]              waiting_q, waiting_d;
  logic [Lanes-1:0]                  lanes_d, lanes_q, out_mask_d, out_mask_q;
  logic [CountWidth-1:0]             count_d, count_q;
  logic [Lanes*RowWidth-1:0]         out_row_d, out_row_q;
  logic [PcWidth-1:0]                out_pc_d, out_pc_q;
  logic                              missed, all_hold, none_waits;

  always_comb begin : plain
    logic [Lanes-1:0] rest, group, here, need, homeless;
    logic             placed;
    {there_d, full_d, in_d, came_d, of_d, at_d} = {there_q, full_q, in_q, came_q, of_q, at_q};
    {order_d, waiting_d} = {order_q, waiting_q};
    {lanes_d, count_d, out_mask_d, out_row_d, out_pc_d, missed, placed} = '0;
    {group, here, need, homeless} = '0;
    all_hold = 1'b1;
    none_waits = 1'b1;
    if (op_kind_i == TAKE) begin
      for (int e = 0; e < Entries; e++) begin
        if (e == 32'(order_q[0 +: EntryWidth])) begin
          out_mask_d = in_q[e*Lanes +: Lanes];
          out_pc_d = at_q[e*PcWidth +: PcWidth];
          for (int l = 0; l < Lanes; l++) begin
            if (in_q[e*Lanes+l]) out_row_d[l*RowWidth +: RowWidth] = of_q[(e*Lanes+l)*RowWidth +: RowWidth];
          end
          there_d[e] = 1'b0;
          full_d[e] = 1'b0;
        end
      end
      order_d = order_q >> EntryWidth;
      waiting_d = waiting_q - UsedWidth'(1);
    end
    // What is so before the op: with all_or_none all look first, and one without room means none enters.
    for (int l = 0; l < Lanes; l++) begin
      if (op_mask_i[l]) begin
        need[l] = 1'b1;
        homeless[l] = 1'b1;
        for (int e = 0; e < Entries; e++) begin
          if (e / Ways == set_of(op_row_i[l*RowWidth +: RowWidth])) begin
            placed = in_q[e*Lanes+l] && of_q[(e*Lanes+l)*RowWidth +: RowWidth] == op_row_i[l*RowWidth +: RowWidth];
            if (!there_q[e]) homeless[l] = 1'b0;
            if (there_q[e] && placed && came_q[e*Lanes+l]) none_waits = 1'b0;
            if (there_q[e] && !full_q[e] && at_q[e*PcWidth +: PcWidth] == op_pc_i) begin
              if (placed) need[l] = 1'b0;
              if (placed || !in_q[e*Lanes+l]) homeless[l] = 1'b0;
            end
          end
        end
      end
    end
    if (op_kind_i == REACH) all_hold = need == '0;
    if (op_kind_i == HELD) lanes_d = op_mask_i & ~need;
    missed = op_kind_i == RESERVE && op_all_or_none_i && homeless != '0;
    if (missed) lanes_d = need;
    // Row by row, that of the lowest lane first.
    rest = op_kind_i == TAKE || op_kind_i == HELD || missed ? '0 : op_mask_i;
    for (int l = 0; l < Lanes; l++) begin
      group = '0;
      for (int m = l; m < Lanes; m++) begin
        group[m] = rest[l] && rest[m] &&
                   op_row_i[m*RowWidth +: RowWidth] == op_row_i[l*RowWidth +: RowWidth];
      end
      rest = rest & ~group;
      // Those of the row that are in an entry at the pc need none; others enter the first at it where their lane is free.
      need = op_kind_i == RESERVE ? group : '0;
      for (int pass = 0; pass < 2; pass++) begin
        for (int e = 0; e < Entries; e++) begin
          if (e / Ways == set_of(op_row_i[l*RowWidth +: RowWidth]) && there_d[e] && !full_d[e] &&
              at_d[e*PcWidth +: PcWidth] == op_pc_i) begin
            for (int m = 0; m < Lanes; m++) begin
              if (pass == 0 && in_d[e*Lanes+m] &&
                  of_d[(e*Lanes+m)*RowWidth +: RowWidth] == op_row_i[l*RowWidth +: RowWidth]) need[m] = 1'b0;
              if (pass == 1 && need[m] && !in_d[e*Lanes+m]) begin
                in_d[e*Lanes+m] = 1'b1;
                of_d[(e*Lanes+m)*RowWidth +: RowWidth] = op_row_i[l*RowWidth +: RowWidth];
                need[m] = 1'b0;
              end
            end
          end
        end
      end
      for (int e = 0; e < Entries; e++) begin
        if (e / Ways == set_of(op_row_i[l*RowWidth +: RowWidth])) begin
          // What is left has the first free entry.
          if (need != '0 && !there_d[e]) begin
            there_d[e] = 1'b1;
            in_d[e*Lanes +: Lanes] = need;
            came_d[e*Lanes +: Lanes] = '0;
            of_d[e*Lanes*RowWidth +: Lanes*RowWidth] = {Lanes{op_row_i[l*RowWidth +: RowWidth]}};
            at_d[e*PcWidth +: PcWidth] = op_pc_i;
            count_d = count_d + CountWidth'(1);
            need = '0;
          end
          // Of those in an entry, who reaches it or leaves.
          here = '0;
          for (int m = 0; m < Lanes; m++) begin
            here[m] = group[m] && there_d[e] && !full_d[e] && in_d[e*Lanes+m] &&
                      of_d[(e*Lanes+m)*RowWidth +: RowWidth] == op_row_i[l*RowWidth +: RowWidth] &&
                      (op_kind_i == LEAVE || (op_kind_i == REACH && at_d[e*PcWidth +: PcWidth] == op_pc_i));
          end
          if (op_kind_i == REACH) came_d[e*Lanes +: Lanes] = came_d[e*Lanes +: Lanes] | here;
          if (op_kind_i == LEAVE) begin
            in_d[e*Lanes +: Lanes] = in_d[e*Lanes +: Lanes] & ~here;
            count_d = count_d + CountWidth'($countones(here));
          end
          if (here != '0 && in_d[e*Lanes +: Lanes] == '0) there_d[e] = 1'b0;
          else if (here != '0 && came_d[e*Lanes +: Lanes] == in_d[e*Lanes +: Lanes]) begin
            full_d[e] = 1'b1;
            for (int i = 0; i < Entries; i++) begin
              if (i == 32'(waiting_d)) order_d[i*EntryWidth +: EntryWidth] = EntryWidth'(e);
            end
            waiting_d = waiting_d + UsedWidth'(1);
          end
        end
      end
      lanes_d = lanes_d | need;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {there_q, full_q, waiting_q} <= '0;
    else if (op_taken) {there_q, full_q, waiting_q} <= {there_d, full_d, waiting_d};
  end
  always_ff @(posedge clk_i) if (op_taken) begin
    {in_q, came_q, of_q, at_q, order_q} <= {in_d, came_d, of_d, at_d, order_d};
    {lanes_q, count_q, out_mask_q, out_row_q, out_pc_q} <= {lanes_d, count_d, out_mask_d, out_row_d, out_pc_d};
  end

  `ASSUME(AllHoldWhatTheyReach, !op_valid_i || op_kind_i != REACH || all_hold)
  `ASSUME(NobodyWaitsInAWarp, !op_valid_i || op_kind_i == TAKE || none_waits)

  `ASSERT(UsedIsTheirNumber, !between || used == UsedWidth'($countones(there_q)))
  `ASSERT(CompleteIsExact, !between || complete == (waiting_q != '0))
  `ASSERT(Lanes, !done_valid || (kind != RESERVE && kind != HELD) || res_lanes == lanes_q)
  `ASSERT(Counts, !done_valid || (kind != RESERVE && kind != LEAVE) || res_count == count_q)
  `ASSERT(TakesTheFirst, !done_valid || kind != TAKE ||
                         {warp_mask, warp_row, warp_pc} == {out_mask_q, out_row_q, out_pc_q})
