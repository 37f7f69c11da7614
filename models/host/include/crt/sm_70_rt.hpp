// SPDX-License-Identifier: Apache-2.0
// Asked for by clang's intrinsics: the typed forms of __match_any_sync and __match_all_sync.
#pragma once

#define WARPFOLD_MATCH(type, bits, wide)                                                                     \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {           \
    return static_cast<unsigned int>(__match##bits##_any_sync(mask, (wide)value));                           \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int* all) { \
    return static_cast<unsigned int>(__match##bits##_all_sync(mask, (wide)value, all));                      \
  }
WARPFOLD_MATCH(int, 32, unsigned int)
WARPFOLD_MATCH(unsigned int, 32, unsigned int)
WARPFOLD_MATCH(long, 64, unsigned long long)
WARPFOLD_MATCH(unsigned long, 64, unsigned long long)
WARPFOLD_MATCH(long long, 64, unsigned long long)
WARPFOLD_MATCH(unsigned long long, 64, unsigned long long)
#undef WARPFOLD_MATCH
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, float value) {
  return __match32_any_sync(mask, __float_as_uint(value));
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, double value) {
  return static_cast<unsigned int>(
      __match64_any_sync(mask, static_cast<unsigned long long>(__double_as_longlong(value))));
}
