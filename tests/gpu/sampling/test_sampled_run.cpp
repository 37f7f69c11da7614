// SPDX-License-Identifier: Apache-2.0
// Programs whose launches are timed in part: values are those of any run, and cycles close to those of a whole one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/error.h"
#include "warpfold/common/launch_error.h"
#include "warpfold/gpu/sampling/sampled_run.h"

namespace warpfold {
namespace sampled_run_test {

using Json = nlohmann::json;

RunOptions options(const std::string& sample, std::vector<std::string> sets = {"cores=4"}) {
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", sets);
  options.sample = SampleChoice::parse(sample, "--sample");
  options.out = testing::TempDir() + "warpfold_sampled_" + std::to_string(getpid());
  return options;
}

Json read(const RunOptions& run, const char* name) {
  std::ifstream in(run.out + "/" + name);
  return Json::parse(in);
}

// A loop that is longer for some threads.
const char* const kLoop = R"(and.b32 %r7, %r5, 31;
LOOP: add.s32 %r6, %r6, %r7;
sub.s32 %r7, %r7, 1;
setp.gt.s32 %p1, %r7, 0;
@%p1 bra LOOP;
)";

struct Ran {
  std::vector<std::uint32_t> values;
  StatValues total;
  Json sampling;
};

Ran run_many(const RunOptions& run, unsigned launches) {
  Ran ran;
  {
    KernelMachine<> machine(ptx_kernel(kLoop), run);
    const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
    for (unsigned n = 0; n < launches; ++n) machine.run("k", {32}, {128}, n % 2 == 0 ? out : in, n % 2 == 0 ? in : out);
    ran.values = machine.download<std::uint32_t>(out, 4096);
    machine.device.finish();
    ran.total = machine.device.results().total();
  }
  if (run.sample.on()) ran.sampling = read(run, "stats.json")["sampling"];
  return ran;
}

TEST(SampledRun, CyclesAreCloseAndValuesTheSame) {
  const Ran whole = run_many(options(""), 60), some = run_many(options("3%"), 60);
  EXPECT_EQ(whole.values, some.values);
  const Json& total = some.sampling["total"];
  EXPECT_EQ(total["launches"], 60);
  EXPECT_LT(total["timed_launches"], 30);
  EXPECT_NEAR(total["cycles"].get<double>() / whole.total.at("cycles"), 1, 0.03);
  EXPECT_LE(total["cycles_low"], total["cycles"]);
  EXPECT_GE(total["cycles_high"], total["cycles"]);
  EXPECT_EQ(some.total.at("thread_instructions"), whole.total.at("thread_instructions"));
  EXPECT_EQ(some.total.count("cycles"), 0U) << "nobody has counted those of all launches";
  EXPECT_EQ(some.total.at("timed_launches"), total["timed_launches"].get<double>());
  EXPECT_EQ(some.total.at("timed_cycles"), total["timed_cycles"].get<double>());
}

// Two launches tell little of the others: what was timed has passed all the same.
TEST(SampledRun, ItsLowerEndIsNoLessThanWhatWasTimed) {
  const RunOptions run = options("90%");
  KernelMachine<> machine(ptx_kernel(kLoop), run);
  const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
  for (const unsigned blocks : {32U, 1U, 24U, 2U, 32U, 1U}) machine.run("k", {blocks}, {128}, out, in);
  machine.device.finish();
  const Json total = read(run, "stats.json")["sampling"]["total"];
  const double timed = total["timed_cycles"].get<double>(), cycles = total["cycles"].get<double>();
  ASSERT_LT(total["timed_launches"], 6);
  ASSERT_LT(cycles * (1 - total["half_width"].get<double>()), timed) << total.dump();
  EXPECT_EQ(total["cycles_low"].get<double>(), timed);
}

TEST(SampledRun, IsTheSameEveryTime) {
  EXPECT_EQ(run_many(options("3%"), 40).sampling, run_many(options("3%"), 40).sampling);
}

// Behind launches without time the clocks begin at any phase to each other: time passes in which no launch runs.
TEST(SampledRun, ClocksBeginAtAnyPhaseBehindLaunchesWithoutTime) {
  const RunOptions run = options("3%");
  const double period_ns = 1e3 / run.machine.core.clock_mhz;
  KernelMachine<> machine(ptx_kernel(kLoop), run);
  const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
  for (unsigned n = 0; n < 20; ++n) machine.run("k", {32}, {128}, out, in);
  const double ns = sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_NS);
  machine.device.finish();
  const Json total = read(run, "stats.json")["sampling"]["total"];
  ASSERT_GE(total["timed_launches"], 4) << "some of them behind others without time";
  EXPECT_GT(ns - total["timed_cycles"].get<double>() * period_ns, 500);
}

