// SPDX-License-Identifier: Apache-2.0
// A memory behind the GPU of any program: a plug-in that brings one (docs/plug-ins.md).
//   warpfold run --plugin libmemory_plugin.so --set memory.boundary.memory=external -- bfs
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>

#include "latency_memory.h"
#include "warpfold/gpu/machine/gpu.h"

namespace {

// Nanoseconds; of the environment, as a plug-in has no options.
double latency_ns() {
  const char* const said = std::getenv("MEMORY_NS");
  return said == nullptr ? 100 : std::strtod(said, nullptr);
}

}  // namespace

// Called once the GPU is there and before the simulation begins. What is in `keep` lives until the GPU goes.
extern "C" void warpfold_bind(warpfold::Gpu& gpu, std::shared_ptr<void>& keep) {
  const auto memories = std::make_shared<std::deque<LatencyMemory>>();
  keep = memories;
  const sc_core::sc_time latency(latency_ns(), sc_core::SC_NS), per_byte(0.05, sc_core::SC_NS);
  for (unsigned slice = 0; slice < gpu.dram_sockets(); ++slice) {
    memories->emplace_back(("memory_" + std::to_string(slice)).c_str(), latency, per_byte);
    gpu.dram_socket(slice).bind(memories->back().socket);
  }
}
