// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// The ignore list of dynamic warp resizing: places where slices of a warp have met in vain three
// times. Nobody waits there any more. One entry for all places whose pcs have the same low bits: the
// other bits, and how many of its meetings were fruitless. A place that finds another's entry makes
// it its own. Twin: models/divergence/parts/slices/ignore_list.h.
//
// An op is taken (op_ready_o) in its last clock, and its payload stays until then; done_valid_o is
// the clock after. One op a clock; to clear takes a clock for each entry.
module ignore_list #(
  parameter int Entries = 32,  // a power of two
  parameter int PcWidth = 16
) (
  input  wire               clk_i,
  input  wire               rst_ni,

  input  wire               op_valid_i,
  output logic              op_ready_o,
  input  wire [1:0]         op_kind_i,  // CLEAR ...
  input  wire [PcWidth-1:0] op_pc_i,    // of the place

  output logic              done_valid_o,
  output logic              ignored_o   // look: it is ignored; fruitless: it is from now on
);

  localparam logic [1:0] CLEAR = 2'd0, LOOK = 2'd1, FRUITLESS = 2'd2;
  localparam logic [1:0] ENOUGH = 2'd3;  // fruitless meetings
  localparam int AddrWidth = simt_pkg::idx_width(Entries);
  localparam int IndexWidth = Entries > 1 ? AddrWidth : 0;  // bits of the pc that say which entry
  localparam int TagWidth = PcWidth - IndexWidth;

  `ASSERT_INIT(ParametersLegal, Entries >= 1 && (Entries & (Entries - 1)) == 0 && TagWidth >= 1)

  logic [AddrWidth-1:0] entry, write_entry, clear_q, clear_d;  // clear_q: the next to be cleared
  logic [TagWidth-1:0]  tag, read_tag;
  logic [1:0]           read_count, count, count_d;
  logic                 clears, counts, ignored, done_q, ignored_q;

  assign entry = AddrWidth'(32'(op_pc_i) % Entries);
  assign tag = op_pc_i[PcWidth-1:IndexWidth];
  assign clears = op_valid_i && op_kind_i == CLEAR;
  assign counts = op_valid_i && op_kind_i == FRUITLESS;
  assign write_entry = clears ? clear_q : entry;

  ram_1r1w #(.Width(TagWidth + 2), .Depth(Entries)) u_entries (
    .clk_i,
    .write_en_i(clears || counts),
    .write_addr_i(write_entry),
    .write_data_i({tag, count_d}),
    .read_addr_i(entry),
    .read_data_o({read_tag, read_count})
  );

  assign count = read_tag == tag ? read_count : 2'd0;  // seeded-bug: assign count = read_count;
  assign count_d = clears ? 2'd0 : count == ENOUGH ? ENOUGH : count + 2'd1;
  assign ignored = counts ? count == ENOUGH - 2'd1 : count == ENOUGH;
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
  always_ff @(posedge clk_i) if (counts || (op_valid_i && op_kind_i == LOOK)) ignored_q <= ignored;

  assign done_valid_o = done_q;
  assign ignored_o = ignored_q;

  `ASSERT(KindKnown, !op_valid_i || op_kind_i <= FRUITLESS)

endmodule

`default_nettype wire
