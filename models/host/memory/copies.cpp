// SPDX-License-Identifier: Apache-2.0
// The calls that copy and fill.
#include "warpfold/host/memory/transfer.h"

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return guarded(
      [&](Context& context) { return warpfold::host::copy(context, {"cudaMemcpy"}, to, from, bytes, kind); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::copy(context, {"cudaMemcpyAsync", stream, true}, to, from, bytes, kind);
  });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (to_device != 0 || from_device != 0) return warpfold::host::record_error(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return warpfold::host::record_error(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_rows(context, {"cudaMemcpy2D"}, to, to_pitch, from, from_pitch, width, height, kind);
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_rows(context, {"cudaMemcpy2DAsync", stream, true}, to, to_pitch, from, from_pitch,
                                     width, height, kind);
  });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::fill(context, {"cudaMemset", stream},
                                {to, bytes, static_cast<unsigned>(value), 1, bytes, 1});
  });
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::fill(context, {"cudaMemset2D", stream},
                                {to, pitch, static_cast<unsigned>(value), 1, width, height});
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return guarded([&](Context& context) {
    size_t slices = 0;
    cudaError_t error = warpfold::host::count_slices("cudaMemset3D", to, extent, slices);
    for (size_t z = 0; z < slices && error == cudaSuccess; ++z) {
      void* const slice = reinterpret_cast<void*>(warpfold::host::byte_of(to, {0, 0, z}));
      error = warpfold::host::fill(context, {"cudaMemset3D", stream},
                                   {slice, to.pitch, static_cast<unsigned>(value), 1, extent.width, extent.height});
    }
    return error;
  });
}

}  // extern "C"
