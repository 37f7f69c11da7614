// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/runtime/timeline.h"

#include <algorithm>
#include <cstdint>

namespace warpfold::host {
namespace {

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

}  // namespace

void Timeline::wait_until(double time) { now_ = std::max(now_, time); }

// Handles are numbers spaced like pointers, beyond those that CUDA reserves (1 and 2), and never come again.
cudaStream_t Timeline::create(unsigned flags, int priority) {
  constexpr std::uintptr_t kSpacing = 16;
  const auto handle = reinterpret_cast<cudaStream_t>(++made_ * kSpacing);
  streams_[handle] = {now_, flags, priority};
  return handle;
}

bool Timeline::destroy(cudaStream_t stream) { return streams_.erase(stream) == 1; }

void Timeline::destroy_all() { streams_.clear(); }

const Timeline::Stream* Timeline::find(cudaStream_t stream) const {
  if (is_legacy(stream)) return &legacy_;
  if (stream == cudaStreamPerThread) return &per_thread_;
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

Timeline::Stream& Timeline::state(cudaStream_t stream) {
  if (is_legacy(stream)) return legacy_;
  return stream == cudaStreamPerThread ? per_thread_ : streams_.at(stream);
}

bool Timeline::knows(cudaStream_t stream) const { return find(stream) != nullptr; }

unsigned Timeline::flags(cudaStream_t stream) const { return find(stream)->flags; }

int Timeline::priority(cudaStream_t stream) const { return find(stream)->priority; }

double Timeline::ready(cudaStream_t stream) const {
  const Stream& own = *find(stream);
  double time = std::max(now_, own.ready);
  if (own.blocking()) time = std::max(time, legacy_.ready);
  if (!is_legacy(stream)) return time;
  time = std::max(time, per_thread_.ready);
  for (const auto& [handle, other] : streams_) {
    if (other.blocking()) time = std::max(time, other.ready);
  }
  return time;
}

double Timeline::all_ready() const {
  double time = ready(cudaStreamLegacy);
  for (const auto& [handle, stream] : streams_) time = std::max(time, stream.ready);
  for (const double engine : engines_) time = std::max(time, engine);  // of streams that are no more
  return time;
}

double Timeline::enqueue(cudaStream_t stream, Engine engine, double seconds) {
  double& free = engines_[static_cast<std::size_t>(engine)];
  const double begin = std::max(ready(stream), free);
  return free = state(stream).ready = begin + seconds;
}

void Timeline::hold_back(cudaStream_t stream, double until) {
  Stream& own = state(stream);
  own.ready = std::max(own.ready, until);
}

}  // namespace warpfold::host
