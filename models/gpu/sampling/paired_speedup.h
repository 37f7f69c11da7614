// SPDX-License-Identifier: Apache-2.0
// How well two sampled runs that have timed the same launches know which of them is faster.
#pragma once

#include <vector>

namespace warpfold {

// Of the launches of one kernel and block shape.
struct GroupResiduals {
  double launches = 0, cycles = 0;  // of all of them, by the estimate
  double freedom = 1;               // degrees of it, of what is known of their cycles
  // By timed launch; none where only one was timed, which says nothing of how launches differ.
  std::vector<double> weights;  // how many launches it stands for, over all
  std::vector<double> off;      // cycles more than the other timed launches say
  std::vector<double> moves;    // of those, what moves the estimate of all that were not timed
};

// Have they the same groups, and of each as many timed launches? A program that decides by time may launch others.
bool can_be_paired(const std::vector<GroupResiduals>& one, const std::vector<GroupResiduals>& other);

// Half of the 95 % interval of two runs' cycles one over the other, relative. A launch that takes longer than launches
// of its size do under both does not count: only what is left when the one share is taken from the other.
double paired_half_width(const std::vector<GroupResiduals>& one, const std::vector<GroupResiduals>& other);

}  // namespace warpfold
