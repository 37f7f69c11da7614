// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/core_islands.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

// The address takes its way to the cache or to shared memory, and the value its way from there.
Cycle use_latency_of(const MachineConfig& config) {
  const Cycle from = std::min({config.l1d.hit_latency_cycles, config.texture_cache.hit_latency_cycles,
                               std::uint32_t{config.core.shared_latency_cycles}});
  return config.core.address_latency_cycles + from;
}

// From a request to its response, in cycles of the interconnect.
Cycle round_trip_of(const MachineConfig& config) {
  return 2 * Cycle{config.memory.interconnect.latency_cycles} + config.memory.l2.hit_latency_cycles;
}

}  // namespace
CoreIslands::CoreIslands(ClockTree& tree, const MachineConfig& config, ClockDomain& interconnect_clock,
                         ClockDomain& core_clock, unsigned threads, Pace::Rule pace)
    : tree_(tree),
      crew_(threads),
      pace_(pace, threads),
      cores_each_(config.memory.interconnect.cores_per_port),
      round_trip_ps_(interconnect_clock.edge_ps(round_trip_of(config))),
      use_latency_(use_latency_of(config)),
      interconnect_clock_(interconnect_clock),
      core_clock_(core_clock) {
  for (unsigned first = 0; first < config.cores; first += cores_each_) {
    ClockIsland& island = tree.make_island();
    link_clocks_.push_back(&island.domain(interconnect_clock));
    core_clocks_.push_back(&island.domain(core_clock));
  }
  waits_.resize(link_clocks_.size());
  tree.tell(*this);
}

void CoreIslands::join(Interconnect& interconnect, BlockDispatcher& dispatcher,
                       std::vector<std::unique_ptr<SimtCore>>& cores) {
  interconnect_ = &interconnect;
  dispatcher_ = &dispatcher;
  for (unsigned island = 0; island < link_clocks_.size(); ++island) links_.push_back(&interconnect.link(island));
  for (const auto& core : cores) cores_.push_back(core.get());
}

unsigned CoreIslands::count(const MachineConfig& config) {
  const unsigned each = config.memory.interconnect.cores_per_port;
  return (config.cores + each - 1) / each;
}

Cycle CoreIslands::lookahead(const MachineConfig& config) {
  const Cycle response = round_trip_of(config) * config.core.clock_mhz / config.memory.interconnect.clock_mhz;
  return std::min(use_latency_of(config), response);
}

void CoreIslands::launch_started(Cycle start, bool may) {
  start_ = start;
  tree_.run_apart(may ? &pace_ : nullptr, crew_.threads() > 1 ? &crew_ : nullptr);
}

void CoreIslands::run_apart(bool apart) {
  for (SimtCore* const core : cores_) core->run_apart(apart);
  for (CoreLink* const link : links_) link->run_apart(apart);
}

void CoreIslands::part(std::uint64_t) { run_apart(true); }

void CoreIslands::join() {
  check(news_ == ClockIsland::kNoTime, "the dispatcher has heard of all blocks that ended");
  run_apart(false);
}

std::uint64_t CoreIslands::horizon(std::uint64_t served) {
  const Cycle unserved = interconnect_clock_.edge_from(served + 1);
  horizon_ = std::max(served + 1, interconnect_clock_.edge_ps(interconnect_->nothing_before(unserved)));
  return horizon_;
}

// Of requests that have no response on the link yet.
std::uint64_t CoreIslands::nothing_answered_before(unsigned island) const {
  const std::uint64_t sent = links_[island]->oldest_unanswered_ps();
  return sent == ClockIsland::kNoTime ? sent : sent + round_trip_ps_;
}

// END_REQ is withheld until the oldest request of the port has gone.
std::uint64_t CoreIslands::horizon_of(unsigned island, std::uint64_t served, std::uint64_t until) {
  const std::uint64_t horizon = std::min(until, std::max(horizon_, nothing_answered_before(island)));
  waits_[island] = links_[island]->withholds() ? 1 : 0;
  if (waits_[island] == 0) return horizon;
  const Cycle edge = interconnect_->nothing_leaves_before(island, interconnect_clock_.edge_from(served + 1));
  return std::min(horizon, interconnect_clock_.edge_ps(edge));
}

void CoreIslands::prepare(std::span<const unsigned> islands) {
  for (const unsigned island : islands) interconnect_->prepare_link(island);
}

bool CoreIslands::in_step(unsigned island) {
  if (!dispatcher_->more()) return false;
  const std::size_t first = std::size_t{island} * cores_each_;
  for (std::size_t core = first; core < std::min(first + cores_each_, cores_.size()); ++core) {
    if (dispatcher_->may_send(static_cast<unsigned>(core)) || !cores_[core]->finished().empty()) return true;
  }
  return false;
}

bool CoreIslands::stops(unsigned island, std::uint64_t next) {
  if (waits_[island] == 0 && links_[island]->withholds()) return true;
  if (next >= horizon_ && next >= nothing_answered_before(island)) return true;
  std::size_t requests = 0;
  for (const SimtCore* const core : cores_of(island)) {
    if (core->needs_values(core_clock_, next, use_latency_) || (!core->finished().empty() && dispatcher_->more()))
      return true;
    if (core->would_send()) ++requests;
  }
  return requests > links_[island]->room();
}

void CoreIslands::collect(std::span<const unsigned> islands) {
  for (const unsigned island : islands) {
    if (!links_[island]->sent().empty()) interconnect_->notice_requests(island);
    for (const SimtCore* const core : cores_of(island)) {
      if (!core->finished().empty()) news_ = std::min(news_, core->finished().front().at_ps);
    }
  }
}

void CoreIslands::tell_news(std::uint64_t now) {
  news_ = ClockIsland::kNoTime;
  for (SimtCore* const core : cores_) {
    while (!core->finished().empty() && core->finished().front().at_ps <= now) core->tell_finished();
    if (!core->finished().empty()) news_ = std::min(news_, core->finished().front().at_ps);
  }
}

// Without a store among them, loads may come in any order.
void CoreIslands::settle(std::uint64_t reached) {
  const Cycle edge = core_clock_.edge_from(std::min(reached, ClockIsland::kNoTime / 2));
  const std::uint64_t before = edge > start_ ? edge - start_ : 0;
  bool writes = false;
  std::uint64_t oldest = isa::Executor::kNothing;
  for (SimtCore* const core : cores_) {
    const isa::Executor* const executor = core->executor();
    if (executor == nullptr || executor->oldest() >= before) continue;
    oldest = std::min(oldest, executor->oldest());
    writes = writes || executor->settles_writes(before);
  }
  while (oldest < before) {
    const std::uint64_t until = writes ? oldest + 1 : before;
    oldest = isa::Executor::kNothing;
    for (SimtCore* const core : cores_) {
      isa::Executor* const executor = core->executor();
      if (executor == nullptr) continue;
      if (executor->oldest() < until) executor->settle(until);
      oldest = std::min(oldest, executor->oldest());
    }
  }
}

}  // namespace warpfold
