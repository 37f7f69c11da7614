// SPDX-License-Identifier: Apache-2.0
// What a study comes to: every point resolved and checked, before anything runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/sim/runs/point.h"
#include "tb/study/study.h"

namespace warpfold::study {

// A point of a study, and its run.
struct Planned {
  Choice choice;
  std::string key;       // empty: not applicable, for the reason in `point`
  std::string settings;  // JSON
  std::string machine_settings;
  std::string parameters;  // JSON of all effective values of machine and mechanism
  sim::Point point;
  // Where it issues warps in another order than its baseline: which of the points are the baseline in its order, and
  // it in the baseline's (Choice::both_orders).
  struct OtherOrders {
    std::size_t baseline, own;
  };
  std::optional<OtherOrders> others;
  std::optional<std::size_t> bound;  // which of the points is the oracle's of the same scope and width (Choice::bound)
};

// The parts of points that are there for others alone: in another order of warps, and under the oracle.
inline constexpr const char *kOtherOrders = "other-orders", *kBounds = "bounds";

// In the study's order; runs are filed below `store`. `sets` are settings of all of them, which are not among what
// tells points apart. UserError, with the part's place: names, values or combinations that do not exist.
std::vector<Planned> plan(const Study& study, const std::string& store, const std::vector<std::string>& sets = {});

std::string variant(const std::string& mechanism, const std::string& packing);

}  // namespace warpfold::study
