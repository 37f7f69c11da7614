// SPDX-License-Identifier: Apache-2.0
// The atomic functions of CUDA C++ over clang's builtins, at device, block and system scope.
#pragma once

#define WARPFOLD_ATOMIC_AT(scope, type, name, builtin) \
  static __device__ __forceinline__ type atomic##name##scope(type* p, type v) { return builtin##scope(p, v); }
#define WARPFOLD_ATOMIC(type, name, builtin)      \
  WARPFOLD_ATOMIC_AT(, type, name, builtin)       \
  WARPFOLD_ATOMIC_AT(_block, type, name, builtin) \
  WARPFOLD_ATOMIC_AT(_system, type, name, builtin)
WARPFOLD_ATOMIC(int, Add, __iAtomicAdd)
WARPFOLD_ATOMIC(unsigned int, Add, __uAtomicAdd)
WARPFOLD_ATOMIC(unsigned long long, Add, __ullAtomicAdd)
WARPFOLD_ATOMIC(float, Add, __fAtomicAdd)
WARPFOLD_ATOMIC(double, Add, __dAtomicAdd)
WARPFOLD_ATOMIC(int, Exch, __iAtomicExch)
WARPFOLD_ATOMIC(unsigned int, Exch, __uAtomicExch)
WARPFOLD_ATOMIC(unsigned long long, Exch, __ullAtomicExch)
WARPFOLD_ATOMIC(float, Exch, __fAtomicExch)
WARPFOLD_ATOMIC(int, Min, __iAtomicMin)
WARPFOLD_ATOMIC(unsigned int, Min, __uAtomicMin)
WARPFOLD_ATOMIC(long long, Min, __illAtomicMin)
WARPFOLD_ATOMIC(unsigned long long, Min, __ullAtomicMin)
WARPFOLD_ATOMIC(int, Max, __iAtomicMax)
WARPFOLD_ATOMIC(unsigned int, Max, __uAtomicMax)
WARPFOLD_ATOMIC(long long, Max, __illAtomicMax)
WARPFOLD_ATOMIC(unsigned long long, Max, __ullAtomicMax)
WARPFOLD_ATOMIC(int, And, __iAtomicAnd)
WARPFOLD_ATOMIC(unsigned int, And, __uAtomicAnd)
WARPFOLD_ATOMIC(unsigned long long, And, __ullAtomicAnd)
WARPFOLD_ATOMIC(int, Or, __iAtomicOr)
WARPFOLD_ATOMIC(unsigned int, Or, __uAtomicOr)
WARPFOLD_ATOMIC(unsigned long long, Or, __ullAtomicOr)
WARPFOLD_ATOMIC(int, Xor, __iAtomicXor)
WARPFOLD_ATOMIC(unsigned int, Xor, __uAtomicXor)
WARPFOLD_ATOMIC(unsigned long long, Xor, __ullAtomicXor)
WARPFOLD_ATOMIC(unsigned int, Inc, __uAtomicInc)
WARPFOLD_ATOMIC(unsigned int, Dec, __uAtomicDec)
#undef WARPFOLD_ATOMIC
#undef WARPFOLD_ATOMIC_AT

// Compare and swap, and subtraction, which is an addition.
#define WARPFOLD_ATOMICS(scope)                                                                           \
  static __device__ __forceinline__ int atomicCAS##scope(int* p, int expected, int v) {                   \
    return __iAtomicCAS##scope(p, expected, v);                                                           \
  }                                                                                                       \
  static __device__ __forceinline__ unsigned int atomicCAS##scope(unsigned int* p, unsigned int expected, \
                                                                  unsigned int v) {                       \
    return __uAtomicCAS##scope(p, expected, v);                                                           \
  }                                                                                                       \
  static __device__ __forceinline__ unsigned long long atomicCAS##scope(                                  \
      unsigned long long* p, unsigned long long expected, unsigned long long v) {                         \
    return __ullAtomicCAS##scope(p, expected, v);                                                         \
  }                                                                                                       \
  static __device__ __forceinline__ unsigned int atomicSub##scope(unsigned int* p, unsigned int v) {      \
    return __uAtomicAdd##scope(p, 0u - v);                                                                \
  }                                                                                                       \
  static __device__ __forceinline__ int atomicSub##scope(int* p, int v) {                                 \
    return __iAtomicAdd##scope(p, static_cast<int>(0u - static_cast<unsigned int>(v)));                   \
  }
WARPFOLD_ATOMICS()
WARPFOLD_ATOMICS(_block)
WARPFOLD_ATOMICS(_system)
#undef WARPFOLD_ATOMICS
