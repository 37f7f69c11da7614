// SPDX-License-Identifier: Apache-2.0
// Streams, whose work is done at the call in the order of the calls, and events, which hold when it would be done.
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

constexpr int kPriority = 0;  // of every stream: kernels run in the order of the calls

Event* find(Context& context, cudaEvent_t event) {
  const auto found = context.events.find(event);
  return found == context.events.end() ? nullptr : found->second.get();
}

cudaError_t create_event(Context& context, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kFlags = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr || (flags & ~kFlags) != 0) return cudaErrorInvalidValue;
  auto made = std::make_unique<Event>();
  made->timed = (flags & cudaEventDisableTiming) == 0;
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  context.events.emplace(*event, std::move(made));
  return cudaSuccess;
}

cudaError_t create_stream(Context& context, cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return cudaErrorInvalidValue;
  *stream = context.timeline.create(flags, kPriority);
  return cudaSuccess;
}

bool is_done(const Context& context, double time) { return time <= context.timeline.now(); }

cudaError_t query(Context& context, double time) {
  if (is_done(context, time)) return cudaSuccess;
  context.timeline.poll();
  return cudaErrorNotReady;
}

bool has_time(const Event* event) { return event != nullptr && event->timed && event->recorded_seconds; }

cudaError_t elapsed(Context& context, float* milliseconds, const Event* first, const Event* last) {
  if (!has_time(first) || !has_time(last)) return cudaErrorInvalidResourceHandle;
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!is_done(context, *first->recorded_seconds) || !is_done(context, *last->recorded_seconds)) {
    return cudaErrorNotReady;
  }
  *milliseconds = static_cast<float>((*last->recorded_seconds - *first->recorded_seconds) * 1e3);
  return cudaSuccess;
}

void invalidate(Context& context, const Graphs::Recording& recording) {
  context.graphs.invalidate([&](cudaStream_t stream) { return stream == recording.origin; });
}

// Nobody can wait for what is only recorded, and nothing comes of the recording when somebody tries.
cudaError_t check_waitable(Context& context, const char* call, cudaStream_t stream) {
  if (const cudaError_t error = check_stream(context, call, stream); error != cudaSuccess) return error;
  const Graphs::Recording* const recording = context.graphs.recorded(stream);
  if (recording == nullptr) return cudaSuccess;
  invalidate(context, *recording);
  return cudaErrorStreamCaptureUnsupported;
}

// The event, if it can be waited for.
cudaError_t find_waitable(Context& context, cudaEvent_t handle, const Event** event) {
  *event = find(context, handle);
  if (*event == nullptr) return cudaErrorInvalidResourceHandle;
  const Graphs::Recording* const recording = context.graphs.recorded(handle);
  if (recording == nullptr) return cudaSuccess;
  invalidate(context, *recording);
  return cudaErrorCapturedEvent;
}

