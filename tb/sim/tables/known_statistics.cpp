// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/known_statistics.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

// A core that exists only to be told which counters a mechanism has.
class CountersOnly final : public divergence::Core {
 public:
  divergence::WarpId insert(const divergence::Warp&, unsigned) override { never(); }
  void remove(divergence::WarpId) override { never(); }
  divergence::Warp& warp(divergence::WarpId) override { never(); }
  unsigned block_of(divergence::WarpId) const override { never(); }
  unsigned block_of_row(unsigned) const override { never(); }
  unsigned scheduler_of_row(unsigned) const override { never(); }
  void release(divergence::WarpId) override { never(); }
  void hold(divergence::WarpId, unsigned) override { never(); }
  void compact(divergence::CompactionRequest) override { never(); }
  bool spill(const divergence::Spill&) override { never(); }
  void stack_depth(unsigned) override { never(); }
  StatGroup& stats() override { return group_; }

 private:
  [[noreturn]] static void never() { throw InternalError("a mechanism acts before a kernel has started"); }
  StatRegistry registry_;
  StatGroup& group_ = registry_.group("core");
};

void add(std::vector<StatInfo>& all, const StatInfo& info) {
  const auto same = [&](const StatInfo& known) { return known.name == info.name; };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(info);
}

}  // namespace

std::vector<StatInfo> mechanism_statistics(const std::string& mechanism) {
  const RunOptions options = RunOptions::resolve("tbc2011", mechanism, {});
  CountersOnly core;
  const auto configured = divergence::find_mechanism(mechanism).configure(options.mechanism_parameters);
  const CoreParams params = options.machine.core.shaped_by(configured);
  const auto made = configured.make(params.geometry(), core);
  std::vector<StatInfo> infos;
  for (const StatGroup::Entry& entry : core.stats().entries()) infos.push_back(entry.info);
  for (const DerivedStat& derived : core.stats().derived()) infos.push_back(derived.info);
  return infos;
}

// Every module declares its statistics when it is made.
std::vector<StatInfo> machine_statistics() {
  const RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  StatRegistry registry;
  const Gpu gpu("gpu", options.machine, mechanism, registry);
  std::vector<StatInfo> all;
  for (const StatGroup& group : registry.groups()) {
    for (const StatGroup::Entry& entry : group.entries()) add(all, entry.info);
  }
  for (const DerivedStat& derived : registry.derived()) add(all, derived.info);
  return all;
}

std::vector<StatInfo> known_statistics() {
  std::vector<StatInfo> all = machine_statistics();
  for (const auto& info : divergence::mechanisms()) {
    for (const StatInfo& own : mechanism_statistics(info.name)) add(all, own);
  }
  return all;
}

}  // namespace warpfold::sim
