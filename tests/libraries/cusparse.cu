// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: every operation, format, type and base against plain loops, the order of sums, and what is refused.
#include <cmath>
#include <limits>
#include <string>

#include "checks.h"
#include "sparse_matrix.h"

namespace {

cusparseHandle_t handle;

struct Buffer {
  explicit Buffer(size_t bytes) { cudaMalloc(&data, bytes); }
  ~Buffer() { cudaFree(data); }
  void* data = nullptr;
};

template <class T>
struct DenseVector {
  OnDevice<T> on_device;
  cusparseDnVecDescr_t vector = nullptr;
  explicit DenseVector(const std::vector<T>& host) : on_device(host) {
    cusparseCreateDnVec(&vector, static_cast<int64_t>(host.size()), on_device.data(), kValueType<T>);
  }
  ~DenseVector() { cusparseDestroyDnVec(vector); }
};

template <class T, class I>
bool spmv_is_right(const Matrix<T>& m, cusparseFormat_t format, cusparseOperation_t operation, int base, T alpha,
                   T beta, bool factors_on_device) {
  const bool transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const int rows = transposed ? m.columns : m.rows, columns = transposed ? m.rows : m.columns;
  const std::vector<T> x = some_numbers<T>(columns, 5);
  std::vector<T> y = some_numbers<T>(rows, 6);
  if (beta == 0 && rows > 0) y[0] = std::numeric_limits<T>::quiet_NaN();  // what beta cancels is not read
  SparseOnDevice<T, I> a(m, format, base);
  DenseVector<T> on_x(x), on_y(y);
  OnDevice<T> factors(std::vector<T>{alpha, beta});
  cusparseSetPointerMode(handle, factors_on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
  const T* const at = factors_on_device ? factors.data() : &alpha;
  const T* const bt = factors_on_device ? factors.data() + 1 : &beta;
  size_t bytes = 1234567;
  if (cusparseSpMV_bufferSize(handle, operation, at, a.matrix, on_x.vector, bt, on_y.vector, kValueType<T>,
                              CUSPARSE_SPMV_ALG_DEFAULT, &bytes) != CUSPARSE_STATUS_SUCCESS) {
    return false;
  }
  const Buffer buffer(bytes);
  if (cusparseSpMV(handle, operation, at, a.matrix, on_x.vector, bt, on_y.vector, kValueType<T>, CUSPARSE_SPMV_CSR_ALG2,
                   buffer.data) != CUSPARSE_STATUS_SUCCESS) {
    return false;
  }
  for (int i = 0; i < rows; ++i) {
    T s = 0;
    for (int j = 0; j < columns; ++j) s += (transposed ? m.at(j, i) : m.at(i, j)) * x[j];
    y[i] = alpha * s + (beta == 0 ? 0 : beta * y[i]);
  }
  return on_y.on_device.values() == y;
}

template <class T, class I>
void vectors_by_matrices(Checks& check, const char* types) {
  const Matrix<T> full(40, 70, 1, 2), thin(300, 17, 2, 6), row(1, 90, 3, 1), empty(9, 5, 4, 1u << 30);
  for (const cusparseFormat_t format : kFormats) {
    for (const auto operation :
         {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
      const std::string name = std::string("SpMV ") + types + " " + std::to_string(format) + std::to_string(operation);
      check(name.c_str(), spmv_is_right<T, I>(full, format, operation, 0, 2, -3, false) &&
                              spmv_is_right<T, I>(thin, format, operation, 1, 3, 0, true) &&
                              spmv_is_right<T, I>(row, format, operation, 1, 1, 1, false) &&
                              spmv_is_right<T, I>(empty, format, operation, 0, 1, 2, true));
    }
  }
}

// By elements (i, j), whatever the order.
template <class T>
struct DenseMatrix {
  int rows, columns, leading;
  cusparseOrder_t order;
  std::vector<T> host;
  OnDevice<T> on_device;
  cusparseDnMatDescr_t matrix = nullptr;
  DenseMatrix(int r, int c, cusparseOrder_t by, unsigned seed, unsigned sparsity = 1)
      : rows(r),
        columns(c),
        leading((by == CUSPARSE_ORDER_COL ? r : c) + 3),
        order(by),
        host(some_numbers<T>(leading * (by == CUSPARSE_ORDER_COL ? c : r), seed, sparsity)),
        on_device(host) {
    cusparseCreateDnMat(&matrix, rows, columns, leading, on_device.data(), kValueType<T>, order);
  }
  ~DenseMatrix() { cusparseDestroyDnMat(matrix); }
  T& at(int i, int j) { return host[order == CUSPARSE_ORDER_COL ? i + j * leading : i * leading + j]; }
};

template <class T, class I>
bool spmm_is_right(cusparseFormat_t format, cusparseOperation_t of_a, cusparseOperation_t of_b, cusparseOrder_t order_b,
                   cusparseOrder_t order_c) {
  const Matrix<T> m(37, 21, 11, 3);
  const bool a_turned = of_a != CUSPARSE_OPERATION_NON_TRANSPOSE, b_turned = of_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const int rows = a_turned ? m.columns : m.rows, inner = a_turned ? m.rows : m.columns, columns = 35;
  SparseOnDevice<T, I> a(m, format, 1);
  DenseMatrix<T> b(b_turned ? columns : inner, b_turned ? inner : columns, order_b, 12), c(rows, columns, order_c, 13);
  const T alpha = 2, beta = -1;
  cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
  size_t bytes = 0;
  if (cusparseSpMM_bufferSize(handle, of_a, of_b, &alpha, a.matrix, b.matrix, &beta, c.matrix, kValueType<T>,
                              CUSPARSE_SPMM_ALG_DEFAULT, &bytes) != CUSPARSE_STATUS_SUCCESS) {
    return false;
  }
  const Buffer buffer(bytes);
  if (cusparseSpMM(handle, of_a, of_b, &alpha, a.matrix, b.matrix, &beta, c.matrix, kValueType<T>,
                   CUSPARSE_SPMM_ALG_DEFAULT, buffer.data) != CUSPARSE_STATUS_SUCCESS) {
    return false;
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      T s = 0;
      for (int k = 0; k < inner; ++k) s += (a_turned ? m.at(k, i) : m.at(i, k)) * (b_turned ? b.at(j, k) : b.at(k, j));
      c.at(i, j) = alpha * s + beta * c.at(i, j);
    }
  }
  return c.on_device.values() == c.host;
}

template <class T, class I>
void matrices_by_matrices(Checks& check, const char* types) {
  constexpr cusparseOperation_t kOperations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE};
  for (const cusparseFormat_t format : kFormats) {
    bool right = true;
    for (const auto of_a : kOperations) {
      for (const auto of_b : kOperations) {
        for (const auto order_b : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
          const auto order_c = of_a == of_b ? order_b : CUSPARSE_ORDER_ROW;
          right = right && spmm_is_right<T, I>(format, of_a, of_b, order_b, order_c);
        }
      }
    }
    check((std::string("SpMM ") + types + " " + std::to_string(format)).c_str(), right);
  }
}

// Rows of many entries: 32 interleaved sums, then a tree. Short ones: from left to right. Each product fused.
void order_of_sums(Checks& check) {
  constexpr int kLong = 200, kFew = 5;
  for (const int columns : {kLong, kFew}) {
    Matrix<float> m(2, columns, 0, 1);
    std::vector<float> x(columns), wanted(2);
    for (int i = 0; i < 2 * columns; ++i) m.all[i] = 1 / (1.0f + i);
    for (int j = 0; j < columns; ++j) x[j] = std::sqrt(2.0f + j);
    for (int i = 0; i < 2; ++i) {
      float parts[32] = {};
      const int count = columns == kLong ? 32 : 1;
      for (int j = 0; j < columns; ++j) parts[j % count] = std::fma(m.at(i, j), x[j], parts[j % count]);
      for (int step = count / 2; step > 0; step /= 2) {
        for (int l = 0; l < step; ++l) parts[l] += parts[l + step];
      }
      wanted[i] = parts[0];
    }
    SparseOnDevice<float, int> a(m, CUSPARSE_FORMAT_CSR, 0);
    DenseVector<float> on_x(x), on_y(std::vector<float>(2));
    const float one = 1, zero = 0;
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.matrix, on_x.vector, &zero, on_y.vector, CUDA_R_32F,
                 CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    check("the order of sums", on_y.on_device.values() == wanted);
  }
}

template <class T, class I>
bool dense_to_sparse_is_right(cusparseFormat_t format, cusparseOrder_t order, int base) {
  DenseMatrix<T> dense(23, 14, order, 21, 4), back(23, 14, order, 22);
  Matrix<T> m(23, 14, 0, 1);
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) m.all[i * m.columns + j] = dense.at(i, j);
  }
  const Entries<T, I> wanted(m, format, base);
  const int64_t lists = format == CUSPARSE_FORMAT_CSC ? m.columns : m.rows;
  OnDevice<I> offsets(lists + 1);
  const auto index_base = static_cast<cusparseIndexBase_t>(base);
  cusparseSpMatDescr_t sparse = nullptr;
  if (format == CUSPARSE_FORMAT_COO) {
    cusparseCreateCoo(&sparse, m.rows, m.columns, 0, nullptr, nullptr, nullptr, kIndexType<I>, index_base,
                      kValueType<T>);
  } else {
    const auto create = format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc;
    create(&sparse, m.rows, m.columns, 0, offsets.data(), nullptr, nullptr, kIndexType<I>, kIndexType<I>, index_base,
           kValueType<T>);
  }
  size_t bytes = 0, none = 1;
  bool right = cusparseDenseToSparse_bufferSize(handle, dense.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                                &bytes) == CUSPARSE_STATUS_SUCCESS;
  const Buffer buffer(bytes);
  right = right && cusparseDenseToSparse_analysis(handle, dense.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                                  buffer.data) == CUSPARSE_STATUS_SUCCESS;
  int64_t rows = 0, columns = 0, count = 0;
  cusparseSpMatGetSize(sparse, &rows, &columns, &count);
  right = right && rows == m.rows && columns == m.columns && count == static_cast<int64_t>(wanted.values.size());
  OnDevice<I> indices(count), lists_of_entries(count);
  OnDevice<T> values(count);
  if (format == CUSPARSE_FORMAT_COO) {
    cusparseCooSetPointers(sparse, lists_of_entries.data(), indices.data(), values.data());
  } else if (format == CUSPARSE_FORMAT_CSR) {
    cusparseCsrSetPointers(sparse, offsets.data(), indices.data(), values.data());
  } else {
    cusparseCscSetPointers(sparse, offsets.data(), indices.data(), values.data());
  }
  right = right && cusparseDenseToSparse_convert(handle, dense.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                                 buffer.data) == CUSPARSE_STATUS_SUCCESS;
  right = right && indices.values() == wanted.minor && values.values() == wanted.values;
  right = right && (format == CUSPARSE_FORMAT_COO ? lists_of_entries : offsets).values() == wanted.major;
  right = right && cusparseSparseToDense_bufferSize(handle, sparse, back.matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                                    &none) == CUSPARSE_STATUS_SUCCESS;
  right = right && cusparseSparseToDense(handle, sparse, back.matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr) ==
                       CUSPARSE_STATUS_SUCCESS;
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) back.at(i, j) = m.at(i, j);
  }
  right = right && back.on_device.values() == back.host;  // what lies between its columns is as it was
  cusparseDestroySpMat(sparse);
  return right;
}

