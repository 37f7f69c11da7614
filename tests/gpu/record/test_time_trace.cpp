// SPDX-License-Identifier: Apache-2.0
// A time trace keeps to its format, says what the statistics say, shows what was asked for, and changes nothing.
#include <set>

#include "tests/gpu/traced_run.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace time_trace_test {

constexpr unsigned kCore0 = 1000;
using Problems = std::vector<std::string>;

class TimeTraceTest : public TracedRun {
 protected:
  void expect_slices_alike(const Ran& ran, const TraceEvents& trace, const std::set<unsigned>& cores) const {
    double instructions = 0, lanes = 0, packets = 0, accesses = 0, compactions = 0, barriers = 0;
    for (const unsigned core : cores) {
      instructions += ran.of_core(core, "warp_instructions");
      lanes += ran.of_core(core, "thread_instructions");
      packets += ran.of_core(core, "core_to_memory_packets");
      compactions += ran.of_core(core, "compactions");
      barriers += ran.of_core(core, "barriers");
      for (const char* const kind : {"load_instructions", "store_instructions", "atomic_instructions"}) {
        accesses += ran.of_core(core, kind);
      }
      accesses -= ran.of_core(core, "shared_instructions");
    }
    const auto count = [&](const char* category) { return static_cast<double>(trace.count(category)); };
    EXPECT_EQ(count("issue"), instructions);
    EXPECT_EQ(count("load") + count("store") + count("atomic"), accesses);
    EXPECT_EQ(count("read request") + count("write request") + count("atomic request"), packets);
    EXPECT_EQ(count("compaction"), compactions);
    EXPECT_EQ(count("barrier"), barriers);
    double shown = 0;
    for (const TraceEvents::Slice& slice : trace.slices()) {
      if (slice.category == "issue") shown += slice.arguments["lanes"].get<double>();
      EXPECT_TRUE(slice.category == "launch" || cores.contains(slice.process - kCore0)) << slice.process;
    }
    EXPECT_EQ(shown, lanes);
  }

  // Rounded to two places, at every reading.
  static void expect_near(double a, double b, double cycles, const char* what) {
    EXPECT_NEAR(a, b, 0.0051 * cycles) << what;
  }

  void expect_counters_alike(const Ran& ran, const TraceEvents& trace) const {
    const double cycles = ran.total("cycles");
    const auto end = static_cast<std::uint64_t>(cycles);
    EXPECT_EQ(trace.processes_of("issue slots"), (std::set<unsigned>{kCore0, kCore0 + 1})) << "of all cores";
    double deepest = 0, busy = 0;
    for (const unsigned core : {0U, 1U}) {
      const unsigned process = kCore0 + core;
      const auto percent = [&](const char* name) {
        return TraceEvents::sum(trace.series(process, "issue slots", name), end) / 100;
      };
      expect_near(percent("stall"), ran.of_core(core, "stall"), cycles, "stall");
      expect_near(percent("fetch"), ran.of_core(core, "w0_fetch"), cycles, "fetch");
      expect_near(percent("memory"), ran.of_core(core, "w0_mem"), cycles, "memory");
      expect_near(percent("idle"), ran.of_core(core, "w0_idle"), cycles, "idle");
      expect_near(percent("issued") + percent("stall") + percent("fetch") + percent("memory") + percent("idle"), cycles,
                  5 * cycles, "a hundred percent at any time");
      for (const auto& [at, entries] : trace.series(process, "deepest stack", "entries")) {
        deepest = std::max(deepest, entries);
      }
      busy += ran.of_core(core, "core_busy_cycles");
      const auto threads = trace.series(process, "threads", "threads");
      EXPECT_EQ(threads.back().second, 0);
      EXPECT_LE(threads.back().first, end);
    }
    EXPECT_EQ(deepest, ran.total("max_stack_entries"));
    expect_near(TraceEvents::sum(trace.series(1, "busy cores", "cores"), end), busy, cycles, "busy");
    EXPECT_EQ(trace.instant("end")->arguments["cycles"], cycles);
  }
};

