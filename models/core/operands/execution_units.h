// SPDX-License-Identifier: Apache-2.0
// The units behind the ports of `pipes: unified`: which one takes an instruction, who shares it, and when it is free.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/core/core_params.h"

namespace warpfold {

class ExecutionUnits {
 public:
  // Instructions that go to the same unit of a scheduler, and so wait for the same thing besides their turn.
  enum Group : unsigned { kSimd, kSfu, kFp64, kInteger, kMemory, kCustom, kGroups };

  explicit ExecutionUnits(const CoreParams& params) : params_(params), schedulers_(params.schedulers) {
    const UnitParams& units = params.units;
    const std::array<unsigned, kGroups> counts{0, units.sfu, units.fp64, units.integer, units.memory, 0};
    for (unsigned group = 0; group < kGroups; ++group) {
      const unsigned count = counts[group] == 0 ? schedulers_ : counts[group];
      shared_[group] = count < schedulers_;
      for (unsigned s = 0; s < schedulers_; ++s) unit_.push_back(group * schedulers_ + s * count / schedulers_);
    }
    free_at_.resize(unit_.size());
    held_groups_ = {kSfu, kFp64};
    if (units.integer != 0) held_groups_.push_back(kInteger);
    if (units.memory != 0) held_groups_.push_back(kMemory);
    if (holds_simd()) held_groups_.push_back(kSimd);
    if (!isa::custom_units().empty()) held_groups_.push_back(kCustom);
    for (const unsigned group : held_groups_) held_[group] = true;
  }

  Group group_of(const isa::MicroOp& op) const {
    switch (params_.unit_of(op)) {
      case isa::Unit::kSfu:
        return kSfu;
      case isa::Unit::kFp64:
        return kFp64;
      case isa::Unit::kAlu:
        return params_.units.integer != 0 ? kInteger : kSimd;
      case isa::Unit::kMemory:
        return params_.units.memory != 0 ? kMemory : kSimd;
      case isa::Unit::kCustom:
        return kCustom;
      case isa::Unit::kFloat:
      case isa::Unit::kControl:
        break;
    }
    return kSimd;
  }
  // Those whose units can be busy when the port is free.
  const std::vector<unsigned>& held_groups() const { return held_groups_; }
  bool shared(unsigned group) const { return shared_[group]; }
  // Under schedulers * kGroups; the same for schedulers that share it.
  unsigned number(unsigned scheduler, unsigned group) const { return unit_[group * schedulers_ + scheduler]; }

  void start(Cycle at) {
    free_at_.assign(free_at_.size(), at);
    all_free_at_ = at;
  }
  Cycle free_at(unsigned scheduler, unsigned group) const { return free_at_[number(scheduler, group)]; }
  // When all of the held groups' units are free.
  Cycle all_free_at() const { return all_free_at_; }
  void hold(unsigned scheduler, unsigned group, Cycle until) {
    if (!held_[group]) return;
    free_at_[number(scheduler, group)] = until;
    all_free_at_ = std::max(all_free_at_, until);
  }

 private:
  bool holds_simd() const {
    bool holds = params_.issue_width > params_.simd_width;
    for (unsigned operation = 0; operation < isa::kOperations; ++operation) {
      holds |= params_.operations.of(static_cast<isa::Operation>(operation)).interval_cycles > 0;
    }
    return holds;
  }

  const CoreParams& params_;
  const unsigned schedulers_;
  std::array<bool, kGroups> shared_{};
  std::vector<unsigned> unit_;  // by group and scheduler
  std::vector<Cycle> free_at_;  // of each unit of the held groups, by number
  Cycle all_free_at_ = 0;
  std::vector<unsigned> held_groups_;
  std::array<bool, kGroups> held_{};
};

}  // namespace warpfold
