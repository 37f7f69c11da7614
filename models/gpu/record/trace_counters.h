// SPDX-License-Identifier: Apache-2.0
// What cores hold and what their issue slots go to over time: the counters of a time trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/results/trace.h"
#include "warpfold/common/results/trace_event_file.h"
#include "warpfold/core/core_watch.h"
#include "warpfold/gpu/record/trace_scope.h"
#include "warpfold/isa/kernel.h"

namespace warpfold {

// What the machine says at a reading; counted from its first launch on.
struct CounterReading {
  std::vector<IssueSlots> slots;  // by core
  bool dram = false;              // the machine has DRAM
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
};

// Series are means over the time from one reading to the next, and stand where that begins; a value that stays the same
// is not written again. Readings are a number of cycles apart that doubles with each sixteenth of the bytes that they
// may take.
class TraceCounters {
 public:
  static constexpr unsigned kMachine = 1, kFirstCore = 1000;  // processes in the file

  // `schedulers`: of a core. File and scope outlive this.
  TraceCounters(TraceEventFile& file, const TraceScope& scope, std::size_t cores, unsigned schedulers, Cycle every,
                std::uint64_t most_bytes);

  // Edges of the core clock.
  void launch_started(const isa::Kernel& kernel, Cycle start, CounterReading reading);
  void read(Cycle until, CounterReading reading);
  // Nothing is on the cores any more.
  void launch_ended();
  void record(const TraceRecord& record);
  // All series are 0 from this cycle of the run on.
  void end(Cycle at);

  // When to read next: behind this edge of the core clock. kNever: not in this launch.
  Cycle next() const { return next_; }
  Cycle every() const { return every_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // A number that stays for some cycles.
  class Level {
   public:
    void add(std::int64_t by, Cycle now) {
      advance(now);
      value_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value_) + by);
    }
    void start(Cycle now) {
      value_ = sum_ = 0;
      since_ = now;
    }
    std::uint64_t value() const { return value_; }
    std::uint64_t take(Cycle until) {  // sum over the cycles since the last time
      advance(until);
      return std::exchange(sum_, 0);
    }

   private:
    void advance(Cycle to) {
      if (to <= since_) return;
      sum_ += value_ * (to - since_);
      since_ = to;
    }
    std::uint64_t value_ = 0, sum_ = 0;
    Cycle since_ = 0;
  };
  struct Core {
    Level blocks, warps, threads;
    std::uint64_t instructions = 0, lanes = 0;  // issued since the last reading
    std::uint32_t deepest = 0;                  // stack of a warp that issued
  };

  void plan(Cycle from);
  void write(const CounterReading& reading, Cycle from, Cycle until);
  void write_core(std::size_t core, const IssueSlots& slots, const IssueSlots& before, Cycle at, Cycle cycles);
  void put(std::size_t counter, Cycle at);

  TraceEventFile& file_;
  const TraceScope& scope_;
  const unsigned schedulers_;
  const std::uint64_t most_bytes_;
  Cycle every_, next_ = kNever, since_ = 0;
  std::uint64_t bytes_ = 0, coarser_at_;
  const isa::Kernel* kernel_ = nullptr;
  CounterReading last_;
  std::vector<Core> cores_;
  Level busy_;                      // cores with a block
  std::string text_;                // of the series that is being written
  std::vector<std::string> names_;  // of cores, as series
  // The machine's, then each core's.
  struct Shown {
    unsigned process;
    const char* name;
    std::string shown{};  // what stands in the file
  };
  std::vector<Shown> counters_;
};

}  // namespace warpfold
