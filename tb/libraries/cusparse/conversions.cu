// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: conversions between formats.
#include "dense.cuh"
#include "kernels.cuh"

namespace warpfold::sparse {

// How many elements of list i - 1 are not 0; the base in front of them all.
template <class T, class I>
struct CountElements {
  Dense<T> elements;
  int64_t length;
  I base, *counts;
  __device__ void operator()(int64_t i) const {
    I count = 0;
    for (int64_t j = 0; i > 0 && j < length; ++j) count += elements(i - 1, j) != 0 ? 1 : 0;
    counts[i] = i == 0 ? base : count;
  }
};

// The entries of list i. `lists`: null, or where the index of each entry's list goes.
template <class T, class I>
struct TakeElements {
  Dense<T> elements;
  int64_t length;
  I base;
  const I* offsets;
  I *lists, *indices;
  T* values;
  __device__ void operator()(int64_t i) const {
    int64_t k = offsets[i] - base;
    for (int64_t j = 0; j < length; ++j) {
      const T value = elements(i, j);
      if (value == 0) continue;
      if (lists != nullptr) lists[k] = static_cast<I>(i) + base;
      indices[k] = static_cast<I>(j) + base;
      values[k++] = value;
    }
  }
};

template <class T>
struct ClearElements {
  Dense<T> elements;
  int64_t length;
  __device__ void operator()(int64_t i) const { elements(i / length, i % length) = 0; }
};

template <class T, class I>
struct PutElements {
  Dense<T> elements;
  bool is_coo;
  int64_t lists, base;
  const I *major, *minor;
  const T* values;
  __device__ void operator()(int64_t k) const {
    const int64_t list = is_coo ? major[k] - base : count_below(major, lists + 1, k + base + 1) - 1;
    elements(list, minor[k] - base) = values[k];
  }
};

template <class Value>
struct Pick {
  const int* places;
  const Value* from;
  Value* to;
  __device__ void operator()(int64_t k) const { to[k] = from[places[k]]; }
};

struct AddBase {
  const int* from;
  int base;
  int* to;
  __device__ void operator()(int64_t i) const { to[i] = from[i] + base; }
};

namespace {

// Entries lie by rows, or by columns of CSC: element `j` of list `i`.
template <class T>
Dense<T> by_lists(cusparseConstDnMatDescr_t dense, cusparseConstSpMatDescr_t sparse) {
  return Dense<T>(dense, sparse->format == CUSPARSE_FORMAT_CSC);
}

cusparseStatus_t check_pair(const char* call, cusparseHandle_t handle, cusparseConstDnMatDescr_t dense,
                            cusparseConstSpMatDescr_t sparse) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (dense == nullptr || sparse == nullptr || dense->rows != sparse->rows || dense->columns != sparse->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return dense->value_type == sparse->value_type ? CUSPARSE_STATUS_SUCCESS : not_supported(call, kValueTypes);
}

// Offsets are B's own, but COO has none.
template <class I>
I* place_of_offsets(cusparseConstSpMatDescr_t b, void* buffer) {
  return static_cast<I*>(b->format == CUSPARSE_FORMAT_COO ? buffer : b->major);
}

// The offsets of what is not 0, with their base, and how many there are.
template <class T, class I>
cusparseStatus_t analyse(cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, void* buffer) {
  I* const offsets = place_of_offsets<I>(b, buffer);
  if (offsets == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const int64_t lists = b->majors();
  const I base = static_cast<I>(b->base);
  launch_for_each(handle, lists + 1, CountElements<T, I>{by_lists<T>(a, b), b->minors(), base, offsets});
  add_up<<<1, kThreads, 0, handle->stream>>>(offsets, lists + 1);
  I end = 0;
  if (cudaMemcpyAsync(&end, offsets + lists, sizeof end, cudaMemcpyDeviceToHost, handle->stream) != cudaSuccess ||
      cudaStreamSynchronize(handle->stream) != cudaSuccess) {
    return CUSPARSE_STATUS_EXECUTION_FAILED;
  }
  b->count = end - base;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T, class I>
cusparseStatus_t fill(cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseConstSpMatDescr_t b, void* buffer) {
  const I* const offsets = place_of_offsets<I>(b, buffer);
  I* const lists = b->format == CUSPARSE_FORMAT_COO ? static_cast<I*>(b->major) : nullptr;
  I* const indices = static_cast<I*>(b->minor);
  T* const values = static_cast<T*>(b->values);
  const bool lies = indices != nullptr && values != nullptr && b->major != nullptr;
  if (b->count > 0 && (!lies || offsets == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  const TakeElements<T, I> take{by_lists<T>(a, b), b->minors(), static_cast<I>(b->base), offsets, lists,
                                indices,           values};
  launch_for_each(handle, b->count > 0 ? b->majors() : 0, take);
  return last_status();
}

template <class T, class I>
cusparseStatus_t spread(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b) {
  const Dense<T> elements = by_lists<T>(b, a);
  launch_for_each(handle, a->rows * a->columns, ClearElements<T>{elements, a->minors()});
  launch_for_each(handle, a->count,
                  PutElements<T, I>{elements, a->format == CUSPARSE_FORMAT_COO, a->majors(), a->base,
                                    static_cast<const I*>(a->major), static_cast<const I*>(a->minor),
                                    static_cast<const T*>(a->values)});
  return last_status();
}

struct Wide {
  unsigned long long low, high;
};

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_16I:
    case CUDA_R_16U:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_R_32U:
      return 4;
    case CUDA_R_64F:
    case CUDA_R_64I:
    case CUDA_R_64U:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}

template <class Value>
void pick(cusparseHandle_t handle, int count, const int* places, const void* from, void* to) {
  launch_for_each(handle, count, Pick<Value>{places, static_cast<const Value*>(from), static_cast<Value*>(to)});
}

void pick_values(cusparseHandle_t handle, std::size_t bytes, int count, const int* places, const void* from, void* to) {
  switch (bytes) {
    case 1:
      return pick<unsigned char>(handle, count, places, from, to);
    case 2:
      return pick<unsigned short>(handle, count, places, from, to);
    case 4:
      return pick<unsigned>(handle, count, places, from, to);
    case 8:
      return pick<unsigned long long>(handle, count, places, from, to);
    default:
      return pick<Wide>(handle, count, places, from, to);
  }
}

cusparseStatus_t check_csr2csc(const char* call, cusparseHandle_t handle, int rows, int columns, int count,
                               cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (rows < 0 || columns < 0 || count < 0 || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (action == CUSPARSE_ACTION_NUMERIC && bytes_of(type) == 0)
    return not_supported(call, "values are integers, halves, floats and doubles, and complex floats and doubles");
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpfold::sparse

using namespace warpfold::sparse;

extern "C" {

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, size_t* bytes) {
  const auto status = check_pair("cusparseDenseToSparse_bufferSize", handle, a, b);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const std::size_t each = b->index_type == CUSPARSE_INDEX_64I ? sizeof(int64_t) : sizeof(int);
  *bytes = b->format == CUSPARSE_FORMAT_COO ? each * static_cast<std::size_t>(b->rows + 1) : 0;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void* buffer) {
  constexpr const char* kCall = "cusparseDenseToSparse_analysis";
  const auto status = check_pair(kCall, handle, a, b);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types(kCall, a->value_type, b->index_type, [&](auto value, auto index) {
    return analyse<decltype(value), decltype(index)>(handle, a, b, buffer);
  });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void* buffer) {
  constexpr const char* kCall = "cusparseDenseToSparse_convert";
  const auto status = check_pair(kCall, handle, a, b);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types(kCall, a->value_type, b->index_type, [&](auto value, auto index) {
    return fill<decltype(value), decltype(index)>(handle, a, b, buffer);
  });
}
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, size_t* bytes) {
  const auto status = check_pair("cusparseSparseToDense_bufferSize", handle, b, a);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void* /*buffer*/) {
  const auto status = check_pair("cusparseSparseToDense", handle, b, a);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseSparseToDense", a->value_type, a->index_type,
                    [&](auto value, auto index) { return spread<decltype(value), decltype(index)>(handle, a, b); });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* row_indices, int count, int rows,
                                  int* row_offsets, cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (count < 0 || rows < 0 || row_offsets == nullptr || (count > 0 && row_indices == nullptr) || !is_base(base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  offsets_from_indices(handle, row_indices, count, rows, row_offsets, base);
  return last_status();
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* row_offsets, int count, int rows,
                                  int* row_indices, cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (count < 0 || rows < 0 || row_offsets == nullptr || (count > 0 && row_indices == nullptr) || !is_base(base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  indices_from_offsets(handle, row_offsets, count, rows, row_indices, base);
  return last_status();
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int rows, int columns, int count, const void*,
                                               const int*, const int*, void*, int*, int*, cudaDataType type,
                                               cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t,
                                               size_t* bytes) {
  const auto status = check_csr2csc("cusparseCsr2cscEx2_bufferSize", handle, rows, columns, count, type, action, base);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = Reordered<int>::bytes(columns, count) + sizeof(int) * static_cast<std::size_t>(count);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int rows, int columns, int count, const void* values,
                                    const int* row_offsets, const int* column_indices, void* to_values,
                                    int* column_offsets, int* row_indices, cudaDataType type, cusparseAction_t action,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void* buffer) {
  const auto status = check_csr2csc("cusparseCsr2cscEx2", handle, rows, columns, count, type, action, base);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const bool numeric = action == CUSPARSE_ACTION_NUMERIC;
  const bool lies = row_offsets != nullptr && column_indices != nullptr && row_indices != nullptr;
  if (column_offsets == nullptr || buffer == nullptr || (count > 0 && !lies)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (numeric && count > 0 && (values == nullptr || to_values == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  int* const rows_of_entries = static_cast<int*>(buffer);
  indices_from_offsets(handle, row_offsets, count, rows, rows_of_entries, base);
  const Reordered<int> by_columns(handle, column_indices, count, columns, base, rows_of_entries + count);
  launch_for_each(handle, columns + 1, AddBase{by_columns.starts, base, column_offsets});
  pick<int>(handle, count, by_columns.places, rows_of_entries, row_indices);
  if (numeric) pick_values(handle, bytes_of(type), count, by_columns.places, values, to_values);
  return last_status();
}

}  // extern "C"