void formats(Checks& check) {
  for (const cusparseFormat_t format : kFormats) {
    check("dense to sparse and back", dense_to_sparse_is_right<float, int>(format, CUSPARSE_ORDER_ROW, 1) &&
                                          dense_to_sparse_is_right<double, int64_t>(format, CUSPARSE_ORDER_COL, 0));
  }
}

template <class T>
void csr_to_csc(Checks& check, cudaDataType type) {
  const Matrix<double> m(31, 300, 31, 5);
  const Entries<double, int> from(m, CUSPARSE_FORMAT_CSR, 1), to(m, CUSPARSE_FORMAT_CSC, 1);
  const int count = static_cast<int>(from.values.size());
  std::vector<T> values(count), wanted(count);
  for (int k = 0; k < count; ++k) values[k] = T{from.values[k]}, wanted[k] = T{to.values[k]};
  OnDevice<int> offsets(from.major), indices(from.minor), column_offsets(m.columns + 1), rows(count);
  OnDevice<T> on_values(values), to_values(count);
  size_t bytes = 0;
  cusparseCsr2cscEx2_bufferSize(handle, m.rows, m.columns, count, on_values.data(), offsets.data(), indices.data(),
                                to_values.data(), column_offsets.data(), rows.data(), type, CUSPARSE_ACTION_NUMERIC,
                                CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG1, &bytes);
  const Buffer buffer(bytes);
  const auto status =
      cusparseCsr2cscEx2(handle, m.rows, m.columns, count, on_values.data(), offsets.data(), indices.data(),
                         to_values.data(), column_offsets.data(), rows.data(), type, CUSPARSE_ACTION_NUMERIC,
                         CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG1, buffer.data);
  check("CSR to CSC", status == CUSPARSE_STATUS_SUCCESS && column_offsets.values() == to.major &&
                          rows.values() == to.minor && to_values.values() == wanted);
}

