// SPDX-License-Identifier: Apache-2.0
// Memory, streams and events of the driver interface: those of the run-time library, by other names.
#include "warpfold/host/driver/driver.h"
#include "warpfold/host/memory/transfer.h"

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::Transfer;
using warpfold::host::driver::in_context;
using warpfold::host::driver::to_pointer;

namespace {

void** to_pointers(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

CUresult fill_words(const Transfer& how, CUdeviceptr to, unsigned value, std::size_t count) {
  if (to % sizeof value != 0) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams words{to_pointer(to), count * sizeof value, value, sizeof value, count, 1};
  return in_context(
      [&] { return guarded([&](Context& context) { return warpfold::host::fill(context, how, words); }, how.call); });
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return in_context([&] { return cudaMemGetInfo(free_bytes, total_bytes); });
}
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] { return cudaMalloc(to_pointers(pointer), bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned int) {
  return in_context([&] { return cudaMallocPitch(to_pointers(pointer), pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned int flags) {
  return in_context([&] { return cudaMallocManaged(to_pointers(pointer), bytes, flags); });
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return in_context([&] { return cudaFree(to_pointer(pointer)); });
}
CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return in_context([&] { return cudaMallocHost(pointer, bytes); });
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return in_context([&] { return cudaHostAlloc(pointer, bytes, flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned int flags) {
  return in_context([&] { return cudaHostGetDevicePointer(to_pointers(device), host, flags); });
}
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return in_context([&] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
  return in_context([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemFreeHost(void* pointer) {
  return in_context([&] { return cudaFreeHost(pointer); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDefault); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDefault, stream); });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(to_pointer(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return in_context([&] { return cudaMemcpyAsync(to_pointer(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(to, to_pointer(from), bytes, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context([&] { return cudaMemcpyAsync(to, to_pointer(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context([&] { return cudaMemcpy(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDeviceToDevice, stream); });
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return in_context([&] { return cudaMemset(to_pointer(to), value, count); });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return in_context([&] { return cudaMemsetAsync(to_pointer(to), value, count, stream); });
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  return fill_words({"cuMemsetD32"}, to, value, count);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return fill_words({"cuMemsetD32Async", stream, true}, to, value, count);
}

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return in_context([&] { return cudaEventDestroy(event); });
}
CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, first, last); });
}
CUresult cuProfilerStart() { return in_context(cudaProfilerStart); }
CUresult cuProfilerStop() { return in_context(cudaProfilerStop); }

}  // extern "C"
