// SPDX-License-Identifier: Apache-2.0
// For what a block must do some time, whatever its clocks.
`ifndef WARPFOLD_PATIENCE_SVH
`define WARPFOLD_PATIENCE_SVH

`define ASSERT_WITHIN(Name, Patience, happens) \
  logic [31:0] waits_q; \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) waits_q <= '0; \
    else if (happens) waits_q <= '0; \
    else waits_q <= waits_q + 32'd1; \
  end \
  `ASSERT(Name, waits_q <= 32'(Patience))

`endif