struct Pair {
  double re, im = 7;
  bool operator==(const Pair& other) const { return re == other.re && im == other.im; }
};
struct Byte {
  signed char value;
  Byte() = default;
  explicit Byte(double from) : value(static_cast<signed char>(from)) {}
  bool operator==(const Byte& other) const { return value == other.value; }
};

void indices(Checks& check) {
  const Matrix<float> m(50, 8, 41, 20);  // with rows of nothing
  for (const int base : {0, 1}) {
    const Entries<float, int> coo(m, CUSPARSE_FORMAT_COO, base), csr(m, CUSPARSE_FORMAT_CSR, base);
    const int count = static_cast<int>(coo.values.size());
    OnDevice<int> rows(coo.major), offsets(m.rows + 1), back(count);
    const auto index_base = static_cast<cusparseIndexBase_t>(base);
    cusparseXcoo2csr(handle, rows.data(), count, m.rows, offsets.data(), index_base);
    cusparseXcsr2coo(handle, offsets.data(), count, m.rows, back.data(), index_base);
    check("COO to CSR and back", offsets.values() == csr.major && back.values() == coo.major);
  }
}

template <class T, class I>
void sparse_vectors(Checks& check, int base) {
  const int size = 60;
  std::vector<I> places;
  for (int i = 1; i < size; i += 1 + i % 4) places.push_back(size - i - 1 + base);
  const int count = static_cast<int>(places.size());
  const std::vector<T> x = some_numbers<T>(count, 51), y = some_numbers<T>(size, 52);
  OnDevice<I> on_places(places);
  OnDevice<T> on_x(x);
  DenseVector<T> dense(y);
  cusparseSpVecDescr_t sparse = nullptr;
  cusparseCreateSpVec(&sparse, size, count, on_places.data(), on_x.data(), kIndexType<I>,
                      static_cast<cusparseIndexBase_t>(base), kValueType<T>);
  std::vector<T> wanted = y;
  const T alpha = 3, beta = 2, zero = 0;
  for (T& value : wanted) value *= beta;
  for (int i = 0; i < count; ++i) wanted[places[i] - base] += alpha * x[i];
  check("Axpby", cusparseAxpby(handle, &alpha, sparse, &beta, dense.vector) == CUSPARSE_STATUS_SUCCESS &&
                     dense.on_device.values() == wanted);
  std::vector<T> gathered(count);
  for (int i = 0; i < count; ++i) gathered[i] = wanted[places[i] - base];
  check("Gather", cusparseGather(handle, dense.vector, sparse) == CUSPARSE_STATUS_SUCCESS && on_x.values() == gathered);
  cudaMemcpy(on_x.data(), x.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  for (int i = 0; i < count; ++i) wanted[places[i] - base] = x[i];
  check("Scatter",
        cusparseScatter(handle, sparse, dense.vector) == CUSPARSE_STATUS_SUCCESS && dense.on_device.values() == wanted);
  std::vector<T> alone(size);
  for (int i = 0; i < count; ++i) alone[places[i] - base] = alpha * x[i];
  check("Axpby without y", cusparseAxpby(handle, &alpha, sparse, &zero, dense.vector) == CUSPARSE_STATUS_SUCCESS &&
                               dense.on_device.values() == alone);
  cusparseDestroySpVec(sparse);
}

void descriptors(Checks& check) {
  int place = 0;
  cusparseSpMatDescr_t m = nullptr;
  cusparseCreateCsr(&m, 3, 4, 2, &place, &place + 1, &place + 2, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
  int64_t rows = 0, columns = 0, count = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;
  cusparseIndexType_t offset_type{}, index_type{};
  cusparseIndexBase_t base{};
  cudaDataType type{};
  cusparseFormat_t format{};
  const auto status =
      cusparseCsrGet(m, &rows, &columns, &count, &offsets, &indices, &values, &offset_type, &index_type, &base, &type);
  check("CsrGet", status == CUSPARSE_STATUS_SUCCESS && rows == 3 && columns == 4 && count == 2 && offsets == &place &&
                      indices == &place + 1 && values == &place + 2 && offset_type == CUSPARSE_INDEX_32I &&
                      index_type == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ONE && type == CUDA_R_64F);
  check("SpMatGetFormat",
        cusparseSpMatGetFormat(m, &format) == CUSPARSE_STATUS_SUCCESS && format == CUSPARSE_FORMAT_CSR);
  check("CooGet of CSR", cusparseCooGet(m, &rows, &columns, &count, &offsets, &indices, &values, &index_type, &base,
                                        &type) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseSpMatSetValues(m, &rows);
  check("SpMatGetValues", cusparseSpMatGetValues(m, &values) == CUSPARSE_STATUS_SUCCESS && values == &rows);
  cusparseDestroySpMat(m);
  cusparseMatDescr_t kind = nullptr;
  cusparseCreateMatDescr(&kind);
  cusparseSetMatIndexBase(kind, CUSPARSE_INDEX_BASE_ONE);
  check("MatDescr", cusparseGetMatType(kind) == CUSPARSE_MATRIX_TYPE_GENERAL &&
                        cusparseGetMatIndexBase(kind) == CUSPARSE_INDEX_BASE_ONE);
  cusparseDestroyMatDescr(kind);
}

void refusals(Checks& check) {
  const Matrix<float> m(4, 6, 61, 1);
  SparseOnDevice<float, int> a(m, CUSPARSE_FORMAT_CSR, 0);
  DenseVector<float> four(std::vector<float>(4)), six(std::vector<float>(6));
  DenseVector<double> doubles(std::vector<double>(4));
  const float one = 1;
  constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE, kTurned = CUSPARSE_OPERATION_TRANSPOSE;
  constexpr auto kDefault = CUSPARSE_SPMV_ALG_DEFAULT;
  const auto spmv = [&](cusparseHandle_t h, cusparseOperation_t operation, cusparseDnVecDescr_t x,
                        cusparseDnVecDescr_t y, cudaDataType type) {
    return cusparseSpMV(h, operation, &one, a.matrix, x, &one, y, type, kDefault, nullptr);
  };
  check("no handle", spmv(nullptr, kPlain, six.vector, four.vector, CUDA_R_32F) == CUSPARSE_STATUS_NOT_INITIALIZED);
  check("other sizes", spmv(handle, kPlain, four.vector, six.vector, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
  check("no buffer", spmv(handle, kTurned, four.vector, six.vector, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
  check("preparation", cusparseSpMV_preprocess(handle, kPlain, &one, a.matrix, six.vector, &one, four.vector,
                                               CUDA_R_32F, kDefault, nullptr) == CUSPARSE_STATUS_SUCCESS &&
                           cusparseSpMV_preprocess(handle, kPlain, &one, a.matrix, four.vector, &one, four.vector,
                                                   CUDA_R_32F, kDefault, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDnMatDescr_t b = nullptr, c = nullptr;
  int place = 0;
  cusparseCreateDnMat(&b, 6, 2, 6, &place, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&c, 4, 2, 4, &place, CUDA_R_32F, CUSPARSE_ORDER_COL);
  const auto prepared = [&](cusparseOperation_t of_a, cusparseOperation_t of_b) {
    return cusparseSpMM_preprocess(handle, of_a, of_b, &one, a.matrix, b, &one, c, CUDA_R_32F,
                                   CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  };
  check("preparation", prepared(kPlain, kPlain) == CUSPARSE_STATUS_SUCCESS &&
                           prepared(kTurned, kPlain) == CUSPARSE_STATUS_INVALID_VALUE &&
                           prepared(kPlain, kTurned) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroyDnMat(b);
  cusparseDestroyDnMat(c);
  check("two types", spmv(handle, kPlain, six.vector, doubles.vector, CUDA_R_32F) == CUSPARSE_STATUS_NOT_SUPPORTED);
  check("halves", spmv(handle, kPlain, six.vector, four.vector, CUDA_R_16F) == CUSPARSE_STATUS_NOT_SUPPORTED);
  cusparseSpMatDescr_t made = nullptr;
  const auto create = [&](cusparseIndexType_t offsets, cusparseIndexType_t indices, int64_t rows) {
    return cusparseCreateCsr(&made, rows, 4, 2, &place, &place, &place, offsets, indices, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_32F);
  };
  check("mixed indices", create(CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, 3) == CUSPARSE_STATUS_NOT_SUPPORTED);
  check("short indices", create(CUSPARSE_INDEX_16U, CUSPARSE_INDEX_16U, 3) == CUSPARSE_STATUS_NOT_SUPPORTED);
  check("negative size", create(CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, -1) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDnMatDescr_t dense = nullptr;
  check("leading dimension",
        cusparseCreateDnMat(&dense, 4, 2, 3, &place, CUDA_R_32F, CUSPARSE_ORDER_COL) == CUSPARSE_STATUS_INVALID_VALUE);
  check("names", std::string(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT)) == "CUSPARSE_STATUS_ZERO_PIVOT" &&
                     std::string(cusparseGetErrorString(CUSPARSE_STATUS_SUCCESS)) == "success");
}

}  // namespace

int main() {
  Checks check;
  cusparseCreate(&handle);
  vectors_by_matrices<float, int>(check, "float");
  vectors_by_matrices<double, int64_t>(check, "double, 64 bits");
  matrices_by_matrices<float, int64_t>(check, "float, 64 bits");
  matrices_by_matrices<double, int>(check, "double");
  order_of_sums(check);
  formats(check);
  csr_to_csc<double>(check, CUDA_R_64F);
  csr_to_csc<Pair>(check, CUDA_C_64F);
  csr_to_csc<Byte>(check, CUDA_R_8I);
  indices(check);
  sparse_vectors<float, int>(check, 1);
  sparse_vectors<double, int64_t>(check, 0);
  descriptors(check);
  refusals(check);
  check("a stream", [] {
    cudaStream_t stream = nullptr, found = nullptr;
    cudaStreamCreate(&stream);
    cusparseSetStream(handle, stream);
    cusparseGetStream(handle, &found);
    return found == stream;
  }());
  int version = 0;
  check("a version", cusparseGetVersion(handle, &version) == CUSPARSE_STATUS_SUCCESS && version == 11700);
  cusparseDestroy(handle);
  return check.end();
}
