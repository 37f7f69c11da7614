// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/trace_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <string_view>

namespace warpfold {
namespace {

constexpr unsigned kStages = 16;  // parts of the bytes after each of which readings are twice as far apart
constexpr std::uint64_t kPercent = 100;

enum OfMachine : std::size_t { kBlocks, kBusyCores, kDram };
constexpr std::array kOfMachine{"blocks", "busy cores", "DRAM bytes per cycle"};
constexpr std::array kOfCore{"warps", "threads", "issue slots", "active lanes", "deepest stack"};

// Adds "name":number, to two places.
void add(std::string& text, std::string_view name, std::uint64_t sum, std::uint64_t by) {
  const std::uint64_t hundredths = by == 0 ? 0 : (sum * 100 + by / 2) / by;
  fmt::format_to(std::back_inserter(text), "{}\"{}\":{}", text.empty() ? "" : ",", name, hundredths / 100);
  const auto part = static_cast<unsigned>(hundredths % 100);
  if (part == 0) return;
  if (part % 10 == 0) {
    fmt::format_to(std::back_inserter(text), ".{}", part / 10);
  } else {
    fmt::format_to(std::back_inserter(text), ".{:02}", part);
  }
}

}  // namespace

TraceCounters::TraceCounters(TraceEventFile& file, const TraceScope& scope, std::size_t cores, unsigned schedulers,
                             Cycle every, std::uint64_t most_bytes)
    : file_(file),
      scope_(scope),
      schedulers_(schedulers),
      most_bytes_(most_bytes),
      every_(every),
      coarser_at_(most_bytes / kStages),
      cores_(cores) {
  for (std::size_t core = 0; core < cores; ++core) names_.push_back(fmt::format("core {}", core));
  for (const char* name : kOfMachine) counters_.push_back({kMachine, name});
  for (std::size_t core = 0; core < cores; ++core) {
    for (const char* name : kOfCore) counters_.push_back({kFirstCore + static_cast<unsigned>(core), name});
  }
}

void TraceCounters::launch_started(const isa::Kernel& kernel, Cycle start, CounterReading reading) {
  kernel_ = &kernel;
  since_ = start;
  last_ = std::move(reading);
  busy_.start(start);
  for (Core& core : cores_) {
    for (Level* level : {&core.blocks, &core.warps, &core.threads}) level->start(start);
    core.instructions = core.lanes = core.deepest = 0;
  }
  if (!scope_.shown()) end(scope_.of_run(start));
  plan(start);
}

// Multiples of the distance in cycles of the run, and the first cycle that is shown.
void TraceCounters::plan(Cycle from) {
  const Cycle now = scope_.of_run(from);
  next_ = kNever;
  if (!scope_.shown() || now >= scope_.last() || bytes_ >= most_bytes_) return;
  const Cycle at = now < scope_.first() ? scope_.first() : std::min((now / every_ + 1) * every_, scope_.last());
  next_ = scope_.of_core(at) - 1;
}

void TraceCounters::read(Cycle until, CounterReading reading) {
  if (until <= since_) return plan(until);
  const Cycle from = scope_.of_run(since_);
  if (scope_.shows(from) && bytes_ < most_bytes_) {
    write(reading, from, until);
  } else {
    for (Core& core : cores_) {
      for (Level* level : {&core.blocks, &core.warps, &core.threads}) level->take(until);
      core.instructions = core.lanes = core.deepest = 0;
    }
    busy_.take(until);
  }
  since_ = until;
  last_ = std::move(reading);
  if (bytes_ >= coarser_at_) {
    every_ *= 2;
    coarser_at_ += most_bytes_ / kStages;
  }
  plan(until);
  if (next_ == kNever) end(scope_.of_run(until));
}

void TraceCounters::launch_ended() { next_ = kNever; }

void TraceCounters::record(const TraceRecord& record) {
  Core& core = cores_[record.core];
  switch (record.event) {
    case TraceEvent::kBlockStart:
      if (core.blocks.value() == 0) busy_.add(1, record.cycle);
      core.blocks.add(1, record.cycle);
      core.threads.add(static_cast<std::int64_t>(record.mask), record.cycle);
      break;
    case TraceEvent::kBlockEnd:  // which was there in this cycle, too
      core.blocks.add(-1, record.cycle + 1);
      if (core.blocks.value() == 0) busy_.add(-1, record.cycle + 1);
      break;
    case TraceEvent::kWarpInsert:
      core.warps.add(1, record.cycle);
      break;
    case TraceEvent::kWarpRemove:
      core.warps.add(-1, record.cycle);
      break;
    case TraceEvent::kIssue:
      ++core.instructions;
      core.lanes += static_cast<std::uint64_t>(std::popcount(record.other));
      core.deepest = std::max(core.deepest, record.stack);
      if (kernel_->ops[record.pc].kind == isa::Kind::kExit) {
        core.threads.add(-static_cast<std::int64_t>(std::popcount(record.mask)), record.cycle + 1);
      }
      break;
    default:
      break;
  }
}

void TraceCounters::write(const CounterReading& reading, Cycle from, Cycle until) {
  const Cycle cycles = until - since_;
  for (std::size_t core = 0; core < cores_.size(); ++core)
    add(text_, names_[core], cores_[core].blocks.take(until), cycles);
  put(kBlocks, from);
  add(text_, "cores", busy_.take(until), cycles);
  put(kBusyCores, from);
  if (reading.dram) {
    add(text_, "read", reading.dram_read_bytes - last_.dram_read_bytes, cycles);
    add(text_, "written", reading.dram_write_bytes - last_.dram_write_bytes, cycles);
    put(kDram, from);
  }
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    write_core(core, reading.slots[core], last_.slots[core], from, cycles);
  }
}

void TraceCounters::write_core(std::size_t core, const IssueSlots& slots, const IssueSlots& before, Cycle at,
                               Cycle cycles) {
  std::size_t counter = kOfMachine.size() + core * kOfCore.size();
  Core& now = cores_[core];
  const Cycle until = since_ + cycles;
  add(text_, "warps", now.warps.take(until), cycles);
  put(counter++, at);
  add(text_, "threads", now.threads.take(until), cycles);
  put(counter++, at);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    add(text_, kIssueSlotNames[i], (slots[i] - before[i]) * kPercent, cycles * schedulers_);
  }
  put(counter++, at);
  add(text_, "lanes", std::exchange(now.lanes, 0), std::exchange(now.instructions, 0));
  put(counter++, at);
  add(text_, "entries", std::exchange(now.deepest, 0), 1);
  put(counter++, at);
}

// The series of text_, unless they stand there already.
void TraceCounters::put(std::size_t counter, Cycle at) {
  Shown& own = counters_[counter];
  if (own.shown != text_) {
    const std::uint64_t before = file_.bytes();
    file_.counter(own.process, at, own.name, text_);
    bytes_ += file_.bytes() - before;
    own.shown = text_;
  }
  text_.clear();
}

void TraceCounters::end(Cycle at) {
  for (std::size_t counter = 0; counter < counters_.size(); ++counter) {
    // Its names, each with 0.
    const std::string& shown = counters_[counter].shown;
    if (shown.empty()) continue;
    text_.clear();
    for (std::size_t from = 0; from < shown.size();) {
      const std::size_t colon = shown.find("\":", from) + 2;
      (text_ += std::string_view(shown).substr(from, colon - from)) += '0';
      from = std::min(shown.find(',', colon), shown.size());
    }
    put(counter, at);
  }
}

}  // namespace warpfold
