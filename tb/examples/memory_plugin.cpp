// SPDX-License-Identifier: Apache-2.0
// A memory behind the GPU of programs that are built already: a plug-in (docs/plug-ins.md). MEMORY_HEADER says what a
// Memory is (dram_simulator.cpp).
//   warpfold run --plugin build/release/lib/liblatency_plugin.so --set memory.boundary.memory=external -- bfs
#include MEMORY_HEADER

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>

#include "address_window.h"
#include "warpfold/gpu/machine/gpu.h"

namespace {

struct Behind {
  explicit Behind(warpfold::Gpu& gpu) : times(gpu.dram_sockets()) {
    for (unsigned slice = 0; slice < gpu.dram_sockets(); ++slice) {
      AddressWindow& window = windows.emplace_back(("window_" + std::to_string(slice)).c_str(), times.bytes());
      gpu.dram_socket(slice).bind(window.in);
      window.out.bind(times.socket(slice));
    }
  }
  Memory times;
  std::deque<AddressWindow> windows;
};
std::shared_ptr<Behind> behind;

}  // namespace

// Called once the GPU is there and before the simulation begins. What is in `keep` lives until the GPU goes.
extern "C" void warpfold_bind(warpfold::Gpu& gpu, std::shared_ptr<void>& keep) {
  if (behind == nullptr) std::atexit([] { std::fputs(behind->times.summary().c_str(), stderr); });
  behind = std::make_shared<Behind>(gpu);
  keep = behind;
}
