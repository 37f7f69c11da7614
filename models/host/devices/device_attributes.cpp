// SPDX-License-Identifier: Apache-2.0
// The attributes of the device, which are its properties under other names.
#include "warpfold/host/devices/device_attributes.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>

#include "warpfold/host/devices/device_properties.h"

namespace warpfold::host {
namespace {

using Properties = const cudaDeviceProp&;

struct Attribute {
  cudaDeviceAttr name;
  int (*value)(Properties);
};

constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, [](Properties p) { return p.maxThreadsPerBlock; }},
    {cudaDevAttrMaxBlockDimX, [](Properties p) { return p.maxThreadsDim[0]; }},
    {cudaDevAttrMaxBlockDimY, [](Properties p) { return p.maxThreadsDim[1]; }},
    {cudaDevAttrMaxBlockDimZ, [](Properties p) { return p.maxThreadsDim[2]; }},
    {cudaDevAttrMaxGridDimX, [](Properties p) { return p.maxGridSize[0]; }},
    {cudaDevAttrMaxGridDimY, [](Properties p) { return p.maxGridSize[1]; }},
    {cudaDevAttrMaxGridDimZ, [](Properties p) { return p.maxGridSize[2]; }},
    {cudaDevAttrMaxSharedMemoryPerBlock, [](Properties p) { return to_int(p.sharedMemPerBlock); }},
    {cudaDevAttrTotalConstantMemory, [](Properties p) { return to_int(p.totalConstMem); }},
    {cudaDevAttrWarpSize, [](Properties p) { return p.warpSize; }},
    {cudaDevAttrMaxPitch, [](Properties p) { return to_int(p.memPitch); }},
    {cudaDevAttrMaxRegistersPerBlock, [](Properties p) { return p.regsPerBlock; }},
    {cudaDevAttrClockRate, [](Properties p) { return p.clockRate; }},
    {cudaDevAttrTextureAlignment, [](Properties p) { return to_int(p.textureAlignment); }},
    {cudaDevAttrGpuOverlap, [](Properties p) { return p.deviceOverlap; }},
    {cudaDevAttrMultiProcessorCount, [](Properties p) { return p.multiProcessorCount; }},
    {cudaDevAttrKernelExecTimeout, [](Properties p) { return p.kernelExecTimeoutEnabled; }},
    {cudaDevAttrIntegrated, [](Properties p) { return p.integrated; }},
    {cudaDevAttrCanMapHostMemory, [](Properties p) { return p.canMapHostMemory; }},
    {cudaDevAttrComputeMode, [](Properties p) { return p.computeMode; }},
    {cudaDevAttrMaxTexture1DWidth, [](Properties p) { return p.maxTexture1D; }},
    {cudaDevAttrMaxTexture2DWidth, [](Properties p) { return p.maxTexture2D[0]; }},
    {cudaDevAttrMaxTexture2DHeight, [](Properties p) { return p.maxTexture2D[1]; }},
    {cudaDevAttrMaxTexture3DWidth, [](Properties p) { return p.maxTexture3D[0]; }},
    {cudaDevAttrMaxTexture3DHeight, [](Properties p) { return p.maxTexture3D[1]; }},
    {cudaDevAttrMaxTexture3DDepth, [](Properties p) { return p.maxTexture3D[2]; }},
    {cudaDevAttrMaxTexture2DLayeredWidth, [](Properties p) { return p.maxTexture2DLayered[0]; }},
    {cudaDevAttrMaxTexture2DLayeredHeight, [](Properties p) { return p.maxTexture2DLayered[1]; }},
    {cudaDevAttrMaxTexture2DLayeredLayers, [](Properties p) { return p.maxTexture2DLayered[2]; }},
    {cudaDevAttrSurfaceAlignment, [](Properties p) { return to_int(p.surfaceAlignment); }},
    {cudaDevAttrConcurrentKernels, [](Properties p) { return p.concurrentKernels; }},
    {cudaDevAttrEccEnabled, [](Properties p) { return p.ECCEnabled; }},
    {cudaDevAttrPciBusId, [](Properties p) { return p.pciBusID; }},
    {cudaDevAttrPciDeviceId, [](Properties p) { return p.pciDeviceID; }},
    {cudaDevAttrTccDriver, [](Properties p) { return p.tccDriver; }},
    {cudaDevAttrMemoryClockRate, [](Properties p) { return p.memoryClockRate; }},
    {cudaDevAttrGlobalMemoryBusWidth, [](Properties p) { return p.memoryBusWidth; }},
    {cudaDevAttrL2CacheSize, [](Properties p) { return p.l2CacheSize; }},
    {cudaDevAttrMaxThreadsPerMultiProcessor, [](Properties p) { return p.maxThreadsPerMultiProcessor; }},
    {cudaDevAttrAsyncEngineCount, [](Properties p) { return p.asyncEngineCount; }},
    {cudaDevAttrUnifiedAddressing, [](Properties p) { return p.unifiedAddressing; }},
    {cudaDevAttrMaxTexture1DLayeredWidth, [](Properties p) { return p.maxTexture1DLayered[0]; }},
    {cudaDevAttrMaxTexture1DLayeredLayers, [](Properties p) { return p.maxTexture1DLayered[1]; }},
    {cudaDevAttrMaxTexture2DGatherWidth, [](Properties p) { return p.maxTexture2DGather[0]; }},
    {cudaDevAttrMaxTexture2DGatherHeight, [](Properties p) { return p.maxTexture2DGather[1]; }},
    {cudaDevAttrMaxTexture3DWidthAlt, [](Properties p) { return p.maxTexture3DAlt[0]; }},
    {cudaDevAttrMaxTexture3DHeightAlt, [](Properties p) { return p.maxTexture3DAlt[1]; }},
    {cudaDevAttrMaxTexture3DDepthAlt, [](Properties p) { return p.maxTexture3DAlt[2]; }},
    {cudaDevAttrPciDomainId, [](Properties p) { return p.pciDomainID; }},
    {cudaDevAttrTexturePitchAlignment, [](Properties p) { return to_int(p.texturePitchAlignment); }},
    {cudaDevAttrMaxTextureCubemapWidth, [](Properties p) { return p.maxTextureCubemap; }},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, [](Properties p) { return p.maxTextureCubemapLayered[0]; }},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, [](Properties p) { return p.maxTextureCubemapLayered[1]; }},
    {cudaDevAttrMaxSurface1DWidth, [](Properties p) { return p.maxSurface1D; }},
    {cudaDevAttrMaxSurface2DWidth, [](Properties p) { return p.maxSurface2D[0]; }},
    {cudaDevAttrMaxSurface2DHeight, [](Properties p) { return p.maxSurface2D[1]; }},
    {cudaDevAttrMaxSurface3DWidth, [](Properties p) { return p.maxSurface3D[0]; }},
    {cudaDevAttrMaxSurface3DHeight, [](Properties p) { return p.maxSurface3D[1]; }},
    {cudaDevAttrMaxSurface3DDepth, [](Properties p) { return p.maxSurface3D[2]; }},
    {cudaDevAttrMaxSurface1DLayeredWidth, [](Properties p) { return p.maxSurface1DLayered[0]; }},
    {cudaDevAttrMaxSurface1DLayeredLayers, [](Properties p) { return p.maxSurface1DLayered[1]; }},
    {cudaDevAttrMaxSurface2DLayeredWidth, [](Properties p) { return p.maxSurface2DLayered[0]; }},
    {cudaDevAttrMaxSurface2DLayeredHeight, [](Properties p) { return p.maxSurface2DLayered[1]; }},
    {cudaDevAttrMaxSurface2DLayeredLayers, [](Properties p) { return p.maxSurface2DLayered[2]; }},
    {cudaDevAttrMaxSurfaceCubemapWidth, [](Properties p) { return p.maxSurfaceCubemap; }},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, [](Properties p) { return p.maxSurfaceCubemapLayered[0]; }},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, [](Properties p) { return p.maxSurfaceCubemapLayered[1]; }},
    {cudaDevAttrMaxTexture1DLinearWidth, [](Properties p) { return p.maxTexture1DLinear; }},
    {cudaDevAttrMaxTexture2DLinearWidth, [](Properties p) { return p.maxTexture2DLinear[0]; }},
    {cudaDevAttrMaxTexture2DLinearHeight, [](Properties p) { return p.maxTexture2DLinear[1]; }},
    {cudaDevAttrMaxTexture2DLinearPitch, [](Properties p) { return p.maxTexture2DLinear[2]; }},
    {cudaDevAttrMaxTexture2DMipmappedWidth, [](Properties p) { return p.maxTexture2DMipmap[0]; }},
    {cudaDevAttrMaxTexture2DMipmappedHeight, [](Properties p) { return p.maxTexture2DMipmap[1]; }},
    {cudaDevAttrComputeCapabilityMajor, [](Properties p) { return p.major; }},
    {cudaDevAttrComputeCapabilityMinor, [](Properties p) { return p.minor; }},
    {cudaDevAttrMaxTexture1DMipmappedWidth, [](Properties p) { return p.maxTexture1DMipmap; }},
    {cudaDevAttrStreamPrioritiesSupported, [](Properties p) { return p.streamPrioritiesSupported; }},
    {cudaDevAttrGlobalL1CacheSupported, [](Properties p) { return p.globalL1CacheSupported; }},
    {cudaDevAttrLocalL1CacheSupported, [](Properties p) { return p.localL1CacheSupported; }},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, [](Properties p) { return to_int(p.sharedMemPerMultiprocessor); }},
    {cudaDevAttrMaxRegistersPerMultiprocessor, [](Properties p) { return p.regsPerMultiprocessor; }},
    {cudaDevAttrManagedMemory, [](Properties p) { return p.managedMemory; }},
    {cudaDevAttrIsMultiGpuBoard, [](Properties p) { return p.isMultiGpuBoard; }},
    {cudaDevAttrMultiGpuBoardGroupID, [](Properties p) { return p.multiGpuBoardGroupID; }},
    {cudaDevAttrHostNativeAtomicSupported, [](Properties p) { return p.hostNativeAtomicSupported; }},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, [](Properties p) { return p.singleToDoublePrecisionPerfRatio; }},
    {cudaDevAttrPageableMemoryAccess, [](Properties p) { return p.pageableMemoryAccess; }},
    {cudaDevAttrConcurrentManagedAccess, [](Properties p) { return p.concurrentManagedAccess; }},
    {cudaDevAttrComputePreemptionSupported, [](Properties p) { return p.computePreemptionSupported; }},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, [](Properties p) { return p.canUseHostPointerForRegisteredMem; }},
    {cudaDevAttrCooperativeLaunch, [](Properties p) { return p.cooperativeLaunch; }},
    {cudaDevAttrCooperativeMultiDeviceLaunch, [](Properties p) { return p.cooperativeMultiDeviceLaunch; }},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, [](Properties p) { return to_int(p.sharedMemPerBlockOptin); }},
    {cudaDevAttrHostRegisterSupported, [](Properties) { return 1; }},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables,
     [](Properties p) { return p.pageableMemoryAccessUsesHostPageTables; }},
    {cudaDevAttrDirectManagedMemAccessFromHost, [](Properties p) { return p.directManagedMemAccessFromHost; }},
    {cudaDevAttrMaxBlocksPerMultiprocessor, [](Properties p) { return p.maxBlocksPerMultiProcessor; }},
    {cudaDevAttrMaxPersistingL2CacheSize, [](Properties p) { return p.persistingL2CacheMaxSize; }},
    {cudaDevAttrMaxAccessPolicyWindowSize, [](Properties p) { return p.accessPolicyMaxWindowSize; }},
    {cudaDevAttrReservedSharedMemoryPerBlock, [](Properties p) { return to_int(p.reservedSharedMemPerBlock); }},
    {cudaDevAttrHostRegisterReadOnlySupported, [](Properties) { return 1; }},
    {cudaDevAttrMemoryPoolsSupported, [](Properties) { return 1; }},
};

}  // namespace

std::optional<int> attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr name) {
  const auto* const found =
      std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const Attribute& a) { return a.name == name; });
  if (found != std::end(kAttributes)) return found->value(properties);
  // The others that have a number are features that the model has not.
  if (name > 0 && name <= cudaDevAttrMempoolSupportedHandleTypes) return 0;
  return std::nullopt;
}

}  // namespace warpfold::host
