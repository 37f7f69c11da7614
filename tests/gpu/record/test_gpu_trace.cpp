// SPDX-License-Identifier: Apache-2.0
// The signals of a trace file say what the statistics say, and change nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/gpu/run/run_launch.h"

namespace warpfold {
namespace gpu_trace_test {

constexpr unsigned kBlocks = 12, kThreads = 64;

struct Traced {
  std::map<std::string, std::vector<std::uint64_t>> values;  // by signal, in order
  std::uint64_t cycles = 0, issued = 0;
  double seconds = 0;
};

// Of a VCD file: "$var wire 32 aaa name [31:0] $end", then "b101 aaa".
void read_vcd(const std::string& path, Traced& traced) {
  std::ifstream file(path);
  std::map<std::string, std::string> names;
  std::string scope;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, second, third, code, name;
    words >> first;
    if (first == "$scope") {
      words >> second >> name;
      scope += name + ".";
    } else if (first == "$upscope") {
      scope.pop_back();
      scope.erase(scope.rfind('.') + 1);
    } else if (first == "$var") {
      words >> second >> third >> code >> name;
      names[code] = scope + name.substr(0, name.find('['));
    } else if (first.starts_with("b")) {
      words >> code;
      traced.values[names[code]].push_back(std::stoull(first.substr(1), nullptr, 2));
    }
  }
}

Traced run(bool traced) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("warpfold_trace_{}", getpid());
  Traced result;
  {
    test::Simulation simulation;
    const GpuSetup setup = GpuSetup::of("tbc2011", "tbc", {"cores=2", "core.max_blocks=2"});
    StatRegistry stats;
    DeviceMemory memory(1 << 20, setup.memory_base());
    Gpu gpu("gpu", setup.machine, setup.mechanism, stats);
    isa::Program program(ptx::parse(ptx_kernel("bar.sync 0;"), "test.ptx"), memory,
                         setup.decode_options(Code::kPlaced));
    const Address words = memory.allocate(kBlocks * kThreads * 4, "words");
    const auto launch = launch_of(program, "k", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, words, words);
    sc_core::sc_trace_file* file = nullptr;
    if (traced) {
      file = sc_core::sc_create_vcd_trace_file(folder.c_str());
      sc_trace(file, gpu, "gpu");
    }
    for (unsigned n = 0; n < 2; ++n) run_launch(gpu, launch, memory);
    if (traced) sc_core::sc_close_vcd_trace_file(file);
    result.seconds = gpu.simulated_seconds();
    for (const StatGroup& group : stats.groups()) {
      for (const auto& entry : group.entries()) {
        if (entry.info.name == "cycles") result.cycles += entry.counter.value();
        if (entry.info.name == "warp_instructions") result.issued += entry.counter.value();
      }
    }
  }
  if (traced) read_vcd(folder.string() + ".vcd", result);
  std::filesystem::remove(folder.string() + ".vcd");
  return result;
}

std::uint64_t most(const std::vector<std::uint64_t>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(GpuTrace, SaysWhatTheStatisticsSay) {
  Traced traced = run(true);
  std::uint64_t issued = 0;
  for (const std::string core : {"SystemC.gpu.core0.", "SystemC.gpu.core1."}) {
    ASSERT_FALSE(traced.values[core + "warps"].empty()) << core;
    EXPECT_EQ(most(traced.values[core + "blocks"]), 2u);
    EXPECT_EQ(most(traced.values[core + "warps"]), 2 * kThreads / 32);
    EXPECT_EQ(traced.values[core + "warps"].back(), 0u);
    EXPECT_EQ(traced.values[core + "blocks"].back(), 0u);
    issued += traced.values[core + "issued"].back();
    std::size_t changes = traced.values[core + "runnable"].size();
    EXPECT_GT(changes, traced.values[core + "warps"].size()) << "warps wait at the barrier";
  }
  EXPECT_EQ(issued, traced.issued);
}

TEST(GpuTrace, ChangesNothing) {
  const Traced with = run(true), without = run(false);
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_EQ(with.seconds, without.seconds);
  EXPECT_GT(with.cycles, 0u);
}

}  // namespace gpu_trace_test
}  // namespace warpfold
