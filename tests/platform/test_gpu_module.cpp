// SPDX-License-Identifier: Apache-2.0
// The GPU as one module of somebody else's simulation: started by a thread, beside other modules and clocks, at any
// time resolution, with a memory that is not its own.
#include "tests/isa/nested_branches.h"
#include "tests/memory/foreign_memory.h"
#include "tests/platform/platform.h"
#include "warpfold/common/error.h"

namespace warpfold::platform_test {
namespace gpu_module_test {

TEST(GpuModule, AThreadStartsLaunchesAndWaitsForTheirEnd) {
  const Figures expected = alone();
  Platform platform;
  Figures first;
  sc_core::sc_time ended;
  Host host("host", [&] {
    platform.gpu.start(platform.launch, platform.memory);
    EXPECT_TRUE(platform.gpu.running());
    wait(platform.gpu.finished());
    EXPECT_FALSE(platform.gpu.running());
    platform.gpu.rethrow();
    first = platform.figures();
    ended = sc_core::sc_time_stamp();
    platform.expect_sums();
    sc_core::wait(123.456, sc_core::SC_NS);
    platform.gpu.start(platform.launch, platform.memory);
    wait(platform.gpu.finished());
  });
  sc_core::sc_start();
  EXPECT_EQ(first, expected);
  EXPECT_EQ(platform.total("kernels"), 2u);
  EXPECT_EQ(platform.total("thread_instructions"), 2 * sum_of(first, "thread_instructions"));
  EXPECT_GT(sc_core::sc_time_stamp(), ended);
}

// What a launch costs the host does not grow with the cores that it gives no block to.
TEST(GpuModule, CoresWithoutABlockAreNotLookedAt) {
  Platform platform({"cores=30"});
  platform.launch.grid = {2, 1, 1};
  for (unsigned launches = 1; launches <= 2; ++launches) {
    platform.stats.seen();
    const std::size_t always = platform.stats.changed().size();
    run_launch(platform.gpu, platform.launch, platform.memory);
    EXPECT_EQ(platform.stats.changed().size(), always + 2);
    const std::uint64_t cycles = platform.total("cycles");
    std::uint64_t charged = 0;
    for (const auto& [name, value] : platform.figures()) {
      if (name.find(".w0_") != std::string::npos || name.find(".issue_w") != std::string::npos) charged += value;
    }
    EXPECT_EQ(charged + platform.total("stall"), 30 * cycles) << "idle cores included";
    platform.stats.settle();
    EXPECT_EQ(platform.figures().at("core29.w0_idle"), cycles);
    EXPECT_EQ(platform.figures().at(".w0_idle"), 0U);
  }
}

// A clock that never stops, and whose edges fall between those of the machine's.
TEST(GpuModule, OtherModulesDoNotChangeItsFigures) {
  Figures figures;
  {
    Platform platform;
    sc_core::sc_clock clock("clock", sc_core::sc_time(1.7, sc_core::SC_NS));
    run_launch(platform.gpu, platform.launch, platform.memory);
    platform.expect_sums();
    figures = platform.figures();
  }
  EXPECT_EQ(figures, alone());
}

TEST(GpuModule, TimeResolutionMakesNoDifference) {
  double ps = 0, fs = 0;
  EXPECT_EQ(alone(&ps), alone(&fs, sc_core::SC_FS));
  EXPECT_GT(ps, 0);
  EXPECT_DOUBLE_EQ(ps, fs);
}

TEST(GpuModule, ATimeResolutionThatIsTooCoarseIsRefused) {
  try {
    alone(nullptr, sc_core::SC_NS);
    ADD_FAILURE() << "runs at 1 ns";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "SystemC's time resolution is 1 ns, but clock edges lie on picoseconds; set 1 ps or finer");
  }
}

TEST(GpuModule, AFailedLaunchEndsTooAndSaysWhy) {
  Platform platform({}, "mov.u64 %rd5, 64;\nst.global.u32 [%rd5], %r6;");
  std::string said;
  Host host("host", [&] {
    platform.gpu.start(platform.launch, platform.memory);
    wait(platform.gpu.finished());
    try {
      platform.gpu.rethrow();
    } catch (const UserError& error) {
      said = error.what();
    }
  });
  sc_core::sc_start();
  EXPECT_NE(said.find("kernel 'k'"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

TEST(GpuModule, AnExternalMemoryDecidesTheTime) {
  std::vector<std::uint64_t> cycles;
  for (const double ns : {50, 500}) {
    Platform platform(kExternal);
    auto memories = platform.bind<test::BlockingMemory>();
    for (auto& memory : memories) memory.waits = sc_core::sc_time(ns, sc_core::SC_NS);
    run_launch(platform.gpu, platform.launch, platform.memory);
    platform.expect_sums();
    cycles.push_back(platform.total("cycles"));
    std::uint64_t requests = 0;
    for (const auto& memory : memories) requests += memory.requests;
    EXPECT_EQ(platform.total("dram_reads") + platform.total("dram_writes"), requests);
    EXPECT_GE(platform.total("dram_read_bytes"), kWords * 4u);
  }
  EXPECT_GT(cycles[1], cycles[0] + 400);
}

// A block-wide stack with too little room.
TEST(GpuModule, WhatAMechanismSpillsGoesToAnExternalMemoryToo) {
  std::vector<std::string> sets = kExternal;
  sets.push_back("mechanism.stack_entries=4");
  Platform platform(sets, std::string(isa::kNestedBranches) + kSum);
  const auto memories = platform.bind<test::BlockingMemory>();
  run_launch(platform.gpu, platform.launch, platform.memory);
  platform.expect_sums();
  EXPECT_EQ(platform.total("block_stack_spills"), 3 * kBlocks);
  EXPECT_EQ(platform.total("spilled_bytes"), platform.total("reloaded_bytes"));
}

// Nothing else happens in such a simulation, and yet it ends.
TEST(GpuModule, AMemoryThatDoesNotAnswerIsToldOf) {
  Platform platform(kExternal);
  auto memories = platform.bind<test::SilentMemory>();
  try {
    run_launch(platform.gpu, platform.launch, platform.memory);
    ADD_FAILURE() << "ended without its memory";
  } catch (const UserError& error) {
    const std::string said = error.what();
    EXPECT_TRUE(said.starts_with("kernel 'k': for a long time, the external memory has left ")) << said;
  }
}

// The launch ends when the last response came, as without; what was kept goes back when it is released.
TEST(GpuModule, AMemoryMayKeepTransactionsBeyondTheLaunch) {
  const auto run = [](unsigned each, unsigned launches, bool releases) {
    Platform platform(kExternal);
    auto memories = platform.bind<test::NonBlockingMemory>();
    for (auto& memory : memories) {
      memory.kept.each = each;
      memory.manner = [] {
        test::Manner manner;
        manner.request = test::Manner::Request::kCompleted;
        manner.end_delay = sc_core::sc_time(7, sc_core::SC_NS);
        return manner;
      };
    }
    for (unsigned n = 0; n < launches; ++n) {
      run_launch(platform.gpu, platform.launch, platform.memory);
      platform.expect_sums();
      sc_core::sc_start(1.5, sc_core::SC_US);
      std::size_t kept = 0;
      for (const auto& memory : memories) kept += memory.kept.all().size();
      EXPECT_EQ(kept, each == 0 ? 0 : platform.total("dram_reads") + platform.total("dram_writes"));
      EXPECT_EQ(platform.gpu.memory().requests_out(), 0u);
    }
    for (auto& memory : memories) {
      if (releases) memory.kept.release();
    }
    return platform.figures();
  };
  testing::internal::CaptureStderr();
  const Figures without = run(0, 2, false);
  EXPECT_EQ(run(1, 2, true), without);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(1, 2, false), without);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("warpfold: warning: the external memory still holds {} transactions that it has answered; "
                        "release() what you acquire()\n",
                        sum_of(without, "dram_reads") + sum_of(without, "dram_writes")));
}

}  // namespace gpu_module_test
}  // namespace warpfold::platform_test
