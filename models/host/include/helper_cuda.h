// SPDX-License-Identifier: Apache-2.0
// The error checks and the choice of a device that sample programs take from a header of this name.
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

inline void warpfold_check(cudaError_t error, const char* call, const char* file, int line, bool leave) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error), cudaGetErrorName(error));
  if (leave) exit(EXIT_FAILURE);
}
inline void warpfold_check(cudaError_t error, const char* call, const char* file, int line) {
  warpfold_check(error, call, file, line, true);
}

// Status codes of libraries: 0 is success in all of them.
template <class Status>
inline void warpfold_check(Status status, const char* call, const char* file, int line) {
  if (static_cast<int>(status) == 0) return;
  fprintf(stderr, "%s:%d: %s: status %d\n", file, line, call, static_cast<int>(status));
  exit(EXIT_FAILURE);
}

#define checkCudaErrors(call) warpfold_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) warpfold_check(cudaGetLastError(), message, __FILE__, __LINE__)
#define printLastCudaError(message) warpfold_check(cudaGetLastError(), message, __FILE__, __LINE__, false)

inline int ftoi(float value) { return static_cast<int>(value >= 0.0f ? value + 0.5f : value - 0.5f); }

// Single-precision lanes per core, by generation.
inline int _ConvertSMVer2Cores(int major, int minor) {
  static const int table[][2] = {{0x20, 32},  {0x21, 48},  {0x30, 192}, {0x35, 192}, {0x37, 192}, {0x50, 128},
                                 {0x52, 128}, {0x53, 128}, {0x60, 64},  {0x61, 128}, {0x62, 128}, {0x70, 64},
                                 {0x72, 64},  {0x75, 64},  {0x80, 64},  {0x86, 128}};
  int lanes = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    if (table[i][0] <= major * 16 + minor) lanes = table[i][1];
  }
  return lanes;
}
inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
    case 2:
      return "Fermi";
    case 3:
      return "Kepler";
    case 5:
      return "Maxwell";
    case 6:
      return "Pascal";
    case 7:
      return minor >= 5 ? "Turing" : "Volta";
    case 8:
      return "Ampere";
    default:
      return "Graphics Device";
  }
}

inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "gpuDeviceInit: there is no device\n");
    exit(EXIT_FAILURE);
  }
  if (device >= count) {
    fprintf(stderr, "gpuDeviceInit: device %d does not exist, there are %d\n", device, count);
    return -device;
  }
  checkCudaErrors(cudaSetDevice(device < 0 ? 0 : device));
  return device < 0 ? 0 : device;
}

// By cores × lanes × clock.
inline int gpuGetMaxGflopsDeviceId() {
  int count = 0, best = 0;
  double most = -1;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    const double speed = static_cast<double>(properties.multiProcessorCount) * properties.clockRate *
                         _ConvertSMVer2Cores(properties.major, properties.minor);
    if (speed > most) most = speed, best = device;
  }
  return best;
}

// The device named by -device=N, or the fastest.
inline int findCudaDevice(int argc, const char** argv) {
  int device = gpuGetMaxGflopsDeviceId();
  if (checkCmdLineFlag(argc, argv, "device")) {
    device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
    if (device < 0) exit(EXIT_FAILURE);
  }
  checkCudaErrors(cudaSetDevice(device));
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
         properties.minor);
  return device;
}

inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0;
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  const bool enough = properties.major > major || (properties.major == major && properties.minor >= minor);
  if (!enough)
    printf("Compute capability %d.%d is needed, the device has %d.%d.\n", major, minor, properties.major,
           properties.minor);
  return enough;
}

#endif  // COMMON_HELPER_CUDA_H_
