// SPDX-License-Identifier: Apache-2.0
// reduce(group, value, operator) for tiles and coalesced groups; every thread gets the result.
#pragma once

#include "../warpfold/group_operators.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

template <class T, class Operator, unsigned int Size, class Parent>
__device__ T reduce(const thread_block_tile<Size, Parent>& group, T value, Operator combine) {
#pragma unroll
  for (unsigned int step = Size / 2; step > 0; step /= 2) value = combine(value, group.shfl_xor(value, step));
  return value;
}

// Halves as long as there is a second half; a thread without a partner keeps what it has.
template <class T, class Operator>
__device__ T reduce(const coalesced_group& group, T value, Operator combine) {
  for (unsigned int count = group.size(); count > 1;) {
    const unsigned int half = (count + 1) / 2;
    const T other = group.shfl_down(value, half);
    if (group.thread_rank() + half < count) value = combine(value, other);
    count = half;
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
#endif
