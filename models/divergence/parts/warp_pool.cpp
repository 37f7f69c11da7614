// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp_pool.h"

#include <bit>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/lane_registers.h"

namespace warpfold::divergence {

namespace {

constexpr unsigned kThreadsShift = 32;

std::uint64_t threads_in(LaneMask lanes) { return static_cast<std::uint64_t>(std::popcount(lanes)) << kThreadsShift; }

unsigned lowest_lane(const Warp& warp) { return static_cast<unsigned>(std::countr_zero(warp.mask)); }

}  // namespace

Hardware WarpPoolParams::hardware(const HardwareGeometry& geometry) const {
  const Geometry& core = geometry.core;
  const unsigned slots = shape(core).warp_slots,
                 row = core.warp_size + index_bits(slots) + index_bits(core.max_threads + 1);
  Hardware hardware;
  hardware.storage.push_back(
      {"warp lookup", searched_table(lut_entries, kPcBits, row), core.schedulers, {{"dwf_lut_lookups", 2}}});
  hardware.storage.push_back({"warp pool",
                              table(slots / core.schedulers, kPcBits + core.warp_size * index_bits(geometry.rows())),
                              core.schedulers,
                              {{"warp_instructions"}, {"dwf_warps_formed"}, {"dwf_lut_hits"}}});
  add_lane_registers(hardware, geometry);
  hardware.logic.push_back({"warp_pool",
                            {{"Lanes", core.warp_size},
                             {"Entries", lut_entries},
                             {"Slots", slots},
                             {"Threads", core.max_threads},
                             {"PcWidth", kPcBits}},
                            core.schedulers});
  return hardware;
}

WarpPool::WarpPool(Core& core, const Geometry& geometry, unsigned lut_entries)
    : core_(core),
      full_(~LaneMask{0} >> (isa::kMaxLanes - geometry.warp_size)),
      slots_(geometry.max_warps),
      lut_entries_(lut_entries),
      schedulers_(geometry.schedulers, Scheduler(geometry.max_warps)),
      lookups_(core.stats().counter("dwf_lut_lookups", "events", "threads of one pc that looked for an open warp")),
      hits_(core.stats().counter("dwf_lut_hits", "events", "lookups after which threads joined an open warp")),
      lut_full_(core.stats().counter(
          "dwf_lut_full", "events", "warps that found no entry left in the lookup table: nobody joins or counts them")),
      formed_(core.stats().counter("dwf_warps_formed", "warps",
                                   "warps that lookups put into the pool, all threads not having joined another")),
      merged_(core.stats().counter("dwf_threads_merged", "threads", "threads that joined an open warp")) {
  for (unsigned s = 0; s < schedulers_.size(); ++s) {
    observe(s, core.taps().warp_pool_observer(s, lut_entries));
  }
}

void WarpPool::kernel_started(const isa::Kernel& kernel) {
  for (Scheduler& scheduler : schedulers_) {
    scheduler.at.assign(kernel.end(), kNone);
    scheduler.majority = isa::kNoPc;
  }
}

void WarpPool::kernel_ended() const {
  for (const Scheduler& scheduler : schedulers_) {
    check(scheduler.keys.empty() && scheduler.alone.empty(), "the warp pool is empty when a kernel has ended");
  }
}

unsigned WarpPool::scheduler_of(const Warp& warp) const {
  return schedulers_.size() == 1 ? 0 : core_.scheduler_of_row(warp.row[lowest_lane(warp)]);
}

WarpPool::Group* WarpPool::group_at(Scheduler& scheduler, Pc pc) {
  if (scheduler.at[pc] == kNone) {
    if (scheduler.keys.size() == lut_entries_) return nullptr;
    const auto place = static_cast<std::uint32_t>(scheduler.keys.size());
    if (place == scheduler.groups.size()) scheduler.groups.emplace_back(slots_);
    scheduler.at[pc] = place;
    scheduler.groups[place].pc = pc;
    scheduler.groups[place].open = kNoWarp;
    scheduler.keys.push_back(static_cast<std::uint32_t>(~pc));
  }
  return &scheduler.groups[scheduler.at[pc]];
}

void WarpPool::release(Scheduler& scheduler, std::uint32_t place) {
  const auto last = static_cast<std::uint32_t>(scheduler.keys.size() - 1);
  scheduler.at[scheduler.groups[place].pc] = kNone;
  if (place != last) {
    std::swap(scheduler.groups[place], scheduler.groups[last]);
    scheduler.keys[place] = scheduler.keys[last];
    scheduler.at[scheduler.groups[place].pc] = place;
  }
  scheduler.keys.pop_back();
}

void WarpPool::count(Scheduler& scheduler, Pc pc, LaneMask threads) {
  scheduler.keys[scheduler.at[pc]] += threads_in(threads);
}

// Moves the threads whose lanes are free in their pc's open warp there.
WarpPool::Joined WarpPool::join(Scheduler& scheduler, Warp& threads) {
  ++lookups_;
  if (scheduler.at[threads.pc] == kNone) return {};
  Group& group = scheduler.groups[scheduler.at[threads.pc]];
  if (group.open == kNoWarp) return {};
  const Joined joined{threads.mask & ~core_.warp(group.open).mask, group.open};
  const LaneMask lanes = joined.lanes;
  if (lanes == 0) return {};
  Warp& open = core_.warp(group.open);
  ++hits_;
  merged_ += static_cast<std::uint64_t>(std::popcount(lanes));
  const bool same_row =
      open.one_row && threads.one_row && open.row[lowest_lane(open)] == threads.row[lowest_lane(threads)];
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    open.row[lane] = threads.row[lane];
  }
  open.mask |= lanes;
  open.one_row = same_row;
  threads.mask &= ~lanes;
  if (!threads.one_row) threads.one_row = from_one_row(threads);
  count(scheduler, threads.pc, lanes);
  if (open.mask == full_) group.open = kNoWarp;
  return joined;
}