TEST(SampledRun, SaysWhatItKnowsOfEachKernel) {
  const RunOptions run = options("5%");
  const Ran ran = run_many(run, 20);
  EXPECT_EQ(ran.sampling["kernels"]["kernel.0.k"], ran.sampling["total"]);
  EXPECT_EQ(read(run, "run.json")["sampling"], ran.sampling);
}

// Launches run once, timed or not, also where host and device have the memory in common.
TEST(SampledRun, MemoryThatBothSidesHaveIsWrittenOnce) {
  KernelMachine<> machine(ptx_kernel("atom.global.add.u32 %r8, [%rd2], 1;\nld.global.u32 %r6, [%rd5];"), options("3%"));
  const Address in = machine.device.memory().allocate_shared(4096, "managed");
  ASSERT_NE(in, 0U);
  const Address out = machine.upload(std::vector<std::uint32_t>(1024));
  for (unsigned n = 0; n < 10; ++n) machine.run("k", {2}, {32}, out, in);
  EXPECT_EQ(machine.download<std::uint32_t>(in, 1)[0], 10U * 64);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(in), 10U * 64);
}

// The third launch of a kernel may pass without time, the second is timed.
TEST(SampledRun, FaultsAreToldAndTheRunGoesOn) {
  for (const unsigned before : {1U, 3U, 5U, 6U, 7U}) {
    SCOPED_TRACE(before);
    const RunOptions run = options("3%");
    KernelMachine<> machine(ptx_kernel(kLoop), run);
    const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
    for (unsigned n = 0; n < before; ++n) machine.run("k", {32}, {128}, out, in);
    EXPECT_THROW(machine.run("k", {33}, {128}, out, in), KernelFault);
    machine.device.reset();
    for (unsigned n = 0; n < 8; ++n) machine.run("k", {32}, {128}, out, in);
    machine.device.finish();
    const Json total = read(run, "stats.json")["sampling"]["total"];
    EXPECT_EQ(total["launches"], before + 8) << "those that came to their end";
    EXPECT_GT(total["timed_launches"], 4);
    EXPECT_LT(total["timed_launches"], before + 8);
  }
}

// Untimed launches without collectives run under plain PDOM, whatever the mechanism and the width of its warps.
TEST(SampledRun, EveryMechanismHasTheValuesOfAWholeRun) {
  const std::vector<std::uint32_t> values = run_many(options(""), 20).values;
  for (const char* const mechanism : {"tbc", "dwf-wb", "harp", "lwm", "its"}) {
    SCOPED_TRACE(mechanism);
    RunOptions run = RunOptions::resolve("tbc2011", mechanism, {"cores=4"});
    const Ran whole = run_many(run, 20);
    run.sample = SampleChoice::parse("3%", "--sample");
    run.out = options("3%").out;
    const Ran some = run_many(run, 20);
    EXPECT_EQ(some.values, values);
    EXPECT_EQ(some.total.at("thread_instructions"), whole.total.at("thread_instructions"));
    EXPECT_NEAR(some.total.at("simd_efficiency"), whole.total.at("simd_efficiency"), 0.05);
    EXPECT_NEAR(some.sampling["total"]["cycles"].get<double>() / whole.total.at("cycles"), 1, 0.05);
  }
}

