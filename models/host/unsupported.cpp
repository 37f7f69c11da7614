// SPDX-License-Identifier: Apache-2.0
// What the model does not have: each call says so, once, and fails.
#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

cudaError_t not_supported(const char* call, const char* instead) {
  return guarded([&](Context& context) {
    if (context.notices.insert(call).second) warn(fmt::format("{} is not supported: {}", call, instead));
    return cudaErrorNotSupported;
  });
}

constexpr const char* kGraphics = "the model has no graphics interoperability; use cudaMalloc and cudaMemcpy";
constexpr const char* kOneProcess = "a modelled device is its process's own";

}  // namespace
}  // namespace warpfold::host

using warpfold::host::not_supported;

extern "C" {

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t*, unsigned int, unsigned int) {
  return not_supported("cudaGraphicsGLRegisterBuffer", warpfold::host::kGraphics);
}
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return not_supported("cudaGraphicsMapResources", warpfold::host::kGraphics);
}
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return not_supported("cudaGraphicsUnmapResources", warpfold::host::kGraphics);
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t) {
  return not_supported("cudaGraphicsResourceGetMappedPointer", warpfold::host::kGraphics);
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned int) {
  return not_supported("cudaGraphicsResourceSetMapFlags", warpfold::host::kGraphics);
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) {
  return not_supported("cudaGraphicsUnregisterResource", warpfold::host::kGraphics);
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return not_supported("cudaIpcGetMemHandle", warpfold::host::kOneProcess);
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned int) {
  return not_supported("cudaIpcOpenMemHandle", warpfold::host::kOneProcess);
}
cudaError_t cudaIpcCloseMemHandle(void*) { return not_supported("cudaIpcCloseMemHandle", warpfold::host::kOneProcess); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return not_supported("cudaIpcGetEventHandle", warpfold::host::kOneProcess);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return not_supported("cudaIpcOpenEventHandle", warpfold::host::kOneProcess);
}

}  // extern "C"
