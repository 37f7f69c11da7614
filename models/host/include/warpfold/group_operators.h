// SPDX-License-Identifier: Apache-2.0
// The operators of reductions and scans over groups.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

#define WARPFOLD_GROUP_OPERATOR(name, expression)                                  \
  template <class T>                                                               \
  struct name {                                                                    \
    __device__ T operator()(T a, T b) const { return static_cast<T>(expression); } \
  };
WARPFOLD_GROUP_OPERATOR(plus, a + b)
WARPFOLD_GROUP_OPERATOR(less, b < a ? b : a)
WARPFOLD_GROUP_OPERATOR(greater, a < b ? b : a)
WARPFOLD_GROUP_OPERATOR(bit_and, a& b)
WARPFOLD_GROUP_OPERATOR(bit_or, a | b)
WARPFOLD_GROUP_OPERATOR(bit_xor, a ^ b)
#undef WARPFOLD_GROUP_OPERATOR

}  // namespace cooperative_groups
#endif
