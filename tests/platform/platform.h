// SPDX-License-Identifier: Apache-2.0
// A GPU with a kernel of its own in somebody else's simulation, for tests that make the rest of it.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/gpu/kernel_machine.h"
#include "tests/memory/simulation.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/run_launch.h"

namespace warpfold::platform_test {

constexpr unsigned kBlocks = 12, kThreads = 64, kWords = kBlocks * kThreads;
inline const char* const kSum = "add.u32 %r6, %r5, %r4;";

// Code that runs as a process.
struct Host : sc_core::sc_module {
  Host(sc_core::sc_module_name name, std::function<void()> what) : sc_module(name), body(std::move(what)) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void run() { body(); }
  std::function<void()> body;
};

using Figures = std::map<std::string, std::uint64_t>;

inline std::uint64_t sum_of(const Figures& figures, const std::string& name) {
  std::uint64_t sum = 0;
  for (const auto& [key, value] : figures) sum += key.ends_with("." + name) ? value : 0;
  return sum;
}

// A GPU with its memory, program and launch. In a simulation there may be several.
struct Board {
  explicit Board(const std::vector<std::string>& sets = {}, const std::string& body = kSum,
                 sc_core::sc_time_unit resolution = sc_core::SC_PS, const char* name = "gpu")
      : setup(resolved(sets, resolution)),
        memory(1 << 20, setup.memory_base()),
        gpu(name, setup.machine, setup.mechanism, stats),
        program(ptx::parse(ptx_kernel(body), "test.ptx"), memory, setup.decode_options(Code::kPlaced)),
        in(memory.allocate(kWords * 4, "in")),
        out(memory.allocate(kWords * 4, "out")),
        launch(launch_of(program, "k", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, out, in)) {
    const auto words = noise(kWords);
    memory.write(in, words.data(), kWords * 4);
  }
  static GpuSetup resolved(std::vector<std::string> sets, sc_core::sc_time_unit resolution) {
    if (resolution != sc_core::SC_PS) sc_core::sc_set_time_resolution(1, resolution);
    sets.insert(sets.begin(), "cores=3");
    return GpuSetup::of("tbc2011", "tbc", sets);
  }
  // To what is external: of the cores, or of the slices.
  unsigned sockets() const { return gpu.network_sockets() != 0 ? gpu.network_sockets() : gpu.dram_sockets(); }
  tlm::tlm_initiator_socket<>& socket(unsigned n) {
    return gpu.network_sockets() != 0 ? gpu.network_socket(n) : gpu.dram_socket(n);
  }
  // Every socket to one memory of each.
  template <class Memory>
  std::deque<Memory> bind() {
    std::deque<Memory> memories;
    for (unsigned n = 0; n < sockets(); ++n) {
      memories.emplace_back(fmt::format("{}_memory_{}", gpu.basename(), n).c_str());
      socket(n).bind(memories.back().socket);
    }
    return memories;
  }
  void expect_sums() {
    std::vector<std::uint32_t> words(kWords), sums(kWords);
    memory.read(in, words.data(), kWords * 4);
    memory.read(out, sums.data(), kWords * 4);
    for (unsigned i = 0; i < kWords; ++i) ASSERT_EQ(sums[i], words[i] + i);
  }
  Figures figures() const {
    Figures all;
    for (const StatGroup& group : stats.groups()) {
      for (const auto& entry : group.entries()) all[group.object() + "." + entry.info.name] = entry.counter.value();
    }
    return all;
  }
  std::uint64_t total(const std::string& name) const { return sum_of(figures(), name); }

  GpuSetup setup;
  StatRegistry stats;
  DeviceMemory memory;
  Gpu gpu;
  isa::Program program;
  Address in, out;
  isa::Launch launch;
};

struct OwnSimulation {
  test::Simulation simulation;
};
struct Platform : OwnSimulation, Board {
  using Board::Board;
};

// What the launch counts on a platform that has nothing but a GPU of its own memory.
inline Figures alone(double* seconds = nullptr, sc_core::sc_time_unit unit = sc_core::SC_PS) {
  Platform platform({}, kSum, unit);
  run_launch(platform.gpu, platform.launch, platform.memory);
  platform.expect_sums();
  if (seconds != nullptr) *seconds = sc_core::sc_time_stamp().to_seconds();
  return platform.figures();
}

inline const std::vector<std::string> kExternal{"memory.boundary.memory=external"};
inline const std::vector<std::string> kCoresOnly{"memory.boundary.memory=external_network"};

}  // namespace warpfold::platform_test
