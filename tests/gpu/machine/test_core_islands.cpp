// SPDX-License-Identifier: Apache-2.0
// Cores ahead of the machine, on several host threads: the same bytes as instant by instant on one.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/contract/contract_kernels.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/machine/core_islands.h"

namespace warpfold {
namespace core_islands_test {

// A loop over words of `in`: their numbers are `factors` multiplied, plus %r10, of which `mask` stays; `body` has the
// word's distance in %rd6, its address in %rd7 and its value in %r8, and may go on at SKIP.
std::string loop_over_words(const std::string& factors, unsigned mask, const std::string& body, unsigned step,
                            unsigned end) {
  return ptx_kernel(fmt::format(R"(
mov.u32 %r10, 0;
LOOP:
mad.lo.u32 %r7, {}, %r10;
and.b32 %r7, %r7, {};
mul.wide.u32 %rd6, %r7, 4;
add.s64 %rd7, %rd2, %rd6;
ld.global.u32 %r8, [%rd7];
{}
SKIP:
add.u32 %r10, %r10, {};
setp.lt.u32 %p2, %r10, {};
@%p2 bra LOOP;
)",
                                factors, mask, body, step, end));
}

// Threads of all blocks load, store and update sixteen words without order: what each finds depends on who came before.
std::string racing_kernel() {
  return loop_over_words("%r5, 29", 15, R"(
add.u32 %r8, %r8, %r4;
st.global.u32 [%rd7], %r8;
atom.global.add.u32 %r9, [%rd2], %r8;
xor.b32 %r6, %r6, %r9;
and.b32 %r11, %r9, 1;
setp.eq.u32 %p1, %r11, 0;
@%p1 bra SKIP;
add.u32 %r6, %r6, %r8;)",
                         1, 6);
}

// Every thread reads and writes lines of its own: the network is full.
std::string streaming_kernel() {
  return loop_over_words("%r4, 37", 2047, R"(
add.u32 %r6, %r6, %r8;
add.s64 %rd8, %rd1, %rd6;
st.global.u32 [%rd8], %r6;)",
                         600, 2400);
}

struct Outcome {
  std::string json, launches;
  std::vector<std::uint32_t> words;
  bool operator==(const Outcome&) const = default;
};

struct Point {
  std::string machine = "gt200", mechanism = "pdom";
  std::vector<std::string> sets{"cores=6", "memory.channels=2", "core.max_blocks=2"};
};

// Of two and more threads, an even number all the time, else now and then.
Pace::Rule pace_of(unsigned threads) { return threads % 2 == 0 ? Pace::Rule::kApart : Pace::Rule::kInTurns; }

Outcome run(const std::string& kernel, const Point& point, unsigned threads) {
  const host::ScratchFolder folder;
  RunOptions options = RunOptions::resolve(point.machine, point.mechanism, point.sets);
  options.out = folder.path("out");
  options.threads = threads;
  options.pace = pace_of(threads);
  KernelMachine<> machine(kernel, options);
  const Address in = machine.upload(noise(4096));
  const Address out = machine.upload(std::vector<std::uint32_t>(4096));
  machine.run("k", {23}, {100}, out, in);
  machine.run("k", {3}, {64}, out, in);
  machine.device.finish();
  Outcome outcome{folder.read("out/stats.json"), folder.read("out/launches.csv"),
                  machine.download<std::uint32_t>(out, 4096)};
  const auto in_after = machine.download<std::uint32_t>(in, 4096);
  outcome.words.insert(outcome.words.end(), in_after.begin(), in_after.end());
  return outcome;
}

class Islands : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, Islands, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Islands, GiveTheSameBytes) {
  Point point{"gt200", GetParam().mechanism};
  point.sets.insert(point.sets.end(), GetParam().sets.begin(), GetParam().sets.end());
  for (const std::string& kernel : {racing_kernel(), random_kernel(11)}) {
    const Outcome alone = run(kernel, point, 1);
    EXPECT_EQ(alone, run(kernel, point, 2));
    EXPECT_EQ(alone, run(kernel, point, 3));
    EXPECT_EQ(alone, run(kernel, point, 4));
  }
}

