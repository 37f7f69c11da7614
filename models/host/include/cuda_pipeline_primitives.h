// SPDX-License-Identifier: Apache-2.0
// __pipeline_memcpy_async(to, from, bytes, zeros) and its kin: sm_70 copies through registers, so that a copy is done
// at once. Of 4, 8 or 16 bytes the last `zeros` are 0, and not read.
#pragma once
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
typedef unsigned long long __mbarrier_t;

__device__ __forceinline__ void __pipeline_memcpy_async(void* __restrict__ to, const void* __restrict__ from,
                                                        size_t bytes, size_t zeros = 0) {
  if (zeros == 0 && bytes == 16) {
    *static_cast<int4*>(to) = *static_cast<const int4*>(from);
  } else if (zeros == 0 && bytes == 8) {
    *static_cast<int2*>(to) = *static_cast<const int2*>(from);
  } else {
    for (size_t first = 0; first < bytes; first += 4) {
      const size_t read = first + zeros < bytes ? bytes - zeros - first : 0;
      unsigned int word = 0;
      if (read >= 4) {
        word = static_cast<const unsigned int*>(from)[first / 4];
      } else {
        for (size_t i = 0; i < read; ++i) word |= static_cast<const unsigned char*>(from)[first + i] << (8 * i);
      }
      static_cast<unsigned int*>(to)[first / 4] = word;
    }
  }
}
__device__ __forceinline__ void __pipeline_commit() {}
__device__ __forceinline__ void __pipeline_wait_prior(size_t) {}
// The barrier expects one arrival more until the copies are done, which they are.
__device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t*) {}
#endif
