// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: a sparse matrix times a vector or a dense matrix.
#include "dense.cuh"
#include "kernels.cuh"

namespace warpfold::sparse {

constexpr unsigned kWarp = 32, kWarpsOfBlock = 8;
// Rows that are shorter on the average have a thread each, which leaves fewer lanes without work.
constexpr int64_t kShort = 8;

// A row's entries as they lie.
template <class T, class I>
struct Lying {
  const I *starts, *indices;
  const T* values;
  int64_t base;  // of starts and indices
  __device__ int64_t first(int64_t row) const { return starts[row] - base; }
  __device__ int64_t last(int64_t row) const { return starts[row + 1] - base; }
  __device__ int64_t index(int64_t k) const { return indices[k] - base; }
  __device__ T value(int64_t k) const { return values[k]; }
};

// A row's entries in the order of their places in the matrix, wherever they lie.
template <class T, class I>
struct Listed {
  const I *starts, *places, *indices;
  const T* values;
  int64_t base;  // of indices
  __device__ int64_t first(int64_t row) const { return starts[row]; }
  __device__ int64_t last(int64_t row) const { return starts[row + 1]; }
  __device__ int64_t index(int64_t k) const { return indices[places[k]] - base; }
  __device__ T value(int64_t k) const { return values[places[k]]; }
};

// A thread for each row, which adds from left to right.
template <class T, class Entries>
__global__ void spmv_by_threads(int64_t rows, Factor<T> alpha, Entries a, const T* x, Factor<T> beta, T* y) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  T s = 0;
  for (int64_t k = a.first(row), last = a.last(row); k < last; ++k) s = multiply_add(a.value(k), x[a.index(k)], s);
  put_scaled(alpha(), s, beta(), &y[row]);
}

// A warp for each row. Lane l takes entries l, l + 32 and so on; then a tree adds.
template <class T, class Entries>
__global__ void spmv_by_warps(int64_t rows, Factor<T> alpha, Entries a, const T* x, Factor<T> beta, T* y) {
  const int64_t row = int64_t{blockIdx.x} * kWarpsOfBlock + threadIdx.x / kWarp;
  if (row >= rows) return;
  T s = 0;
  const unsigned lane = threadIdx.x % kWarp;
  for (int64_t k = a.first(row) + lane, last = a.last(row); k < last; k += kWarp) {
    s = multiply_add(a.value(k), x[a.index(k)], s);
  }
  for (unsigned step = kWarp / 2; step > 0; step /= 2) s += __shfl_down_sync(~0u, s, step);
  if (lane == 0) put_scaled(alpha(), s, beta(), &y[row]);
}

// A thread for each element of C, which adds along the row of A.
template <class T, class Entries>
__global__ void spmm(int64_t rows, int64_t columns, Factor<T> alpha, Entries a, Dense<T> b, Factor<T> beta,
                     Dense<T> c) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  for (int64_t column = int64_t{blockIdx.y} * blockDim.x + threadIdx.x; column < columns;
       column += int64_t{gridDim.y} * blockDim.x) {
    T s = 0;
    for (int64_t k = a.first(row), last = a.last(row); k < last; ++k) {
      s = multiply_add(a.value(k), b(a.index(k), column), s);
    }
    put_scaled(alpha(), s, beta(), &c(row, column));
  }
}

namespace {

bool is_by_rows(cusparseOperation_t operation, cusparseConstSpMatDescr_t a) {
  return (operation == CUSPARSE_OPERATION_NON_TRANSPOSE) != (a->format == CUSPARSE_FORMAT_CSC);
}

template <class I>
std::size_t buffer_bytes(cusparseOperation_t operation, cusparseConstSpMatDescr_t a) {
  const bool is_coo = a->format == CUSPARSE_FORMAT_COO;
  if (is_by_rows(operation, a)) return is_coo ? sizeof(I) * static_cast<std::size_t>(a->rows + 1) : 0;
  return Reordered<I>::bytes(a->minors(), a->count) + (is_coo ? 0 : sizeof(I) * static_cast<std::size_t>(a->count));
}

// product(entries) with the rows of op(A).
template <class T, class I, class Product>
cusparseStatus_t with_rows(cusparseHandle_t handle, cusparseOperation_t operation, cusparseConstSpMatDescr_t a,
                           void* buffer, Product product) {
  if (buffer == nullptr && buffer_bytes<I>(operation, a) > 0) return CUSPARSE_STATUS_INVALID_VALUE;
  const I* major = static_cast<const I*>(a->major);
  const I* const minor = static_cast<const I*>(a->minor);
  const T* const values = static_cast<const T*>(a->values);
  if (is_by_rows(operation, a)) {
    if (a->format == CUSPARSE_FORMAT_COO) {
      I* const starts = static_cast<I*>(buffer);
      offsets_from_indices(handle, major, a->count, a->rows, starts, a->base);
      major = starts;
    }
    product(Lying<T, I>{major, minor, values, a->base});
  } else {
    if (a->format != CUSPARSE_FORMAT_COO) {
      I* const indices = static_cast<I*>(buffer);
      indices_from_offsets(handle, major, a->count, a->majors(), indices, a->base);
      major = indices;
      buffer = indices + a->count;
    }
    const Reordered<I> by_minor(handle, minor, a->count, a->minors(), a->base, buffer);
    product(Listed<T, I>{by_minor.starts, by_minor.places, major, values, a->base});
  }
  return last_status();
}

struct Shape {
  int64_t rows, columns;
};
Shape shape_of(cusparseOperation_t operation, int64_t rows, int64_t columns) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? Shape{rows, columns} : Shape{columns, rows};
}

