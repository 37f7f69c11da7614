// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The token stacks of a core's warps and their control, as NVIDIA's Kepler and Maxwell (Divergence
// cost III, Algorithms 1 and 2). Twin: models/divergence/parts/warp_tokens.
//
// Token i of a warp lies at i mod `Entries` of the warp's part of `u_tokens`. Where a push finds
// that part full, the `Chunk` lowest tokens go to memory first; where a pop finds it empty, as many
// come back. A beat of the memory port is a token: it is offered until mem_ready_i, with which comes
// what is read. Threads that exit leave the mask in `u_warps`, which every token is read through; a
// pop goes on to the next token while that has no threads.
//
// The payload of an op stays until op_ready_o, its last clock; done_valid_o is the clock after.
// Clocks: 2, or 3 where a token is popped; 2 more for each popped without threads, and a clock or
// more for each that moves.
module token_stack #(
  parameter int Warps = 32,    // of the core
  parameter int Lanes = 32,
  parameter int Entries = 16,  // tokens of a warp on the core
  parameter int Chunk = 4,     // tokens that go to memory or come back at a time
  parameter int Chunks = 64,   // of a warp in memory, at most
  parameter int PcWidth = 16,
  localparam int WarpWidth = simt_pkg::idx_width(Warps),
  localparam int CountWidth = simt_pkg::idx_width(Entries + 1),
  localparam int BeatWidth = simt_pkg::idx_width(Chunk),
  localparam int OutWidth = simt_pkg::idx_width(Chunks + 1),
  localparam int TokenWidth = 1 + PcWidth + Lanes
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   op_valid_i,
  output logic                  op_ready_o,
  input  wire  [2:0]            op_kind_i,     // START ...
  input  wire  [WarpWidth-1:0]  op_warp_i,
  input  wire  [Lanes-1:0]      op_active_i,   // the warp's active threads
  input  wire  [Lanes-1:0]      op_lanes_i,    // start: its threads; that take the branch; that exit
  input  wire  [PcWidth-1:0]    op_pc_i,       // the next; branch: not taken
  input  wire  [PcWidth-1:0]    op_target_i,   // branch; SSY: where the threads are to meet

  output logic                  done_valid_o,  // what follows is of the op that is done
  output logic [PcWidth-1:0]    warp_pc_o,     // where its warp goes on
  output logic [Lanes-1:0]      warp_mask_o,   // with which threads; none: all have exited
  output logic                  sync_o,        // what was popped last is a SYNC token
  output logic [CountWidth-1:0] count_o,       // tokens on the core
  output logic [OutWidth-1:0]   chunks_o,      // and in memory
  output logic                  overflow_o,    // a push had no room in memory, was lost

  output logic                  mem_valid_o,
  input  wire                   mem_ready_i,
  output logic                  mem_write_o,
  output logic [WarpWidth-1:0]  mem_warp_o,    // whose token
  output logic [OutWidth-1:0]   mem_chunk_o,   // of which chunk
  output logic [BeatWidth-1:0]  mem_token_o,   // the how manyth
  output logic [TokenWidth-1:0] mem_data_o,
  input  wire  [TokenWidth-1:0] mem_data_i
);

  localparam logic [2:0] START = 3'd0, SSY = 3'd1, BRANCH = 3'd2, POP = 3'd3, EXIT = 3'd4;
  localparam int SlotWidth = simt_pkg::idx_width(Entries);
  localparam int AddrWidth = simt_pkg::idx_width(Warps * Entries);

  `ASSERT_INIT(ParametersLegal, Warps >= 1 && Lanes >= 1 && Entries >= 1 && Chunk >= 1 &&
                                Chunk <= Entries && Chunks >= 1 && PcWidth >= 1)

  typedef enum logic [1:0] {
    StIdle = 2'd0,  // takes what the warp has
    StAct = 2'd1,   // moves tokens, pushes, pops, or has nothing to do
    StPop = 2'd2    // has the token: is there a thread left that goes on?
  } state_e;

  typedef struct packed {
    logic [OutWidth-1:0]   out;    // chunks in memory
    logic [CountWidth-1:0] count;  // tokens on the core
    logic [SlotWidth-1:0]  next;   // where the next lies
    logic [Lanes-1:0]      live;   // threads that have not exited
  } warp_t;

  typedef struct packed {
    logic               sync;  // else DIV
    logic [PcWidth-1:0] pc;
    logic [Lanes-1:0]   mask;
  } token_t;

  // Yosys would give it other codes, by which the netlist could not be compared.
  (* fsm_encoding = "none" *) state_e state_q;
  state_e               state_d;
  warp_t                warp_q, warp_d, read_warp;
  token_t               res_q, read_token, write_token;  // res_q: the warp's pc and threads
  logic [BeatWidth-1:0] beat_q, beat_d;                  // tokens of the chunk that have moved
  logic                 finishes, overflows, write_token_en, pop_en;

  // --- What the op asks for ---------------------------------------------------------------------

  logic [Lanes-1:0] taken, fall, left;
  logic             diverges, pushes, pops, moves, spills;

  assign taken = op_active_i & op_lanes_i;
  assign fall = op_active_i & ~op_lanes_i;  // seeded-bug: assign fall = ~op_lanes_i;
  assign left = op_active_i & warp_q.live;
  assign diverges = taken != '0 && fall != '0;
  assign pushes = op_kind_i == SSY || (op_kind_i == BRANCH && diverges);
  assign pops = op_kind_i == POP || (op_kind_i == EXIT && left == '0);

  // A chunk that has begun to move moves to its end.
  assign spills = pushes && (warp_q.count == CountWidth'(Entries) || beat_q != '0);
  assign moves = state_q == StAct &&
                 (spills || (pops && warp_q.out != '0 && (warp_q.count == '0 || beat_q != '0)));

  // --- Where tokens lie -------------------------------------------------------------------------

  function automatic logic [SlotWidth-1:0] below(input logic [SlotWidth-1:0] slot);
    below = slot == '0 ? SlotWidth'(Entries - 1) : slot - SlotWidth'(1);
  endfunction

  logic [SlotWidth-1:0] lowest, read_slot, write_slot;

  assign lowest = CountWidth'(warp_q.next) >= warp_q.count ?
                  SlotWidth'(CountWidth'(warp_q.next) - warp_q.count) :
                  SlotWidth'((CountWidth + 1)'(warp_q.next) + (CountWidth + 1)'(Entries) -
                             (CountWidth + 1)'(warp_q.count));
  assign read_slot = pushes ? lowest : below(warp_q.next);
  assign write_slot = pushes ? warp_q.next : below(lowest);

  ram_1r1w #(.Width(TokenWidth), .Depth(Warps * Entries)) u_tokens (
    .clk_i,
    .write_en_i(write_token_en),
    .write_addr_i(AddrWidth'(32'(op_warp_i) * Entries + 32'(write_slot))),
    .write_data_i(write_token),
    .read_addr_i(AddrWidth'(32'(op_warp_i) * Entries + 32'(read_slot))),
    .read_data_o(read_token)
  );

  ram_1r1w #(.Width(Lanes + SlotWidth + CountWidth + OutWidth), .Depth(Warps)) u_warps (
    .clk_i,
    .write_en_i(finishes),
    .write_addr_i(op_warp_i),
    .write_data_i(warp_d),
    .read_addr_i(op_warp_i),
    .read_data_o(read_warp)
  );

  assign mem_valid_o = moves && !overflows;
  assign mem_write_o = pushes;
  assign mem_warp_o = op_warp_i;
  assign mem_chunk_o = pushes ? warp_q.out : warp_q.out - OutWidth'(1);
  assign mem_token_o = pushes ? beat_q : BeatWidth'(Chunk - 1) - beat_q;
  assign mem_data_o = read_token;

  // --- The steps of an op -----------------------------------------------------------------------

  assign overflows = spills && beat_q == '0 && warp_q.out == OutWidth'(Chunks);
  assign op_ready_o = finishes;

  always_comb begin : steps
    state_d = state_q;
    warp_d = warp_q;
    beat_d = beat_q;
    finishes = 1'b0;
    pop_en = 1'b0;
    write_token_en = 1'b0;
    write_token = {1'b0, op_pc_i, fall};
    if (op_kind_i == SSY) write_token = {1'b1, op_target_i, op_active_i};
    if (!pushes) write_token = mem_data_i;

    case (state_q)
      StIdle: if (op_valid_i) begin
        warp_d = read_warp;
        if (op_kind_i == EXIT) warp_d.live = read_warp.live & ~op_lanes_i;
        if (op_kind_i == START) warp_d = {OutWidth'(0), CountWidth'(0), SlotWidth'(0), op_lanes_i};
        state_d = StAct;
      end
      StAct: if (overflows) begin
        finishes = 1'b1;
      end else if (moves) begin
        write_token_en = !pushes && mem_ready_i;
        if (mem_ready_i) begin
          warp_d.count = pushes ? warp_q.count - CountWidth'(1) : warp_q.count + CountWidth'(1);
          beat_d = beat_q + BeatWidth'(1);
          if (beat_q == BeatWidth'(Chunk - 1)) begin
            beat_d = '0;
            warp_d.out = pushes ? warp_q.out + OutWidth'(1) : warp_q.out - OutWidth'(1);
          end
        end
      end else if (pops && warp_q.count != '0) begin
        pop_en = 1'b1;
        warp_d.count = warp_q.count - CountWidth'(1);
        warp_d.next = below(warp_q.next);
        state_d = StPop;
      end else begin
        write_token_en = pushes;
        if (pushes) begin
          warp_d.count = warp_q.count + CountWidth'(1);
          warp_d.next = warp_q.next == SlotWidth'(Entries - 1) ? '0 : warp_q.next + SlotWidth'(1);
        end
        finishes = 1'b1;
      end
      default: begin  // StPop
        finishes = warp_mask_o != '0;
        state_d = StAct;
      end
    endcase
    if (finishes) state_d = StIdle;
  end

  logic done_q, overflow_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      beat_q <= '0;
      done_q <= 1'b0;
    end else begin
      state_q <= state_d;
      beat_q <= beat_d;
      done_q <= finishes;
    end
  end

  // Algorithm 1: those that take the branch go on, or all if none does.
  always_ff @(posedge clk_i) begin
    warp_q <= warp_d;
    overflow_q <= overflows;
    if (pop_en) begin
      res_q <= read_token;
    end else if (state_q == StAct) begin
      res_q.pc <= op_kind_i == BRANCH && taken != '0 ? op_target_i : op_pc_i;
      res_q.mask <= op_kind_i == BRANCH && taken != '0 ? taken :
                    op_kind_i == START ? op_lanes_i : op_active_i;
    end
  end

  assign done_valid_o = done_q;
  assign warp_pc_o = res_q.pc;
  assign warp_mask_o = res_q.mask & warp_q.live;
  assign sync_o = res_q.sync;
  assign count_o = warp_q.count;
  assign chunks_o = warp_q.out;
  assign overflow_o = overflow_q;

  // --- Assertions -------------------------------------------------------------------------------

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= EXIT)
  `ASSERT(OpStays, state_q == StIdle || op_valid_i)
  `ASSERT(ActiveThreadsLive, state_q == StIdle || op_kind_i == START || op_kind_i == EXIT ||
                             (op_active_i & ~warp_q.live) == '0)
  `ASSERT(DepthBounded, state_q == StIdle || (warp_q.count <= CountWidth'(Entries) &&
                                              warp_q.out <= OutWidth'(Chunks)))

endmodule

`default_nettype wire
