// SPDX-License-Identifier: Apache-2.0
// The utilities of sample programs up to CUDA 4, by today's (helper_cuda.h and its kin).
#ifndef CUTIL_H
#define CUTIL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "cuda_runtime.h"
#include "helper_cuda.h"
#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

enum CUTBoolean { CUTFalse = 0, CUTTrue = 1 };

/* Checks */
#define CUDA_SAFE_CALL(call) warpfold_check((call), #call, __FILE__, __LINE__)
#define CUDA_SAFE_CALL_NO_SYNC(call) CUDA_SAFE_CALL(call)
#define CU_SAFE_CALL(call) CUDA_SAFE_CALL(call)
#define CUT_CHECK_ERROR(message)                                          \
  do {                                                                    \
    warpfold_check(cudaGetLastError(), message, __FILE__, __LINE__);      \
    warpfold_check(cudaDeviceSynchronize(), message, __FILE__, __LINE__); \
  } while (0)
inline void warpfold_check_true(int value, const char* call, const char* file, int line) {
  if (value == CUTTrue) return;
  fprintf(stderr, "%s:%d: %s failed\n", file, line, call);
  exit(EXIT_FAILURE);
}
#define CUT_SAFE_CALL(call) warpfold_check_true((call), #call, __FILE__, __LINE__)
#define CUT_CONDITION(value) CUT_SAFE_CALL((value) ? CUTTrue : CUTFalse)
inline void* warpfold_check_malloc(void* pointer, const char* file, int line) {
  warpfold_check_true(pointer != NULL, "malloc", file, line);
  return pointer;
}
#define CUT_SAFE_MALLOC(call) warpfold_check_malloc((call), __FILE__, __LINE__)
#define CUT_BANK_CHECKER(array, index) array[index]
#define cutilSafeCall(call) CUDA_SAFE_CALL(call)
#define cutilSafeCallNoSync(call) CUDA_SAFE_CALL(call)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCheckMsg(message) CUT_CHECK_ERROR(message)
#define cutilCheckMsgAndSync(message) CUT_CHECK_ERROR(message)
#define cutilSafeMalloc(call) CUT_SAFE_MALLOC(call)
#define cutilSafeThreadSync() CUDA_SAFE_CALL(cudaDeviceSynchronize())
#define cutilDeviceSynchronize() CUDA_SAFE_CALL(cudaDeviceSynchronize())
#define cutilCondition(value) CUT_CONDITION(value)

/* The device, and the end of the program: without --noprompt programs waited for a key, which nobody presses here. */
#define cutGetMaxGflopsDeviceId() gpuGetMaxGflopsDeviceId()
inline int cutilDeviceInit(int argc, char** argv) { return findCudaDevice(argc, const_cast<const char**>(argv)); }
inline int cutilChooseCudaDevice(int argc, char** argv) { return cutilDeviceInit(argc, argv); }
#define CUT_DEVICE_INIT(argc, argv) cutilDeviceInit(argc, argv)
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)
#define cutilExit(argc, argv) exit(EXIT_SUCCESS)
#define cutilDeviceReset() CUDA_SAFE_CALL(cudaDeviceReset())