cusparseStatus_t check_spmv(const char* call, cusparseHandle_t handle, cusparseOperation_t operation, const void* alpha,
                            cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                            cusparseDnVecDescr_t y, cudaDataType type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!is_operation(operation) || alpha == nullptr || a == nullptr || x == nullptr || beta == nullptr || y == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Shape shape = shape_of(operation, a->rows, a->columns);
  if (x->size != shape.columns || y->size != shape.rows) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool one_type = a->value_type == type && x->value_type == type && y->value_type == type && is_value(type);
  return one_type ? CUSPARSE_STATUS_SUCCESS : not_supported(call, kValueTypes);
}

cusparseStatus_t check_spmm(const char* call, cusparseHandle_t handle, cusparseOperation_t of_a,
                            cusparseOperation_t of_b, const void* alpha, cusparseConstSpMatDescr_t a,
                            cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c, cudaDataType type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!is_operation(of_a) || !is_operation(of_b) || alpha == nullptr || a == nullptr || b == nullptr ||
      beta == nullptr || c == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Shape left = shape_of(of_a, a->rows, a->columns), right = shape_of(of_b, b->rows, b->columns);
  if (left.columns != right.rows || c->rows != left.rows || c->columns != right.columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool one_type = a->value_type == type && b->value_type == type && c->value_type == type && is_value(type);
  return one_type ? CUSPARSE_STATUS_SUCCESS : not_supported(call, kValueTypes);
}

cusparseStatus_t size_of_buffer(const char* call, cusparseOperation_t operation, cusparseConstSpMatDescr_t a,
                                std::size_t* bytes) {
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_types(call, a->value_type, a->index_type, [&](auto, auto index) {
    *bytes = buffer_bytes<decltype(index)>(operation, a);
    return CUSPARSE_STATUS_SUCCESS;
  });
}

}  // namespace
}  // namespace warpfold::sparse

using namespace warpfold::sparse;

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, size_t* bytes) {
  const auto status = check_spmv("cusparseSpMV_bufferSize", handle, operation, alpha, a, x, beta, y, type);
  return status == CUSPARSE_STATUS_SUCCESS ? size_of_buffer("cusparseSpMV_bufferSize", operation, a, bytes) : status;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t operation, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void*) {
  return check_spmv("cusparseSpMV_preprocess", handle, operation, alpha, a, x, beta, y, type);
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t operation, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void* buffer) {
  const auto status = check_spmv("cusparseSpMV", handle, operation, alpha, a, x, beta, y, type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseSpMV", type, a->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    const int64_t rows = y->size;
    if (rows == 0) return CUSPARSE_STATUS_SUCCESS;
    return with_rows<T, decltype(index)>(handle, operation, a, buffer, [&](auto entries) {
      const bool short_rows = a->count < kShort * rows;
      const int64_t rows_of_block = short_rows ? kThreads : kWarpsOfBlock;
      const auto blocks = static_cast<unsigned>((rows + rows_of_block - 1) / rows_of_block);
      const auto kernel = short_rows ? spmv_by_threads<T, decltype(entries)> : spmv_by_warps<T, decltype(entries)>;
      kernel<<<blocks, kThreads, 0, handle->stream>>>(rows, Factor<T>(handle, alpha), entries,
                                                      static_cast<const T*>(x->values), Factor<T>(handle, beta),
                                                      static_cast<T*>(y->values));
    });
  });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                                         size_t* bytes) {
  const auto status = check_spmm("cusparseSpMM_bufferSize", handle, of_a, of_b, alpha, a, b, beta, c, type);
  return status == CUSPARSE_STATUS_SUCCESS ? size_of_buffer("cusparseSpMM_bufferSize", of_a, a, bytes) : status;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                                         void*) {
  return check_spmm("cusparseSpMM_preprocess", handle, of_a, of_b, alpha, a, b, beta, c, type);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                              void* buffer) {
  const auto status = check_spmm("cusparseSpMM", handle, of_a, of_b, alpha, a, b, beta, c, type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseSpMM", type, a->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    if (c->rows == 0 || c->columns == 0) return CUSPARSE_STATUS_SUCCESS;
    return with_rows<T, decltype(index)>(handle, of_a, a, buffer, [&](auto entries) {
      const int64_t down = (c->rows + kWarpsOfBlock - 1) / kWarpsOfBlock, across = (c->columns + kWarp - 1) / kWarp;
      const dim3 grid(static_cast<unsigned>(down), static_cast<unsigned>(across < kMostBlocks ? across : kMostBlocks));
      spmm<<<grid, dim3(kWarp, kWarpsOfBlock), 0, handle->stream>>>(
          c->rows, c->columns, Factor<T>(handle, alpha), entries, Dense<T>(b, of_b != CUSPARSE_OPERATION_NON_TRANSPOSE),
          Factor<T>(handle, beta), Dense<T>(c, false));
    });
  });
}

}  // extern "C"
