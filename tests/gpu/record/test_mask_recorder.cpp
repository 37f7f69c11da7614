// SPDX-License-Identifier: Apache-2.0
// A run's mask trace says what its statistics say, under every lane packing and every kind of warp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/divergence/packing/mask_trace.h"

namespace warpfold {
namespace mask_recorder_test {

using divergence::MaskTotals;
using divergence::Packing;

// Nested branches, a loop of a length of each thread's own, predicated instructions, roots, doubles and 16 bits.
const std::string kBody = R"(
.reg .b16 %rs<2>;
.reg .f64 %fd<2>;
and.b32 %r10, %r5, 7;
setp.lt.u32 %p1, %r10, 3;
@%p1 bra SMALL;
LOOP:
add.u32 %r6, %r6, %r5;
and.b32 %r11, %r6, 1;
setp.ne.u32 %p2, %r11, 0;
@%p2 xor.b32 %r6, %r6, 85;
@!%p2 cvt.u16.u32 %rs1, %r6;
@%p2 add.u16 %rs1, %rs1, 3;
sub.u32 %r10, %r10, 1;
setp.ne.u32 %p3, %r10, 0;
@%p3 bra LOOP;
bra.uni MEET;
SMALL:
cvt.rn.f32.u32 %r12, %r5;
sqrt.approx.f32 %r6, %r12;
cvt.rn.f64.u32 %fd1, %r5;
fma.rn.f64 %fd1, %fd1, %fd1, %fd1;
cvt.rzi.u32.f64 %r6, %fd1;
MEET:
bar.sync 0;
add.u32 %r6, %r6, 1;
)";

constexpr unsigned kThreads = 256;

struct Recorded {
  StatValues statistics;
  MaskTotals masks;
};

Recorded run(RunOptions options) {
  const std::string path =
      std::filesystem::path(testing::TempDir()) / fmt::format("warpfold_recorded_{}.masks", getpid());
  options.mask_trace = path;
  Recorded recorded;
  {
    KernelMachine<> machine(ptx_kernel(kBody), options);
    const Address in = machine.upload(noise(kThreads)), out = machine.upload(std::vector<std::uint32_t>(kThreads));
    for (unsigned launch = 0; launch < 2; ++launch) machine.run("k", {2}, {kThreads / 2}, out, in);
    recorded.statistics = machine.device.results().total();
    machine.device.finish();
  }
  divergence::read_mask_trace(path, [&](const std::string& kernel, const divergence::MaskRecord& record) {
    EXPECT_EQ(kernel, "k");
    EXPECT_TRUE(recorded.masks.add(record));
    return std::string();
  });
  std::filesystem::remove(path);
  return recorded;
}

void expect_alike(const Recorded& recorded) {
  const auto& [statistics, masks] = recorded;
  EXPECT_EQ(static_cast<double>(masks.instructions()), statistics.at("warp_instructions"));
  for (std::size_t i = 0; i < divergence::kPackings.size(); ++i) {
    const std::string name = std::string("simd_cycles_") + divergence::kPackings[i].name;
    EXPECT_EQ(static_cast<double>(masks.cycles(static_cast<Packing>(i))), statistics.at(name)) << name;
  }
  EXPECT_EQ(masks.saving(Packing::kBcc), statistics.at("bcc_saving"));
  EXPECT_EQ(masks.saving(Packing::kScc), statistics.at("scc_saving"));
  EXPECT_GT(masks.saving(Packing::kScc), masks.saving(Packing::kBcc)) << "the kernel is divergent enough to tell";
}

// All units are as wide as the issue port: what it was held for is what its own packing takes, of the trace.
TEST(MaskRecorder, TheImportTakesTheCyclesOfEachPackingsRun) {
  for (std::size_t i = 0; i < divergence::kPackings.size(); ++i) {
    const char* const name = divergence::kPackings[i].name;
    SCOPED_TRACE(name);
    const Recorded recorded =
        run(RunOptions::resolve("gt200", "pdom",
                                {"cores=1", "core.warp_size=16", "core.simd_width=4", "core.sfu_width=4",
                                 "core.fp64_width=4", std::string("core.lane_packing=") + name}));
    expect_alike(recorded);
    double held = 0;
    for (const auto& [statistic, value] : recorded.statistics) held += statistic.starts_with("issue_w") ? value : 0;
    EXPECT_EQ(static_cast<double>(recorded.masks.cycles(static_cast<Packing>(i))), held);
  }
}

TEST(MaskRecorder, WhateverCarriesTheThreads) {
  for (const char* const mechanism : {"tbc", "dwf", "its", "token-stack"}) {
    SCOPED_TRACE(mechanism);
    expect_alike(run(RunOptions::resolve("tbc2011", mechanism, {"cores=2"})));
  }
}

TEST(MaskRecorder, TypesUnitsAndPipes) {
  const Recorded ivb = run(RunOptions::resolve("ivb2013", "pdom", {"core.lanes_by_type=true"}));
  expect_alike(ivb);
  EXPECT_GT(ivb.masks.utilisation().size(), 1U) << "units of several widths";
  expect_alike(run(RunOptions::resolve("gt200", "pdom", {"cores=2", "core.warp_size=16", "core.simd_width=4"})));
}

TEST(MaskRecorder, WithoutTimingItIsTheSame) {
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", {"cores=2"});
  const Recorded timed = run(options);
  options.timing = Timing::kFunctional;
  const Recorded untimed = run(options);
  expect_alike(untimed);
  EXPECT_EQ(timed.masks.utilisation(), untimed.masks.utilisation());
}

}  // namespace mask_recorder_test
}  // namespace warpfold
