// SPDX-License-Identifier: Apache-2.0
// The one device and its properties.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "warpfold/host/devices/device_attributes.h"
#include "warpfold/host/devices/device_properties.h"
#include "warpfold/host/runtime/context.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold::host {
namespace {

constexpr int kMajor = 7, kMinor = 0;  // warpfold-cc compiles for sm_70
constexpr char kUuid[17] = "warpfold-device0";
constexpr int kPciDomain = 0, kPciBus = 1, kPciDevice = 0;

// Of textures and surfaces, what compute capability 7.0 has (CUDA C++ Programming Guide, table of feature limits), but
// for those that the model does not have: mipmapped ones.
constexpr int kTexture1D = 131072, kTexture2DHeight = 65536, kTexture3D = 16384, kTexture1DLinear = 1 << 28;
constexpr int kLayered = 32768, kLayers = 2048, kCubeLayers = 2046;
constexpr int kTexture2DLinearWidth = 131072, kTexture2DLinearHeight = 65000, kTexture2DLinearPitch = 2097120;
constexpr int kSurface1D = 32768, kSurface2DHeight = 65536, kSurface2DWidth = 131072, kSurface3D = 16384;

template <std::size_t size>
void set(int (&field)[size], std::initializer_list<int> values) {
  std::copy(values.begin(), values.end(), field);
}

void describe_machine(cudaDeviceProp& p, const DeviceFigures& figures) {
  p.totalGlobalMem = figures.memory_bytes;
  p.sharedMemPerBlock = std::min(figures.shared_bytes_per_core, kUnaskedSharedBytes);
  p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = figures.shared_bytes_per_core;
  p.regsPerBlock = p.regsPerMultiprocessor = to_int(figures.registers_per_core);
  p.maxThreadsPerBlock = to_int(figures.max_threads_per_block);
  set(p.maxThreadsDim,
      {p.maxThreadsPerBlock, p.maxThreadsPerBlock, std::min(to_int(kMostBlockDepth), p.maxThreadsPerBlock)});
  p.maxThreadsPerMultiProcessor = to_int(figures.threads_per_core);
  p.maxBlocksPerMultiProcessor = to_int(figures.blocks_per_core);
  p.multiProcessorCount = to_int(figures.cores);
  p.clockRate = to_int(figures.core_clock_khz);
  p.memoryClockRate = to_int(figures.memory_clock_khz);
  p.memoryBusWidth = to_int(figures.memory_bus_bits);
  p.l2CacheSize = to_int(figures.l2_bytes);
  p.singleToDoublePrecisionPerfRatio = to_int(figures.single_to_double_ratio);
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
}

void describe_images(cudaDeviceProp& p) {
  p.textureAlignment = p.surfaceAlignment = DeviceMemory::kAllocationAlignment;
  p.texturePitchAlignment = 32;
  p.maxTexture1D = kTexture1D;
  p.maxTexture1DLinear = kTexture1DLinear;
  set(p.maxTexture2D, {kTexture1D, kTexture2DHeight});
  set(p.maxTexture2DLinear, {kTexture2DLinearWidth, kTexture2DLinearHeight, kTexture2DLinearPitch});
  set(p.maxTexture3D, {kTexture3D, kTexture3D, kTexture3D});
  set(p.maxTexture3DAlt, {kTexture3D / 2, kTexture3D / 2, kTexture3D * 2});
  set(p.maxTexture2DGather, {kLayered, kLayered});
  set(p.maxTexture1DLayered, {kLayered, kLayers});
  set(p.maxTexture2DLayered, {kLayered, kLayered, kLayers});
  p.maxTextureCubemap = kLayered;
  set(p.maxTextureCubemapLayered, {kLayered, kCubeLayers});
  p.maxSurface1D = kSurface1D;
  set(p.maxSurface2D, {kSurface2DWidth, kSurface2DHeight});
  set(p.maxSurface3D, {kSurface3D, kSurface3D, kSurface3D});
  set(p.maxSurface1DLayered, {kLayered, kLayers});
  set(p.maxSurface2DLayered, {kLayered, kLayered, kLayers});
  p.maxSurfaceCubemap = kLayered;
  set(p.maxSurfaceCubemapLayered, {kLayered, kCubeLayers});
}

// Copies either way and kernels overlap in simulated time, kernels run one at a time. Managed and pinned memory is the
// same bytes at the same address on both sides; registered memory has another address on the device.
void describe_sharing(cudaDeviceProp& p) {
  p.deviceOverlap = 1;
  p.asyncEngineCount = 2;
  p.concurrentKernels = 0;
  p.streamPrioritiesSupported = 0;
  p.canMapHostMemory = p.unifiedAddressing = 1;
  p.managedMemory = p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 0;
  p.cooperativeLaunch = 1;
  p.computeMode = cudaComputeModeDefault;
}

std::string pci_bus_id() { return fmt::format("{:04x}:{:02x}:{:02x}.0", kPciDomain, kPciBus, kPciDevice); }

}  // namespace

