// SPDX-License-Identifier: Apache-2.0
// What cuSPARSE's handles hold, and how calls check and use them.
#pragma once

#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include <cstdint>
#include <cstdio>

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
};
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
struct cusparseSpVecDescr {
  int64_t size, count;
  void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType value_type;
};
struct cusparseDnVecDescr {
  int64_t size;
  void* values;
  cudaDataType value_type;
};
// `major`: the row offsets of CSR, the column offsets of CSC, the row indices of COO. `minor`: the other indices.
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, columns, count;
  void *major, *minor, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType value_type;
  // Of CSR and COO, whose entries come row by row, the rows; of CSC the columns.
  int64_t majors() const { return format == CUSPARSE_FORMAT_CSC ? columns : rows; }
  int64_t minors() const { return format == CUSPARSE_FORMAT_CSC ? rows : columns; }
};
struct cusparseDnMatDescr {
  int64_t rows, columns, leading;
  void* values;
  cudaDataType value_type;
  cusparseOrder_t order;
};

namespace warpfold::sparse {

// A line that says what there is in the place of what is not.
inline cusparseStatus_t not_supported(const char* call, const char* there_is) {
  std::fprintf(stderr, "warpfold: warning: %s: not supported: %s\n", call, there_is);
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

constexpr const char* kValueTypes = "values are of CUDA_R_32F or CUDA_R_64F, of one type with the computation";
constexpr const char* kIndexTypes = "indices and offsets are of CUSPARSE_INDEX_32I or _64I, both of one type";

inline bool is_index(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I; }
inline bool is_base(cusparseIndexBase_t base) {
  return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}
inline bool is_operation(cusparseOperation_t operation) {
  return operation >= CUSPARSE_OPERATION_NON_TRANSPOSE && operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}
inline bool is_value(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_64F; }

// body(T{}, I{}) with the types of values and of indices.
template <class Body>
cusparseStatus_t with_types(const char* call, cudaDataType value, cusparseIndexType_t index, Body body) {
  if (!is_value(value)) return not_supported(call, kValueTypes);
  const bool wide = index == CUSPARSE_INDEX_64I;
  if (value == CUDA_R_32F) return wide ? body(float{}, int64_t{}) : body(float{}, int{});
  return wide ? body(double{}, int64_t{}) : body(double{}, int{});
}

inline cusparseStatus_t last_status() {
  return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

}  // namespace warpfold::sparse
