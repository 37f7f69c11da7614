// SPDX-License-Identifier: Apache-2.0
// Error codes, their names and their meanings.
#include <algorithm>
#include <array>
#include <string_view>

#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* meaning;
};

constexpr std::array kErrors = {
    ErrorText{cudaSuccess, "cudaSuccess", "no error"},
    ErrorText{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    ErrorText{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorText{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    ErrorText{cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "the runtime is shutting down"},
    ErrorText{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    ErrorText{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorText{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    ErrorText{cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    ErrorText{cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    ErrorText{cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
    ErrorText{cudaErrorInvalidTextureBinding, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"},
    ErrorText{cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    ErrorText{cudaErrorInvalidFilterSetting, "cudaErrorInvalidFilterSetting",
              "linear filtering not supported for non-float type"},
    ErrorText{cudaErrorInvalidNormSetting, "cudaErrorInvalidNormSetting",
              "read as normalized float not supported for 32-bit non float type"},
    ErrorText{cudaErrorInvalidSurface, "cudaErrorInvalidSurface", "invalid surface reference"},
    ErrorText{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    ErrorText{cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "a kernel call without a configuration"},
    ErrorText{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    ErrorText{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorText{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    ErrorText{cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
              "peer access is not supported between these two devices"},
    ErrorText{cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "invalid PTX"},
    ErrorText{cudaErrorInvalidGraphicsContext, "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    ErrorText{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    ErrorText{cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    ErrorText{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    ErrorText{cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    ErrorText{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
              "too many resources requested for launch"},
    ErrorText{cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    ErrorText{cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    ErrorText{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorText{cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    ErrorText{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    ErrorText{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find(cudaError_t error) {
  const auto* found = std::find_if(kErrors.begin(), kErrors.end(), [&](const ErrorText& e) { return e.code == error; });
  return found == kErrors.end() ? nullptr : found;
}

}  // namespace
}  // namespace warpfold::host

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = warpfold::host::last_error();
  warpfold::host::clear_error();
  return error;
}
cudaError_t cudaPeekAtLastError() { return warpfold::host::last_error(); }

const char* cudaGetErrorString(cudaError_t error) {
  const auto* found = warpfold::host::find(error);
  return found == nullptr ? "unrecognized error code" : found->meaning;
}
const char* cudaGetErrorName(cudaError_t error) {
  const auto* found = warpfold::host::find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

}  // extern "C"
