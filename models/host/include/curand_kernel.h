// SPDX-License-Identifier: Apache-2.0
// Random numbers in kernels: Philox4x32-10 (Salmon et al. 2011), xorwow (Marsaglia 2003) and MRG32k3a (L'Ecuyer 1999).
// The bits are those of the published generators. Philox takes the seed as key, the subsequence and the offset as
// counter; MRG32k3a starts from six times 12345 xor the seed and jumps; xorwow, whose jumps are expensive, is seeded
// from Philox, so its sequences are not those of other implementations.
#pragma once
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"
#include "curand.h"

#define CURAND_2POW32_INV 2.3283064e-10f
#define CURAND_2POW32_INV_DOUBLE 2.3283064365386963e-10

typedef struct curandStatePhilox4_32_10 {
  uint4 counter, output;
  uint2 key;
  unsigned int used;  // numbers of `output`
  int has_normal, has_normal_double;
  float normal;
  double normal_double;
} curandStatePhilox4_32_10_t;
typedef struct curandStateXORWOW {
  unsigned int v[5], d;
  int has_normal, has_normal_double;
  float normal;
  double normal_double;
} curandStateXORWOW_t;
typedef struct curandStateMRG32k3a {
  unsigned int first[3], second[3];
  int has_normal, has_normal_double;
  float normal;
  double normal_double;
} curandStateMRG32k3a_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

#if defined(__CUDA__) && defined(__clang__)
#include "warpfold/random_generators.h"
// Of what those generate.
#include "warpfold/random_distributions.h"
#endif
