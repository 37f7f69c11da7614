// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The tables of multi-path execution and their control (ElTantawy et al., HPCA 2014). A row of the core has splits, each
// with a pc, its threads and the reconvergence point at which they meet others next, in the order of their turns; and
// points, each with its threads and those of them that have not come. A split that comes to its point leaves the splits;
// with the last the point's threads are a split again, which may be at the next point.
// Twins: models/divergence/parts/warp/warp_paths and models/divergence/parts/meeting_points.
//
// All is in RAM. `u_rows` has a row's points in use, the number of its splits and the order of all its entries for
// splits: those in use come first, in the order of turns, those that are free behind them. A split goes behind the
// others, or to the place of another, by moving entries in that order only.
//
// A split that comes by a jump becomes one with another that stands at its pc and meets others at the same point next;
// that is looked for one by one. A split without a free entry, or a branch without a free point, is lost (overflow_o).
//
// The payload of an op stays until op_ready_o, its last clock; done_valid_o is the clock after. Clocks: start, leave 2,
// next 3 (2 if there is none); others 2, and for each split that comes 2 for each point it comes to and, where it does
// not stop there, 1, 2 for each split that it is compared with and 2 for an entry (1 if there is none). Exit takes 1 more
// for each point in use, and for each that is complete then.
module path_table #(
  parameter int Lanes = 32,
  parameter int Splits = 32,  // of a row
  parameter int Points = 32,  // of a row
  parameter int Rows = 32,    // of the core
  parameter int PcWidth = 16,
  parameter int Early = 1,  // splits meet before their point, behind jumps
  parameter int Turns = 1,  // a jump sends its split behind the others
  parameter int Lifo = 0,   // new splits come first, not last
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int SplitWidth = simt_pkg::idx_width(Splits),
  localparam int CountWidth = simt_pkg::idx_width(Splits + 1),
  localparam int PointWidth = simt_pkg::idx_width(Points + 1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [2:0]            op_kind_i,    // START ...
  input  wire  [RowWidth-1:0]   op_row_i,
  input  wire  [SplitWidth-1:0] op_split_i,   // part, go, exit, leave: the entry
  input  wire  [PointWidth-1:0] op_point_i,   // enter: where it meets others next, Points: nowhere; let go
  input  wire  [Lanes-1:0]      op_mask_i,    // start, enter: threads; part: that take the branch; exit: that exit
  input  wire  [PcWidth-1:0]    op_pc_i,      // the next; part: not taken
  input  wire  [PcWidth-1:0]    op_target_i,  // part: taken
  input  wire  [PcWidth-1:0]    op_meet_i,    // part: where the sides meet
  input  wire                   op_jumps_i,   // go: by a jump
  input  wire  [Splits-1:0]     op_busy_i,    // entries that nobody joins and that are not next; not the op's own

  output logic                  done_valid_o,
  output logic                  res_found_o,  // next: there is one, this
  output logic [SplitWidth-1:0] res_split_o,
  output logic [PcWidth-1:0]    res_pc_o,
  output logic [Lanes-1:0]      res_mask_o,
  output logic [PointWidth-1:0] res_point_o,
  output logic [CountWidth-1:0] count_o,      // splits of the row
  output logic [Points-1:0]     points_o,     // its points in use
  output logic                  overflow_o
);

  localparam logic [2:0] START = 3'd0, PART = 3'd1, GO = 3'd2, EXIT = 3'd3, LEAVE = 3'd4, ENTER = 3'd5;
  localparam logic [2:0] LET_GO = 3'd6, NEXT = 3'd7;
  localparam logic [PointWidth-1:0] NOWHERE = PointWidth'(Points);
  localparam int AddrWidth = simt_pkg::idx_width(Rows * Splits);
  localparam int PointAddrWidth = simt_pkg::idx_width(Rows * Points);
  localparam int IndexWidth = simt_pkg::idx_width(Points);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Splits >= 1 && Points >= 1 && Rows >= 1 && PcWidth >= 1)

  typedef enum logic [3:0] {
    StIdle = 4'd0,    // takes what the row has, and the split
    StAct = 4'd1,     // takes the split out of the order; a branch's point
    StSweep = 4'd2,   // threads that exit leave a point
    StCome = 4'd3,    // is it at its point?
    StMeet = 4'd4,    // has the last one come?
    StPick = 4'd5,    // the entry to look at or to take
    StTest = 4'd6,    // does the split that stands there take it in?
    StPut = 4'd7,     // it is a split of its own
    StSettle = 4'd8,  // threads of a point that is complete go on
    StRead = 4'd9     // reads the next split
  } state_e;

  typedef struct packed {
    logic [Points-1:0]            used;
    logic [CountWidth-1:0]        count;
    logic [Splits*SplitWidth-1:0] order;
  } row_t;

  typedef struct packed {
    logic [PointWidth-1:0] point;
    logic [PcWidth-1:0]    meets;  // the point's pc
    logic [PcWidth-1:0]    pc;
    logic [Lanes-1:0]      mask;
  } split_t;

  typedef struct packed {
    logic [PointWidth-1:0] outer;  // where they meet next
    logic [PcWidth-1:0]    meets;
    logic [PcWidth-1:0]    pc;
    logic [Lanes-1:0]      threads;
    logic [Lanes-1:0]      pending;
  } point_t;

  // Yosys would give it other codes, by which the netlist could not be compared.
  (* fsm_encoding = "none" *) state_e state_q;
  state_e                state_d;
  row_t                  row_q, row_d, read_row;
  split_t                come_q, come_d, other_q, other_d, read_split, write_split;
  point_t                point_q, read_point, write_point;
  logic [Points-1:0]     todo_q, todo_d, noted_q, noted_d;  // points to sweep or to settle; complete
  logic [SplitWidth-1:0] scan_q, scan_d, at_q, at_d;        // the how manieth split; its entry
  logic [SplitWidth-1:0] place_q, place_d;                  // of the one that comes
  logic                  last_q, last_d;                    // behind all others, instead
  logic                  whole_q, whole_d;                  // it is the split that the op is about
  logic                  jumps_q, jumps_d, adds_q, adds_d, more_q, more_d;  // more: the other side comes too
  logic                  overflow_q, overflow_d, found_q, found_d, done_q;
  logic                  finishes, write_split_en, write_point_en;
  logic [SplitWidth-1:0] read_split_at, write_split_at;
  logic [IndexWidth-1:0] read_point_at, write_point_at;

  // --- The order of turns -----------------------------------------------------------------------

  logic [Splits-1:0]     of_op, ready, behind, unused_lower_ready;
  logic [SplitWidth-1:0] op_place, next_place;
  logic                  op_is_there, any_ready, unused_many_op, unused_many_ready;

  function automatic logic [SplitWidth-1:0] entry_at(input logic [Splits*SplitWidth-1:0] order,
                                                     input logic [SplitWidth-1:0] place);
    entry_at = order[place*SplitWidth +: SplitWidth];
  endfunction

  for (genvar i = 0; i < Splits; i++) begin : gen_place
    wire [SplitWidth-1:0] entry = row_q.order[i*SplitWidth +: SplitWidth];
    wire in_use = CountWidth'(i) < row_q.count;
    assign of_op[i] = in_use && entry == op_split_i;
    assign ready[i] = in_use && !op_busy_i[entry];
  end

  lane_priority #(.Lanes(1), .Rows(Splits)) u_op (
    .threads_i(of_op),
    .lower_o(behind),
    .any_o(op_is_there),
    .many_o(unused_many_op),
    .row_o(op_place)
  );
  lane_priority #(.Lanes(1), .Rows(Splits)) u_next (
    .threads_i(ready),
    .lower_o(unused_lower_ready),
    .any_o(any_ready),
    .many_o(unused_many_ready),
    .row_o(next_place)
  );

  // Without the op's split, whose entry is the first free one then.
  logic [Splits*SplitWidth-1:0] without, moved, of_start;
  logic [CountWidth-1:0]        fewer, place, from;

  assign fewer = row_q.count - CountWidth'(1);
  for (genvar i = 0; i < Splits; i++) begin : gen_without
    wire [SplitWidth-1:0] same = row_q.order[i*SplitWidth +: SplitWidth];
    wire from_there = behind[i] || of_op[i];
    assign of_start[i*SplitWidth +: SplitWidth] = SplitWidth'(i);
    if (i + 1 < Splits) begin : gen_next
      wire [SplitWidth-1:0] following = row_q.order[(i+1)*SplitWidth +: SplitWidth];
      assign without[i*SplitWidth +: SplitWidth] =
          !from_there ? same : CountWidth'(i) == fewer ? op_split_i : CountWidth'(i) < fewer ? following : same;
    end else begin : gen_last
      assign without[i*SplitWidth +: SplitWidth] = from_there && CountWidth'(i) == fewer ? op_split_i : same;
    end
  end

  // With the entry in place `from`, which is at_q, moved forwards to `place`.
  for (genvar i = 0; i < Splits; i++) begin : gen_moved
    wire [SplitWidth-1:0] same = row_q.order[i*SplitWidth +: SplitWidth];
    if (i == 0) begin : gen_first
      assign moved[0 +: SplitWidth] = place == '0 ? at_q : same;
    end else begin : gen_others
      wire shifts = CountWidth'(i) >= place && CountWidth'(i) <= from;
      assign moved[i*SplitWidth +: SplitWidth] =
          !shifts ? same : CountWidth'(i) == place ? at_q : row_q.order[(i-1)*SplitWidth +: SplitWidth];
    end
  end

  // --- Points -----------------------------------------------------------------------------------

  logic [Points-1:0]     unused_lower_free, unused_lower_todo, this_point, todo_rest;
  logic [IndexWidth-1:0] free_point, todo_point;
  logic                  any_free, unused_any_todo, unused_many_free, unused_many_todo;

  lane_priority #(.Lanes(1), .Rows(Points)) u_free (
    .threads_i(~row_q.used),
    .lower_o(unused_lower_free),
    .any_o(any_free),
    .many_o(unused_many_free),
    .row_o(free_point)
  );
  lane_priority #(.Lanes(1), .Rows(Points)) u_todo (
    .threads_i(todo_q),
    .lower_o(unused_lower_todo),
    .any_o(unused_any_todo),
    .many_o(unused_many_todo),
    .row_o(todo_point)
  );
  assign this_point = Points'(1) << todo_point;
  assign todo_rest = todo_q & ~this_point;

  // --- RAMs -------------------------------------------------------------------------------------

  ram_1r1w #(.Width(Points + CountWidth + Splits * SplitWidth), .Depth(Rows)) u_rows (
    .clk_i,
    .write_en_i(finishes),
    .write_addr_i(op_row_i),
    .write_data_i(row_d),
    .read_addr_i(op_row_i),
    .read_data_o(read_row)
  );

  ram_1r1w #(.Width(PointWidth + 2 * PcWidth + Lanes), .Depth(Rows * Splits)) u_splits (
    .clk_i,
    .write_en_i(write_split_en),
    .write_addr_i(AddrWidth'(32'(op_row_i) * Splits + 32'(write_split_at))),
    .write_data_i(write_split),
    .read_addr_i(AddrWidth'(32'(op_row_i) * Splits + 32'(read_split_at))),
    .read_data_o(read_split)
  );

  ram_1r1w #(.Width(PointWidth + 2 * PcWidth + 2 * Lanes), .Depth(Rows * Points)) u_points (
    .clk_i,
    .write_en_i(write_point_en),
    .write_addr_i(PointAddrWidth'(32'(op_row_i) * Points + 32'(write_point_at))),
    .write_data_i(write_point),
    .read_addr_i(PointAddrWidth'(32'(op_row_i) * Points + 32'(read_point_at))),
    .read_data_o(read_point)
  );

  // --- The steps of an op -----------------------------------------------------------------------

  logic             arrives, same_point, joins, settled;  // settled: the one that came has found its place
  logic [Lanes-1:0] left, swept_threads, swept_pending, missing;

  assign same_point = come_q.point != NOWHERE && op_meet_i == come_q.meets;
  assign left = come_q.mask & ~op_mask_i;
  assign arrives = come_q.point != NOWHERE && come_q.pc == come_q.meets;
  assign missing = point_q.pending & ~come_q.mask;  // seeded-bug: assign missing = '0;
  assign swept_threads = read_point.threads & ~op_mask_i;
  assign swept_pending = read_point.pending & ~op_mask_i;
  assign joins = !op_busy_i[at_q] && read_split.pc == come_q.pc &&
                 read_split.point == come_q.point;
  assign place = last_q || (adds_q && whole_q && jumps_q && Turns != 0) ? row_q.count : CountWidth'(place_q);
  assign from = adds_q ? row_q.count : CountWidth'(scan_q);
  assign op_ready_o = finishes;
  assign read_split_at = state_q == StIdle ? op_split_i : at_q;

  always_comb begin : point_read
    case (state_q)
      StAct: read_point_at = IndexWidth'(op_point_i);
      StSweep, StSettle: read_point_at = todo_point;
      default: read_point_at = IndexWidth'(come_q.point);
    endcase
  end

  always_comb begin : steps
    state_d = state_q;
    {row_d, come_d, other_d, todo_d, noted_d} = {row_q, come_q, other_q, todo_q, noted_q};
    {scan_d, at_d, place_d, last_d, whole_d} = {scan_q, at_q, place_q, last_q, whole_q};
    {jumps_d, adds_d, more_d, overflow_d, found_d} = {jumps_q, adds_q, more_q, overflow_q, found_q};
    finishes = 1'b0;
    settled = 1'b0;
    write_split_en = 1'b0;
    write_split_at = at_q;
    write_split = come_q;
    write_point_en = 1'b0;
    write_point_at = todo_point;
    write_point = read_point;

    case (state_q)
      StIdle: if (op_valid_i) begin
        row_d = read_row;
        come_d = read_split;
        {todo_d, noted_d, more_d, adds_d, overflow_d} = '0;
        state_d = StAct;
      end

      StAct: begin
        // Of a split that others see for the first time.
        {place_d, last_d, whole_d, jumps_d} = {SplitWidth'(0), Lifo == 0, 2'b01};
        state_d = StCome;
        case (op_kind_i)
          START: begin
            row_d.order = of_start;
            row_d.count = CountWidth'(1);
            row_d.used = '0;
            write_split_en = 1'b1;
            write_split_at = '0;
            write_split = {NOWHERE, PcWidth'(0), op_pc_i, op_mask_i};
            finishes = 1'b1;
          end
          PART: if (!same_point && !any_free) begin
            overflow_d = 1'b1;
            finishes = 1'b1;
          end else begin
            row_d.order = without;
            row_d.count = fewer;
            write_point_en = !same_point;
            write_point_at = free_point;
            write_point = {come_q.point, come_q.meets, op_meet_i, come_q.mask, come_q.mask};
            come_d = {come_q.point, op_meet_i, op_pc_i, left};
            other_d = {come_q.point, op_meet_i, op_target_i, come_q.mask & op_mask_i};
            if (!same_point) begin
              row_d.used = row_q.used | (Points'(1) << free_point);
              come_d.point = PointWidth'(free_point);
              other_d.point = PointWidth'(free_point);
            end
            more_d = 1'b1;
          end
          GO, EXIT: begin
            row_d.order = without;
            row_d.count = fewer;
            come_d.pc = op_pc_i;
            place_d = op_place;
            last_d = 1'b0;
            whole_d = 1'b1;
            jumps_d = op_kind_i == GO && op_jumps_i;
            if (op_kind_i == EXIT) begin
              come_d.mask = left;
              todo_d = row_q.used;
              if (row_q.used != '0) state_d = StSweep;
              else if (left == '0) finishes = 1'b1;
            end
          end
          LEAVE: begin
            row_d.order = without;
            row_d.count = fewer;
            finishes = 1'b1;
          end
          ENTER: begin
            last_d = 1'b1;
            come_d = {op_point_i, read_point.pc, op_pc_i, op_mask_i};
          end
          LET_GO: begin
            come_d = {read_point.outer, read_point.meets, read_point.pc,
                      read_point.threads & ~read_point.pending};
            write_point_en = 1'b1;
            write_point_at = IndexWidth'(op_point_i);
            write_point.threads = read_point.pending;
          end
          NEXT: begin
            found_d = any_ready;
            at_d = entry_at(row_q.order, next_place);
            state_d = StRead;
            finishes = !any_ready;
          end
          default: ;
        endcase
      end

      StSweep: begin
        write_point_en = 1'b1;
        write_point.threads = swept_threads;
        write_point.pending = swept_pending;
        todo_d = todo_rest;
        if (swept_threads == '0) row_d.used = row_q.used & ~this_point;
        else if (swept_pending == '0) noted_d = noted_q | this_point;
        if (todo_rest == '0) begin
          todo_d = noted_d;
          state_d = StCome;
          settled = come_q.mask == '0;
        end
      end

      StCome: begin
        scan_d = '0;
        adds_d = !(jumps_q && Early != 0 && row_q.count != '0);
        state_d = StPick;
        if (arrives) state_d = StMeet;
      end

      StMeet: begin
        write_point_at = IndexWidth'(come_q.point);
        write_point = point_q;
        write_point.pending = missing;
        if (missing != '0) begin
          write_point_en = 1'b1;
          settled = 1'b1;
        end else begin
          row_d.used = row_q.used & ~(Points'(1) << come_q.point);
          come_d = {point_q.outer, point_q.meets, point_q.pc, point_q.threads};
          whole_d = 1'b0;
          jumps_d = 1'b1;
          if (Lifo == 0) last_d = 1'b1;
          state_d = StCome;
        end
      end

      StPick: begin
        at_d = entry_at(row_q.order, SplitWidth'(from));
        state_d = StTest;
        if (adds_q) state_d = StPut;
        if (adds_q && row_q.count == CountWidth'(Splits)) begin
          overflow_d = 1'b1;
          settled = 1'b1;
        end
      end

      StTest: begin
        write_split = read_split;
        write_split.mask = read_split.mask | come_q.mask;
        scan_d = scan_q + SplitWidth'(1);
        adds_d = CountWidth'(scan_q) + CountWidth'(1) == row_q.count;
        state_d = StPick;
        if (joins) begin
          write_split_en = 1'b1;
          row_d.order = moved;  // the earlier of their two turns is the turn of both
          settled = 1'b1;
        end
      end

      StPut: begin
        write_split_en = 1'b1;
        row_d.order = moved;
        row_d.count = row_q.count + CountWidth'(1);
        settled = 1'b1;
      end

      StSettle: begin
        come_d = {read_point.outer, read_point.meets, read_point.pc, read_point.threads};
        row_d.used = row_q.used & ~this_point;
        todo_d = todo_rest;
        {place_d, last_d, whole_d, jumps_d} = {SplitWidth'(0), Lifo == 0, 2'b01};
        state_d = StCome;
      end

      default: begin  // StRead
        come_d = read_split;
        finishes = 1'b1;
      end
    endcase

    if (settled) begin
      if (more_q) begin
        come_d = other_q;
        more_d = 1'b0;
        {place_d, last_d, whole_d, jumps_d} = {SplitWidth'(0), Lifo == 0, 2'b01};
        state_d = StCome;
      end else if (todo_d != '0) begin
        state_d = StSettle;
      end else begin
        finishes = 1'b1;
      end
    end
    if (finishes) state_d = StIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      done_q <= 1'b0;
    end else begin
      state_q <= state_d;
      done_q <= finishes;
    end
  end

  // Of no meaning but in an op and after it.
  always_ff @(posedge clk_i) begin
    {row_q, come_q, other_q, todo_q, noted_q} <= {row_d, come_d, other_d, todo_d, noted_d};
    {scan_q, at_q, place_q, last_q, whole_q} <= {scan_d, at_d, place_d, last_d, whole_d};
    {jumps_q, adds_q, more_q, overflow_q, found_q} <= {jumps_d, adds_d, more_d, overflow_d, found_d};
    if (state_q == StCome) point_q <= read_point;
  end

  assign done_valid_o = done_q;
  assign res_found_o = found_q;
  assign res_split_o = at_q;
  assign {res_point_o, res_pc_o, res_mask_o} = {come_q.point, come_q.pc, come_q.mask};
  assign count_o = row_q.count;
  assign points_o = row_q.used;
  assign overflow_o = overflow_q;

  // --- Assertions -------------------------------------------------------------------------------

  `ASSERT(OpStays, state_q == StIdle || op_valid_i)
  `ASSERT(IsThere, state_q != StAct || op_kind_i == START || op_kind_i > LEAVE || op_is_there)
  `ASSERT(SidesHaveThreads, state_q != StAct || op_kind_i != PART ||
                            ((come_q.mask & op_mask_i) != '0 && left != '0))
  `ASSERT(ComesOnce, state_q != StMeet || (come_q.mask & ~point_q.pending) == '0)

endmodule

`default_nettype wire
