// SPDX-License-Identifier: Apache-2.0
// Shuffles over clang's, which device_builtins.h includes under these names: its forms for unsigned long long call
// themselves for ever, which the optimiser takes for code that is never reached.
#pragma once

#define WARPFOLD_SHUFFLE(name, index, type, carrier)                                                              \
  static __device__ __forceinline__ type name##_sync(unsigned int mask, type value, index lane, int width = 32) { \
    return static_cast<type>(__warpfold_clang##name##_sync(mask, static_cast<carrier>(value), lane, width));      \
  }                                                                                                               \
  static __device__ __forceinline__ type name(type value, index lane, int width = 32) {                           \
    return static_cast<type>(__warpfold_clang##name(static_cast<carrier>(value), lane, width));                   \
  }
#define WARPFOLD_SHUFFLES(name, index)                         \
  WARPFOLD_SHUFFLE(name, index, int, int)                      \
  WARPFOLD_SHUFFLE(name, index, unsigned int, int)             \
  WARPFOLD_SHUFFLE(name, index, long, long long)               \
  WARPFOLD_SHUFFLE(name, index, unsigned long, long long)      \
  WARPFOLD_SHUFFLE(name, index, long long, long long)          \
  WARPFOLD_SHUFFLE(name, index, unsigned long long, long long) \
  WARPFOLD_SHUFFLE(name, index, float, float)                  \
  WARPFOLD_SHUFFLE(name, index, double, double)
WARPFOLD_SHUFFLES(__shfl, int)
WARPFOLD_SHUFFLES(__shfl_up, unsigned int)
WARPFOLD_SHUFFLES(__shfl_down, unsigned int)
WARPFOLD_SHUFFLES(__shfl_xor, int)
#undef WARPFOLD_SHUFFLES
#undef WARPFOLD_SHUFFLE
