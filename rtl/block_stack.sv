// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The block-wide reconvergence stack (TBC 3.1-3.3) with likely-convergence points (TBC 4): masks
// over all threads of a block, warps counted as they arrive. Twin: models/divergence/parts/block_stack.
//
// The top entry is in registers, the others are in memories. Threads that exit leave `alive_q`,
// which every mask is read through. An op is taken (op_ready_o) in its last clock, and its payload
// stays until then; done_valid_o is the clock after. In that clock and until the next op is there,
// the outputs are those of the top. Clocks: exit, arrive 1; branch 3, or 4 if it makes an entry for
// a likely-convergence point; start 3; advance 3 for the entry that runs, 2 or 3 for each that pops
// before, 2 or 3 to enter the targets. With two stages each entry whose warps are counted takes a
// clock more.
module block_stack #(
  parameter int Lanes = 32,
  parameter int Rows = 8,      // of the block: the most warps it can have
  parameter int Depth = 32,    // entries, at least 3
  parameter int PcWidth = 16,
  parameter int Stages = 1,    // 2: the largest count of threads in a lane takes a clock of its own
  localparam int Threads = Rows * Lanes,
  localparam int CountWidth = simt_pkg::idx_width(Rows + 1),
  localparam int DepthWidth = simt_pkg::idx_width(Depth + 1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [2:0]            op_kind_i,          // START ...
  input  wire  [Threads-1:0]    op_threads_i,       // the block's; that take the branch; that exit
  input  wire  [Threads-1:0]    op_fall_i,          // branch: those that fall through
  input  wire  [PcWidth-1:0]    op_pc_i,            // branch: its pc; arrive: where
  input  wire  [PcWidth-1:0]    op_target_i,        // branch
  input  wire  [PcWidth-1:0]    op_rpc_i,           // branch; start: the kernel's end
  input  wire                   op_likely_valid_i,  // branch: likely to converge before op_rpc_i
  input  wire  [PcWidth-1:0]    op_likely_i,
  input  wire                   op_emptied_i,       // exit: no thread of the warp is left
  input  wire                   op_taken_first_i,   // advance: which target runs first
  input  wire                   op_regroup_i,       // advance: count compacted warps, not rows

  output logic                  done_valid_o,
  output logic [PcWidth-1:0]    top_pc_o,
  output logic [PcWidth-1:0]    top_rpc_o,
  output logic                  top_lpc_valid_o,
  output logic [PcWidth-1:0]    top_lpc_o,
  output logic [CountWidth-1:0] top_warps_o,        // WCnt
  output logic [Threads-1:0]    top_threads_o,
  output logic [DepthWidth-1:0] depth_o,            // entries in use
  output logic                  filling_o,          // the targets above the top fill (TBC Fig. 9)
  output logic                  settled_o,          // all warps of the top have arrived
  output logic                  empty_o,            // no thread of the block is left
  output logic                  overflow_o          // since start: a branch had no room, was lost
);

  localparam logic [2:0] START = 3'd0, BRANCH = 3'd1, ARRIVE = 3'd2, EXIT = 3'd3, ADVANCE = 3'd4;
  localparam int IndexWidth = simt_pkg::idx_width(Depth);

  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Rows >= 1 && Depth >= 3 && PcWidth >= 1 && (Stages == 1 || Stages == 2))

  typedef enum logic [3:0] {
    StIdle = 4'd0,
    StLikely = 4'd1,       // branch: writes the entry of the likely-convergence point
    StFall = 4'd2,         // branch: writes the fall-through target, or adds to it
    StTaken = 4'd3,
    StEnterLikely = 4'd4,  // advance to the targets: the entries above the top become it in turn
    StSecond = 4'd5,
    StFirst = 4'd6,
    StSettle = 4'd7,       // advance: does the top run?
    StCount = 4'd8,        // advance: its warps
    StPop = 4'd9,
    StCounted = 4'd10      // the same, the second clock of two stages
  } state_e;

  typedef struct packed {
    logic [PcWidth-1:0]    pc;
    logic [PcWidth-1:0]    rpc;
    logic                  lpc_valid;
    logic [PcWidth-1:0]    lpc;
    logic [IndexWidth-1:0] lpos;
  } entry_t;
  localparam int EntryWidth = 3 * PcWidth + 1 + IndexWidth;

  state_e                state_q, state_d;
  entry_t                top_q, top_d;              // the top entry, but for its threads and WCnt
  logic [Threads-1:0]    threads_q, threads_d;      // of the top
  logic [Threads-1:0]    alive_q, alive_d;
  logic [IndexWidth-1:0] index_q, index_d;          // of the top
  logic [DepthWidth-1:0] used_q, used_d;            // entries: those above the top are its targets
  logic [CountWidth-1:0] warps_q, warps_d;
  logic                  filling_q, filling_d;
  logic                  empty_q, empty_d;
  logic                  overflow_q, overflow_d;
  logic                  done_q;

  // --- Memories: every entry but the top -------------------------------------------------------

  logic [IndexWidth-1:0] read_addr, write_addr;
  entry_t                read_entry, write_entry;
  logic [Threads-1:0]    read_threads, write_threads;
  logic                  write_entry_en, write_threads_en;

  ram_1r1w #(.Width(EntryWidth), .Depth(Depth)) u_entries (
    .clk_i,
    .write_en_i(write_entry_en),
    .write_addr_i(write_addr),
    .write_data_i(write_entry),
    .read_addr_i(read_addr),
    .read_data_o(read_entry)
  );

  ram_1r1w #(.Width(Threads), .Depth(Depth)) u_masks (
    .clk_i,
    .write_en_i(write_threads_en),
    .write_addr_i(write_addr),
    .write_data_i(write_threads),
    .read_addr_i(read_addr),
    .read_data_o(read_threads)
  );

  // --- What the entries of a branch look like ---------------------------------------------------

  logic                  replaced, inherits, push_likely, room;
  entry_t                likely_entry, target_entry;
  logic [DepthWidth-1:0] pushed;

  // A top that waits where the branch reconverges makes room for the targets and leaves its
  // likely-convergence point to them; if the branch has the same one, no second entry is needed
  // (TBC footnote 7).
  assign replaced = top_q.rpc == op_rpc_i;
  assign inherits = replaced && top_q.lpc_valid;
  assign push_likely = op_likely_valid_i && !(inherits && top_q.lpc == op_likely_i);
  assign pushed = push_likely ? DepthWidth'(3) : DepthWidth'(2);
  assign room = used_q <= DepthWidth'(Depth) - pushed;  // seeded-bug: assign room = 1'b1;

  // Each field is assigned once: Icarus 11 runs earlier always_comb blocks again with a later one,
  // for ever if the later one reads what changes meanwhile.
  always_comb begin : branch_entries
    likely_entry.pc = op_likely_i;
    likely_entry.rpc = op_rpc_i;  // seeded-bug[Depth=4 Lanes=1 Rows=1]: likely_entry.rpc = top_q.rpc;
    likely_entry.lpc_valid = inherits;
    likely_entry.lpc = top_q.lpc;
    likely_entry.lpos = top_q.lpos;
    target_entry.pc = op_target_i;
    target_entry.rpc = op_rpc_i;
    target_entry.lpc_valid = inherits || push_likely;
    target_entry.lpc = push_likely ? op_likely_i : top_q.lpc;
    target_entry.lpos =
        !push_likely ? top_q.lpos : replaced ? index_q : index_q + IndexWidth'(1);
  end

  // --- Warps of the top: counted per lane in one clock, the largest count found in the next ------

  logic [Threads-1:0]          top_threads;
  logic [Lanes*CountWidth-1:0] in_lane_q, in_lane_d;
  logic [Rows-1:0]             row_used_q, row_used_d;
  logic [CountWidth-1:0]       most_in_lane, rows_used, warps;

  assign top_threads = threads_q & alive_q;

  // Only for the clock that needs it: simulators skip the rest.
  always_comb begin : count_threads
    in_lane_d = '0;
    row_used_d = '0;
    if (state_q == StSettle) begin
      for (int row = 0; row < Rows; row++) begin
        row_used_d[row] = |top_threads[row*Lanes +: Lanes];
        for (int lane = 0; lane < Lanes; lane++) begin
          in_lane_d[lane*CountWidth +: CountWidth] =
              in_lane_d[lane*CountWidth +: CountWidth] + CountWidth'(top_threads[row*Lanes + lane]);
        end
      end
    end
  end

  // From the highest bit down, among the lanes that can still have the most: in one clock, or the
  // upper half of the bits in a clock and the others in the next.
  logic counts;  // the last of these clocks, if the entry has threads

  if (Stages == 1) begin : gen_one
    always_comb begin : largest_count
      logic [Lanes-1:0] candidates, ones;
      candidates = '1;
      for (int k = CountWidth - 1; k >= 0; k--) begin
        for (int lane = 0; lane < Lanes; lane++)
          ones[lane] = candidates[lane] & in_lane_q[lane*CountWidth + k];
        most_in_lane[k] = |ones;
        if (|ones) candidates = ones;
      end
      rows_used = '0;
      for (int row = 0; row < Rows; row++) rows_used = rows_used + CountWidth'(row_used_q[row]);
      // A block starts with one warp per row.
      warps = op_kind_i == ADVANCE && op_regroup_i ? most_in_lane : rows_used;
    end
    assign counts = warps != '0;

    always_ff @(posedge clk_i) begin
      in_lane_q <= in_lane_d;
      row_used_q <= row_used_d;
    end
  end else begin : gen_two
    localparam int Upper = (CountWidth + 1) / 2, Lower = CountWidth - Upper;
    logic [Lanes-1:0]      candidates, candidates_q;
    logic [Upper-1:0]      upper, upper_q;
    logic [CountWidth-1:0] rows_sum;

    always_comb begin : upper_bits
      logic [Lanes-1:0] ones;
      candidates = '1;
      for (int k = Upper - 1; k >= 0; k--) begin
        for (int lane = 0; lane < Lanes; lane++)
          ones[lane] = candidates[lane] & in_lane_q[lane*CountWidth + Lower + k];
        upper[k] = |ones;
        if (|ones) candidates = ones;
      end
      rows_sum = '0;
      for (int row = 0; row < Rows; row++) rows_sum = rows_sum + CountWidth'(row_used_q[row]);
    end
    always_comb begin : lower_bits
      logic [Lanes-1:0] left, ones;
      left = candidates_q;
      most_in_lane = '0;
      for (int k = Lower - 1; k >= 0; k--) begin
        for (int lane = 0; lane < Lanes; lane++)
          ones[lane] = left[lane] & in_lane_q[lane*CountWidth + k];
        most_in_lane[k] = |ones;
        if (|ones) left = ones;
      end
      for (int k = 0; k < Upper; k++) most_in_lane[Lower + k] = upper_q[k];
    end
    assign warps = op_kind_i == ADVANCE && op_regroup_i ? most_in_lane : rows_used;
    assign counts = row_used_q != '0;

    always_ff @(posedge clk_i) begin
      candidates_q <= candidates;
      upper_q <= upper;
      rows_used <= rows_sum;
      if (state_q == StSettle) begin
        in_lane_q <= in_lane_d;
        row_used_q <= row_used_d;
      end
    end
  end

  // --- The steps of an op -----------------------------------------------------------------------

  logic at_likely;  // the top's threads go over to the entry of their likely-convergence point
  logic fall_below; // the fall-through target is to run second
  assign at_likely = top_q.lpc_valid && top_q.pc == top_q.lpc;
  assign fall_below = (state_q == StSecond) == op_taken_first_i;

  always_comb begin : steps
    state_d = state_q;
    top_d = top_q;
    threads_d = threads_q;
    alive_d = alive_q;
    index_d = index_q;
    used_d = used_q;
    warps_d = warps_q;
    filling_d = filling_q;
    empty_d = empty_q;
    overflow_d = overflow_q;
    op_ready_o = 1'b0;
    write_entry_en = 1'b0;
    write_threads_en = 1'b0;
    write_entry = target_entry;
    write_threads = op_threads_i;

    case (state_q)
      StIdle: if (op_valid_i) begin
        case (op_kind_i)
          START: begin
            top_d = '0;
            top_d.rpc = op_rpc_i;
            threads_d = op_threads_i;
            alive_d = op_threads_i;
            index_d = '0;
            used_d = DepthWidth'(1);
            warps_d = '0;
            filling_d = 1'b0;
            empty_d = 1'b0;
            overflow_d = 1'b0;
            state_d = StSettle;
          end
          BRANCH: begin
            if (filling_q) begin
              state_d = StFall;
            end else if (room) begin
              // It goes on at the reconvergence point once its targets are through.
              top_d.pc = op_rpc_i;
              used_d = used_q + pushed;
              state_d = StFall;
              if (push_likely) state_d = StLikely;
            end else begin
              overflow_d = 1'b1;
              op_ready_o = 1'b1;
            end
          end
          ARRIVE: begin
            top_d.pc = op_pc_i;
            warps_d = warps_q - CountWidth'(1);
            op_ready_o = 1'b1;
          end
          EXIT: begin
            alive_d = alive_q & ~op_threads_i;
            warps_d = warps_q - CountWidth'(op_emptied_i);
            op_ready_o = 1'b1;
          end
          ADVANCE: begin
            if (!filling_q) state_d = StSettle;
            else if (used_q - DepthWidth'(index_q) == DepthWidth'(4)) state_d = StEnterLikely;
            else state_d = StSecond;
          end
          default: op_ready_o = 1'b1;
        endcase
      end

      StLikely: begin
        write_entry_en = 1'b1;
        write_threads_en = 1'b1;
        write_entry = likely_entry;
        write_threads = '0;
        state_d = StFall;
      end
      StFall: begin
        write_entry_en = !filling_q;
        write_threads_en = 1'b1;
        write_entry.pc = op_pc_i + PcWidth'(1);
        write_threads = op_fall_i | (filling_q ? read_threads : '0);
        state_d = StTaken;
      end
      StTaken: begin
        write_entry_en = !filling_q;
        write_threads_en = 1'b1;
        write_threads = op_threads_i | (filling_q ? read_threads : '0);
        filling_d = 1'b1;
        warps_d = warps_q - CountWidth'(1);
        op_ready_o = 1'b1;
        state_d = StIdle;
      end

      // The next entry becomes the top, above the last one or instead of it: an entry that would
      // wake up only to find itself at its own reconvergence point makes room, so that a loop does
      // not grow the stack.
      StEnterLikely, StSecond, StFirst: begin
        write_entry_en = top_q.pc != top_q.rpc;
        write_threads_en = write_entry_en;
        write_entry = top_q;
        write_threads = threads_q;
        index_d = index_q + IndexWidth'(write_entry_en);
        top_d = read_entry;
        threads_d = read_threads;
        if (state_q == StEnterLikely) begin
          state_d = StSecond;
        end else if (state_q == StSecond) begin
          state_d = StFirst;
        end else begin
          filling_d = 1'b0;
          used_d = DepthWidth'(index_d) + DepthWidth'(1);
          state_d = StSettle;
          if (read_entry.pc == read_entry.rpc) state_d = StPop;
        end
      end

      StSettle: begin
        write_threads_en = at_likely;
        write_threads = read_threads | threads_q;
        state_d = StPop;
        if (!at_likely && top_q.pc != top_q.rpc) state_d = StCount;
      end
      StCount: if (Stages == 2) begin
        state_d = StCounted;
      end else begin
        warps_d = warps;
        op_ready_o = warps != '0;
        state_d = StPop;
        if (warps != '0) state_d = StIdle;
      end
      StPop: begin
        if (used_q == DepthWidth'(1)) begin
          empty_d = 1'b1;
          op_ready_o = 1'b1;
          state_d = StIdle;
        end else begin
          top_d = read_entry;
          threads_d = read_threads;
          index_d = index_q - IndexWidth'(1);
          used_d = used_q - DepthWidth'(1);
          state_d = StSettle;
        end
      end
      default: begin  // StCounted
        state_d = StIdle;
        if (Stages == 2) begin
          warps_d = warps;
          op_ready_o = counts;
          if (!counts) state_d = StPop;
        end
      end
    endcase
  end

  always_comb begin : addresses
    read_addr = index_q - IndexWidth'(1);
    case (state_q)
      StLikely, StEnterLikely: read_addr = IndexWidth'(used_q - DepthWidth'(3));
      StFall: read_addr = IndexWidth'(used_q - DepthWidth'(2));
      StTaken: read_addr = IndexWidth'(used_q - DepthWidth'(1));
      StSecond, StFirst: read_addr = IndexWidth'(used_q - DepthWidth'(fall_below ? 2 : 1));
      StSettle: read_addr = top_q.lpos;
      default: ;
    endcase
    write_addr = read_addr;
    if (state_q == StEnterLikely || state_q == StSecond || state_q == StFirst) write_addr = index_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      index_q <= '0;
      used_q <= '0;
      warps_q <= '0;
      filling_q <= 1'b0;
      empty_q <= 1'b1;
      overflow_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      state_q <= state_d;
      index_q <= index_d;
      used_q <= used_d;
      warps_q <= warps_d;
      filling_q <= filling_d;
      empty_q <= empty_d;
      overflow_q <= overflow_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end

  // Of no meaning before the first start.
  always_ff @(posedge clk_i) begin
    top_q <= top_d;
    threads_q <= threads_d;
    alive_q <= alive_d;
  end

  assign done_valid_o = done_q;
  assign top_pc_o = top_q.pc;
  assign top_rpc_o = top_q.rpc;
  assign top_lpc_valid_o = top_q.lpc_valid;
  assign top_lpc_o = top_q.lpc;
  assign top_warps_o = warps_q;
  assign top_threads_o = top_threads;
  assign depth_o = used_q;
  assign filling_o = filling_q;
  assign settled_o = warps_q == '0;
  assign empty_o = empty_q;
  assign overflow_o = overflow_q;

  // --- Assertions -------------------------------------------------------------------------------

  logic taken, counts_one;
  assign taken = op_valid_i && op_ready_o;
  assign counts_one = op_kind_i == BRANCH || op_kind_i == ARRIVE ||
                      (op_kind_i == EXIT && op_emptied_i);

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= ADVANCE)
  `ASSERT(StartedFirst, !op_valid_i || op_kind_i == START || used_q != '0)
  `ASSERT(ArrivalExpected, !taken || !counts_one || warps_q != '0)
  `ASSERT(ArrivalIsNoBranch, !taken || op_kind_i != ARRIVE || !filling_q)
  `ASSERT(ArrivalAtItsPoint, !taken || op_kind_i != ARRIVE || op_pc_i == top_q.rpc ||
                             (top_q.lpc_valid && op_pc_i == top_q.lpc))
  `ASSERT(SidesDisjoint, !taken || op_kind_i != BRANCH || (op_threads_i & op_fall_i) == '0)
  `ASSERT(AdvanceFromSettled, !op_valid_i || op_kind_i != ADVANCE || warps_q == '0)
  `ASSERT(NoOverflow, used_q <= DepthWidth'(Depth))
  `ASSERT(TopInUse, used_q == '0 || DepthWidth'(index_q) < used_q)
  `ASSERT(TargetsAboveTop, state_q != StIdle || filling_q || used_q == '0 ||
                           used_q == DepthWidth'(index_q) + DepthWidth'(1))
  `ASSERT(MergesBelow, state_q != StSettle || !at_likely || top_q.lpos < index_q)

endmodule

`default_nettype wire
