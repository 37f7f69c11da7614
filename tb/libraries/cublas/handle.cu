// SPDX-License-Identifier: Apache-2.0
// cuBLAS: handles, statuses, and copies of vectors and matrices.
#include <new>

#include "handle.h"

namespace warpfold::blas {
namespace {

// Columns of `rows` elements of `bytes`, which lie `from_rows` and `to_rows` elements apart.
cublasStatus_t copy_columns(long long rows, long long columns, long long bytes, const void* from, long long from_rows,
                            void* to, long long to_rows, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const cudaError_t error =
      waits ? cudaMemcpy2D(to, to_rows * bytes, from, from_rows * bytes, rows * bytes, columns, kind)
            : cudaMemcpy2DAsync(to, to_rows * bytes, from, from_rows * bytes, rows * bytes, columns, kind, stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

// A vector with steps is a matrix of one row.
cublasStatus_t copy_vector(int n, int bytes, const void* from, int from_step, void* to, int to_step,
                           cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (n < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (from_step == 1 && to_step == 1) return copy_columns(n, 1, bytes, from, n, to, n, kind, stream, waits);
  return copy_columns(1, n, bytes, from, from_step, to, to_step, kind, stream, waits);
}

cublasStatus_t copy_matrix(int rows, int columns, int bytes, const void* from, int from_rows, void* to, int to_rows,
                           cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_rows <= 0 || to_rows <= 0 || from_rows < rows || to_rows < rows) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return copy_columns(rows, columns, bytes, from, from_rows, to, to_rows, kind, stream, waits);
}

template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*what, T value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*what = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*what, T* value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = handle->*what;
  return CUBLAS_STATUS_SUCCESS;
}

struct Status {
  cublasStatus_t value;
  const char *name, *text;
};
constexpr Status kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "there is no handle"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "memory could not be had"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "a parameter has a value that it cannot have"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the device cannot do this"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "memory could not be copied"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel failed"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "the library failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "this is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a licence is missing"},
};

}  // namespace
}  // namespace warpfold::blas

using namespace warpfold::blas;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  cublasHandle_t made = new (std::nothrow) cublasContext;
  if (made == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  if (cudaMalloc(&made->parts, kScratchBytes) != cudaSuccess) {
    delete made;
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaFree(handle->parts);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType property, int* value) {
  static constexpr int kVersion[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (value == nullptr || property < MAJOR_VERSION || property > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kVersion[property];
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_INVALID_VALUE;
  return set(handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::math, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math, mode);
}

const char* cublasGetStatusName(cublasStatus_t status) {
  for (const Status& known : kStatuses) {
    if (known.value == status) return known.name;
  }
  return "unknown status";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  for (const Status& known : kStatuses) {
    if (known.value == status) return known.text;
  }
  return "unknown status";
}

cublasStatus_t cublasSetVector(int n, int bytes, const void* host, int host_step, void* device, int device_step) {
  return copy_vector(n, bytes, host, host_step, device, device_step, cudaMemcpyHostToDevice, nullptr, true);
}
cublasStatus_t cublasGetVector(int n, int bytes, const void* device, int device_step, void* host, int host_step) {
  return copy_vector(n, bytes, device, device_step, host, host_step, cudaMemcpyDeviceToHost, nullptr, true);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* host, int host_rows, void* device,
                               int device_rows) {
  return copy_matrix(rows, columns, bytes, host, host_rows, device, device_rows, cudaMemcpyHostToDevice, nullptr, true);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* device, int device_rows, void* host,
                               int host_rows) {
  return copy_matrix(rows, columns, bytes, device, device_rows, host, host_rows, cudaMemcpyDeviceToHost, nullptr, true);
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void* host, int host_step, void* device, int device_step,
                                    cudaStream_t stream) {
  return copy_vector(n, bytes, host, host_step, device, device_step, cudaMemcpyHostToDevice, stream, false);
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void* device, int device_step, void* host, int host_step,
                                    cudaStream_t stream) {
  return copy_vector(n, bytes, device, device_step, host, host_step, cudaMemcpyDeviceToHost, stream, false);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void* host, int host_rows, void* device,
                                    int device_rows, cudaStream_t stream) {
  return copy_matrix(rows, columns, bytes, host, host_rows, device, device_rows, cudaMemcpyHostToDevice, stream, false);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void* device, int device_rows, void* host,
                                    int host_rows, cudaStream_t stream) {
  return copy_matrix(rows, columns, bytes, device, device_rows, host, host_rows, cudaMemcpyDeviceToHost, stream, false);
}

}  // extern "C"
