// SPDX-License-Identifier: Apache-2.0
// When what a program hands to streams is done, in simulated seconds. The work itself is done at the call.
#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "warpfold/host/include/driver_types.h"

namespace warpfold::host {

// Each stream does its work in order. The streams share engines, which do theirs in the order of the calls: one for
// kernels and what else occupies the device's memory, and one for copies each way, so that copies pass beside kernels.
// The default stream waits for all streams that are not of cudaStreamNonBlocking, and they for it. The host's time is
// what it spends waiting; its own work takes none.
class Timeline {
 public:
  enum class Engine { kKernels, kIn, kOut };

  double now() const { return now_; }  // of the host
  void wait_until(double time);
  // A host that asks again and again whether something is done sees time pass.
  void poll() { now_ += kPollSeconds; }

  cudaStream_t create(unsigned flags, int priority);
  bool destroy(cudaStream_t stream);  // false: there is none
  bool knows(cudaStream_t stream) const;
  unsigned flags(cudaStream_t stream) const;
  int priority(cudaStream_t stream) const;
  void destroy_all();

  // When it begins what is handed to it now.
  double ready(cudaStream_t stream) const;
  // When all streams have done what they were given.
  double all_ready() const;

  // Hands on work of so many seconds, and returns when it is done.
  double enqueue(cudaStream_t stream, Engine engine, double seconds);
  // Nothing that is handed to the stream from now on begins before that.
  void hold_back(cudaStream_t stream, double until);

 private:
  static constexpr double kPollSeconds = 1e-6;

  struct Stream {
    double ready = 0;
    unsigned flags = cudaStreamDefault;
    int priority = 0;
    bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
  };
  Stream& state(cudaStream_t stream);
  const Stream* find(cudaStream_t stream) const;

  double now_ = 0;
  Stream legacy_, per_thread_;
  std::map<cudaStream_t, Stream> streams_;
  std::array<double, 3> engines_{};  // when each has done what it was given
  std::size_t made_ = 0;
};

}  // namespace warpfold::host
