// SPDX-License-Identifier: Apache-2.0
// inclusive_scan and exclusive_scan for tiles and coalesced groups, sums unless another operator is given.
#pragma once

#include "../warpfold/group_operators.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

template <class Group, class T, class Operator>
__device__ T inclusive_scan(const Group& group, T value, Operator combine) {
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    const T before = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = combine(before, value);
  }
  return value;
}
template <class Group, class T>
__device__ T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T(), which is the neutral element of sums, or, and exclusive or.
template <class Group, class T, class Operator>
__device__ T exclusive_scan(const Group& group, T value, Operator combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
__device__ T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif
