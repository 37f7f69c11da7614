// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/patience.svh"
`default_nettype none

// What path_table must do: an op is applied at once to plain lists of a row's splits and points, in which points have no
// copies of each other's pcs. The block must say the same of the row when it is done.
module path_table_formal #(
  parameter int Lanes = 2,
  parameter int Splits = 2,
  parameter int Points = 2,
  parameter int Rows = 1,
  parameter int PcWidth = 1,
  parameter int Early = 1,
  parameter int Turns = 1,
  parameter int Lifo = 0,
  parameter bit Equal = 1'b1,   // in our clocks
  parameter int Patience = 40,  // clocks that any design may take for an op, and to be done with it
  parameter int Longest = 10,   // clocks that ours takes
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int SplitWidth = simt_pkg::idx_width(Splits),
  localparam int PointWidth = simt_pkg::idx_width(Points + 1)
) (
  input wire                  clk_i,
  input wire                  rst_ni,
  input wire                  op_valid_i,
  input wire [2:0]            op_kind_i,
  input wire [RowWidth-1:0]   op_row_i,
  input wire [SplitWidth-1:0] op_split_i,
  input wire [PointWidth-1:0] op_point_i,
  input wire [Lanes-1:0]      op_mask_i,
  input wire [PcWidth-1:0]    op_pc_i,
  input wire [PcWidth-1:0]    op_target_i,
  input wire [PcWidth-1:0]    op_meet_i,
  input wire                  op_jumps_i,
  input wire [Splits-1:0]     op_busy_i
);

  localparam logic [2:0] START = 3'd0, PART = 3'd1, GO = 3'd2, EXIT = 3'd3, LEAVE = 3'd4, ENTER = 3'd5;
  localparam logic [2:0] LET_GO = 3'd6, NEXT = 3'd7;
  localparam logic [PointWidth-1:0] NOWHERE = PointWidth'(Points);
  localparam int CountWidth = simt_pkg::idx_width(Splits + 1);

  logic                  op_ready, done_valid, res_found, overflow;
  logic [SplitWidth-1:0] res_split;
  logic [PcWidth-1:0]    res_pc;
  logic [Lanes-1:0]      res_mask;
  logic [PointWidth-1:0] res_point;
  logic [CountWidth-1:0] count;
  logic [Points-1:0]     points;

  path_table #(.Lanes(Lanes), .Splits(Splits), .Points(Points), .Rows(Rows), .PcWidth(PcWidth), .Early(Early),
               .Turns(Turns), .Lifo(Lifo)) dut (
    .op_ready_o  (op_ready),
    .done_valid_o(done_valid),
    .res_found_o (res_found),
    .res_split_o (res_split),
    .res_pc_o    (res_pc),
    .res_mask_o  (res_mask),
    .res_point_o (res_point),
    .count_o     (count),
    .points_o    (points),
    .overflow_o  (overflow),
    .*
  );

  `ASSUME_RESET_FIRST

  // --- The lists, between ops: a split's point, pc and threads; a point's next one, pc, threads and who has not come -----

  localparam int SplitBits = PointWidth + PcWidth + Lanes, PointBits = PointWidth + PcWidth + 2 * Lanes;
  localparam int OrderBits = Splits * SplitWidth;
  localparam int RowBits = Points + CountWidth + OrderBits + Splits * SplitBits + Points * PointBits;

  logic [Rows-1:0]              started_q;
  logic [Rows*RowBits-1:0]      rows_q;
  logic [Points-1:0]            used, used_d;
  logic [CountWidth-1:0]        n, n_d;
  logic [OrderBits-1:0]         order, order_d;
  logic [Splits*SplitBits-1:0]  splits, splits_d;  // by entry
  logic [Points*PointBits-1:0]  at, at_d;
  logic                         lost_d, found_d;
  logic [SplitWidth-1:0]        first_d;

  assign {used, n, order, splits, at} = rows_q[op_row_i*RowBits +: RowBits];

  function automatic logic [PcWidth-1:0] pc_of(input logic [Points*PointBits-1:0] of, input logic [PointWidth-1:0] p);
    pc_of = '0;
    for (int i = 0; i < Points; i++) if (32'(p) == i) pc_of = of[i*PointBits+2*Lanes +: PcWidth];
  endfunction
  function automatic logic [PointWidth-1:0] outer_of(input logic [Points*PointBits-1:0] of, input logic [PointWidth-1:0] p);
    outer_of = NOWHERE;
    for (int i = 0; i < Points; i++) if (32'(p) == i) outer_of = of[i*PointBits+2*Lanes+PcWidth +: PointWidth];
  endfunction
  // Of all its threads, as if they had come: where they meet next, their pc, the threads.
  function automatic logic [SplitBits-1:0] all_of(input logic [Points*PointBits-1:0] of, input logic [PointWidth-1:0] p);
    all_of = '0;
    for (int i = 0; i < Points; i++) if (32'(p) == i) all_of = of[i*PointBits+Lanes +: SplitBits];
  endfunction
  function automatic logic [Lanes-1:0] pending_of(input logic [Points*PointBits-1:0] of, input logic [PointWidth-1:0] p);
    pending_of = '0;
    for (int i = 0; i < Points; i++) if (32'(p) == i) pending_of = of[i*PointBits +: Lanes];
  endfunction
  function automatic logic [Lanes-1:0] threads_of(input logic [Points*PointBits-1:0] of, input logic [PointWidth-1:0] p);
    threads_of = '0;
    for (int i = 0; i < Points; i++) if (32'(p) == i) threads_of = of[i*PointBits+Lanes +: Lanes];
  endfunction
  function automatic logic stands_at(input logic [Splits*SplitBits-1:0] of, input logic [SplitWidth-1:0] e,
                                     input logic [SplitBits-Lanes-1:0] there);
    stands_at = 1'b0;
    for (int i = 0; i < Splits; i++) if (32'(e) == i) stands_at = of[i*SplitBits+Lanes +: SplitBits-Lanes] == there;
  endfunction
  function automatic logic [Lanes-1:0] mask_of(input logic [Splits*SplitBits-1:0] of, input logic [SplitWidth-1:0] e);
    mask_of = '0;
    for (int i = 0; i < Splits; i++) if (32'(e) == i) mask_of = of[i*SplitBits +: Lanes];
  endfunction
  function automatic logic [SplitBits-1:0] split_of(input logic [Splits*SplitBits-1:0] of, input logic [SplitWidth-1:0] e);
    split_of = '0;
    for (int i = 0; i < Splits; i++) if (32'(e) == i) split_of = of[i*SplitBits +: SplitBits];
  endfunction

  // --- What an op makes of them -------------------------------------------------------------------

  logic [SplitBits-1:0]  own;
  logic [Lanes-1:0]      own_mask;
  logic [PointWidth-1:0] own_point;
  logic                  own_there;
  logic [CountWidth-1:0] own_place;

  assign own = split_of(splits, op_split_i);
  assign own_mask = own[Lanes-1:0];
  assign own_point = own[SplitBits-1 -: PointWidth];
  always_comb begin
    own_there = 1'b0;
    own_place = '0;
    for (int i = Splits - 1; i >= 0; i--) begin
      if (i < 32'(n) && order[i*SplitWidth +: SplitWidth] == op_split_i) begin
        own_there = 1'b1;
        own_place = CountWidth'(i);
      end
    end
  end

  always_comb begin : apply
    logic                  comes, jumps, itself, placed;
    logic [CountWidth-1:0] place, hit;
    logic [PointWidth-1:0] point, side_point;
    logic [PcWidth-1:0]    pc;
    logic [Lanes-1:0]      mask;
    logic [Points-1:0]     complete;
    logic [SplitWidth-1:0] entry;
    {used_d, n_d, order_d, splits_d, at_d} = {used, n, order, splits, at};
    {lost_d, found_d, first_d} = '0;
    {comes, jumps, itself, placed, place, hit, point, side_point, pc, mask, complete, entry} = '0;

    case (op_kind_i)
      START: begin
        used_d = '0;
        n_d = CountWidth'(1);
        for (int i = 0; i < Splits; i++) order_d[i*SplitWidth +: SplitWidth] = SplitWidth'(i);
        splits_d[0 +: SplitBits] = {NOWHERE, op_pc_i, op_mask_i};
      end
      PART: begin
        side_point = own_point;
        if (own_point == NOWHERE || pc_of(at, own_point) != op_meet_i) begin
          side_point = NOWHERE;
          for (int p = Points - 1; p >= 0; p--) if (!used[p]) side_point = PointWidth'(p);
          lost_d = side_point == NOWHERE;
          for (int p = 0; p < Points; p++) if (32'(side_point) == p) begin
            used_d[p] = 1'b1;
            at_d[p*PointBits +: PointBits] = {own_point, op_meet_i, own_mask, own_mask};
          end
        end
      end
      EXIT: for (int p = 0; p < Points; p++) if (used[p]) begin
        at_d[p*PointBits +: 2*Lanes] = at[p*PointBits +: 2*Lanes] & ~{2{op_mask_i}};
        used_d[p] = at_d[p*PointBits+Lanes +: Lanes] != '0;
        complete[p] = used_d[p] && at_d[p*PointBits +: Lanes] == '0;
      end
      LET_GO: for (int p = 0; p < Points; p++) if (32'(op_point_i) == p)
        at_d[p*PointBits+Lanes +: Lanes] = at[p*PointBits +: Lanes];
      NEXT: for (int i = Splits - 1; i >= 0; i--) begin
        entry = order[i*SplitWidth +: SplitWidth];
        if (i < 32'(n) && !op_busy_i[entry]) begin
          found_d = 1'b1;
          first_d = entry;
        end
      end
      default: ;
    endcase
    // The op's split leaves the order: its entry is the first free one.
    if ((op_kind_i == PART && !lost_d) || op_kind_i == GO || op_kind_i == EXIT || op_kind_i == LEAVE) begin
      n_d = n - CountWidth'(1);
      for (int i = 0; i < Splits; i++) begin
        if (i + 1 < Splits && i >= 32'(own_place) && i < 32'(n_d))
          order_d[i*SplitWidth +: SplitWidth] = SplitWidth'(order >> ((i + 1) * SplitWidth));
        if (i == 32'(n_d)) order_d[i*SplitWidth +: SplitWidth] = op_split_i;
      end
    end

    // Who comes: a split, a branch's two sides, the threads of points that exits complete.
    for (int c = 0; c < 2 + Points; c++) begin
      jumps = 1'b1;
      itself = 1'b0;
      placed = Lifo != 0;
      place = '0;
      comes = 1'b0;
      if (c == 0) begin
        case (op_kind_i)
          PART: {comes, point, pc, mask} = {!lost_d, side_point, op_pc_i, own_mask & ~op_mask_i};
          GO: {comes, point, pc, mask} = {1'b1, own_point, op_pc_i, own_mask};
          EXIT: {comes, point, pc, mask} = {own_mask != op_mask_i, own_point, op_pc_i, own_mask & ~op_mask_i};
          ENTER: {comes, point, pc, mask} = {1'b1, op_point_i, op_pc_i, op_mask_i};
          LET_GO: begin
            {point, pc, mask} = all_of(at, op_point_i);
            mask = mask & ~pending_of(at, op_point_i);
            comes = 1'b1;
          end
          default: ;
        endcase
        if (op_kind_i == GO || op_kind_i == EXIT) {jumps, itself, placed, place} = {op_kind_i == GO && op_jumps_i, 2'b11, own_place};
        if (op_kind_i == ENTER) placed = 1'b0;
      end else if (c == 1) begin
        {comes, point, pc, mask} = {op_kind_i == PART && !lost_d, side_point, op_target_i, own_mask & op_mask_i};
      end else if (complete[c-2]) begin
        comes = 1'b1;
        used_d[c-2] = 1'b0;
        {point, pc, mask} = all_of(at_d, PointWidth'(c - 2));
      end
      // At a point it stays, or those who waited go on with it.
      for (int m = 0; m < Points; m++) begin
        if (comes && point != NOWHERE && pc_of(at_d, point) == pc) begin
          for (int p = 0; p < Points; p++) if (32'(point) == p) begin
            at_d[p*PointBits +: Lanes] = at_d[p*PointBits +: Lanes] & ~mask;
            if (at_d[p*PointBits +: Lanes] != '0) comes = 1'b0;
            else used_d[p] = 1'b0;
          end
          if (comes) begin
            {point, pc, mask} = all_of(at_d, point);
            jumps = 1'b1;
            itself = 1'b0;
            if (Lifo == 0) placed = 1'b0;
          end
        end
      end
      // It joins the first split that stands there, whose turn may come earlier then.
      if (comes && jumps && Early != 0) begin
        hit = CountWidth'(Splits);
        for (int i = Splits - 1; i >= 0; i--) begin
          entry = order_d[i*SplitWidth +: SplitWidth];
          if (i < 32'(n_d) && !op_busy_i[entry] && stands_at(splits_d, entry, {point, pc})) hit = CountWidth'(i);
        end
        if (32'(hit) < Splits) begin
          comes = 1'b0;
          entry = SplitWidth'(order_d >> (32'(hit) * SplitWidth));
          for (int e = 0; e < Splits; e++) begin
            if (32'(entry) == e) splits_d[e*SplitBits +: Lanes] = splits_d[e*SplitBits +: Lanes] | mask;
          end
          if (placed && place < hit) begin
            for (int i = Splits - 1; i >= 0; i--) begin
              if (i > 0 && i > 32'(place) && i <= 32'(hit))
                order_d[i*SplitWidth +: SplitWidth] = SplitWidth'(order_d >> ((i - 1) * SplitWidth));
              if (i == 32'(place)) order_d[i*SplitWidth +: SplitWidth] = entry;
            end
          end
        end
      end
      // Or it has the first free entry.
      if (comes && 32'(n_d) == Splits) lost_d = 1'b1;
      else if (comes) begin
        entry = SplitWidth'(order_d >> (32'(n_d) * SplitWidth));
        for (int e = 0; e < Splits; e++) if (32'(entry) == e) splits_d[e*SplitBits +: SplitBits] = {point, pc, mask};
        if (!placed || (itself && jumps && Turns != 0)) place = n_d;
        for (int i = Splits - 1; i >= 0; i--) begin
          if (i > 0 && i > 32'(place) && i <= 32'(n_d))
            order_d[i*SplitWidth +: SplitWidth] = SplitWidth'(order_d >> ((i - 1) * SplitWidth));
          if (i == 32'(place)) order_d[i*SplitWidth +: SplitWidth] = entry;
        end
        n_d = n_d + CountWidth'(1);
      end
    end
  end

  // --- The protocol -----------------------------------------------------------------------------

  localparam int OpWidth = 3 + RowWidth + SplitWidth + PointWidth + Lanes + 3 * PcWidth + 1 + Splits;
  logic [OpWidth-1:0] op;

  assign op = {op_kind_i, op_row_i, op_split_i, op_point_i, op_mask_i, op_pc_i, op_target_i, op_meet_i, op_jumps_i, op_busy_i};
  `include "shared/one_operation.svh"

  logic [RowWidth-1:0] row_q;
  assign row_q = op_q[OpWidth-4 -: RowWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= '0;
    else if (op_taken) started_q[op_row_i] <= 1'b1;
  end
  logic                  lost_q, found_q;
  logic [SplitWidth-1:0] first_q;
  always_ff @(posedge clk_i) if (op_taken) begin
    rows_q[op_row_i*RowBits +: RowBits] <= {used_d, n_d, order_d, splits_d, at_d};
    {lost_q, found_q, first_q} <= {lost_d, found_d, first_d};
  end

  // Threads that enter are nowhere but among those that their point waits for; siblings there have others.
  logic enters_well;
  always_comb begin
    enters_well = op_mask_i != '0 && 32'(op_point_i) <= Points;
    for (int p = 0; p < Points; p++) begin
      if (32'(op_point_i) == p && (!used[p] || (op_mask_i & ~at[p*PointBits +: Lanes]) != '0)) enters_well = 1'b0;
      if (used[p] && at[(p+1)*PointBits-1 -: PointWidth] == op_point_i && (op_mask_i & at[p*PointBits+Lanes +: Lanes]) != '0)
        enters_well = 1'b0;
    end
    for (int i = 0; i < Splits; i++) begin
      if (i < 32'(n) && (op_mask_i & mask_of(splits, order[i*SplitWidth +: SplitWidth])) != '0) enters_well = 1'b0;
    end
  end

  logic [Lanes-1:0] missing, all_there;
  logic             waits_well;
  assign missing = pending_of(at, op_point_i);
  assign all_there = threads_of(at, op_point_i);
  assign waits_well = 32'(op_point_i) < Points && used[op_point_i] && missing != '0 && missing != all_there;

  `ASSUME(RowExists, !op_valid_i || 32'(op_row_i) < Rows)
  `ASSUME(StartedFirst, !op_valid_i || op_kind_i == START || started_q[op_row_i])
  `ASSUME(SomeStart, !op_valid_i || op_kind_i != START || op_mask_i != '0)
  `ASSUME(SplitIsThere, !op_valid_i || op_kind_i == START || op_kind_i > LEAVE || own_there)
  `ASSUME(SidesHaveThreads, !op_valid_i || op_kind_i != PART ||
                            ((own_mask & op_mask_i) != '0 && (own_mask & ~op_mask_i) != '0))
  `ASSUME(OwnThreadsExit, !op_valid_i || op_kind_i != EXIT || (op_mask_i != '0 && (op_mask_i & ~own_mask) == '0))
  `ASSUME(EntersWell, !op_valid_i || op_kind_i != ENTER || enters_well)
  `ASSUME(SomeWait, !op_valid_i || op_kind_i != LET_GO || waits_well)

  // --- What must hold ---------------------------------------------------------------------------

  logic [CountWidth-1:0] n_now;
  logic [Points-1:0]     used_now;
  logic [SplitBits-1:0]  first;
  logic [RowBits-1:0]    row_now;

  assign row_now = rows_q[row_q*RowBits +: RowBits];
  assign {used_now, n_now} = row_now[RowBits-1 -: Points+CountWidth];
  assign first = split_of(row_now[Points*PointBits +: Splits*SplitBits], first_q);

  `ASSERT(Lost, !done_valid || overflow == lost_q)
  `ASSERT(Count, !done_valid || count == n_now)
  `ASSERT(PointsInUse, !done_valid || points == used_now)
  `ASSERT(Found, !done_valid || op_q[OpWidth-1 -: 3] != NEXT ||
                 (res_found == found_q && (!found_q || (res_split == first_q && {res_point, res_pc, res_mask} == first))))

  `COVER(Meets, op_taken && op_kind_i == GO && used != '0 && used_d == '0)
  `COVER(Joins, op_taken && op_kind_i == GO && n_d < n && at_d == at)

`ifndef PORTS_ONLY
  // --- For the induction: between ops the RAMs have the same; an op ends within its clocks ---------

  localparam int WordBits = Points + CountWidth + OrderBits, EntryBits = SplitBits + PcWidth, PlaceBits = PointBits + PcWidth;
  (* hierconn *) wire [3:0] \dut.state_q ;
  (* hierconn *) wire [Rows*WordBits-1:0] \dut.u_rows.words ;
  (* hierconn *) wire [Rows*Splits*EntryBits-1:0] \dut.u_splits.words ;
  (* hierconn *) wire [Rows*Points*PlaceBits-1:0] \dut.u_points.words ;

  logic same, sound;
  always_comb begin : compare
    logic [Points-1:0]           u;
    logic [CountWidth-1:0]       k;
    logic [OrderBits-1:0]        o;
    logic [Splits*SplitBits-1:0] s;
    logic [Points*PointBits-1:0] a;
    logic [SplitBits-1:0]        split;
    logic [Lanes-1:0]            other;
    logic [PointBits-1:0]        point;
    logic [EntryBits-1:0]        entry;
    logic [PlaceBits-1:0]        place;
    logic [PointWidth-1:0]       up;
    same = 1'b1;
    sound = 1'b1;
    {split, other, point, entry, place, up} = '0;
    for (int r = 0; r < Rows; r++) begin
      {u, k, o, s, a} = rows_q[r*RowBits +: RowBits];
      if (started_q[r]) begin
        if (\dut.u_rows.words [r*WordBits +: WordBits] != {u, k, o}) same = 1'b0;
        if (32'(k) > Splits) sound = 1'b0;
        for (int i = 0; i < Splits; i++) begin
          if (32'(o[i*SplitWidth +: SplitWidth]) >= Splits) sound = 1'b0;
          for (int j = 0; j < i; j++)
            if (o[i*SplitWidth +: SplitWidth] == o[j*SplitWidth +: SplitWidth]) sound = 1'b0;
        end
        for (int e = 0; e < Splits; e++) begin
          for (int i = 0; i < Splits; i++) if (i < 32'(k) && 32'(o[i*SplitWidth +: SplitWidth]) == e) begin
            split = s[e*SplitBits +: SplitBits];
            entry = \dut.u_splits.words [(r*Splits+e)*EntryBits +: EntryBits];
            up = split[SplitBits-1 -: PointWidth];
            if ({entry[EntryBits-1 -: PointWidth], entry[0 +: PcWidth + Lanes]} != split) same = 1'b0;
            if (up != NOWHERE && entry[Lanes+PcWidth +: PcWidth] != pc_of(a, up)) same = 1'b0;
            // Its threads are some of those that its point waits for.
            if (split[0 +: Lanes] == '0 || 32'(up) > Points) sound = 1'b0;
            for (int p = 0; p < Points; p++) begin
              if (32'(up) == p && (!u[p] || (split[0 +: Lanes] & ~a[p*PointBits +: Lanes]) != '0)) sound = 1'b0;
              if (u[p] && a[(p+1)*PointBits-1 -: PointWidth] == up && (split[0 +: Lanes] & a[p*PointBits+Lanes +: Lanes]) != '0)
                sound = 1'b0;
            end
            for (int j = 0; j < Splits; j++) begin
              other = mask_of(s, o[j*SplitWidth +: SplitWidth]);
              if (j < 32'(k) && j != i && (other & split[0 +: Lanes]) != '0) sound = 1'b0;
            end
          end
        end
        for (int p = 0; p < Points; p++) if (u[p]) begin
          point = a[p*PointBits +: PointBits];
          place = \dut.u_points.words [(r*Points+p)*PlaceBits +: PlaceBits];
          up = point[PointBits-1 -: PointWidth];
          if ({place[PlaceBits-1 -: PointWidth], place[0 +: PcWidth + 2*Lanes]} != point) same = 1'b0;
          if (up != NOWHERE && place[2*Lanes+PcWidth +: PcWidth] != pc_of(a, up)) same = 1'b0;
          if (point[0 +: Lanes] == '0 || (point[0 +: Lanes] & ~point[Lanes +: Lanes]) != '0 || 32'(up) > Points) sound = 1'b0;
          if (up != NOWHERE && pc_of(a, up) == point[2*Lanes +: PcWidth]) sound = 1'b0;
          // Points are a tree: those of one outer point have threads of their own, which that waits for.
          for (int q = 0; q < Points; q++) begin
            if (32'(up) == q && (!u[q] || (point[Lanes +: Lanes] & ~a[q*PointBits +: Lanes]) != '0)) sound = 1'b0;
            if (q != p && u[q] && a[(q+1)*PointBits-1 -: PointWidth] == up &&
                (point[Lanes +: Lanes] & a[q*PointBits+Lanes +: Lanes]) != '0) sound = 1'b0;
          end
          for (int q = 0; q < Points; q++) begin
            if (up != NOWHERE) up = outer_of(a, up);
          end
          if (up != NOWHERE) sound = 1'b0;
        end
      end
    end
  end

  logic [5:0] age_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) age_q <= '0;
    else age_q <= op_taken || !op_valid_i ? 6'd0 : age_q + 6'd1;
  end

  `ASSERT(Works, busy_q == (\dut.state_q != '0))
  `ASSERT(Ends, 32'(age_q) < Longest && busy_q == (age_q != '0))
  `ASSERT(SameRows, busy_q || same)
  `ASSERT(Sound, sound)
`endif

endmodule

`default_nettype wire
