// SPDX-License-Identifier: Apache-2.0
// Asked for by clang's intrinsics: the typed forms of __match_any_sync and __match_all_sync.
#pragma once

// clang 14 gives the 64-bit forms a 64-bit destination, which PTX does not have.
static __device__ __forceinline__ unsigned int __warpfold_match64_any(unsigned int mask, unsigned long long value) {
  unsigned int lanes;
  __asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(value), "r"(mask));
  return lanes;
}
static __device__ __forceinline__ unsigned int __warpfold_match64_all(unsigned int mask, unsigned long long value,
                                                                      int* all) {
  unsigned int lanes;
  __asm__ volatile(
      "{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
      : "=r"(lanes), "=r"(*all)
      : "l"(value), "r"(mask));
  return lanes;
}

#define WARPFOLD_MATCH(type, any, whole, wide)                                                               \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {           \
    return any(mask, (wide)value);                                                                           \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int* all) { \
    return whole(mask, (wide)value, all);                                                                    \
  }
WARPFOLD_MATCH(int, __match32_any_sync, __match32_all_sync, unsigned int)
WARPFOLD_MATCH(unsigned int, __match32_any_sync, __match32_all_sync, unsigned int)
WARPFOLD_MATCH(long, __warpfold_match64_any, __warpfold_match64_all, unsigned long long)
WARPFOLD_MATCH(unsigned long, __warpfold_match64_any, __warpfold_match64_all, unsigned long long)
WARPFOLD_MATCH(long long, __warpfold_match64_any, __warpfold_match64_all, unsigned long long)
WARPFOLD_MATCH(unsigned long long, __warpfold_match64_any, __warpfold_match64_all, unsigned long long)
#undef WARPFOLD_MATCH
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, float value) {
  return __match32_any_sync(mask, __float_as_uint(value));
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, double value) {
  return __warpfold_match64_any(mask, static_cast<unsigned long long>(__double_as_longlong(value)));
}
