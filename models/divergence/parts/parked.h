// SPDX-License-Identifier: Apache-2.0
// Sums over a core's warps of threads in no warp (Mechanism::parked), kept up to date part by part.
#pragma once

#include <bit>

#include "warpfold/divergence/mechanism.h"

namespace warpfold::divergence {

// Of a stack: its masks of threads whose turn has not come, and of those that have reached their reconvergence point.
template <class Stack>
Parked parked_on(const Stack& stack) {
  return {static_cast<unsigned>(std::popcount(stack.inactive())),
          static_cast<unsigned>(std::popcount(stack.reconverging()))};
}

// A part of the sums is `now` where it was `counted`.
inline void recount(Parked& sums, Parked& counted, const Parked& now) {
  sums.inactive += now.inactive - counted.inactive;
  sums.reconverging += now.reconverging - counted.reconverging;
  counted = now;
}

}  // namespace warpfold::divergence
