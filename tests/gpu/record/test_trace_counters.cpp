// SPDX-License-Identifier: Apache-2.0
// Counters over time: means between readings, each value once, and readings that grow rarer with the file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gpu/trace_events.h"
#include "warpfold/gpu/record/trace_counters.h"

namespace warpfold {
namespace trace_counters_test {

constexpr Cycle kStart = 500;  // of the launch, on the core's clock

class TraceCountersTest : public testing::Test {
 protected:
  using Series = TraceEvents::Series;

  TraceCountersTest()
      : path_(std::filesystem::path(testing::TempDir()) / ("warpfold_counters_" + std::to_string(getpid()))) {
    kernel_.ops.resize(2);
    kernel_.ops[1].kind = isa::Kind::kExit;
  }
  ~TraceCountersTest() override { std::filesystem::remove(path_); }

  void start(Cycle first = 0, Cycle last = kNever, std::uint64_t most_bytes = 1'000'000) {
    file_ = std::make_unique<TraceEventFile>(path_);
    file_->name_process(TraceCounters::kMachine, "machine", 0);
    for (unsigned core = 0; core < 2; ++core) file_->name_process(TraceCounters::kFirstCore + core, "core", 0);
    scope_ = std::make_unique<TraceScope>(first, last);
    counters_ = std::make_unique<TraceCounters>(*file_, *scope_, 2, 2, 10, most_bytes);
    scope_->launch_started(kStart, true);
    counters_->launch_started(kernel_, kStart, {{{}, {}}});
  }
  void record(Cycle at, TraceEvent event, unsigned core = 0, std::uint64_t mask = 0, isa::Pc pc = 0,
              std::uint32_t stack = 0) {
    counters_->record({kStart + at, event, core, 0, 0, pc, mask, mask, nullptr, stack});
  }
  void read(Cycle until, const CounterReading& reading) { counters_->read(kStart + until, reading); }
  static CounterReading slots(const IssueSlots& of_core0, const IssueSlots& of_core1 = {}) {
    CounterReading reading;
    reading.slots = {of_core0, of_core1};
    return reading;
  }
  TraceEvents finish(Cycle end) {
    counters_->end(end);
    file_->close();
    std::ifstream in(path_);
    std::ostringstream all;
    all << in.rdbuf();
    return TraceEvents(all.str());
  }
  static constexpr unsigned kCore0 = TraceCounters::kFirstCore;

