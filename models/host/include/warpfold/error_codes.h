// SPDX-License-Identifier: Apache-2.0
// Every error that the runtime's interface knows: its name, its number and what cudaGetErrorString() says of it.
#ifndef WARPFOLD_ERROR_CODES_H
#define WARPFOLD_ERROR_CODES_H

#define WARPFOLD_CUDA_ERRORS(X)                                                                              \
  X(cudaSuccess, 0, "no error")                                                                              \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                            \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                           \
  X(cudaErrorInitializationError, 3, "initialization error")                                                 \
  X(cudaErrorCudartUnloading, 4, "the runtime is shutting down")                                             \
  X(cudaErrorProfilerDisabled, 5, "the profiler is disabled")                                                \
  X(cudaErrorProfilerNotInitialized, 6, "the profiler is not initialised")                                   \
  X(cudaErrorProfilerAlreadyStarted, 7, "the profiler has been started already")                             \
  X(cudaErrorProfilerAlreadyStopped, 8, "the profiler has been stopped already")                             \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                      \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                     \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                 \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                             \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                                \
  X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                                 \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                                     \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                \
  X(cudaErrorAddressOfConstant, 22, "invalid address of constant")                                           \
  X(cudaErrorTextureFetchFailed, 23, "fetch from texture failed")                                            \
  X(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound")                           \
  X(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")                                   \
  X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")                  \
  X(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for 32-bit non float type")     \
  X(cudaErrorMixedDeviceExecution, 28, "device emulation mode and device execution mode cannot be mixed")    \
  X(cudaErrorNotYetImplemented, 31, "feature not yet implemented")                                           \
  X(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit")             \
  X(cudaErrorStubLibrary, 34, "the library is a stub")                                                       \
  X(cudaErrorInsufficientDriver, 35, "the driver is older than the runtime")                                 \
  X(cudaErrorCallRequiresNewerDriver, 36, "the call needs a newer driver")                                   \
  X(cudaErrorInvalidSurface, 37, "invalid surface reference")                                                \
  X(cudaErrorDuplicateVariableName, 43, "two variables of one name")                                         \
  X(cudaErrorDuplicateTextureName, 44, "two textures of one name")                                           \
  X(cudaErrorDuplicateSurfaceName, 45, "two surfaces of one name")                                           \
  X(cudaErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                                  \
  X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")                                   \
  X(cudaErrorMissingConfiguration, 52, "a kernel call without a configuration")                              \
  X(cudaErrorPriorLaunchFailure, 53, "an earlier launch failed")                                             \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launches of kernels by kernels nest too deeply")                   \
  X(cudaErrorLaunchFileScopedTex, 66, "a kernel launched by a kernel uses textures of file scope")           \
  X(cudaErrorLaunchFileScopedSurf, 67, "a kernel launched by a kernel uses surfaces of file scope")          \
  X(cudaErrorSyncDepthExceeded, 68, "synchronisation of kernels by kernels nests too deeply")                \
  X(cudaErrorLaunchPendingCountExceeded, 69, "too many launches by kernels are pending")                     \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                           \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                            \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                   \
  X(cudaErrorDeviceNotLicensed, 102, "the device has no licence")                                            \
  X(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed")                                 \
  X(cudaErrorStartupFailure, 127, "startup failure in the runtime")                                          \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                                      \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                             \
  X(cudaErrorMapBufferObjectFailed, 205, "mapping of a buffer object failed")                                \
  X(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of a buffer object failed")                            \
  X(cudaErrorArrayIsMapped, 207, "array is mapped")                                                          \
  X(cudaErrorAlreadyMapped, 208, "resource already mapped")                                                  \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")        \
  X(cudaErrorAlreadyAcquired, 210, "resource already acquired")                                              \
  X(cudaErrorNotMapped, 211, "resource not mapped")                                                          \
  X(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")                                          \
  X(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")                                      \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error")                                               \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this device")                                 \
  X(cudaErrorDeviceAlreadyInUse, 216, "device is in use by another thread")                                  \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices")           \
  X(cudaErrorInvalidPtx, 218, "invalid PTX")                                                                 \
  X(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")                               \
  X(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error")                                         \
  X(cudaErrorJitCompilerNotFound, 221, "compiler of PTX not found")                                          \
  X(cudaErrorUnsupportedPtxVersion, 222, "PTX of an unsupported version")                                    \
  X(cudaErrorJitCompilationDisabled, 223, "compilation of PTX is disabled")                                  \
  X(cudaErrorUnsupportedExecAffinity, 224, "execution affinity is not supported")                            \
  X(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                           \
  X(cudaErrorFileNotFound, 301, "file not found")                                                            \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                              \
  X(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                             \
  X(cudaErrorOperatingSystem, 304, "an operating system call failed")                                        \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                          \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                    \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                  \
  X(cudaErrorNotReady, 600, "device not ready")                                                              \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                           \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                  \
  X(cudaErrorLaunchIncompatibleTexturing, 703, "a launch with incompatible texturing")                       \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                  \
  X(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")                   \
  X(cudaErrorContextIsDestroyed, 709, "the context is destroyed")                                            \
  X(cudaErrorAssert, 710, "a device-side assertion failed")                                                  \
  X(cudaErrorTooManyPeers, 711, "peer mappings are used up")                                                 \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "host memory is registered already")                          \
  X(cudaErrorHostMemoryNotRegistered, 713, "host memory is not registered")                                  \
  X(cudaErrorHardwareStackError, 714, "error of the device's call stack")                                    \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                              \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                   \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")             \
  X(cudaErrorInvalidPc, 718, "invalid program counter")                                                      \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                               \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                        \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                                   \
  X(cudaErrorNotSupported, 801, "operation not supported")                                                   \
  X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                              \
  X(cudaErrorSystemDriverMismatch, 803, "display driver and CUDA driver do not fit")                         \
  X(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility is not supported on this device")       \
  X(cudaErrorMpsConnectionFailed, 805, "no connection to the server that processes share")                   \
  X(cudaErrorMpsRpcFailure, 806, "a call to the server that processes share failed")                         \
  X(cudaErrorMpsServerNotReady, 807, "the server that processes share is not ready")                         \
  X(cudaErrorMpsMaxClientsReached, 808, "the server that processes share has no room for a client")          \
  X(cudaErrorMpsMaxConnectionsReached, 809, "the server that processes share has no connection left")        \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")              \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")       \
  X(cudaErrorStreamCaptureMerge, 902, "operation would merge two captures")                                  \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not begun in this stream")                            \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has work that was not joined")                    \
  X(cudaErrorStreamCaptureIsolation, 905, "dependency on work that is not captured")                         \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing one") \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")  \
  X(cudaErrorStreamCaptureWrongThread, 908, "capture was begun by another thread")                           \
  X(cudaErrorTimeout, 909, "the wait took too long")                                                         \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph cannot be updated this way")                            \
  X(cudaErrorExternalDevice, 911, "an error of an external device")                                          \
  X(cudaErrorUnknown, 999, "unknown error")                                                                  \
  X(cudaErrorApiFailureBase, 10000, "error of an emulated call")

#endif
