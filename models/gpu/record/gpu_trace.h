// SPDX-License-Identifier: Apache-2.0
// What a GPU's cores do, cycle by cycle, as signals of a SystemC trace file.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>

#include "warpfold/common/clock/clock.h"
#include "warpfold/core/simt_core.h"

namespace warpfold {

// Of each core, NAME.core<n>.…: warps (that it holds), runnable (those of them that wait neither at a barrier nor for
// others), blocks, issued (warp instructions, from the beginning). Sampled at every edge of the core clock of a launch,
// after it; of no influence on what is simulated.
class GpuTrace : public sc_core::sc_module {
 public:
  GpuTrace(sc_core::sc_module_name name, const ClockTree& clocks, const ClockDomain& core_clock);
  void add(sc_core::sc_trace_file& file, const std::string& name, const SimtCore& core);

  void launch_started();
  void launch_ended();

 private:
  struct Signals {
    const SimtCore* core;
    std::uint64_t issued = 0;
    unsigned warps = 0, runnable = 0, blocks = 0;
  };
  void at_edge();
  void sample();

  const ClockTree& clocks_;
  const ClockDomain& core_clock_;
  std::deque<Signals> signals_;  // which the trace file refers to
  sc_core::sc_event edge_, after_edge_;
};

}  // namespace warpfold