  const std::string path_;
  isa::Kernel kernel_;
  std::unique_ptr<TraceEventFile> file_;
  std::unique_ptr<TraceScope> scope_;
  std::unique_ptr<TraceCounters> counters_;
};

TEST_F(TraceCountersTest, MeansBetweenReadings) {
  start();
  EXPECT_EQ(counters_->next(), kStart + 9) << "the first 10 cycles are over when this edge is";
  record(2, TraceEvent::kBlockStart, 0, 64);
  record(2, TraceEvent::kWarpInsert);
  record(2, TraceEvent::kWarpInsert);
  record(3, TraceEvent::kIssue, 0, 0xff, 0, 3);
  record(4, TraceEvent::kIssue, 0, 0xf, 1, 1);
  CounterReading reading = slots({5, 1, 2, 2, 10}, {0, 0, 0, 0, 20});
  reading.dram = true;
  reading.dram_read_bytes = 640;
  read(10, reading);
  record(14, TraceEvent::kWarpRemove);
  record(14, TraceEvent::kBlockEnd);
  reading.slots[0] = {5, 1, 2, 2, 30};
  reading.slots[1][4] = 40;
  reading.dram_write_bytes = 3;
  read(20, reading);
  const TraceEvents trace = finish(20);
  EXPECT_EQ(trace.problems(), std::vector<std::string>());
  EXPECT_EQ(trace.series(1, "blocks", "core 0"), (Series{{0, 0.8}, {10, 0.5}, {20, 0}}));
  EXPECT_EQ(trace.series(1, "blocks", "core 1"), (Series{{0, 0}, {10, 0}, {20, 0}}));
  EXPECT_EQ(trace.series(1, "busy cores", "cores"), (Series{{0, 0.8}, {10, 0.5}, {20, 0}}));
  EXPECT_EQ(trace.series(1, "DRAM bytes per cycle", "read"), (Series{{0, 64}, {10, 0}, {20, 0}}));
  EXPECT_EQ(trace.series(1, "DRAM bytes per cycle", "written"), (Series{{0, 0}, {10, 0.3}, {20, 0}}));
  EXPECT_EQ(trace.series(kCore0, "warps", "warps"), (Series{{0, 1.6}, {10, 1.4}, {20, 0}}));
  EXPECT_EQ(trace.series(kCore0, "threads", "threads"), (Series{{0, 49.2}, {10, 60}, {20, 0}})) << "four exit at 4";
  EXPECT_EQ(trace.series(kCore0, "issue slots", "issued"), (Series{{0, 25}, {10, 0}, {20, 0}}));
  EXPECT_EQ(trace.series(kCore0, "issue slots", "idle"), (Series{{0, 50}, {10, 100}, {20, 0}}));
  EXPECT_EQ(trace.series(kCore0, "active lanes", "lanes"), (Series{{0, 6}, {10, 0}}));
  EXPECT_EQ(trace.series(kCore0, "deepest stack", "entries"), (Series{{0, 3}, {10, 0}}));
  EXPECT_EQ(trace.series(kCore0 + 1, "issue slots", "idle"), (Series{{0, 100}, {20, 0}})) << "once while it stays";
}

TEST_F(TraceCountersTest, OfLaunchesOneAfterTheOther) {
  start();
  record(2, TraceEvent::kBlockStart, 0, 64);
  read(10, slots({10, 0, 0, 0, 10}));
  read(14, slots({10, 0, 0, 0, 18}));
  counters_->launch_ended();
  EXPECT_EQ(counters_->next(), kNever);
  scope_->launch_ended(14);
  scope_->launch_started(900, true);
  counters_->launch_started(kernel_, 900, slots({0, 0, 0, 0, 0}));  // on another machine
  EXPECT_EQ(counters_->next(), 905U) << "at 20 of the run";
  counters_->read(906, slots({6, 0, 0, 0, 6}));
  const TraceEvents trace = finish(20);
  EXPECT_EQ(trace.problems(), std::vector<std::string>());
  EXPECT_EQ(trace.series(kCore0, "issue slots", "issued"), (Series{{0, 50}, {10, 0}, {14, 50}, {20, 0}}));
  EXPECT_EQ(trace.series(1, "blocks", "core 0"), (Series{{0, 0.8}, {10, 1}, {14, 0}}));
}

TEST_F(TraceCountersTest, OnlyWithinTheWindow) {
  start(25, 45);
  EXPECT_EQ(counters_->next(), kStart + 24);
  read(25, slots({50, 0, 0, 0, 0}));
  EXPECT_EQ(counters_->next(), kStart + 29);
  read(30, slots({50, 0, 0, 0, 10}));
  EXPECT_EQ(counters_->next(), kStart + 39);
  read(40, slots({60, 0, 0, 0, 20}));
  EXPECT_EQ(counters_->next(), kStart + 44);
  read(45, slots({70, 0, 0, 0, 20}));
  EXPECT_EQ(counters_->next(), kNever);
  read(90, slots({150, 0, 0, 0, 20}));
  const TraceEvents trace = finish(90);
  EXPECT_EQ(trace.problems(), std::vector<std::string>());
  EXPECT_EQ(trace.series(kCore0, "issue slots", "issued"), (Series{{25, 0}, {30, 50}, {40, 100}, {45, 0}}));
}

TEST_F(TraceCountersTest, ReadingsGrowRarer) {
  constexpr std::uint64_t kMost = 32'000;
  start(0, kNever, kMost);
  std::uint64_t issued = 0;
  for (unsigned n = 0; n < 400 && counters_->next() != kNever; ++n) {
    const Cycle until = counters_->next() + 1;
    issued += n % 7;
    counters_->read(until, slots({issued, 0, 0, 0, 2 * (until - kStart) - issued}));
  }
  EXPECT_GE(counters_->every(), 80U);
  EXPECT_EQ(counters_->every() % 80, 0U) << "twice as far apart each time";
  EXPECT_LT(counters_->bytes(), kMost + 2000);
  EXPECT_EQ(finish(1'000'000'000).problems(), std::vector<std::string>());
}

}  // namespace trace_counters_test
}  // namespace warpfold