// Full queues, shared ports, several schedulers, caches of other kinds.
TEST(IslandsOf, MachinesThatHoldCoresUp) {
  const std::vector<std::vector<std::string>> all{
      {"memory.channels=1", "memory.interconnect.queue_entries=1"},
      {"memory.channels=1", "l1d.mshr_entries=2", "memory.interconnect.queue_entries=2"},
      {"memory.interconnect.cores_per_port=3", "memory.channels=1"},
      {"memory.interconnect.cores_per_port=4", "memory.interconnect.queue_entries=1"},
      {"core.schedulers=2", "memory.interconnect.latency_cycles=7"},
      {"memory.interconnect.response_bytes_per_cycle=4", "memory.interconnect.queue_entries=2"},
      {"l1d.hit_latency_cycles=1", "core.shared_latency_cycles=1"},
  };
  for (const auto& sets : all) {
    SCOPED_TRACE(testing::PrintToString(sets));
    Point point;
    point.sets.insert(point.sets.end(), sets.begin(), sets.end());
    for (const std::string& kernel : {racing_kernel(), streaming_kernel()}) {
      const Outcome alone = run(kernel, point, 1);
      EXPECT_EQ(alone, run(kernel, point, 3));
      EXPECT_EQ(alone, run(kernel, point, 4));
    }
  }
}

// Of several threads that fault at different times in different cores, the first one is told.
TEST(IslandsOf, FaultyKernelsNameTheSameThread) {
  const std::string kernel = ptx_kernel(R"(
mov.u32 %r10, 0;
LOOP:
add.u32 %r10, %r10, 1;
and.b32 %r7, %r5, 1023;
setp.lt.u32 %p2, %r10, %r7;
@%p2 bra LOOP;
mul.wide.u32 %rd6, %r5, 4;
add.s64 %rd7, %rd2, %rd6;
ld.global.u32 %r6, [%rd7];
)");
  const auto error = [&](unsigned threads) -> std::string {
    Point point;
    RunOptions options = RunOptions::resolve(point.machine, point.mechanism, point.sets);
    options.threads = threads;
    options.pace = pace_of(threads);
    KernelMachine<> machine(kernel, options);
    const Address in = machine.upload(noise(4096));
    const Address out = machine.upload(std::vector<std::uint32_t>(4096));
    try {
      machine.run("k", {23}, {100}, out, in);
    } catch (const UserError& fault) {
      return fault.what();
    }
    return "none";
  };
  const std::string alone = error(1);
  EXPECT_NE(alone.find("outside every allocation"), std::string::npos) << alone;
  EXPECT_EQ(alone, error(2));
  EXPECT_EQ(alone, error(3));
}

TEST(IslandsOf, AMachineLookAheadAsFarAsItsLatenciesGo) {
  const auto lookahead = [](const std::vector<std::string>& sets) {
    return CoreIslands::lookahead(RunOptions::resolve("gt200", "pdom", sets).machine);
  };
  EXPECT_EQ(lookahead({}), 36U);  // address and cache; the network has 80 each way
  // Of the interconnect's cycles, which are two: both ways and the L2's pipeline.
  EXPECT_EQ(lookahead({"memory.interconnect.latency_cycles=5", "memory.l2.hit_latency_cycles=2"}), 24U);
  EXPECT_EQ(lookahead({"memory.interconnect.latency_cycles=1", "memory.l2.hit_latency_cycles=1"}), 6U);
  EXPECT_EQ(lookahead({"l1d.hit_latency_cycles=3"}), 15U);
  EXPECT_EQ(lookahead({"core.shared_latency_cycles=2"}), 14U);
}

TEST(IslandsOf, AMachineAreItsPorts) {
  const auto count = [](const std::vector<std::string>& sets) {
    return CoreIslands::count(RunOptions::resolve("gt200", "pdom", sets).machine);
  };
  EXPECT_EQ(count({"cores=7", "memory.interconnect.cores_per_port=1"}), 7U);
  EXPECT_EQ(count({"cores=7", "memory.interconnect.cores_per_port=3"}), 3U);
}

}  // namespace core_islands_test
}  // namespace warpfold
