// SPDX-License-Identifier: Apache-2.0
// What is drawn from a generator's streams, and who draws: the same on the device and on the host.
#pragma once

#include <curand_kernel.h>

namespace warpfold::random {

// A generator is so many streams, the subsequences of its seed. Draws go round them; each takes of its stream as many
// numbers as it needs.
inline constexpr unsigned kStreams = 4096;

struct Bits {
  using Value = unsigned int;
  static constexpr unsigned kValues = 1;  // of one draw
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    values[0] = curand(state);
  }
};

struct Uniform {
  using Value = float;
  static constexpr unsigned kValues = 1;
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    values[0] = curand_uniform(state);
  }
};

struct UniformDouble {
  using Value = double;
  static constexpr unsigned kValues = 1;
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    values[0] = curand_uniform_double(state);
  }
};

struct Normal {
  using Value = float;
  static constexpr unsigned kValues = 2;
  float mean, deviation;
  bool logarithmic;
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    const float2 two = curand_normal2(state);
    values[0] = mean + deviation * two.x;
    values[1] = mean + deviation * two.y;
    if (!logarithmic) return;
    values[0] = expf(values[0]);
    values[1] = expf(values[1]);
  }
};

struct NormalDouble {
  using Value = double;
  static constexpr unsigned kValues = 2;
  double mean, deviation;
  bool logarithmic;
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    const double2 two = curand_normal2_double(state);
    values[0] = mean + deviation * two.x;
    values[1] = mean + deviation * two.y;
    if (!logarithmic) return;
    values[0] = exp(values[0]);
    values[1] = exp(values[1]);
  }
};

struct Poisson {
  using Value = unsigned int;
  static constexpr unsigned kValues = 1;
  double lambda;
  template <class State>
  __host__ __device__ void operator()(State* state, Value* values) const {
    values[0] = curand_poisson(state, lambda);
  }
};

// Draws `first`, `first` + kStreams and so on of `draws`, all of one stream; draw 0 is from stream `start`.
template <class State, class Draw>
__host__ __device__ void draw_from_stream(State* streams, unsigned start, unsigned first, size_t draws,
                                          const Draw& draw, typename Draw::Value* values) {
  State state = streams[(start + first) % kStreams];
  for (size_t at = first; at < draws; at += kStreams) draw(&state, values + at * Draw::kValues);
  streams[(start + first) % kStreams] = state;
}

template <class State, class Draw>
__global__ void draw_kernel(State* streams, unsigned start, size_t draws, Draw draw, typename Draw::Value* values) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  if (first < draws) draw_from_stream(streams, start, first, draws, draw, values);
}

}  // namespace warpfold::random
