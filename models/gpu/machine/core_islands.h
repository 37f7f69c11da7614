// SPDX-License-Identifier: Apache-2.0
// Cores that run some cycles ahead of the rest of the machine, with the same outcome as if they did not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/crew.h"
#include "warpfold/common/clock/pace.h"
#include "warpfold/core/simt_core.h"
#include "warpfold/gpu/machine/block_dispatcher.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/memory/network/interconnect.h"

namespace warpfold {

// The cores of a port of the interconnect are an island, with their end of it. Why they may be ahead, while they are
// apart:
// - A response is on its link the interconnect's latency before it comes (CoreLink), and comes no sooner after its
//   request than the interconnect takes both ways and the L2's pipeline between them.
// - A request finds a place in the interconnect's queue if there was one for it and those before it when the cores
//   began to be ahead; else the island waits until the tree has come there.
// - A core that could get a block, or that ends one while there are more, is in step with the dispatcher.
// - What threads read and write in memory that cores share is done later, in the order of cycles and cores
//   (Executor::settle()). A load needs some cycles until its values are used: until then, or where it is answered
//   sooner, all others must have come past its issue. An island of whose loads none is put off does not wait for that.
class CoreIslands : public IslandRules {
 public:
  // Of the machine's cores; clocks are the tree's.
  CoreIslands(ClockTree& tree, const MachineConfig& config, ClockDomain& interconnect_clock, ClockDomain& core_clock,
              unsigned threads, Pace::Rule pace);
  const std::vector<ClockDomain*>& link_clocks() const { return link_clocks_; }
  ClockDomain& clock_of(unsigned core) { return *core_clocks_[core / cores_each_]; }
  void join(Interconnect& interconnect, BlockDispatcher& dispatcher, std::vector<std::unique_ptr<SimtCore>>& cores);

  static unsigned count(const MachineConfig& config);  // of islands, and of threads that have something to do
  // Core cycles that cores of such a machine may be ahead at least.
  static Cycle lookahead(const MachineConfig& config);
  // May the cores be ahead in this launch?
  void launch_started(Cycle start, bool may);

 private:
  void part(std::uint64_t served) override;
  void join() override;
  void run_apart(bool apart);
  std::uint64_t horizon(std::uint64_t served) override;
  std::uint64_t horizon_of(unsigned island, std::uint64_t served, std::uint64_t until) override;
  std::uint64_t nothing_answered_before(unsigned island) const;
  void prepare(std::span<const unsigned> islands) override;
  bool in_step(unsigned island) override;
  bool stops(unsigned island, std::uint64_t next) override;
  void collect(std::span<const unsigned> islands) override;
  void settle(std::uint64_t reached) override;
  std::uint64_t next_news() const override { return news_; }
  void tell_news(std::uint64_t now) override;

  std::span<SimtCore* const> cores_of(unsigned island) const {
    const std::size_t first = std::size_t{island} * cores_each_;
    return std::span(cores_).subspan(first, std::min<std::size_t>(cores_each_, cores_.size() - first));
  }

  ClockTree& tree_;
  Crew crew_;
  Pace pace_;
  const unsigned cores_each_;          // of an island
  const std::uint64_t round_trip_ps_;  // from a request to its response, at least
  const Cycle use_latency_;            // from a load's issue to the first use of what it loads, at least
  const ClockDomain &interconnect_clock_, &core_clock_;
  std::vector<ClockDomain*> link_clocks_, core_clocks_;  // per island
  Interconnect* interconnect_ = nullptr;
  BlockDispatcher* dispatcher_ = nullptr;
  std::vector<CoreLink*> links_;     // per island
  std::vector<std::uint8_t> waits_;  // per island: for END_REQ, since before the round
  std::vector<SimtCore*> cores_;
  std::uint64_t horizon_ = 0;  // of all islands, in this round
  Cycle start_ = 0;            // of the launch
  // When the first block ended of those that the dispatcher has not heard of.
  std::uint64_t news_ = ClockIsland::kNoTime;
};

}  // namespace warpfold