TEST_F(TimeTraceTest, SaysWhatTheStatisticsSay) {
  for (const char* const mechanism : {"pdom", "tbc", "tstbc", "dwf", "lwm"}) {
    SCOPED_TRACE(mechanism);
    const Ran ran = run(traced(mechanism, with(&Words::cores, "all")));
    const TraceEvents trace(ran.trace);
    EXPECT_EQ(trace.problems(), Problems());
    expect_slices_alike(ran, trace, {0, 1});
    if (ran.total("max_stack_entries") > 0) expect_counters_alike(ran, trace);
    const bool compacts = std::string(mechanism).ends_with("tbc");
    EXPECT_EQ(trace.count("compaction") > 0, compacts);
    EXPECT_GT(trace.count("wait"), 0U);
    EXPECT_GT(trace.count("atomic"), 0U);
  }
}

// Instructions in passes; results and instructions through ports of their own; schedulers that share units.
TEST_F(TimeTraceTest, OnMachinesOfEveryKind) {
  for (const char* const machine : {"ivb2013", "gtx480", "volta"}) {
    SCOPED_TRACE(machine);
    RunOptions options = this->options("pdom", {}, machine);
    options.trace = TimeTraceOptions::parse(with(&Words::cores, "0"), "--");
    const Ran ran = run(options);
    const TraceEvents trace(ran.trace);
    EXPECT_EQ(trace.problems(), Problems());
    expect_slices_alike(ran, trace, {0});
  }
}

TEST_F(TimeTraceTest, SlicesOfACore) {
  const Ran ran = run(traced("tbc"), 1, 3);
  const TraceEvents trace(ran.trace);
  EXPECT_EQ(trace.problems(), Problems());
  expect_slices_alike(ran, trace, {0});
  std::set<std::string> waits, issues;
  for (const TraceEvents::Slice& slice : trace.slices()) {
    EXPECT_LE(slice.until, ran.total("cycles"));
    if (slice.category == "wait") waits.insert(slice.name);
    if (slice.category == "issue") issues.insert(slice.name);
    if (slice.category == "launch") {
      EXPECT_EQ(slice.name, "k");
      EXPECT_EQ(slice.until, ran.total("cycles"));
      EXPECT_EQ(slice.arguments["grid"], (std::vector<unsigned>{3, 1, 1}));
    }
  }
  EXPECT_TRUE(waits.contains("memory") && waits.contains("execution")) << "a load takes long, an addition a little";
  EXPECT_TRUE(issues.contains("ld.global.u32") && issues.contains("bar.sync") && issues.contains("bra"));
}

TEST_F(TimeTraceTest, ChangesNothingAndIsTheSameOnEveryRun) {
  const Ran first = run(traced("tbc")), again = run(traced("tbc"));
  EXPECT_EQ(first.trace, again.trace);
  std::filesystem::remove(folder_ / kTimeTraceFile);
  const Ran without = run(options("tbc"));
  EXPECT_EQ(without.trace, "") << "nobody asked for one";
  EXPECT_EQ(first.stats, without.stats);
}

TEST_F(TimeTraceTest, ShowsAWindow) {
  const Ran all = run(traced("tbc"));
  const auto cycles = static_cast<std::uint64_t>(all.total("cycles"));
  const std::uint64_t first = cycles / 4, last = cycles / 2;
  const Ran some = run(traced("tbc", with(&Words::every, "50", &Words::window, fmt::format("{}-{}", first, last))));
  const TraceEvents whole(all.trace), part(some.trace);
  EXPECT_EQ(part.problems(), Problems());
  std::size_t within = 0;
  for (const TraceEvents::Slice& slice : whole.slices()) {
    within += slice.category == "issue" && slice.from >= first && slice.from < last ? 1 : 0;
  }
  EXPECT_GT(within, 0U);
  EXPECT_EQ(part.count("issue"), within);
  for (const auto* list : {&part.slices(), &part.overlapping()}) {
    for (const TraceEvents::Slice& slice : *list) {
      if (slice.category == "launch") continue;
      EXPECT_GE(slice.from, first);
      EXPECT_LE(slice.until, last);
    }
  }
  const auto warps = part.series(kCore0, "warps", "warps");
  ASSERT_FALSE(warps.empty());
  EXPECT_GE(warps.front().first, first);
  EXPECT_LE(warps.front().first, first + 50);
  EXPECT_LE(warps.back().first, last + 50);
  EXPECT_EQ(warps.back().second, 0) << "nothing is said of what follows";
}

