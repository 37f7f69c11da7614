// SPDX-License-Identifier: Apache-2.0
// Distributions over any generator of curand_kernel.h. Uniform numbers lie in (0, 1].
#pragma once

template <class State>
WARPFOLD_RANDOM float curand_uniform(State* state) {
  return static_cast<float>(curand(state)) * CURAND_2POW32_INV + 0.5f * CURAND_2POW32_INV;
}
WARPFOLD_RANDOM float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(curand(state)) * 2.3283065e-10f;  // 1/m1, of 1 to m1
}
// Of 53 bits.
template <class State>
WARPFOLD_RANDOM double curand_uniform_double(State* state) {
  const unsigned long long high = curand(state), bits = (high << 21) ^ curand(state);
  return (static_cast<double>(bits & ((1ull << 53) - 1)) + 1.0) * 1.1102230246251565e-16;
}

// Box and Muller.
template <class State>
WARPFOLD_RANDOM float2 curand_normal2(State* state) {
  const float radius = sqrtf(-2.0f * logf(curand_uniform(state)));
  float s, c;
  sincospif(2.0f * curand_uniform(state), &s, &c);
  return make_float2(radius * s, radius * c);
}
template <class State>
WARPFOLD_RANDOM double2 curand_normal2_double(State* state) {
  const double radius = sqrt(-2.0 * log(curand_uniform_double(state)));
  double s, c;
  sincospi(2.0 * curand_uniform_double(state), &s, &c);
  return make_double2(radius * s, radius * c);
}
// The second of two is kept for the next call.
template <class State>
WARPFOLD_RANDOM float curand_normal(State* state) {
  state->has_normal ^= 1;
  if (state->has_normal == 0) return state->normal;
  const float2 two = curand_normal2(state);
  state->normal = two.y;
  return two.x;
}
template <class State>
WARPFOLD_RANDOM double curand_normal_double(State* state) {
  state->has_normal_double ^= 1;
  if (state->has_normal_double == 0) return state->normal_double;
  const double2 two = curand_normal2_double(state);
  state->normal_double = two.y;
  return two.x;
}
template <class State>
WARPFOLD_RANDOM float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class State>
WARPFOLD_RANDOM double curand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}

WARPFOLD_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return make_float4(x, y, z, curand_uniform(state));
}
WARPFOLD_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const double x = curand_uniform_double(state);
  return make_double2(x, curand_uniform_double(state));
}
WARPFOLD_RANDOM float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const float2 a = curand_normal2(state), b = curand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}

// Below 30 by a product of uniform numbers (Knuth), above by transformed rejection (Hörmann 1993, PTRS).
template <class State>
WARPFOLD_RANDOM unsigned int curand_poisson(State* state, double lambda) {
  if (lambda < 30) {
    const double limit = exp(-lambda);
    unsigned int count = 0;
    for (double product = curand_uniform_double(state); product > limit; ++count) {
      product *= curand_uniform_double(state);
    }
    return count;
  }
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double scale = log(1.1239 + 1.1328 / (b - 3.4)), quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), edge = 0.5 - fabs(u);
    const double k = floor((2 * a / edge + b) * u + lambda + 0.43);
    if (edge >= 0.07 && v <= quick) return static_cast<unsigned int>(k);
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (log(v) + scale - log(a / (edge * edge) + b) <= k * log(lambda) - lambda - lgamma(k + 1)) {
      return static_cast<unsigned int>(k);
    }
  }
}
#undef WARPFOLD_RANDOM
