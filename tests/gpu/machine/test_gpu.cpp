// SPDX-License-Identifier: Apache-2.0
// The whole machine: kernels one at a time, occupancy at work, and idle time that costs nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/gpu.h"

namespace warpfold {
namespace gpu_test {

// Where blocks run, and how many at a time.
class Residency : public TraceSink {
 public:
  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kBlockStart) {
      core_of[record.block] = record.core;
      most = std::max(most, ++resident_[record.core]);
    }
    if (record.event == TraceEvent::kBlockEnd) --resident_[record.core];
  }
  std::map<std::uint64_t, unsigned> core_of;
  unsigned most = 0;

 private:
  std::map<unsigned, unsigned> resident_;
};

struct Observed {
  Residency residency;
  StatValues values;
};

Observed run(const std::vector<std::string>& sets, unsigned blocks, unsigned threads, std::uint64_t shared = 0) {
  Observed result;
  KernelMachine<> machine(ptx_kernel(""), RunOptions::resolve("gt200", "pdom", sets),
                          GpuOptions{&result.residency, false});
  machine.dynamic_shared_bytes = shared;
  const Address words = machine.upload(noise(blocks * threads));
  machine.run("k", {blocks}, {threads}, words, words);
  result.values = machine.device.results().total();
  return result;
}

// What a kernel with this limit says, or "" when it ends; `seconds` is how long it was simulated.
std::string limited(const std::string& body, std::uint64_t limit, double* seconds = nullptr) {
  KernelMachine<> machine(ptx_kernel(body),
                          RunOptions::resolve("gt200", "pdom", {fmt::format("cycle_limit={}", limit)}));
  const Address words = machine.upload(noise(256));
  std::string said;
  try {
    machine.run("k", {4}, {64}, words, words);
  } catch (const UserError& error) {
    said = error.what();
  }
  if (seconds != nullptr) *seconds = sc_core::sc_time_stamp().to_seconds();
  return said;
}

TEST(Gpu, ACycleLimitIsTheMostThatAKernelMayTake) {
  KernelMachine<> machine(ptx_kernel("add.u32 %r6, %r5, 1;"), RunOptions::resolve("gt200", "pdom", {}));
  const Address words = machine.upload(noise(256));
  machine.run("k", {4}, {64}, words, words);
  const auto cycles = static_cast<std::uint64_t>(machine.device.results().total().at("cycles"));
  EXPECT_EQ(limited("add.u32 %r6, %r5, 1;", cycles), "");
  for (const std::uint64_t fewer : {cycles - 1, cycles / 2, std::uint64_t{1}}) {
    const std::string said = limited("add.u32 %r6, %r5, 1;", fewer);
    EXPECT_TRUE(said.starts_with(fmt::format("kernel 'k': cycle limit of {} reached with ", fewer))) << said;
  }
  EXPECT_EQ(limited("", ~std::uint64_t{0}), "");
}

// Far less than the slice of simulated time after which progress is looked at.
TEST(Gpu, ACycleLimitStopsAKernelWithinAFewCycles) {
  const double period = 1e-6 / static_cast<double>(RunOptions::resolve("gt200", "pdom", {}).machine.core.clock_mhz);
  for (const std::uint64_t limit : {100, 1000, 200'000}) {
    double seconds = 0;
    const std::string said =
        limited("LOOP:\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd4], %r6;\nbra LOOP;", limit, &seconds);
    EXPECT_TRUE(said.starts_with(fmt::format("kernel 'k': cycle limit of {} reached with 0 of 4 blocks", limit)))
        << said;
    EXPECT_GE(seconds, static_cast<double>(limit) * period);
    EXPECT_LE(seconds, static_cast<double>(limit + 70) * period);
  }
}

TEST(Gpu, BlocksGoToCoresInTurnUpToOccupancy) {
  const Observed by_threads = run({"cores=3"}, 20, 256);
  EXPECT_EQ(by_threads.residency.most, 4U);
  for (std::uint64_t block = 0; block < 12; ++block) EXPECT_EQ(by_threads.residency.core_of.at(block), block % 3);
  EXPECT_EQ(run({"cores=3", "core.max_blocks=2"}, 20, 256).residency.most, 2U);
  EXPECT_EQ(run({"cores=3"}, 20, 256, 5000).residency.most, 1U) << "9096 of 16384 bytes";
}

TEST(Gpu, OneCoreWithABlockLeavesTheOthersIdle) {
  const Observed one = run({"cores=1"}, 1, 32);
  const Observed many = run({"cores=30"}, 1, 32);
  EXPECT_EQ(one.values.at("cycles"), many.values.at("cycles"));
  EXPECT_EQ(many.values.at("w0_idle") - one.values.at("w0_idle"), 29 * one.values.at("cycles"));
}

// Seven blocks on two cores of two blocks each, all alike: 1.75 waves. One of eight cores is fewer than half of them.
TEST(Gpu, SaysHowBlocksFillTheCores) {
  const Observed two = run({"cores=2", "core.max_blocks=2"}, 7, 256);
  EXPECT_EQ(two.values.at("waves"), 1.75);
  EXPECT_GT(two.values.at("core_utilisation"), 0.8);
  EXPECT_LE(two.values.at("core_utilisation"), 1);
  EXPECT_LT(two.values.at("few_cores_share"), 0.2);
  const Observed one = run({"cores=8"}, 1, 256);
  EXPECT_EQ(one.values.at("few_cores_share"), 1);
  EXPECT_LE(one.values.at("core_utilisation"), 1.0 / 8);
}

// More cores on independent blocks: more done at a time.
TEST(Gpu, CoresWorkInParallel) {
  const double alone = run({"cores=1"}, 32, 256).values.at("cycles");
  const double four = run({"cores=4"}, 32, 256).values.at("cycles");
  EXPECT_LT(four, alone / 2.5);
  EXPECT_GT(four, alone / 4.5);
}

}  // namespace gpu_test
}  // namespace warpfold
