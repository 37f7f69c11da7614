// SPDX-License-Identifier: Apache-2.0
// A little of cuBLAS, cuRAND and cuSPARSE, under every mechanism: edges of tiles, trees of sums, rejection loops, rows
// of all lengths. What whole
// numbers give is exact; random ones are compared with the host's.
#include <cublas_v2.h>
#include <curand.h>

#include <vector>

#include "checks.h"
#include "sparse_matrix.h"

namespace {

constexpr int kSize = 37;

template <class T>
std::vector<T> fetched(const T* data, int count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

void algebra(Checks& check) {
  std::vector<float> a(kSize * kSize), x(kSize), c(kSize * kSize), y(kSize);
  for (int i = 0; i < kSize * kSize; ++i) a[i] = static_cast<float>(i % 11 - 5);
  for (int i = 0; i < kSize; ++i) x[i] = static_cast<float>(i % 7 - 3);
  for (int row = 0; row < kSize; ++row) {
    for (int k = 0; k < kSize; ++k) {
      y[row] += a[k + row * kSize] * x[k];
      for (int column = 0; column < kSize; ++column) {
        c[row + column * kSize] += a[row + k * kSize] * a[column + k * kSize];
      }
    }
  }
  float *on_a, *on_c, *on_x, *on_y;
  cudaMalloc(&on_a, sizeof(float) * a.size());
  cudaMalloc(&on_c, sizeof(float) * c.size());
  cudaMalloc(&on_x, sizeof(float) * kSize);
  cudaMalloc(&on_y, sizeof(float) * kSize);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetMatrix(kSize, kSize, sizeof(float), a.data(), kSize, on_a, kSize);
  cublasSetVector(kSize, sizeof(float), x.data(), 1, on_x, 1);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, kSize, kSize, kSize, &one, on_a, kSize, on_a, kSize, &zero, on_c,
              kSize);
  cublasSgemv(handle, CUBLAS_OP_T, kSize, kSize, &one, on_a, kSize, on_x, 1, &zero, on_y, 1);
  check("gemm", fetched(on_c, kSize * kSize) == c);
  check("gemv", fetched(on_y, kSize) == y);
  float product = 0;
  int place = 0;
  cublasSdot(handle, kSize, on_x, 1, on_x, 1, &product);
  cublasIsamax(handle, kSize, on_x, 1, &place);
  check("dot", product == 5 * 28 + 9 + 4);
  check("amax", place == 1);
  cublasDestroy(handle);
}

void random_numbers(Checks& check) {
  constexpr int kCount = 300;
  unsigned* numbers;
  cudaMalloc(&numbers, sizeof(unsigned) * kCount);
  for (const curandRngType_t type :
       {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    curandGenerator_t on_device, on_host;
    curandCreateGenerator(&on_device, type);
    curandCreateGeneratorHost(&on_host, type);
    std::vector<unsigned> wanted(kCount);
    curandGenerate(on_device, numbers, kCount);
    curandGenerate(on_host, wanted.data(), kCount);
    check("numbers", fetched(numbers, kCount) == wanted);
    curandGeneratePoisson(on_device, numbers, kCount, 3.0);
    curandGeneratePoisson(on_host, wanted.data(), kCount, 3.0);
    check("Poisson", fetched(numbers, kCount) == wanted);
    curandDestroyGenerator(on_device);
    curandDestroyGenerator(on_host);
  }
}

// Entries come into a list in the order of atomics, and are sorted then.
void reordered_entries(Checks& check) {
  const Matrix<float> m(150, 5, 9, 2);
  const Entries<float, int> from(m, CUSPARSE_FORMAT_CSR, 0), to(m, CUSPARSE_FORMAT_CSC, 0);
  const int count = static_cast<int>(from.values.size());
  OnDevice<int> offsets(from.major), indices(from.minor), column_offsets(m.columns + 1), rows(count);
  OnDevice<float> values(from.values), to_values(count);
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  OnDevice<char> buffer(10000);
  size_t bytes = 0;
  cusparseCsr2cscEx2_bufferSize(handle, m.rows, m.columns, count, values.data(), offsets.data(), indices.data(),
                                to_values.data(), column_offsets.data(), rows.data(), CUDA_R_32F,
                                CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes);
  check("a buffer", bytes > 0 && bytes < 10000);
  cusparseCsr2cscEx2(handle, m.rows, m.columns, count, values.data(), offsets.data(), indices.data(), to_values.data(),
                     column_offsets.data(), rows.data(), CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                     CUSPARSE_CSR2CSC_ALG1, buffer.data());
  check("CSR to CSC",
        column_offsets.values() == to.major && rows.values() == to.minor && to_values.values() == to.values);
  cusparseDestroy(handle);
}

// y = A x and z = Aᵀ x, for the latter of which entries are counted, put into lists and sorted.
void sparse_products(Checks& check) {
  const Matrix<float> m(kSize, kSize, 7, 3);
  SparseOnDevice<float, int> a(m, CUSPARSE_FORMAT_CSR, 0);
  const std::vector<float> x = some_numbers<float>(kSize, 8);
  OnDevice<float> on_x(x), on_y(x);
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  cusparseDnVecDescr_t from, to;
  cusparseCreateDnVec(&from, kSize, on_x.data(), CUDA_R_32F);
  cusparseCreateDnVec(&to, kSize, on_y.data(), CUDA_R_32F);
  const float one = 1, zero = 0;
  for (const auto operation : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseSpMV_bufferSize(handle, operation, &one, a.matrix, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                            &bytes);
    cudaMalloc(&buffer, bytes);
    cusparseSpMV(handle, operation, &one, a.matrix, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    std::vector<float> wanted(kSize);
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j)
        wanted[i] += (operation == CUSPARSE_OPERATION_TRANSPOSE ? m.at(j, i) : m.at(i, j)) * x[j];
    }
    check("SpMV", on_y.values() == wanted);
    cudaFree(buffer);
  }
  cusparseDestroyDnVec(from);
  cusparseDestroyDnVec(to);
  cusparseDestroy(handle);
}

}  // namespace

int main() {
  Checks check;
  algebra(check);
  random_numbers(check);
  sparse_products(check);
  reordered_entries(check);
  return check.end();
}
