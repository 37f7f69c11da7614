// SPDX-License-Identifier: Apache-2.0
// Streams, which the model runs one after the other in the order of the calls, and events, which hold simulated time.
#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

Event* find(Context& context, cudaEvent_t event) {
  const auto found = context.events.find(event);
  return found == context.events.end() ? nullptr : found->second.get();
}

cudaError_t create_event(Context& context, cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<Event>();
  made->timed = (flags & cudaEventDisableTiming) == 0;
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  context.events.emplace(*event, std::move(made));
  return cudaSuccess;
}

bool known(Context& context, cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         context.streams.contains(stream);
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::Event;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return guarded([&](Context& context) {
    if (stream == nullptr) return cudaErrorInvalidValue;
    // Handles are numbers spaced like pointers, beyond those that CUDA reserves (1 and 2).
    *stream = reinterpret_cast<cudaStream_t>(context.next_stream++ * 16);
    context.streams.insert(*stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int) { return cudaStreamCreate(stream); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&](Context& context) {
    return context.streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::known(context, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned int) {
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return guarded([&](Context& context) { return warpfold::host::create_event(context, event, flags); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded([&](Context& context) {
    return context.events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  return guarded([&](Context& context) {
    Event* found = warpfold::host::find(context, event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    found->recorded_seconds = context.device().simulated_seconds();
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded([&](Context& context) {
    return warpfold::host::find(context, event) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return guarded([&](Context& context) {
    const Event* first = warpfold::host::find(context, start);
    const Event* last = warpfold::host::find(context, stop);
    if (first == nullptr || last == nullptr || !first->timed || !last->timed || !first->recorded_seconds ||
        !last->recorded_seconds) {
      return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = static_cast<float>((*last->recorded_seconds - *first->recorded_seconds) * 1e3);
    return cudaSuccess;
  });
}

}  // extern "C"