// Both sides of a branch hand each other values at a fence of their warp, which a plain stack lets one side pass alone.
TEST(SampledRun, WhereThreadsOfAWarpMeetTheMechanismDecides) {
  const std::string ptx = ptx_kernel(R"(mov.u64 %rd6, box;
mul.wide.u32 %rd7, %r1, 4;
add.u64 %rd7, %rd6, %rd7;
xor.b32 %r8, %r1, 1;
mul.wide.u32 %rd8, %r8, 4;
add.u64 %rd8, %rd6, %rd8;
and.b32 %r7, %r1, 1;
setp.ne.u32 %p1, %r7, 0;
@%p1 bra ODD;
add.u32 %r9, %r5, 100;
st.shared.u32 [%rd7], %r9;
bar.warp.sync 0xffffffff;
ld.shared.u32 %r6, [%rd8];
bra.uni DONE;
ODD: add.u32 %r9, %r5, 200;
st.shared.u32 [%rd7], %r9;
bar.warp.sync 0xffffffff;
ld.shared.u32 %r6, [%rd8];
)");
  constexpr unsigned kThreads = 64, kLaunches = 20;
  for (const char* const mechanism : {"its", "multipath", "dwf", "frontier"}) {
    SCOPED_TRACE(mechanism);
    RunOptions run = RunOptions::resolve("tbc2011", mechanism, {"cores=2"});
    run.sample = SampleChoice::parse("3%", "--sample");
    run.out = options("3%").out;
    KernelMachine<> machine(ptx, run);
    for (unsigned launch = 0; launch < kLaunches; ++launch) {
      const std::vector<std::uint32_t> values = noise(kThreads, launch + 1);
      const Address in = machine.upload(values), out = machine.upload(std::vector<std::uint32_t>(kThreads));
      machine.run("k", {1}, {kThreads}, out, in);
      const auto got = machine.download<std::uint32_t>(out, kThreads);
      for (unsigned t = 0; t < kThreads; ++t) ASSERT_EQ(got[t], values[t ^ 1] + (t % 2 == 0 ? 200 : 100)) << launch;
    }
    machine.device.finish();
    const Json total = read(run, "stats.json")["total"];
    EXPECT_EQ(total["untimed_under_mechanism"], kLaunches - total["timed_launches"].get<unsigned>());
    EXPECT_GT(total["untimed_under_mechanism"], 0);
  }
}

// Threads of a warp that wait for each other come to an end under some mechanisms, and not where the time is left out.
TEST(SampledRun, WhatPdomCannotRunIsSaid) {
  RunOptions run = RunOptions::resolve("tbc2011", "its", {"cores=4"});
  run.sample = SampleChoice::parse("3%", "--sample");
  KernelMachine<> machine(ptx_kernel(R"(LOCK: atom.global.cas.b32 %r7, [%rd2], 0, 1;
setp.ne.s32 %p1, %r7, 0;
@%p1 bra LOCK;
atom.global.exch.b32 %r8, [%rd2], 0;
ld.global.u32 %r6, [%rd5];
)"),
                          run);
  const Address lock = machine.upload(std::vector<std::uint32_t>(1024));
  const Address out = machine.upload(std::vector<std::uint32_t>(1024));
  for (unsigned n = 0; n < 2; ++n) machine.run("k", {1}, {32}, out, lock);
  try {
    for (unsigned n = 0; n < 2; ++n) machine.run("k", {1}, {32}, out, lock);
    FAIL() << "one of them was not timed";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("does not time runs under pdom"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(SampledRun, ARunWhoseLaunchesAreAllTimedIsExact) {
  const Ran whole = run_many(options(""), 3), some = run_many(options("3%"), 2);
  EXPECT_EQ(some.sampling["total"]["half_width"], 0);
  EXPECT_EQ(some.sampling["total"]["cycles"], run_many(options(""), 2).total.at("cycles"));
  EXPECT_LT(some.sampling["total"]["cycles"], whole.total.at("cycles"));
}

TEST(SampledRun, WhatCannotBeTimedIsAnError) {
  KernelMachine<> machine(ptx_kernel(kLoop), options("3%", {"cores=4", "cycle_limit=10"}));
  const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
  try {
    machine.run("k", {32}, {128}, out, in);
    FAIL() << "it took longer than ten cycles";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("cycle limit of 10 reached"), std::string::npos) << error.what();
  }
}

// Most of the last ones are not timed.
TEST(SampledRun, WhatFitsNoCoreIsRefusedTimedOrNot) {
  for (unsigned launches = 20; launches < 24; ++launches) {
    KernelMachine<> machine(ptx_kernel(kLoop), options("3%"));
    const Address in = machine.upload(noise(4096)), out = machine.upload(std::vector<std::uint32_t>(4096));
    for (unsigned n = 0; n < launches; ++n) machine.run("k", {32}, {128}, out, in);
    machine.dynamic_shared_bytes = 1 << 20;
    EXPECT_THROW(machine.run("k", {32}, {128}, out, in), LaunchRefused) << launches;
  }
}

}  // namespace sampled_run_test
}  // namespace warpfold
