// SPDX-License-Identifier: Apache-2.0
// A generator: its streams on the device or on the host, and where in their round it is.
#pragma once

#include <curand.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "placement.h"

namespace warpfold::random {

struct Settings {
  bool on_host = false;
  unsigned long long seed = 0, offset = 0;
  cudaStream_t stream = nullptr;
};

// Those of one kind of generator. They are made when something is first drawn, and anew after restart().
template <class State>
class Streams {
 public:
  Streams() = default;
  Streams(Streams&& other) noexcept : states_(std::move(other.states_)), device_(other.device_) {
    other.device_ = nullptr;
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { cudaFree(device_); }

  void restart() { ready_ = false; }

  template <class Draw>
  curandStatus_t draw(const Settings& settings, const Draw& draw, typename Draw::Value* values, size_t count) {
    if (!ready_) {
      const curandStatus_t status = start(settings);
      if (status != CURAND_STATUS_SUCCESS) return status;
    }
    const size_t draws = count / Draw::kValues;
    const unsigned streams = static_cast<unsigned>(std::min<size_t>(draws, kStreams));
    if (settings.on_host) {
      for (unsigned s = 0; s < streams; ++s) draw_from_stream(states_.data(), next_, s, draws, draw, values);
    } else {
      Draw copy = draw;
      size_t all = draws;
      void* arguments[] = {&device_, &next_, &all, &copy, &values};
      const auto kernel = draw_kernel<State, Draw>;
      const cudaError_t error =
          cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3((streams + kThreads - 1) / kThreads),
                           dim3(kThreads), arguments, 0, settings.stream);
      if (error != cudaSuccess) return CURAND_STATUS_LAUNCH_FAILURE;
    }
    next_ = static_cast<unsigned>((next_ + draws) % kStreams);
    return CURAND_STATUS_SUCCESS;
  }

 private:
  static constexpr unsigned kThreads = 256;

  curandStatus_t start(const Settings& settings) {
    states_ = placed(State(), settings.seed, settings.offset / kStreams);
    next_ = static_cast<unsigned>(settings.offset % kStreams);
    for (unsigned s = 0; s < next_; ++s) curand(&states_[s]);
    if (!settings.on_host) {
      const size_t bytes = kStreams * sizeof(State);
      if (device_ == nullptr && cudaMalloc(reinterpret_cast<void**>(&device_), bytes) != cudaSuccess) {
        device_ = nullptr;
        return CURAND_STATUS_ALLOCATION_FAILED;
      }
      if (cudaMemcpyAsync(device_, states_.data(), bytes, cudaMemcpyHostToDevice, settings.stream) != cudaSuccess) {
        return CURAND_STATUS_PREEXISTING_FAILURE;
      }
    }
    ready_ = true;
    return CURAND_STATUS_SUCCESS;
  }

  std::vector<State> states_;
  State* device_ = nullptr;
  unsigned next_ = 0;
  bool ready_ = false;
};

}  // namespace warpfold::random

struct curandGenerator_st {
  warpfold::random::Settings settings;
  std::variant<warpfold::random::Streams<curandStateXORWOW_t>, warpfold::random::Streams<curandStateMRG32k3a_t>,
               warpfold::random::Streams<curandStatePhilox4_32_10_t>>
      streams;
};
