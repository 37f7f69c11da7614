// SPDX-License-Identifier: Apache-2.0
// Types and enumerations of the driver interface; the numbers are those of the CUDA documentation. CU_ERRORS: X(name,
// number, the run-time library's error with that meaning).
#pragma once

#include "../driver_types.h"

#define WARPFOLD_CU_ERRORS(X)                                                             \
  X(CUDA_SUCCESS, 0, cudaSuccess)                                                         \
  X(CUDA_ERROR_INVALID_VALUE, 1, cudaErrorInvalidValue)                                   \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, cudaErrorMemoryAllocation)                               \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, cudaErrorInitializationError)                          \
  X(CUDA_ERROR_DEINITIALIZED, 4, cudaErrorCudartUnloading)                                \
  X(CUDA_ERROR_NO_DEVICE, 100, cudaErrorNoDevice)                                         \
  X(CUDA_ERROR_INVALID_DEVICE, 101, cudaErrorInvalidDevice)                               \
  X(CUDA_ERROR_INVALID_IMAGE, 200, cudaErrorInvalidKernelImage)                           \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, cudaErrorDeviceUninitialized)                        \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, cudaErrorUnsupportedLimit)                         \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, cudaErrorPeerAccessUnsupported)              \
  X(CUDA_ERROR_INVALID_PTX, 218, cudaErrorInvalidPtx)                                     \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, cudaErrorFileNotFound)                                \
  X(CUDA_ERROR_INVALID_HANDLE, 400, cudaErrorInvalidResourceHandle)                       \
  X(CUDA_ERROR_ILLEGAL_STATE, 401, cudaErrorIllegalState)                                 \
  X(CUDA_ERROR_NOT_FOUND, 500, cudaErrorSymbolNotFound)                                   \
  X(CUDA_ERROR_NOT_READY, 600, cudaErrorNotReady)                                         \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, cudaErrorIllegalAddress)                             \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, cudaErrorLaunchOutOfResources)               \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, cudaErrorLaunchTimeout)                               \
  X(CUDA_ERROR_ASSERT, 710, cudaErrorAssert)                                              \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, cudaErrorHostMemoryAlreadyRegistered) \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, cudaErrorHostMemoryNotRegistered)         \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, cudaErrorMisalignedAddress)                       \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, cudaErrorLaunchFailure)                                \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, cudaErrorCooperativeLaunchTooLarge)     \
  X(CUDA_ERROR_NOT_PERMITTED, 800, cudaErrorNotPermitted)                                 \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, cudaErrorNotSupported)                                 \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, cudaErrorStreamCaptureUnsupported)        \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, cudaErrorStreamCaptureImplicit)              \
  X(CUDA_ERROR_UNKNOWN, 999, cudaErrorUnknown)

#define WARPFOLD_ENUMERATOR(name, value, error) name = value,
typedef enum cudaError_enum { WARPFOLD_CU_ERRORS(WARPFOLD_ENUMERATOR) } CUresult;
#undef WARPFOLD_ENUMERATOR

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef struct CUuuid_st CUuuid;

// Those of the run-time library's cudaDevAttr…, by the names that the driver has for them.
typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = cudaDevAttrMaxThreadsPerBlock,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = cudaDevAttrMaxBlockDimX,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = cudaDevAttrMaxBlockDimY,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = cudaDevAttrMaxBlockDimZ,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = cudaDevAttrMaxGridDimX,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = cudaDevAttrMaxGridDimY,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = cudaDevAttrMaxGridDimZ,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = cudaDevAttrMaxSharedMemoryPerBlock,
  CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = cudaDevAttrMaxSharedMemoryPerBlock,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = cudaDevAttrTotalConstantMemory,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = cudaDevAttrWarpSize,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = cudaDevAttrMaxPitch,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = cudaDevAttrMaxRegistersPerBlock,
  CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = cudaDevAttrMaxRegistersPerBlock,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = cudaDevAttrClockRate,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = cudaDevAttrTextureAlignment,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = cudaDevAttrGpuOverlap,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = cudaDevAttrMultiProcessorCount,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = cudaDevAttrKernelExecTimeout,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = cudaDevAttrIntegrated,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = cudaDevAttrCanMapHostMemory,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = cudaDevAttrComputeMode,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = cudaDevAttrConcurrentKernels,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = cudaDevAttrEccEnabled,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = cudaDevAttrPciBusId,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = cudaDevAttrPciDeviceId,
  CU_DEVICE_ATTRIBUTE_TCC_DRIVER = cudaDevAttrTccDriver,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = cudaDevAttrMemoryClockRate,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = cudaDevAttrGlobalMemoryBusWidth,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = cudaDevAttrL2CacheSize,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = cudaDevAttrMaxThreadsPerMultiProcessor,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = cudaDevAttrAsyncEngineCount,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = cudaDevAttrUnifiedAddressing,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = cudaDevAttrPciDomainId,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = cudaDevAttrComputeCapabilityMajor,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = cudaDevAttrComputeCapabilityMinor,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = cudaDevAttrStreamPrioritiesSupported,
  CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = cudaDevAttrGlobalL1CacheSupported,
  CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = cudaDevAttrLocalL1CacheSupported,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = cudaDevAttrMaxRegistersPerMultiprocessor,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = cudaDevAttrManagedMemory,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = cudaDevAttrIsMultiGpuBoard,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = cudaDevAttrConcurrentManagedAccess,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = cudaDevAttrCooperativeLaunch,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = cudaDevAttrMaxSharedMemoryPerBlockOptin
} CUdevice_attribute;

typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

typedef enum CUfunc_cache_enum {
  CU_FUNC_CACHE_PREFER_NONE = 0,
  CU_FUNC_CACHE_PREFER_SHARED = 1,
  CU_FUNC_CACHE_PREFER_L1 = 2,
  CU_FUNC_CACHE_PREFER_EQUAL = 3
} CUfunc_cache;

typedef enum CUlimit_enum {
  CU_LIMIT_STACK_SIZE = cudaLimitStackSize,
  CU_LIMIT_PRINTF_FIFO_SIZE = cudaLimitPrintfFifoSize,
  CU_LIMIT_MALLOC_HEAP_SIZE = cudaLimitMallocHeapSize
} CUlimit;

typedef enum CUctx_flags_enum {
  CU_CTX_SCHED_AUTO = 0,
  CU_CTX_SCHED_SPIN = 1,
  CU_CTX_SCHED_YIELD = 2,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_MAP_HOST = 8,
  CU_CTX_LMEM_RESIZE_TO_MAX = 16
} CUctx_flags;

// Options of the vendor's assembler, of which the model has none.
typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET_FROM_CUCONTEXT = 8,
  CU_JIT_TARGET = 9
} CUjit_option;

typedef enum CUstream_flags_enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 } CUstream_flags;
typedef enum CUevent_flags_enum {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4
} CUevent_flags;
typedef enum CUmemAttach_flags_enum {
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_MEM_ATTACH_SINGLE = 4
} CUmemAttach_flags;

#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_MEMHOSTALLOC_DEVICEMAP 2
#define CU_MEMHOSTALLOC_WRITECOMBINED 4
#define CU_MEMHOSTREGISTER_PORTABLE 1
#define CU_MEMHOSTREGISTER_DEVICEMAP 2
#define CU_LAUNCH_PARAM_END ((void*)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)2)
