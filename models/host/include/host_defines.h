// SPDX-License-Identifier: Apache-2.0
// The CUDA keywords as attributes; nothing at all for a plain host compiler.
#pragma once
#define __HOST_DEFINES_H__

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
// used: what the host writes by name only must neither vanish nor be folded to its first value.
#define __constant__ __attribute__((constant)) __attribute__((used))
// A device variable whose host shadow is its memory: warpfold-cc registers what it finds in this section as such.
#define __managed__ __attribute__((device)) __attribute__((section("warpfold_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#endif

#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

// libstdc++ spells its own attribute __noinline__, so this must stay an ordinary identifier when no CUDA is compiled.
#if defined(__CUDA__) && defined(__clang__)
#define __noinline__ __attribute__((noinline))
#endif
