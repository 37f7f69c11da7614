// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/gpu_trace.h"

namespace warpfold {

GpuTrace::GpuTrace(sc_core::sc_module_name name, const ClockTree& clocks, const ClockDomain& core_clock)
    : sc_module(name), clocks_(clocks), core_clock_(core_clock) {
  SC_HAS_PROCESS(GpuTrace);
  SC_METHOD(at_edge);
  sensitive << edge_;
  dont_initialize();
  SC_METHOD(sample);
  sensitive << after_edge_;
  dont_initialize();
}

void GpuTrace::add(sc_core::sc_trace_file& file, const std::string& name, const SimtCore& core) {
  signals_.push_back({&core});
  const Signals& signals = signals_.back();
  sc_core::sc_trace(&file, signals.warps, name + ".warps");
  sc_core::sc_trace(&file, signals.runnable, name + ".runnable");
  sc_core::sc_trace(&file, signals.blocks, name + ".blocks");
  sc_core::sc_trace(&file, signals.issued, name + ".issued");
}

void GpuTrace::launch_started() { at_edge(); }

// The edge of now is still being served.
void GpuTrace::at_edge() {
  after_edge_.notify(sc_core::SC_ZERO_TIME);
  const std::uint64_t now = clocks_.present_ps();
  Cycle next = core_clock_.current() + 1;
  edge_.notify(clocks_.time_of(core_clock_.edge_ps(next) - now));
}

void GpuTrace::sample() {
  for (Signals& signals : signals_) {
    const SimtCore::Load load = signals.core->load();
    signals.issued = signals.core->issued();
    signals.warps = load.warps;
    signals.runnable = load.runnable;
    signals.blocks = load.blocks;
  }
}

void GpuTrace::launch_ended() {
  sample();
  edge_.cancel();
  after_edge_.cancel();
}

}  // namespace warpfold
