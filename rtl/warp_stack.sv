// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The reconvergence stacks of a core's warps (TBC 2.2.2) and their control, with likely-convergence
// points (TBC 4) where `Likely` is set. Twin: models/divergence/parts/warp_stack.
//
// All entries are in one memory, by warp and depth; a register per warp says how many it has. The
// pc of a warp's top is the warp's own: the entry has one only when it is not the top. Threads that
// exit leave `u_live`, which every mask is read through. An entry without a likely-convergence
// point has its rpc for one.
//
// In the clock that takes an op the top of its warp is read; what comes of it is decided in the
// next, in which another warp's op may be taken: one a clock, while none pops or diverges. A warp
// has one op at a time. Clocks until done_valid_o: 2; a branch 3, 1 more for the side that runs
// second unless that is where both reconverge, 1 for the entry of a likely-convergence point. Every
// entry that pops then takes 2, and 1 more if its threads go over to the entry of their
// likely-convergence point; so does a branch whose first side pops at once.
module warp_stack #(
  parameter int Warps = 32,   // of the core
  parameter int Lanes = 32,
  parameter int Depth = 32,   // entries of a warp, at least 3
  parameter int PcWidth = 16,
  parameter int Likely = 0,   // 1: with likely-convergence points
  localparam int WarpWidth = simt_pkg::idx_width(Warps),
  localparam int DepthWidth = simt_pkg::idx_width(Depth + 1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [1:0]            op_kind_i,          // START ...
  input  wire  [WarpWidth-1:0]  op_warp_i,
  input  wire  [Lanes-1:0]      op_lanes_i,         // the warp's; that take the branch; that exit
  input  wire  [PcWidth-1:0]    op_pc_i,            // the next; branch: not taken
  input  wire  [PcWidth-1:0]    op_target_i,        // branch
  input  wire  [PcWidth-1:0]    op_rpc_i,           // branch; start: the kernel's end
  input  wire                   op_likely_valid_i,  // branch: likely to converge before op_rpc_i
  input  wire  [PcWidth-1:0]    op_likely_i,
  input  wire                   op_taken_first_i,   // branch: which side runs first

  output logic                  done_valid_o,       // what follows is of the op that is done
  output logic [PcWidth-1:0]    warp_pc_o,          // where its warp goes on
  output logic [Lanes-1:0]      warp_mask_o,        // with which threads
  output logic [DepthWidth-1:0] depth_o,            // entries in use; 0: all threads have exited
  output logic                  overflow_o          // a branch had no room, was lost
);

  localparam logic [1:0] START = 2'd0, GO_ON = 2'd1, BRANCH = 2'd2, EXIT = 2'd3;
  localparam int IndexWidth = simt_pkg::idx_width(Depth);
  localparam int AddrWidth = simt_pkg::idx_width(Warps * Depth);
  localparam int BaseWidth = 2 * PcWidth + Lanes;
  localparam int EntryWidth = BaseWidth + (Likely != 0 ? PcWidth + IndexWidth : 0);

  `ASSERT_INIT(ParametersLegal, Warps >= 1 && Lanes >= 1 && Depth >= 3 && PcWidth >= 1 && Likely <= 1)

  typedef enum logic [2:0] {
    StIdle = 3'd0,
    StDecide = 3'd1,  // of the top that was read
    StLikely = 3'd2,  // branch: writes the entry of the likely-convergence point
    StSecond = 3'd3,  // branch: writes the side that runs second
    StFirst = 3'd4,
    StMerge = 3'd5,   // the threads of the top go over to the entry of their likely-convergence point
    StRead = 3'd6     // the next entry is the top
  } state_e;

  typedef struct packed {
    logic [1:0]           kind;
    logic [WarpWidth-1:0] warp;
    logic [Lanes-1:0]     lanes;
    logic [PcWidth-1:0]   target;
    logic [PcWidth-1:0]   rpc;
    logic                 likely_valid;
    logic [PcWidth-1:0]   likely;
    logic                 taken_first;
  } op_t;

  typedef struct packed {
    logic [IndexWidth-1:0] lpos;
    logic [PcWidth-1:0]    lpc;
    logic [Lanes-1:0]      mask;
    logic [PcWidth-1:0]    rpc;
    logic [PcWidth-1:0]    pc;
  } entry_t;

  // Yosys would give it other codes, by which the netlist could not be compared.
  (* fsm_encoding = "none" *) state_e state_q;
  state_e                state_d;
  op_t                   op_q;
  entry_t                top_q, top_d;      // of a branch: what its sides have of it
  logic [DepthWidth-1:0] used_q, used_d;    // entries of the warp
  logic [Lanes-1:0]      live_q, live;      // its threads that have not exited
  logic                  taken, finishes, overflows;
  logic [PcWidth-1:0]    res_pc;
  logic [Lanes-1:0]      res_mask;

  assign op_ready_o = state_q == StIdle || finishes;
  assign taken = op_valid_i && op_ready_o;
  assign live = state_q == StRead ? live_q :
                op_kind_i == EXIT ? read_live & ~op_lanes_i : read_live;

  // --- How many entries each warp has -----------------------------------------------------------

  logic [Warps*DepthWidth-1:0] depths_q;
  logic [DepthWidth-1:0]       taken_depth;

  assign taken_depth = depths_q[32'(op_warp_i)*DepthWidth +: DepthWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) depths_q <= '0;
    else if (finishes) depths_q[32'(op_q.warp)*DepthWidth +: DepthWidth] <= used_d;
  end

  // --- Memories ---------------------------------------------------------------------------------

  logic [WarpWidth-1:0]  read_warp;
  logic [IndexWidth-1:0] read_index, write_index;
  logic [EntryWidth-1:0] read_word, write_word;
  entry_t                read_entry, write_entry;
  logic                  write_en, write_live_en;
  logic [Lanes-1:0]      read_live, write_live;

  ram_1r1w #(.Width(EntryWidth), .Depth(Warps * Depth)) u_entries (
    .clk_i,
    .write_en_i(write_en),
    .write_addr_i(AddrWidth'(32'(op_q.warp) * Depth + 32'(write_index))),
    .write_data_i(write_word),
    .read_addr_i(AddrWidth'(32'(read_warp) * Depth + 32'(read_index))),
    .read_data_o(read_word)
  );

  ram_1r1w #(.Width(Lanes), .Depth(Warps)) u_live (
    .clk_i,
    .write_en_i(write_live_en),
    .write_addr_i(op_q.warp),
    .write_data_i(write_live),
    .read_addr_i(op_warp_i),
    .read_data_o(read_live)
  );

  if (Likely != 0) begin : gen_likely
    assign read_entry = read_word;
    assign write_word = write_entry;
  end else begin : gen_plain
    assign read_entry = {IndexWidth'(0), read_word[PcWidth +: PcWidth], read_word};
    assign write_word = write_entry[BaseWidth-1:0];
    wire unused_likely = ^write_entry[BaseWidth +: PcWidth + IndexWidth];
  end

  // --- The top ----------------------------------------------------------------------------------

  logic [Lanes-1:0] mask;
  logic             last, at_likely, stays;

  assign mask = top_q.mask;
  assign last = used_q == DepthWidth'(1);
  assign at_likely = Likely != 0 && top_q.pc == top_q.lpc && top_q.lpc != top_q.rpc;
  assign stays = mask != '0 && (last || (top_q.pc != top_q.rpc && !at_likely));
  assign write_live = op_q.kind == START ? op_q.lanes : live_q;

  // --- What the entries of a branch look like ---------------------------------------------------

  logic [PcWidth-1:0]  first_pc, second_pc;
  logic [Lanes-1:0]    first_mask, second_mask;
  logic                replaced, push_likely, first_there, second_there, room;
  logic [DepthWidth:0] pushed;

  // A top that waits where the branch reconverges makes room for the sides and leaves its
  // likely-convergence point to them; if the branch has the same one, no second entry is needed
  // (TBC footnote 7).
  assign replaced = top_q.rpc == op_q.rpc;  // seeded-bug: assign replaced = 1'b0;
  assign push_likely = Likely != 0 && op_q.likely_valid && !(replaced && top_q.lpc == op_q.likely);
  assign first_pc = op_q.taken_first ? op_q.target : top_q.pc;
  assign second_pc = op_q.taken_first ? top_q.pc : op_q.target;
  assign first_mask = mask & (op_q.taken_first ? op_q.lanes : ~op_q.lanes);
  assign second_mask = mask & (op_q.taken_first ? ~op_q.lanes : op_q.lanes);
  assign first_there = first_pc != op_q.rpc;
  assign second_there = second_pc != op_q.rpc;
  assign pushed = (DepthWidth + 1)'(first_there) + (DepthWidth + 1)'(second_there) +
                  (DepthWidth + 1)'(push_likely);
  assign room = {1'b0, used_q} + pushed <= (DepthWidth + 1)'(Depth) + (DepthWidth + 1)'(replaced);

  // --- The steps of an op -----------------------------------------------------------------------

  always_comb begin : steps
    state_d = state_q;
    top_d = top_q;
    used_d = used_q;
    finishes = 1'b0;
    overflows = 1'b0;
    res_pc = top_q.pc;
    res_mask = mask;
    write_en = 1'b0;
    write_live_en = 1'b0;
    write_index = IndexWidth'(used_q);
    write_entry = top_q;
    write_entry.rpc = op_q.rpc;
    read_warp = op_q.warp;
    read_index = top_q.lpos;

    case (state_q)
      StDecide: case (op_q.kind)
        START: begin
          write_en = 1'b1;
          write_live_en = 1'b1;
          write_index = '0;
          write_entry.pc = '0;
          write_entry.mask = op_q.lanes;
          write_entry.lpc = op_q.rpc;
          used_d = DepthWidth'(1);
          res_pc = '0;
          res_mask = op_q.lanes;
          finishes = 1'b1;
        end
        BRANCH: begin
          // It goes on at the reconvergence point once its sides are through.
          write_en = room && !replaced;
          write_index = IndexWidth'(used_q - DepthWidth'(1));
          write_entry.pc = op_q.rpc;
          write_entry.rpc = top_q.rpc;
          if (!replaced) top_d.lpc = op_q.rpc;
          if (room && replaced) used_d = used_q - DepthWidth'(1);
          overflows = !room;
          finishes = !room;
          state_d = StFirst;
          if (second_there) state_d = StSecond;
          if (push_likely) state_d = StLikely;
        end
        default: begin
          write_live_en = op_q.kind == EXIT;
          finishes = stays || last;
          if (!stays) used_d = used_q - DepthWidth'(1);
          state_d = StRead;
          if (at_likely) state_d = StMerge;
        end
      endcase
      StLikely: if (Likely != 0) begin
        write_en = 1'b1;
        write_entry.pc = op_q.likely;
        write_entry.mask = '0;
        top_d.lpc = op_q.likely;
        top_d.lpos = write_index;
        used_d = used_q + DepthWidth'(1);
        state_d = StFirst;
        if (second_there) state_d = StSecond;
      end
      StSecond: begin
        write_en = 1'b1;
        write_entry.pc = second_pc;
        write_entry.mask = second_mask;
        used_d = used_q + DepthWidth'(1);
        state_d = StFirst;
      end
      StFirst: begin
        write_en = first_there;
        write_entry.pc = first_pc;
        write_entry.mask = first_mask;
        used_d = used_q + DepthWidth'(first_there);
        res_pc = first_pc;
        res_mask = first_mask;
        finishes = first_there && (Likely == 0 || first_pc != top_q.lpc);
        state_d = StRead;
      end
      StMerge: begin
        write_en = 1'b1;
        write_index = top_q.lpos;
        write_entry = read_entry;
        write_entry.mask = read_entry.mask | mask;
        state_d = StRead;
      end
      StRead: begin
        read_index = IndexWidth'(used_q - DepthWidth'(1));
        top_d = read_entry;
        state_d = StDecide;
      end
      default: ;
    endcase
    if (finishes) state_d = StIdle;

    if (state_q != StMerge && state_q != StRead) begin
      read_warp = op_warp_i;
      read_index = IndexWidth'(taken_depth - DepthWidth'(1));
    end
  end

  logic                  done_q, overflow_q;
  logic [DepthWidth-1:0] depth_q;
  logic [PcWidth-1:0]    pc_q;
  logic [Lanes-1:0]      mask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      done_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (taken) state_q <= StDecide;
      done_q <= finishes;
    end
  end

  always_ff @(posedge clk_i) begin
    top_q <= taken ? read_entry : top_d;
    if (taken || state_q == StRead) top_q.mask <= read_entry.mask & live;
    used_q <= taken ? taken_depth : used_d;
    if (taken) begin
      op_q <= {op_kind_i, op_warp_i, op_lanes_i, op_target_i, op_rpc_i, op_likely_valid_i,
               op_likely_i, op_taken_first_i};
      top_q.pc <= op_pc_i;
      live_q <= live;
    end else if (state_q == StRead) begin
      op_q.kind <= GO_ON;  // whatever it was: the entries below go on
    end
    if (finishes) begin
      pc_q <= res_pc;
      mask_q <= res_mask;
      depth_q <= used_d;
      overflow_q <= overflows;
    end
  end

  assign done_valid_o = done_q;
  assign warp_pc_o = pc_q;
  assign warp_mask_o = mask_q;
  assign depth_o = depth_q;
  assign overflow_o = overflow_q;

  // --- Assertions -------------------------------------------------------------------------------

  logic decides;
  assign decides = state_q == StDecide;

  `ASSERT(OneOpPerWarp, !taken || state_q == StIdle || op_warp_i != op_q.warp)
  `ASSERT(StartedFirst, !decides || op_q.kind == START || used_q != '0)
  `ASSERT(SidesHaveThreads, !decides || op_q.kind != BRANCH ||
                            ((mask & op_q.lanes) != '0 && (mask & ~op_q.lanes) != '0))
  `ASSERT(SidesPart, !decides || op_q.kind != BRANCH || top_q.pc != op_q.target)
  `ASSERT(DepthBounded, state_q == StIdle || (decides && op_q.kind == START) ||
                        used_q <= DepthWidth'(Depth))
  `ASSERT(MergesBelow, state_q != StMerge || DepthWidth'(top_q.lpos) < used_q)

endmodule

`default_nettype wire
