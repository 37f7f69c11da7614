// SPDX-License-Identifier: Apache-2.0
// VHDL as Verilog, by GHDL's synthesis (scripts/rtl-verilog).
#pragma once

#include "tb/cosim/build/build.h"

namespace warpfold::cosim {

// A source with its .vhd and .vhdl files, if it has any, replaced by one file of Verilog in the cache, in which the
// parameters have their values. UserError: what GHDL says of a file, a design of both languages, GHDL is not installed.
RtlSource without_vhdl(RtlSource source);

}  // namespace warpfold::cosim
