// SPDX-License-Identifier: Apache-2.0
// A block's pins in a run, in the files that synthesis, timing and power tools read.
#pragma once

#include <map>
#include <string>

#include "tb/cosim/build/build.h"
#include "tb/cosim/record/activity.h"

namespace warpfold::cosim {

// Timing constraints, as scripts/rtl-synth times a block: inputs change with the clock's edge, outputs are there before
// the next one, reset is not timed. Cells that drive inputs and loads of outputs are of the library, and not in it.
std::string sdc_of(const RtlSource& source, std::uint64_t period_ps);

// Switching activity of its pins (SAIF 2.0), over the whole recording.
std::string saif_of(const RtlSource& source, const BlockActivity& activity);

// Leaves <folder>/<instance>/block.saif and block.vcd of each instance in a file that --waves wrote. VCD has the pins,
// in a scope that has the name of the module. `runtime`: at a program's end it cannot be looked for any more.
void exchange_waves(const RtlRuntime& runtime, const std::string& fst_file,
                    const std::map<std::string, RtlSource>& instances, const std::string& folder);

}  // namespace warpfold::cosim