/* Timers, by number */
inline std::vector<StopWatchInterface*>& warpfold_timers() {
  static std::vector<StopWatchInterface*> timers;
  return timers;
}
// The stop watch that belongs to the number; NULL: there is none.
inline StopWatchInterface* warpfold_timer(unsigned int name) {
  return name >= 1 && name <= warpfold_timers().size() ? warpfold_timers()[name - 1] : NULL;
}
inline CUTBoolean cutCreateTimer(unsigned int* name) {
  StopWatchInterface* timer = NULL;
  sdkCreateTimer(&timer);
  warpfold_timers().push_back(timer);
  *name = static_cast<unsigned int>(warpfold_timers().size());
  return CUTTrue;
}
inline CUTBoolean cutDeleteTimer(unsigned int name) {
  if (warpfold_timer(name) == NULL) return CUTFalse;
  sdkDeleteTimer(&warpfold_timers()[name - 1]);
  return CUTTrue;
}
inline CUTBoolean cutStartTimer(unsigned int name) {
  StopWatchInterface* timer = warpfold_timer(name);
  return sdkStartTimer(&timer) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutStopTimer(unsigned int name) {
  StopWatchInterface* timer = warpfold_timer(name);
  return sdkStopTimer(&timer) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutResetTimer(unsigned int name) {
  StopWatchInterface* timer = warpfold_timer(name);
  return sdkResetTimer(&timer) ? CUTTrue : CUTFalse;
}
inline float cutGetTimerValue(unsigned int name) {
  StopWatchInterface* timer = warpfold_timer(name);
  return sdkGetTimerValue(&timer);
}
inline float cutGetAverageTimerValue(unsigned int name) {
  StopWatchInterface* timer = warpfold_timer(name);
  return sdkGetAverageTimerValue(&timer);
}

/* Command line and files */
inline CUTBoolean cutCheckCmdLineFlag(int argc, const char** argv, const char* name) {
  return checkCmdLineFlag(argc, argv, name) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char** argv, const char* name, int* value) {
  return getCmdLineArgumentValue(argc, argv, name, value) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char** argv, const char* name, float* value) {
  return getCmdLineArgumentValue(argc, argv, name, value) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char** argv, const char* name, char** value) {
  return getCmdLineArgumentString(argc, argv, name, value) ? CUTTrue : CUTFalse;
}
inline char* cutFindFilePath(const char* name, const char* executable) { return sdkFindFilePath(name, executable); }
inline void cutFree(void* pointer) { free(pointer); }

#define WARPFOLD_CUT_FILE(suffix, T)                                                                              \
  inline CUTBoolean cutReadFile##suffix(const char* name, T** data, unsigned int* length, bool verbose = false) { \
    return sdkReadFile(name, data, length, verbose) ? CUTTrue : CUTFalse;                                         \
  }                                                                                                               \
  inline CUTBoolean cutWriteFile##suffix(const char* name, const T* data, unsigned int length, const T epsilon,   \
                                         bool verbose = false) {                                                  \
    return sdkWriteFile(name, data, length, epsilon, verbose) ? CUTTrue : CUTFalse;                               \
  }                                                                                                               \
  inline CUTBoolean cutCompare##suffix(const T* reference, const T* data, const unsigned int length) {            \
    return compareData(reference, data, length, 0, 0.0f) ? CUTTrue : CUTFalse;                                    \
  }
WARPFOLD_CUT_FILE(f, float)
WARPFOLD_CUT_FILE(d, double)
WARPFOLD_CUT_FILE(i, int)
WARPFOLD_CUT_FILE(ui, unsigned int)
#undef WARPFOLD_CUT_FILE

inline CUTBoolean cutComparefe(const float* reference, const float* data, const unsigned int length,
                               const float epsilon) {
  return compareData(reference, data, length, epsilon, 0.0f) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutComparefet(const float* reference, const float* data, const unsigned int length,
                                const float epsilon, const float threshold) {
  return compareData(reference, data, length, epsilon, threshold) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutCompareL2fe(const float* reference, const float* data, const unsigned int length,
                                 const float epsilon) {
  return sdkCompareL2fe(reference, data, length, epsilon) ? CUTTrue : CUTFalse;
}

inline CUTBoolean cutLoadPGMf(const char* name, float** data, unsigned int* w, unsigned int* h) {
  return sdkLoadPGM(name, data, w, h) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutLoadPGMub(const char* name, unsigned char** data, unsigned int* w, unsigned int* h) {
  return sdkLoadPGM(name, data, w, h) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutLoadPPM4ub(const char* name, unsigned char** data, unsigned int* w, unsigned int* h) {
  return sdkLoadPPM4ub(name, data, w, h) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePGMf(const char* name, float* data, unsigned int w, unsigned int h) {
  return sdkSavePGM(name, data, w, h) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePGMub(const char* name, unsigned char* data, unsigned int w, unsigned int h) {
  return sdkSavePGM(name, data, w, h) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePPM4ub(const char* name, unsigned char* data, unsigned int w, unsigned int h) {
  return sdkSavePPM4ub(name, data, w, h) ? CUTTrue : CUTFalse;
}

#endif  // CUTIL_H
