// SPDX-License-Identifier: Apache-2.0
// Calls of the run-time interface that the model does not have: a program that makes one is compiled, and the call says
// why it fails, once, and returns cudaErrorNotSupported. X(call, why).
#pragma once

#define WARPFOLD_GRAPHICS "the model has no graphics interoperability; use cudaMalloc and cudaMemcpy"
#define WARPFOLD_ONE_PROCESS "a modelled device is its process's own"
#define WARPFOLD_EXTERNAL "the model shares memory with no other device or library"
#define WARPFOLD_ONE_DEVICE "the model is one device"
#define WARPFOLD_MIPMAPS "arrays have one level"
#define WARPFOLD_ARRAYS "arrays are whole, and of one plane"
#define WARPFOLD_POOLS "graphs keep no memory of their own"
#define WARPFOLD_GRAPHS "the nodes of graphs are kernels, copies, fills, events, functions of the host and graphs"
#define WARPFOLD_ADVICE "the model keeps no advice and moves no pages; kernels and host share managed memory"
#define WARPFOLD_SYMBOL_NODE "use cudaGetSymbolAddress and cudaGraphAddMemcpyNode1D"
#define WARPFOLD_DRIVER "the driver's interface is not modelled; call the run-time library's"

#define WARPFOLD_UNSUPPORTED_CALLS(X)                               \
  X(cudaEGLStreamConsumerAcquireFrame, WARPFOLD_GRAPHICS)           \
  X(cudaEGLStreamConsumerConnect, WARPFOLD_GRAPHICS)                \
  X(cudaEGLStreamConsumerConnectWithFlags, WARPFOLD_GRAPHICS)       \
  X(cudaEGLStreamConsumerDisconnect, WARPFOLD_GRAPHICS)             \
  X(cudaEGLStreamConsumerReleaseFrame, WARPFOLD_GRAPHICS)           \
  X(cudaEGLStreamProducerConnect, WARPFOLD_GRAPHICS)                \
  X(cudaEGLStreamProducerDisconnect, WARPFOLD_GRAPHICS)             \
  X(cudaEGLStreamProducerPresentFrame, WARPFOLD_GRAPHICS)           \
  X(cudaEGLStreamProducerReturnFrame, WARPFOLD_GRAPHICS)            \
  X(cudaEventCreateFromEGLSync, WARPFOLD_GRAPHICS)                  \
  X(cudaGLGetDevices, WARPFOLD_GRAPHICS)                            \
  X(cudaGLMapBufferObject, WARPFOLD_GRAPHICS)                       \
  X(cudaGLMapBufferObjectAsync, WARPFOLD_GRAPHICS)                  \
  X(cudaGLRegisterBufferObject, WARPFOLD_GRAPHICS)                  \
  X(cudaGLSetBufferObjectMapFlags, WARPFOLD_GRAPHICS)               \
  X(cudaGLSetGLDevice, WARPFOLD_GRAPHICS)                           \
  X(cudaGLUnmapBufferObject, WARPFOLD_GRAPHICS)                     \
  X(cudaGLUnmapBufferObjectAsync, WARPFOLD_GRAPHICS)                \
  X(cudaGLUnregisterBufferObject, WARPFOLD_GRAPHICS)                \
  X(cudaGraphicsEGLRegisterImage, WARPFOLD_GRAPHICS)                \
  X(cudaGraphicsGLRegisterBuffer, WARPFOLD_GRAPHICS)                \
  X(cudaGraphicsGLRegisterImage, WARPFOLD_GRAPHICS)                 \
  X(cudaGraphicsMapResources, WARPFOLD_GRAPHICS)                    \
  X(cudaGraphicsResourceGetMappedEglFrame, WARPFOLD_GRAPHICS)       \
  X(cudaGraphicsResourceGetMappedMipmappedArray, WARPFOLD_GRAPHICS) \
  X(cudaGraphicsResourceGetMappedPointer, WARPFOLD_GRAPHICS)        \
  X(cudaGraphicsResourceSetMapFlags, WARPFOLD_GRAPHICS)             \
  X(cudaGraphicsSubResourceGetMappedArray, WARPFOLD_GRAPHICS)       \
  X(cudaGraphicsUnmapResources, WARPFOLD_GRAPHICS)                  \
  X(cudaGraphicsUnregisterResource, WARPFOLD_GRAPHICS)              \
  X(cudaGraphicsVDPAURegisterOutputSurface, WARPFOLD_GRAPHICS)      \
  X(cudaGraphicsVDPAURegisterVideoSurface, WARPFOLD_GRAPHICS)       \
  X(cudaVDPAUGetDevice, WARPFOLD_GRAPHICS)                          \
  X(cudaVDPAUSetVDPAUDevice, WARPFOLD_GRAPHICS)                     \
  X(cudaIpcCloseMemHandle, WARPFOLD_ONE_PROCESS)                    \
  X(cudaIpcGetEventHandle, WARPFOLD_ONE_PROCESS)                    \
  X(cudaIpcGetMemHandle, WARPFOLD_ONE_PROCESS)                      \
  X(cudaIpcOpenEventHandle, WARPFOLD_ONE_PROCESS)                   \
  X(cudaIpcOpenMemHandle, WARPFOLD_ONE_PROCESS)                     \
  X(cudaMemPoolExportPointer, WARPFOLD_ONE_PROCESS)                 \
  X(cudaMemPoolExportToShareableHandle, WARPFOLD_ONE_PROCESS)       \
  X(cudaMemPoolImportFromShareableHandle, WARPFOLD_ONE_PROCESS)     \
  X(cudaMemPoolImportPointer, WARPFOLD_ONE_PROCESS)                 \
  X(cudaDestroyExternalMemory, WARPFOLD_EXTERNAL)                   \
  X(cudaDestroyExternalSemaphore, WARPFOLD_EXTERNAL)                \
  X(cudaDeviceFlushGPUDirectRDMAWrites, WARPFOLD_EXTERNAL)          \
  X(cudaDeviceGetNvSciSyncAttributes, WARPFOLD_EXTERNAL)            \
  X(cudaExternalMemoryGetMappedBuffer, WARPFOLD_EXTERNAL)           \
  X(cudaExternalMemoryGetMappedMipmappedArray, WARPFOLD_EXTERNAL)   \
  X(cudaImportExternalMemory, WARPFOLD_EXTERNAL)                    \
  X(cudaImportExternalSemaphore, WARPFOLD_EXTERNAL)                 \
  X(cudaSignalExternalSemaphoresAsync, WARPFOLD_EXTERNAL)           \
  X(cudaWaitExternalSemaphoresAsync, WARPFOLD_EXTERNAL)             \
  X(cudaLaunchCooperativeKernelMultiDevice, WARPFOLD_ONE_DEVICE)    \
  X(cudaMemcpy3DPeer, WARPFOLD_ONE_DEVICE)                          \
  X(cudaMemcpy3DPeerAsync, WARPFOLD_ONE_DEVICE)                     \
  X(cudaBindTextureToMipmappedArray, WARPFOLD_MIPMAPS)              \
  X(cudaFreeMipmappedArray, WARPFOLD_MIPMAPS)                       \
  X(cudaGetMipmappedArrayLevel, WARPFOLD_MIPMAPS)                   \
  X(cudaMallocMipmappedArray, WARPFOLD_MIPMAPS)                     \
  X(cudaMipmappedArrayGetMemoryRequirements, WARPFOLD_MIPMAPS)      \
  X(cudaMipmappedArrayGetSparseProperties, WARPFOLD_MIPMAPS)        \
  X(cudaArrayGetMemoryRequirements, WARPFOLD_ARRAYS)                \
  X(cudaArrayGetPlane, WARPFOLD_ARRAYS)                             \
  X(cudaArrayGetSparseProperties, WARPFOLD_ARRAYS)                  \
  X(cudaDeviceGetGraphMemAttribute, WARPFOLD_POOLS)                 \
  X(cudaDeviceGraphMemTrim, WARPFOLD_POOLS)                         \
  X(cudaDeviceSetGraphMemAttribute, WARPFOLD_POOLS)                 \
  X(cudaGraphAddExternalSemaphoresSignalNode, WARPFOLD_GRAPHS)      \
  X(cudaGraphAddExternalSemaphoresWaitNode, WARPFOLD_GRAPHS)        \
  X(cudaGraphAddMemAllocNode, WARPFOLD_GRAPHS)                      \
  X(cudaGraphAddMemFreeNode, WARPFOLD_GRAPHS)                       \
  X(cudaGraphAddMemcpyNodeFromSymbol, WARPFOLD_SYMBOL_NODE)         \
  X(cudaGraphAddMemcpyNodeToSymbol, WARPFOLD_SYMBOL_NODE)           \
  X(cudaGraphEventRecordNodeGetEvent, WARPFOLD_GRAPHS)              \
  X(cudaGraphEventRecordNodeSetEvent, WARPFOLD_GRAPHS)              \
  X(cudaGraphEventWaitNodeGetEvent, WARPFOLD_GRAPHS)                \
  X(cudaGraphEventWaitNodeSetEvent, WARPFOLD_GRAPHS)                \
  X(cudaGraphExecChildGraphNodeSetParams, WARPFOLD_GRAPHS)          \
  X(cudaGraphExecEventRecordNodeSetEvent, WARPFOLD_GRAPHS)          \
  X(cudaGraphExecEventWaitNodeSetEvent, WARPFOLD_GRAPHS)            \
  X(cudaGraphExecMemcpyNodeSetParamsFromSymbol, WARPFOLD_GRAPHS)    \
  X(cudaGraphExecMemcpyNodeSetParamsToSymbol, WARPFOLD_GRAPHS)      \
  X(cudaGraphKernelNodeCopyAttributes, WARPFOLD_GRAPHS)             \
  X(cudaGraphKernelNodeGetAttribute, WARPFOLD_GRAPHS)               \
  X(cudaGraphKernelNodeSetAttribute, WARPFOLD_GRAPHS)               \
  X(cudaGraphMemAllocNodeGetParams, WARPFOLD_GRAPHS)                \
  X(cudaGraphMemFreeNodeGetParams, WARPFOLD_GRAPHS)                 \
  X(cudaGraphMemcpyNodeSetParamsFromSymbol, WARPFOLD_GRAPHS)        \
  X(cudaGraphMemcpyNodeSetParamsToSymbol, WARPFOLD_GRAPHS)          \
  X(cudaGraphReleaseUserObject, WARPFOLD_GRAPHS)                    \
  X(cudaGraphRetainUserObject, WARPFOLD_GRAPHS)                     \
  X(cudaUserObjectCreate, WARPFOLD_GRAPHS)                          \
  X(cudaUserObjectRelease, WARPFOLD_GRAPHS)                         \
  X(cudaUserObjectRetain, WARPFOLD_GRAPHS)                          \
  X(cudaMemRangeGetAttribute, WARPFOLD_ADVICE)                      \
  X(cudaMemRangeGetAttributes, WARPFOLD_ADVICE)                     \
  X(cudaGetDriverEntryPoint, WARPFOLD_DRIVER)                       \
  X(cudaGetExportTable, WARPFOLD_DRIVER)                            \
  X(cudaGetFuncBySymbol, WARPFOLD_DRIVER)