// What has not joined another warp is one of its own from now on, and the one that is open.
void WarpPool::admit(Scheduler& scheduler, WarpId id) {
  ++formed_;
  if (!add(scheduler, id)) return;
  const Warp& warp = core_.warp(id);
  if (warp.mask != full_) scheduler.groups[scheduler.at[warp.pc]].open = id;
}

// A warp of its own. False: it is alone.
bool WarpPool::add(Scheduler& scheduler, WarpId id) {
  const Warp& warp = core_.warp(id);
  Group* const group = group_at(scheduler, warp.pc);
  if (group == nullptr) {
    ++lut_full_;
    scheduler.alone.insert(id);
    return false;
  }
  group->warps.insert(id);
  count(scheduler, warp.pc, warp.mask);
  return true;
}

void WarpPool::enter(WarpId id) {
  Scheduler& scheduler = schedulers_[id % schedulers_.size()];
  Warp& warp = core_.warp(id);
  const LaneMask threads = warp.mask;
  const Pc pc = warp.pc;
  const Joined joined = join(scheduler, warp);
  const bool stays = warp.mask != 0;
  if (stays) {
    admit(scheduler, id);
  } else {
    core_.remove(id);
  }
  tell_entered(scheduler, pc, threads, stays ? id : kNoWarp, joined);
}

void WarpPool::enter(Warp threads) {
  const LaneMask all = threads.mask;
  const unsigned index = scheduler_of(threads);
  Scheduler& scheduler = schedulers_[index];
  const Joined joined = join(scheduler, threads);
  WarpId id = kNoWarp;
  if (threads.mask != 0) {
    id = core_.insert(threads, index);
    admit(scheduler, id);
  }
  tell_entered(scheduler, threads.pc, all, id, joined);
}

void WarpPool::tell_entered(const Scheduler& scheduler, Pc pc, LaneMask threads, WarpId id, const Joined& joined) {
  if (scheduler.observer == nullptr) return;
  scheduler.observer->entered(pc, threads, id, joined, id != kNoWarp && scheduler.alone.contains(id));
}

void WarpPool::enter_closed(WarpId id) {
  Scheduler& scheduler = schedulers_[id % schedulers_.size()];
  const bool counted = add(scheduler, id);
  const Warp& warp = core_.warp(id);
  if (scheduler.observer != nullptr) scheduler.observer->entered_closed(warp.pc, warp.mask, id, !counted);
}

void WarpPool::issued(WarpId id) {
  Scheduler& scheduler = schedulers_[id % schedulers_.size()];
  if (scheduler.alone.contains(id)) {
    scheduler.alone.erase(id);
    return;
  }
  const Warp& warp = core_.warp(id);
  const std::uint32_t place = scheduler.at[warp.pc];
  check(place != kNone && scheduler.groups[place].warps.contains(id), "a warp that issues was in the warp pool");
  Group& group = scheduler.groups[place];
  group.warps.erase(id);
  if (group.open == id) group.open = kNoWarp;
  std::uint64_t& key = scheduler.keys[place];
  key -= threads_in(warp.mask);
  const bool last = key >> kThreadsShift == 0;
  if (scheduler.observer != nullptr) scheduler.observer->issued(id, warp, last);
  if (!last) return;
  if (scheduler.majority == warp.pc) scheduler.majority = isa::kNoPc;
  release(scheduler, place);
}

void WarpPool::prefer(WarpSet& ready) {
  Scheduler& scheduler = schedulers_[ready.next(0) % schedulers_.size()];
  if (scheduler.observer == nullptr) return choose(scheduler, ready);
  std::vector<Pc> pcs;
  for (std::size_t place = 0; place < scheduler.keys.size(); ++place) {
    const Group& group = scheduler.groups[place];
    if (ready.intersects(group.warps)) pcs.push_back(group.pc);
  }
  choose(scheduler, ready);
  scheduler.observer->selected(pcs, pcs.empty() ? isa::kNoPc : scheduler.majority);
}

void WarpPool::choose(Scheduler& scheduler, WarpSet& ready) {
  if (scheduler.majority != isa::kNoPc) {
    const WarpSet& warps = scheduler.groups[scheduler.at[scheduler.majority]].warps;
    if (ready.intersects(warps)) {
      ready &= warps;
      return;
    }
  }
  std::uint64_t most = 0;
  const WarpSet* chosen = nullptr;
  for (std::size_t place = 0; place < scheduler.keys.size(); ++place) {
    if (scheduler.keys[place] <= most || !ready.intersects(scheduler.groups[place].warps)) continue;
    most = scheduler.keys[place];
    chosen = &scheduler.groups[place].warps;
    scheduler.majority = scheduler.groups[place].pc;
  }
  check(chosen != nullptr || ready.intersects(scheduler.alone), "a ready warp is in the warp pool");
  ready &= chosen != nullptr ? *chosen : scheduler.alone;
}

}  // namespace warpfold::divergence