TEST_F(TimeTraceTest, ShowsALaunch) {
  const Ran ran = run(traced("pdom", with(&Words::launches, "1")), 3);
  const TraceEvents trace(ran.trace);
  EXPECT_EQ(trace.problems(), Problems());
  std::vector<TraceEvents::Slice> launches;
  for (const TraceEvents::Slice& slice : trace.slices()) {
    if (slice.category == "launch") launches.push_back(slice);
  }
  ASSERT_EQ(launches.size(), 3U) << "launches are always told";
  EXPECT_EQ(launches[0].until, launches[1].from) << "one after the other";
  for (const TraceEvents::Slice& slice : trace.slices()) {
    if (slice.category == "launch") continue;
    EXPECT_GE(slice.from, launches[1].from);
    EXPECT_LE(slice.until, launches[1].until);
  }
  EXPECT_GT(trace.count("issue"), 0U);
  EXPECT_EQ(trace.series(kCore0, "warps", "warps").front().first, launches[1].from);
}

TEST_F(TimeTraceTest, ReadsCountersAsOftenAsAsked) {
  const TraceEvents often(run(traced("pdom", with(&Words::every, "20"))).trace),
      seldom(run(traced("pdom", with(&Words::every, "500"))).trace);
  EXPECT_EQ(often.problems(), Problems());
  EXPECT_EQ(often.count("issue"), seldom.count("issue"));
  const auto values = [](const TraceEvents& trace) { return trace.series(kCore0, "issue slots", "issued"); };
  EXPECT_GT(values(often).size(), values(seldom).size());
  for (const auto& [trace, every] : {std::pair(&often, 20U), std::pair(&seldom, 500U)}) {
    std::uint64_t least = kNever;
    const auto readings = values(*trace);
    for (std::size_t i = 1; i < readings.size(); ++i)
      least = std::min(least, readings[i].first - readings[i - 1].first);
    EXPECT_LE(least, every + 50);
  }
}

TEST_F(TimeTraceTest, WithoutSlices) {
  const Ran ran = run(traced("pdom", with(&Words::cores, "none")));
  const TraceEvents trace(ran.trace);
  EXPECT_EQ(trace.problems(), Problems());
  EXPECT_EQ(trace.count("issue") + trace.count("wait") + trace.count("load") + trace.count("read request"), 0U);
  expect_counters_alike(ran, trace);
}

// The smallest limit is reached within some thousand instructions.
TEST_F(TimeTraceTest, StaysWithinItsLimitAndSaysSo) {
  RunOptions options = traced("pdom", with(&Words::every, "4", &Words::limit, "1"));
  testing::internal::CaptureStderr();
  const Ran ran = run(options, 4, 32, 128);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_LT(ran.trace.size(), 1'010'000U);
  EXPECT_GT(ran.trace.size(), 750'000U);
  const TraceEvents trace(ran.trace);
  EXPECT_EQ(trace.problems(), Problems());
  const auto* const end = trace.instant("end");
  ASSERT_NE(end, nullptr);
  const std::uint64_t last = end->arguments["slices_end"];
  EXPECT_LT(last, ran.total("cycles"));
  ASSERT_NE(trace.instant("slices end: the file's limit"), nullptr);
  EXPECT_EQ(trace.instant("slices end: the file's limit")->from, last);
  EXPECT_NE(said.find(fmt::format("slices end at cycle {} of {}", last, ran.total("cycles"))), std::string::npos)
      << said;
  EXPECT_GT(end->arguments["every"], 4U) << "counters go on to the end";
  EXPECT_NE(said.find("counters stand every 4 cycles at first, every "), std::string::npos) << said;
  EXPECT_EQ(trace.series(kCore0 + 1, "warps", "warps").back().first, ran.total("cycles"));
}

TEST_F(TimeTraceTest, OfAKernelThatFails) {
  KernelMachine<> machine(ptx_kernel(kTracedBody + "setp.eq.u32 %p1, %r4, 200;\n@%p1 mov.u64 %rd4, 4;\n"),
                          traced("tbc", with(&Words::cores, "all")));
  const Address words = machine.upload(noise(7 * 96));
  EXPECT_THROW(machine.run("k", {7}, {96}, words, words), KernelFault);
  machine.device.finish();
  const TraceEvents trace(text(kTimeTraceFile));
  EXPECT_EQ(trace.problems(), Problems());
  EXPECT_GT(trace.count("issue"), 0U);
}

TEST_F(TimeTraceTest, CoresThatThereAreNot) {
  try {
    run(traced("pdom", with(&Words::cores, "0,2")));
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "--trace-cores 0,2: the machine's cores are 0 to 1");
  }
}

}  // namespace time_trace_test
}  // namespace warpfold
