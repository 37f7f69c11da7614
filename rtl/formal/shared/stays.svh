// SPDX-License-Identifier: Apache-2.0
// A handshake's first rule: what is valid and was not taken in the clock before is there still, and the same. A block
// keeps to it at its outputs; what a harness offers to a block keeps to it at its inputs.
`ifndef WARPFOLD_STAYS_SVH
`define WARPFOLD_STAYS_SVH

`define STAYS(valid, ready, what) (!$past(rst_ni && (valid) && !(ready)) || ((valid) && (what) == $past(what)))
`define ASSERT_STAYS(Name, valid, ready, what) `ASSERT(Name, `STAYS(valid, ready, what))
`define ASSUME_STAYS(Name, valid, ready, what) `ASSUME(Name, `STAYS(valid, ready, what))

`endif
