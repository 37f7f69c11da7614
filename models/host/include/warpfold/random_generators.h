// SPDX-License-Identifier: Apache-2.0
// The generators of curand_kernel.h: curand_init, curand, skipahead. On the host as well, for curand.h's generators
// there.
#pragma once

#define WARPFOLD_RANDOM static __host__ __device__ __inline__ __attribute__((unused))

WARPFOLD_RANDOM unsigned int __warpfold_high(unsigned int a, unsigned int b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
#endif
}

// Ten rounds.
WARPFOLD_RANDOM uint4 __warpfold_philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned int low0 = 0xd2511f53u * counter.x, high0 = __warpfold_high(0xd2511f53u, counter.x);
    const unsigned int low1 = 0xcd9e8d57u * counter.z, high1 = __warpfold_high(0xcd9e8d57u, counter.z);
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

// The 128-bit counter as two numbers.
WARPFOLD_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  const unsigned long long used = state->used + n % 4, blocks = n / 4 + used / 4;
  unsigned long long low = (static_cast<unsigned long long>(state->counter.y) << 32 | state->counter.x) + blocks;
  unsigned long long high = static_cast<unsigned long long>(state->counter.w) << 32 | state->counter.z;
  if (low < blocks) ++high;
  state->counter = make_uint4(static_cast<unsigned int>(low), static_cast<unsigned int>(low >> 32),
                              static_cast<unsigned int>(high), static_cast<unsigned int>(high >> 32));
  state->used = static_cast<unsigned int>(used % 4);
  state->output = __warpfold_philox(state->counter, state->key);
}
WARPFOLD_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStatePhilox4_32_10* state) {
  state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  state->counter =
      make_uint4(0, 0, static_cast<unsigned int>(subsequence), static_cast<unsigned int>(subsequence >> 32));
  state->used = 0;
  state->has_normal = state->has_normal_double = 0;
  skipahead(offset, state);
}
WARPFOLD_RANDOM unsigned int curand(curandStatePhilox4_32_10* state) {
  const uint4 out = state->output;
  const unsigned int used = state->used;
  if (used < 3)
    state->used = used + 1;
  else
    skipahead(1, state);
  return used == 0 ? out.x : used == 1 ? out.y : used == 2 ? out.z : out.w;
}
WARPFOLD_RANDOM uint4 curand4(curandStatePhilox4_32_10* state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state);
  return make_uint4(x, y, z, curand(state));
}

WARPFOLD_RANDOM unsigned int curand(curandStateXORWOW* state) {
  unsigned int* const v = state->v;
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437;
  return v[4] + state->d;
}
// One by one.
WARPFOLD_RANDOM void skipahead(unsigned long long n, curandStateXORWOW* state) {
  for (; n > 0; --n) curand(state);
}
WARPFOLD_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateXORWOW* state) {
  const uint2 key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  const unsigned int low = static_cast<unsigned int>(subsequence), high = static_cast<unsigned int>(subsequence >> 32);
  const uint4 a = __warpfold_philox(make_uint4(0, ~0u, low, high), key);
  const uint4 b = __warpfold_philox(make_uint4(1, ~0u, low, high), key);
  state->v[0] = a.x, state->v[1] = a.y, state->v[2] = a.z, state->v[3] = a.w, state->v[4] = b.x | 1u;
  state->d = b.y;
  state->has_normal = state->has_normal_double = 0;
  skipahead(offset, state);
}

// One component: s[n] = multiplier2 s[n-2] + multiplier3 s[n-3] and so on, as a matrix modulo m.
struct __warpfold_matrix {
  unsigned int at[3][3];
};
WARPFOLD_RANDOM __warpfold_matrix __warpfold_product(const __warpfold_matrix& a, const __warpfold_matrix& b,
                                                     unsigned long long m) {
  __warpfold_matrix c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; ++k) sum = (sum + static_cast<unsigned long long>(a.at[i][k]) * b.at[k][j] % m) % m;
      c.at[i][j] = static_cast<unsigned int>(sum);
    }
  }
  return c;
}
WARPFOLD_RANDOM void __warpfold_apply(const __warpfold_matrix& a, unsigned long long m, unsigned int* state) {
  unsigned int next[3];
  for (int i = 0; i < 3; ++i) {
    unsigned long long sum = 0;
    for (int k = 0; k < 3; ++k) sum = (sum + static_cast<unsigned long long>(a.at[i][k]) * state[k] % m) % m;
    next[i] = static_cast<unsigned int>(sum);
  }
  for (int i = 0; i < 3; ++i) state[i] = next[i];
}
enum : unsigned int { __warpfold_m1 = 4294967087u, __warpfold_m2 = 4294944443u };
// Of both components: so many numbers on.
struct __warpfold_jump {
  __warpfold_matrix first, second;
};
WARPFOLD_RANDOM __warpfold_jump __warpfold_one_number() {
  return {{{{0, 1, 0}, {0, 0, 1}, {__warpfold_m1 - 810728u, 1403580u, 0}}},
          {{{0, 1, 0}, {0, 0, 1}, {__warpfold_m2 - 1370589u, 0, 527612u}}}};
}
WARPFOLD_RANDOM __warpfold_jump __warpfold_twice(const __warpfold_jump& jump) {
  return {__warpfold_product(jump.first, jump.first, __warpfold_m1),
          __warpfold_product(jump.second, jump.second, __warpfold_m2)};
}
WARPFOLD_RANDOM void __warpfold_apply(const __warpfold_jump& jump, curandStateMRG32k3a* state) {
  __warpfold_apply(jump.first, __warpfold_m1, state->first);
  __warpfold_apply(jump.second, __warpfold_m2, state->second);
}
// n · 2^doublings numbers.
WARPFOLD_RANDOM void __warpfold_skip(curandStateMRG32k3a* state, unsigned long long n, int doublings) {
  __warpfold_jump jump = __warpfold_one_number();
  for (int i = 0; i < doublings && n != 0; ++i) jump = __warpfold_twice(jump);
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) __warpfold_apply(jump, state);
    jump = __warpfold_twice(jump);
  }
}
WARPFOLD_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a* state) { __warpfold_skip(state, n, 0); }
WARPFOLD_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
  __warpfold_skip(state, n, 76);
}
WARPFOLD_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateMRG32k3a* state) {
  for (int i = 0; i < 3; ++i) {
    const unsigned int bits = 12345u ^ static_cast<unsigned int>(i % 2 == 0 ? seed : seed >> 32);
    state->first[i] = bits % (__warpfold_m1 - 1) + (bits % (__warpfold_m1 - 1) == 0 ? 1 : 0);
    state->second[i] = bits % (__warpfold_m2 - 1) + (bits % (__warpfold_m2 - 1) == 0 ? 1 : 0);
  }
  state->has_normal = state->has_normal_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
// 1 to 4294967087.
WARPFOLD_RANDOM unsigned int curand(curandStateMRG32k3a* state) {
  unsigned int *const s = state->first, *const t = state->second;
  const unsigned long long p = (1403580ull * s[1] + (__warpfold_m1 - 810728ull) * s[0] % __warpfold_m1) % __warpfold_m1;
  const unsigned long long q = (527612ull * t[2] + (__warpfold_m2 - 1370589ull) * t[0] % __warpfold_m2) % __warpfold_m2;
  s[0] = s[1], s[1] = s[2], s[2] = static_cast<unsigned int>(p);
  t[0] = t[1], t[1] = t[2], t[2] = static_cast<unsigned int>(q);
  return static_cast<unsigned int>(p > q ? p - q : p + __warpfold_m1 - q);
}
