// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/core_islands.h"

#include <algorithm>

namespace warpfold {
namespace {

// The address takes its way to the cache or to shared memory, and the value its way from there.
Cycle use_latency_of(const MachineConfig& config) {
  const Cycle from = std::min({config.l1d.hit_latency_cycles, config.texture_cache.hit_latency_cycles,
                               std::uint32_t{config.core.shared_latency_cycles}});
  return config.core.address_latency_cycles + from;
}

}  // namespace

CoreIslands::CoreIslands(ClockTree& tree, const MachineConfig& config, ClockDomain& interconnect_clock,
                         ClockDomain& core_clock)
    : cores_each_(config.memory.interconnect.cores_per_port),
      use_latency_(use_latency_of(config)),
      interconnect_clock_(interconnect_clock),
      core_clock_(core_clock) {
  for (unsigned first = 0; first < config.cores; first += cores_each_) {
    ClockIsland& island = tree.make_island();
    link_clocks_.push_back(&island.domain(interconnect_clock));
    core_clocks_.push_back(&island.domain(core_clock));
  }
  tree.tell(*this);
}

void CoreIslands::join(Interconnect& interconnect, BlockDispatcher& dispatcher,
                       std::vector<std::unique_ptr<SimtCore>>& cores) {
  interconnect_ = &interconnect;
  dispatcher_ = &dispatcher;
  for (const auto& core : cores) cores_.push_back(core.get());
}

Cycle CoreIslands::lookahead() const {
  const std::uint64_t network_ps = interconnect_clock_.edge_ps(interconnect_->nothing_before(0));
  return std::max<Cycle>(1, std::min(use_latency_, core_clock_.edge_from(network_ps)));
}

std::uint64_t CoreIslands::horizon(std::uint64_t served, std::uint64_t reached) {
  const Cycle unserved = interconnect_clock_.edge_from(served + 1);
  const std::uint64_t response = interconnect_clock_.edge_ps(interconnect_->nothing_before(unserved));
  const std::uint64_t use = core_clock_.edge_ps(core_clock_.edge_from(reached) + use_latency_);
  return std::max(served + 1, std::min(response, use));
}

void CoreIslands::prepare() {
  for (unsigned island = 0; island < link_clocks_.size(); ++island) interconnect_->prepare_link(island);
}

template <class Ask>
bool CoreIslands::any_core(unsigned island, Ask ask) const {
  const std::size_t first = std::size_t{island} * cores_each_;
  const std::size_t end = std::min(first + cores_each_, cores_.size());
  for (std::size_t core = first; core < end; ++core) {
    if (ask(static_cast<unsigned>(core))) return true;
  }
  return false;
}

bool CoreIslands::in_step(unsigned island) {
  const CoreLink& link = interconnect_->link(island);
  if (link.withholds() || stops(island)) return true;
  return any_core(island, [this](unsigned core) { return dispatcher_->may_send(core); });
}

bool CoreIslands::stops(unsigned island) {
  const bool full = interconnect_->link(island).out_of_room();
  const bool more = dispatcher_->more();
  return any_core(island, [=, this](unsigned core) {
    const SimtCore& c = *cores_[core];
    return (full && c.would_send()) || (more && !c.finished().empty()) || c.needs_values();
  });
}

void CoreIslands::collect() {
  for (unsigned island = 0; island < link_clocks_.size(); ++island) interconnect_->notice_requests(island);
  news_ = ClockIsland::kNoTime;
  for (const SimtCore* const core : cores_) {
    if (!core->finished().empty()) news_ = std::min(news_, core->finished().front().at_ps);
  }
}

void CoreIslands::tell_news(std::uint64_t now) {
  for (SimtCore* const core : cores_) {
    while (!core->finished().empty() && core->finished().front().at_ps <= now) core->tell_finished();
  }
  collect();
}

// Without a store among them, loads may come in any order.
void CoreIslands::settle(std::uint64_t reached) {
  if (reached == ClockIsland::kNoTime) reached = ClockIsland::kNoTime / 2;
  const Cycle edge = core_clock_.edge_from(reached);
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