// Whether a function of the program's is to be called now.
cudaError_t hand_on(Context& context, cudaStream_t stream, cudaHostFn_t function, void* data, bool* now) {
  if (function == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = check_stream(context, "cudaLaunchHostFunc", stream);
  if (error != cudaSuccess) return error;
  *now = context.graphs.recorded(stream) == nullptr;
  if (!*now) context.graphs.add(stream, cudaGraphNodeTypeHost, {{}, function, data});
  return cudaSuccess;
}

cudaError_t known(Context& context, cudaStream_t stream) {
  return context.timeline.knows(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t set_hint(Context& context, cudaStream_t stream, cudaStreamAttrID attribute,
                     const cudaStreamAttrValue* value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = known(context, stream); error != cudaSuccess) return error;
  StreamHints& hints = context.settings.of_streams[stream];
  if (attribute == cudaStreamAttributeAccessPolicyWindow) {
    const cudaAccessPolicyWindow& window = value->accessPolicyWindow;
    if (window.hitRatio < 0 || window.hitRatio > 1 || window.missProp == cudaAccessPropertyPersisting) {
      return cudaErrorInvalidValue;
    }
    hints.access_window = window;
    return cudaSuccess;
  }
  if (attribute != cudaStreamAttributeSynchronizationPolicy) return cudaErrorInvalidValue;
  hints.waiting = value->syncPolicy;
  return cudaSuccess;
}

cudaError_t get_hint(Context& context, cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = known(context, stream); error != cudaSuccess) return error;
  const auto found = context.settings.of_streams.find(stream);
  const StreamHints hints = found == context.settings.of_streams.end() ? StreamHints{} : found->second;
  if (attribute == cudaStreamAttributeAccessPolicyWindow) {
    value->accessPolicyWindow = hints.access_window;
  } else if (attribute == cudaStreamAttributeSynchronizationPolicy) {
    value->syncPolicy = hints.waiting;
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t record_event(Context& context, cudaEvent_t handle, cudaStream_t stream) {
  Event* const event = find(context, handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = check_stream(context, "cudaEventRecord", stream); error != cudaSuccess) return error;
  if (!context.graphs.mark(handle, stream)) event->recorded_seconds = context.timeline.ready(stream);
  return cudaSuccess;
}

cudaError_t wait_for_event(Context& context, cudaStream_t stream, cudaEvent_t handle) {
  const Event* const event = find(context, handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  const cudaError_t error = check_stream(context, "cudaStreamWaitEvent", stream);
  if (error != cudaSuccess) return error;
  const Graphs::Recording *const own = context.graphs.recorded(stream), *const other = context.graphs.recorded(handle);
  if (other != nullptr && other->graph == nullptr) return cudaErrorStreamCaptureInvalidated;
  if (other != nullptr && own != nullptr && own != other) {
    invalidate(context, *own);
    invalidate(context, *other);
    return cudaErrorStreamCaptureMerge;
  }
  if (context.graphs.join(stream, handle) || own != nullptr) return cudaSuccess;
  if (event->recorded_seconds) context.timeline.hold_back(stream, *event->recorded_seconds);
  return cudaSuccess;
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::Event;
using warpfold::host::guarded;
using warpfold::host::known;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, warpfold::host::kPriority);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, warpfold::host::kPriority);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int /*priority*/) {
  return guarded([&](Context& context) { return warpfold::host::create_stream(context, stream, flags); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return guarded([&](Context& context) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = known(context, stream);
    if (error == cudaSuccess) *priority = context.timeline.priority(stream);
    return error;
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return guarded([&](Context& context) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = known(context, stream);
    if (error == cudaSuccess) *flags = context.timeline.flags(stream);
    return error;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  return guarded([&](Context& context) { return warpfold::host::get_hint(context, stream, attribute, value); });
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  return guarded([&](Context& context) { return warpfold::host::set_hint(context, stream, attribute, value); });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return guarded([&](Context& context) {
    if (known(context, to) != cudaSuccess || known(context, from) != cudaSuccess) return cudaErrorInvalidResourceHandle;
    context.settings.of_streams[to] = warpfold::host::StreamHints(context.settings.of_streams[from]);
    return cudaSuccess;
  });
}
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return guarded([](Context&) { return cudaSuccess; });  // lines persist for nobody
}

// What it was given goes on to its end.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&](Context& context) {
    if (!context.timeline.destroy(stream)) return cudaErrorInvalidResourceHandle;
    context.settings.of_streams.erase(stream);
    context.graphs.forget(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return guarded([&](Context& context) {
    const cudaError_t error = warpfold::host::check_waitable(context, "cudaStreamSynchronize", stream);
    if (error == cudaSuccess) context.timeline.wait_until(context.timeline.ready(stream));
    return error;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return guarded([&](Context& context) {
    const cudaError_t error = warpfold::host::check_waitable(context, "cudaStreamQuery", stream);
    return error != cudaSuccess ? error : warpfold::host::query(context, context.timeline.ready(stream));
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return guarded([&](Context& context) { return warpfold::host::wait_for_event(context, stream, event); });
}

// All that the stream was given has been done; the function is called here and now, and may call the run-time library.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  bool now = false;
  const cudaError_t error =
      guarded([&](Context& context) { return warpfold::host::hand_on(context, stream, function, data, &now); });
  if (now) function(data);
  return error;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags) {
  const cudaError_t error = guarded([&](Context& context) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    return warpfold::host::check_waitable(context, "cudaStreamAddCallback", stream);
  });
  if (error == cudaSuccess) callback(stream, cudaSuccess, data);
  return error;
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return guarded([&](Context& context) { return warpfold::host::record_event(context, event, stream); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded([&](Context& context) {
    const Event* found = nullptr;
    const cudaError_t error = warpfold::host::find_waitable(context, event, &found);
    if (error != cudaSuccess) return error;
    if (found->recorded_seconds) context.timeline.wait_until(*found->recorded_seconds);
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded([&](Context& context) {
    const Event* found = nullptr;
    const cudaError_t error = warpfold::host::find_waitable(context, event, &found);
    if (error != cudaSuccess) return error;
    return found->recorded_seconds ? warpfold::host::query(context, *found->recorded_seconds) : cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return guarded([&](Context& context) {
    return warpfold::host::elapsed(context, milliseconds, warpfold::host::find(context, start),
                                   warpfold::host::find(context, stop));
  });
}

}  // extern "C"
