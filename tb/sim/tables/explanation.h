// SPDX-License-Identifier: Apache-2.0
// What of the difference between two runs of one program has which cause (docs/explain.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/sim/runs/point.h"
#include "tb/sim/tables/profile_data.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// Two runs that differ in one thing; both are done.
struct Pair {
  const Point *a = nullptr, *b = nullptr;
  // Cycles that b takes more.
  double difference() const;
};

// Something is taken away on both sides that may be what they differ by.
struct Step {
  std::string name;     // "nothing drains"
  std::string what;     // of which then less is left: "draining"
  bool of_memory;       // other figures may say more of it
  std::string why_not;  // it was not run; empty: it was
  Pair chained;         // with all the steps before it taken, too
  Pair alone;
};

struct Explanation {
  std::string program, machine, a, b;
  Pair runs;
  std::vector<Step> steps;
  std::vector<KernelProfile> profile_a, profile_b;

  // The cause that the largest part of the difference has, in the words of the first line: "draining"; empty: there is
  // no difference of more than a thousandth.
  std::string largest() const;
};

// First line: the difference and its largest cause. Tables: `slots`, what all slots of schedulers went to, which sums
// to the difference; `causes`, the steps, which do so, too; `lines`, where it grew and shrank, as many as are asked
// for.
Report report_of(const Explanation& explanation, unsigned lines);

}  // namespace warpfold::sim