cudaDeviceProp properties_of(const DeviceFigures& figures) {
  cudaDeviceProp p{};
  const std::string& name = figures.name;
  std::memcpy(p.name, name.data(), std::min(name.size(), sizeof p.name - 1));
  std::memcpy(p.uuid.bytes, kUuid, sizeof p.uuid.bytes);
  p.pciDomainID = kPciDomain;
  p.pciBusID = kPciBus;
  p.pciDeviceID = kPciDevice;
  p.major = kMajor;
  p.minor = kMinor;
  p.warpSize = to_int(isa::kArchitecturalWarp);
  p.memPitch = INT_MAX;
  set(p.maxGridSize, {INT_MAX, 65535, 65535});
  p.totalConstMem = 65536;
  describe_machine(p, figures);
  describe_images(p);
  describe_sharing(p);
  return p;
}

cudaError_t only_device(const char* call, int device) {
  if (device == 0) return cudaSuccess;
  return refuse(cudaErrorInvalidDevice, "{}: device {} of 1", call, device);
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::only_device;
using warpfold::host::record_error;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return record_error(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return record_error(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return guarded([&](Context&) { return only_device("cudaSetDevice", device); });
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
  return guarded([&](Context&) {
    const bool valid = count == 0 || (count == 1 && devices != nullptr && devices[0] == 0);
    return valid ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return guarded([&](Context& context) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = only_device("cudaGetDeviceProperties", device);
    if (error == cudaSuccess) *properties = warpfold::host::properties_of(context.device().figures());
    return error;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded([&](Context& context) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = only_device("cudaDeviceGetAttribute", device);
    if (error != cudaSuccess) return error;
    const auto found =
        warpfold::host::attribute_of(warpfold::host::properties_of(context.device().figures()), attribute);
    if (!found) {
      return warpfold::host::refuse(cudaErrorInvalidValue, "cudaDeviceGetAttribute: unknown attribute {}",
                                    static_cast<int>(attribute));
    }
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return guarded([&](Context&) {
    const std::string id = warpfold::host::pci_bus_id();
    if (text == nullptr || length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
    const cudaError_t error = only_device("cudaDeviceGetPCIBusId", device);
    if (error == cudaSuccess) std::memcpy(text, id.c_str(), id.size() + 1);
    return error;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return guarded([&](Context&) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    const bool whole = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3;
    if (!whole && std::sscanf(text, "%x:%x", &bus, &slot) != 2) return cudaErrorInvalidValue;
    const bool found = (!whole || domain == warpfold::host::kPciDomain) && bus == warpfold::host::kPciBus &&
                       slot == warpfold::host::kPciDevice;
    if (!found) return warpfold::host::refuse(cudaErrorInvalidDevice, "no device has the PCI bus id {}", text);
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return guarded([&](Context&) {  // kernels run in the order of the calls
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int from, int to) {
  return guarded([&](Context&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    return warpfold::host::refuse(cudaErrorInvalidDevice, "cudaDeviceGetP2PAttribute: devices {} and {} of 1", from,
                                  to);
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return guarded([&](Context&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    *can = 0;
    const cudaError_t error = only_device("cudaDeviceCanAccessPeer", device);
    return error != cudaSuccess ? error : only_device("cudaDeviceCanAccessPeer", peer);
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  return guarded([&](Context&) {
    return warpfold::host::refuse(cudaErrorPeerAccessUnsupported,
                                  "cudaDeviceEnablePeerAccess: no device {} to reach; there is one device", peer);
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return record_error(cudaErrorPeerAccessNotEnabled); }

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return record_error(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"
