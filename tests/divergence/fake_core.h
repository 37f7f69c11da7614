// SPDX-License-Identifier: Apache-2.0
// A core without time for mechanisms: a warp buffer and a queue of compactions that hold each thread to one place.
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/compaction/compacted_warp.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {

// "{0,5,2}": the threads of a warp in the order of its lanes, counted from `first_row`.
inline std::string threads_text(const Warp& warp, unsigned width, unsigned first_row = 0, unsigned first_thread = 0) {
  std::string text;
  for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    text += fmt::format("{}{}", text.empty() ? "" : ",", (warp.row[lane] - first_row) * width + lane + first_thread);
  }
  return "{" + text + "}";
}

class FakeCore final : public Core {
 public:
  // Rows [s × rows_per_block, …) hold block slot s; 0: there is one block.
  FakeCore(unsigned warps, unsigned rows, unsigned rows_per_block = 0, unsigned schedulers = 1)
      : slots_(warps),
        seen_(rows),
        rows_per_block_(rows_per_block != 0 ? rows_per_block : rows),
        schedulers_(schedulers),
        stats_(registry_->group("core")) {}

  WarpId insert(const Warp& warp, unsigned scheduler = kAnyScheduler) override {
    check(warp.mask != 0, "a warp without threads enters the warp buffer");
    check_one_row(warp);
    for (WarpId id = 0; id < slots_.size(); ++id) {
      if (slots_[id].live || (scheduler != kAnyScheduler && id % schedulers_ != scheduler)) continue;
      slots_[id] = {true, false, warp};
      check_places();
      return id;
    }
    throw InternalError("the warp buffer overflows");
  }
  void remove(WarpId id) override {
    check(live(id), "a warp is removed that is not there");
    slots_[id].live = false;
  }
  Warp& warp(WarpId id) override {
    check(live(id), "a warp is asked for that is not there");
    return slots_[id].warp;
  }
  unsigned block_of(WarpId id) const override {
    const Warp& warp = slots_.at(id).warp;
    return block_of_row(warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))]);
  }
  unsigned block_of_row(unsigned row) const override { return row / rows_per_block_; }
  unsigned scheduler_of_row(unsigned row) const override { return row % schedulers_; }
  void hold(WarpId id, unsigned cycles) override {
    check(live(id), "a warp is held that is not there");
    if (cycles == kUntilReleased) {
      slots_[id].waits = true;
    } else {
      held += cycles;
    }
  }
  void release(WarpId id) override {
    check(live(id) && slots_[id].waits, "a warp is released that is held");
    slots_[id].waits = false;
  }
  void compact(CompactionRequest request) override {
    check(std::any_of(request.threads.begin(), request.threads.end(), [](LaneMask row) { return row != 0; }),
          "a compaction of no threads");
    requests.push_back(std::move(request));
    ++compactions;
    check_places();
  }
  bool spill(const Spill& part) override {
    check(part.bytes != 0, "something goes to memory or back");
    (part.way == Spill::Way::kOut ? bytes_out : bytes_in) += part.bytes;
    spills.push_back(part);
    if (spills_take_time && std::find(spilling.begin(), spilling.end(), part.owner) == spilling.end())
      spilling.push_back(part.owner);
    return !spills_take_time;
  }
  Divided divide(WarpId id) override {
    const LaneMask lanes = std::exchange(loaded[id], 0) & warp(id).mask;
    if (lanes == 0 || lanes == warp(id).mask) return {};
    narrow(slots_[id].warp, ~lanes);
    return {lanes, warp(id).pc + (at_loads ? 1 : 0)};
  }
  void stack_depth(unsigned entries) override { deepest = std::max(deepest, entries); }
  StatGroup& stats() override { return stats_; }
  std::uint64_t statistic(const std::string& name) const {
    for (const StatGroup::Entry& entry : stats_.entries()) {
      if (entry.info.name == name) return entry.counter.value();
    }
    throw InternalError(fmt::format("no statistic {}", name));
  }

  // The oldest request's next warp, as the real compactor makes it.
  void deliver(Mechanism& mechanism) {
    const CompactedWarp made = next_warp(requests.front());
    if (made.last) requests.pop_front();
    mechanism.compacted(made.block_slot, made.tag, made.warp, made.last);
  }

  // The oldest owner's parts are in memory or back.
  void answer_spill(Mechanism& mechanism) {
    const unsigned owner = spilling.front();
    spilling.erase(spilling.begin());
    mechanism.spilled(owner);
  }

  bool waits(WarpId id) const { return slots_.at(id).waits; }
  bool live(WarpId id) const { return slots_.at(id).live; }
  // Those that may issue.
  std::vector<WarpId> warps() const {
    std::vector<WarpId> ids;
    for (WarpId id = 0; id < slots_.size(); ++id) {
      if (slots_[id].live && !slots_[id].waits) ids.push_back(id);
    }
    return ids;
  }
  // "1{0,2,3} 5{1}": their pcs and threads.
  std::string warps_text(unsigned width) {
    std::string text;
    for (const WarpId id : warps()) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", warp(id).pc, threads_text(warp(id), width));
    }
    return text;
  }

  // No thread is in two warps, nor in a warp and at the compactor.
  void check_places() {
    std::fill(seen_.begin(), seen_.end(), LaneMask{0});
    for (const Slot& slot : slots_) {
      if (!slot.live) continue;
      for (LaneMask rest = slot.warp.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        see(slot.warp.row[lane], LaneMask{1} << lane);
      }
    }
    for (const CompactionRequest& request : requests) {
      for (unsigned row = 0; row < request.threads.size(); ++row) see(request.first_row + row, request.threads[row]);
    }
  }

  std::deque<CompactionRequest> requests;
  unsigned compactions = 0;
  std::map<WarpId, LaneMask> loaded;  // lanes that have all data of the loads that their warp waits for
  bool at_loads = false;              // warps wait at their load, not behind it
  unsigned deepest = 0;
  std::uint64_t held = 0;  // cycles, of all warps
  std::vector<Spill> spills;
  std::uint64_t bytes_out = 0, bytes_in = 0;  // of them
  bool spills_take_time = false;
  std::vector<unsigned> spilling;  // owners that wait, where spills take time

 private:
  struct Slot {
    bool live = false;
    bool waits = false;
    Warp warp;
  };

  static void check_one_row(const Warp& warp) {
    const unsigned first = warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))];
    bool one = true;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      one = one && warp.row[static_cast<unsigned>(std::countr_zero(rest))] == first;
    }
    check(one == warp.one_row, "one_row says whether all threads come from one row");
  }
  void see(unsigned row, LaneMask lanes) {
    check((seen_.at(row) & lanes) == 0, "a thread is in two places");
    seen_[row] |= lanes;
  }

  std::vector<Slot> slots_;
  std::vector<LaneMask> seen_;
  unsigned rows_per_block_, schedulers_;
  std::unique_ptr<StatRegistry> registry_ = std::make_unique<StatRegistry>();
  StatGroup& stats_;
};

}  // namespace warpfold::divergence
