// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// CAPRI's prediction table (TSTBC 2): is compaction adequate at a branch, as it was the last time?
// One entry for all branches whose pcs have the same low bits: the other bits, and the verdict.
// Where another branch was the last, or none, it is taken to be adequate: so a cleared entry is any
// branch's, with that verdict. Twin: models/divergence/parts/wct_predictor.h.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. One op a clock; to clear takes a clock for each entry.
module wct_predictor #(
  parameter int Entries = 256,  // a power of two
  parameter int PcWidth = 16
) (
  input  wire               clk_i,
  input  wire               rst_ni,

  input  wire               op_valid_i,
  output logic              op_ready_o,
  input  wire [1:0]         op_kind_i,      // CLEAR ...
  input  wire [PcWidth-1:0] op_pc_i,        // of the branch
  input  wire               op_adequate_i,  // learn: how it turned out

  output logic              done_valid_o,
  output logic              adequate_o      // predict
);

  localparam logic [1:0] CLEAR = 2'd0, PREDICT = 2'd1, LEARN = 2'd2;
  localparam int AddrWidth = simt_pkg::idx_width(Entries);
  localparam int IndexWidth = Entries > 1 ? AddrWidth : 0;  // bits of the pc that say which entry
  localparam int TagWidth = PcWidth - IndexWidth;

  `ASSERT_INIT(ParametersLegal, Entries >= 1 && (Entries & (Entries - 1)) == 0 && TagWidth >= 1)

  logic [AddrWidth-1:0] entry, write_entry, clear_q, clear_d;  // clear_q: the next to be cleared
  logic [TagWidth-1:0]  tag, read_tag;
  logic                 read_adequate, clears, learns, adequate;
  logic                 done_q, adequate_q;

  assign entry = AddrWidth'(32'(op_pc_i) % Entries);
  assign tag = op_pc_i[PcWidth-1:IndexWidth];
  assign clears = op_valid_i && op_kind_i == CLEAR;
  assign learns = op_valid_i && op_kind_i == LEARN;
  assign write_entry = clears ? clear_q : entry;

  ram_1r1w #(.Width(TagWidth + 1), .Depth(Entries)) u_entries (
    .clk_i,
    .write_en_i(clears || learns),
    .write_addr_i(write_entry),
    .write_data_i({tag, clears || op_adequate_i}),
    .read_addr_i(entry),
    .read_data_o({read_tag, read_adequate})
  );

  assign adequate = read_tag != tag || read_adequate;  // seeded-bug: assign adequate = read_adequate;
  assign op_ready_o = !clears || clear_q == AddrWidth'(Entries - 1);
  assign clear_d = clears && !op_ready_o ? clear_q + AddrWidth'(1) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      done_q <= 1'b0;
    end else begin
      clear_q <= clear_d;
      done_q <= op_valid_i && op_ready_o;
    end
  end
  always_ff @(posedge clk_i) if (op_valid_i && op_kind_i == PREDICT) adequate_q <= adequate;

  assign done_valid_o = done_q;
  assign adequate_o = adequate_q;

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= LEARN)

endmodule

`default_nettype wire
