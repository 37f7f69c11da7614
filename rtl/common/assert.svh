// SPDX-License-Identifier: Apache-2.0
// Assertions, one body per tool. All need clk_i and rst_ni in scope.
//   `ASSERT(name, prop)       prop holds at every rising clock edge out of reset
//   `ASSERT_INIT(name, prop)  prop, a constant expression of parameters, holds for this instance
//   `ASSUME_RESET_FIRST       proofs start in reset
//   `ASSUME(name, prop)       proofs only: what the environment keeps to out of reset
//   `COVER(name, prop)        proofs only: prop holds at some time, or what is proved of it says nothing
// Lint and simulation check them with Verilator's --assert, proofs with Yosys's -formal. Icarus
// stops with exit status 1, for an unknown value too. Synthesis keeps ASSERT_INIT only.

`ifndef WARPFOLD_ASSERT_SVH
`define WARPFOLD_ASSERT_SVH

`ifdef VERILATOR
  `define ASSERT(name, prop) \
    name: assert property (@(posedge clk_i) disable iff (!rst_ni) (prop)) \
      else $error("%m: assertion failed");
  `define ASSERT_INIT(name, prop) \
    if (!(prop)) begin : name $error(`"parameters break name: prop`"); end
  `define ASSUME_RESET_FIRST
`elsif FORMAL
  `define ASSERT(name, prop) always @(posedge clk_i) if (rst_ni) assert (prop);
  `define ASSERT_INIT(name, prop) \
    if (!(prop)) begin : name $error(`"parameters break name: prop`"); end
  `define ASSUME_RESET_FIRST initial assume (!rst_ni);
  `define ASSUME(name, prop) always @(posedge clk_i) if (rst_ni) assume (prop);
  `define COVER(name, prop) (* keep *) wire covers_``name = rst_ni && (prop);
`elsif SYNTHESIS
  `define ASSERT(name, prop)
  `define ASSERT_INIT(name, prop) \
    if (!(prop)) begin : name $error(`"parameters break name: prop`"); end
  `define ASSUME_RESET_FIRST
`else
  `define ASSERT(name, prop) \
    always @(posedge clk_i) begin : name \
      if (rst_ni === 1'b1 && (prop) !== 1'b1) begin \
        $display("%m: assertion failed"); \
        $finish_and_return(1); \
      end \
    end
  `define ASSERT_INIT(name, prop) \
    initial begin : name \
      if (!(prop)) begin \
        $display("%m: %s", `"parameters break name: prop`"); \
        $finish_and_return(1); \
      end \
    end
  `define ASSUME_RESET_FIRST
`endif

`endif
