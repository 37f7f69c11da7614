// SPDX-License-Identifier: Apache-2.0
// The one device, its properties, and the calls that wait for it or set it up.
#include <algorithm>
#include <climits>
#include <cstring>

#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

constexpr int kMajor = 7, kMinor = 0;  // warpfold-cc compiles for sm_70

int to_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX)); }

cudaDeviceProp properties_of(const DeviceFigures& figures) {
  cudaDeviceProp p{};
  std::memcpy(p.name, figures.name.data(), std::min(figures.name.size(), sizeof p.name - 1));
  p.totalGlobalMem = figures.memory_bytes;
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = figures.shared_bytes_per_core;
  p.regsPerBlock = p.regsPerMultiprocessor = to_int(figures.registers_per_core);
  p.warpSize = to_int(isa::kArchitecturalWarp);
  p.memPitch = INT_MAX;
  p.maxThreadsPerBlock = to_int(figures.max_threads_per_block);
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = p.maxThreadsPerBlock;
  p.maxThreadsDim[2] = std::min(64, p.maxThreadsPerBlock);
  p.maxGridSize[0] = INT_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = to_int(figures.core_clock_khz);
  p.totalConstMem = 65536;
  p.major = kMajor;
  p.minor = kMinor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = to_int(figures.cores);
  p.computeMode = cudaComputeModeDefault;
  p.memoryClockRate = to_int(figures.memory_clock_khz);
  p.memoryBusWidth = to_int(figures.memory_bus_bits);
  p.l2CacheSize = to_int(figures.l2_bytes);
  p.maxThreadsPerMultiProcessor = to_int(figures.threads_per_core);
  return p;
}

cudaError_t attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute, int* value) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = p.maxThreadsDim[0];
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = p.maxThreadsDim[1];
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = p.maxThreadsDim[2];
      break;
    case cudaDevAttrMaxGridDimX:
      *value = p.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
      *value = p.maxGridSize[1];
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = p.maxGridSize[2];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = to_int(p.sharedMemPerBlock);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = to_int(p.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      break;
    case cudaDevAttrMaxPitch:
      *value = to_int(p.memPitch);
      break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
      *value = p.clockRate;
      break;
    case cudaDevAttrTextureAlignment:
      *value = to_int(p.textureAlignment);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = p.memoryClockRate;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrComputeMode:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch:
      *value = 0;
      break;
    default:
      return refuse(cudaErrorInvalidValue, "cudaDeviceGetAttribute: unknown attribute {}", static_cast<int>(attribute));
  }
  return cudaSuccess;
}

cudaError_t only_device(const char* call, int device) {
  if (device == 0) return cudaSuccess;
  return refuse(cudaErrorInvalidDevice, "{}: device {} of 1", call, device);
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return guarded([&](Context&) { return warpfold::host::only_device("cudaSetDevice", device); });
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return guarded([&](Context& context) {
    const cudaError_t error = warpfold::host::only_device("cudaGetDeviceProperties", device);
    if (error == cudaSuccess) *properties = warpfold::host::properties_of(context.device().figures());
    return error;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded([&](Context& context) {
    const cudaError_t error = warpfold::host::only_device("cudaDeviceGetAttribute", device);
    if (error != cudaSuccess) return error;
    return warpfold::host::attribute_of(warpfold::host::properties_of(context.device().figures()), attribute, value);
  });
}

// Kernels have run to their end when the launch returns: there is nothing to wait for.
// A launch has ended when it returns; there is only one of another thread to wait for.
cudaError_t cudaDeviceSynchronize() {
  return guarded([](Context&) { return cudaSuccess; });
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }

cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  return guarded([&](Context& context) {
    *value = context.device().memory().free_bytes();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  return guarded([&](Context&) {
    return warpfold::host::refuse(cudaErrorPeerAccessUnsupported,
                                  "cudaDeviceEnablePeerAccess: no device {} to reach; there is one device", peer);
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return warpfold::host::record_error(cudaErrorPeerAccessUnsupported); }

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"
