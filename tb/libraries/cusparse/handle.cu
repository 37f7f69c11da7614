// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: its handle, and names of statuses.
#include <iterator>
#include <new>

#include "descriptors.h"

namespace warpfold::sparse {
namespace {

struct Status {
  const char *name, *text;
};
constexpr Status kStatuses[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "there is no handle: call cusparseCreate"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "not enough memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "an argument is wrong"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "the device lacks what this needs"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "memory could not be copied"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "a kernel failed"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "the library failed"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "this type of matrix is not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "an entry of the diagonal is zero"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "this is not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "not enough resources"},
};

template <class Descriptor, class Value>
cusparseStatus_t set(Descriptor* descriptor, Value Descriptor::*member, Value value) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  descriptor->*member = value;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Value>
cusparseStatus_t get(cusparseHandle_t handle, Value cusparseContext::*member, Value* value) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = handle->*member;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpfold::sparse

using namespace warpfold::sparse;

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *handle = new (std::nothrow) cusparseContext;
  return *handle == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return set(handle, &cusparseContext::stream, stream);
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cusparseContext::stream, stream);
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_INVALID_VALUE;
  return set(handle, &cusparseContext::pointers, mode);
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  return get(handle, &cusparseContext::pointers, mode);
}

const char* cusparseGetErrorName(cusparseStatus_t status) {
  const auto at = static_cast<std::size_t>(status);
  return at < std::size(kStatuses) ? kStatuses[at].name : "unknown status";
}
const char* cusparseGetErrorString(cusparseStatus_t status) {
  const auto at = static_cast<std::size_t>(status);
  return at < std::size(kStatuses) ? kStatuses[at].text : "unknown status";
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *descriptor = new (std::nothrow) cusparseMatDescr;
  return *descriptor == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor, cusparseMatrixType_t type) {
  return set(descriptor, &cusparseMatDescr::type, type);
}
cusparseMatrixType_t cusparseGetMatType(cusparseMatDescr_t descriptor) { return descriptor->type; }
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor, cusparseIndexBase_t base) {
  return is_base(base) ? set(descriptor, &cusparseMatDescr::base, base) : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseIndexBase_t cusparseGetMatIndexBase(cusparseMatDescr_t descriptor) { return descriptor->base; }

}  // extern "C"
