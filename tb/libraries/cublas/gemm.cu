// SPDX-License-Identifier: Apache-2.0
// cuBLAS: matrix times matrix, one pair or many, and geam, which adds matrices.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <type_traits>

#include "handle.h"

namespace warpfold::blas {

constexpr int kTile = 32;  // a block computes so many rows and columns of C
constexpr int kSide = 16;  // with so many threads along each: two rows and two columns for a thread
constexpr int kThreads = kSide * kSide;
constexpr unsigned kMostLayers = 65535;  // blocks in z; batches beyond are taken in turns

template <class T>
constexpr int kDepth = sizeof(T) > 8 ? 8 : 16;  // of a tile along k: shared memory is small on old GPUs

// A matrix, or one for each batch: by a list of them, or so far from one to the next.
template <class T>
struct Batch {
  T* first;
  T* const* list;
  long long stride;
  __device__ T* operator[](int batch) const { return list != nullptr ? list[batch] : first + batch * stride; }
};

struct Layout {
  int leading;
  bool transposed, conjugated;
};

// As a number of type T.
template <class T, class Stored>
__device__ T element(const Stored* matrix, Layout layout, long long row, long long column) {
  const T value =
      static_cast<T>(matrix[layout.transposed ? column + row * layout.leading : row + column * layout.leading]);
  return layout.conjugated ? conjugate(value) : value;
}

// Part of a factor to shared memory, zero beyond its edge. Neighbouring threads read neighbours in memory: down a
// column as it is stored, which lies along k or across it. `line` is the row of A or the column of B.
template <class T, class At>
__device__ void fill(T (*tile)[kTile + 1], bool along_k, int lines, int k, long long first_line, int first_k, At at) {
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kDepth<T>; i += kThreads) {
    const int line = along_k ? i / kDepth<T> : i % kTile, p = along_k ? i % kDepth<T> : i / kTile;
    const bool inside = first_line + line < lines && first_k + p < k;
    tile[p][line] = inside ? at(first_line + line, first_k + p) : T{};
  }
}

// C = alpha op(A) op(B) + beta C. Each element's products are added as T in the order of k.
template <class T, class In, class Out>
__device__ void add_products(int m, int n, int k, Factor<T> alpha, Batch<const In> all_a, Layout of_a,
                             Batch<const In> all_b, Layout of_b, Factor<T> beta, Batch<Out> all_c, int ldc,
                             int batches) {
  __shared__ T left[kDepth<T>][kTile + 1], right[kDepth<T>][kTile + 1];
  const int across = static_cast<int>(threadIdx.x) % kSide, down = static_cast<int>(threadIdx.x) / kSide;
  const long long first_row = 1ll * blockIdx.x * kTile, first_column = 1ll * blockIdx.y * kTile;
  for (int batch = static_cast<int>(blockIdx.z); batch < batches; batch += static_cast<int>(gridDim.z)) {
    const In *const a = all_a[batch], *const b = all_b[batch];
    T sums[2][2] = {};
    for (int first_k = 0; first_k < k; first_k += kDepth<T>) {
      fill(left, of_a.transposed, m, k, first_row, first_k,
           [&](long long row, int p) { return element<T>(a, of_a, row, p); });
      fill(right, !of_b.transposed, n, k, first_column, first_k,
           [&](long long column, int p) { return element<T>(b, of_b, p, column); });
      __syncthreads();
#pragma unroll
      for (int p = 0; p < kDepth<T>; ++p) {
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 2; ++j) {
            sums[i][j] = multiply_add(left[p][across + i * kSide], right[p][down + j * kSide], sums[i][j]);
          }
        }
      }
      __syncthreads();
    }
    Out* const c = all_c[batch];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const long long row = first_row + across + i * kSide, column = first_column + down + j * kSide;
        if (row >= m || column >= n) continue;
        Out* const to = &c[row + column * ldc];
        *to = static_cast<Out>(scaled_sum(alpha(), sums[i][j], beta(), to));
      }
    }
  }
}
template <class T>
__global__ void gemm(int m, int n, int k, Factor<T> alpha, Batch<const T> a, Layout of_a, Batch<const T> b, Layout of_b,
                     Factor<T> beta, Batch<T> c, int ldc, int batches) {
  add_products(m, n, k, alpha, a, of_a, b, of_b, beta, c, ldc, batches);
}
template <class T, class In, class Out>
__global__ void mixed_gemm(int m, int n, int k, Factor<T> alpha, Batch<const In> a, Layout of_a, Batch<const In> b,
                           Layout of_b, Factor<T> beta, Batch<Out> c, int ldc, int batches) {
  add_products(m, n, k, alpha, a, of_a, b, of_b, beta, c, ldc, batches);
}

// C = alpha op(A) + beta op(B); a matrix whose factor is zero is not read.
template <class T>
struct Geam {
  int rows;
  Factor<T> alpha, beta;
  const T *a, *b;
  Layout of_a, of_b;
  T* c;
  int ldc;
  __device__ void operator()(unsigned long long i) const {
    const long long row = i % rows, column = i / rows;
    const T p = alpha(), q = beta();
    T s = {};
    if (!is_zero(p)) s = product(p, element<T>(a, of_a, row, column));
    if (!is_zero(q)) s = multiply_add(q, element<T>(b, of_b, row, column), s);
    c[row + column * ldc] = s;
  }
};

namespace {

// Whether a matrix of so many rows and columns, once the operation is done, fits its leading dimension.
bool fits(cublasOperation_t operation, int rows, int columns, int leading) {
  const int stored = operation == CUBLAS_OP_N ? rows : columns;
  return leading >= (stored > 1 ? stored : 1);
}

Layout layout(cublasOperation_t operation, int leading) {
  return {leading, operation != CUBLAS_OP_N, operation == CUBLAS_OP_C};
}

struct Shape {
  cublasOperation_t of_a, of_b;
  int m, n, k;
};

template <class T, class In, class Out>
auto kernel_for() {
  if constexpr (std::is_same_v<T, In> && std::is_same_v<T, Out>) {
    return gemm<T>;
  } else {
    return mixed_gemm<T, In, Out>;
  }
}

template <class T, class In = T, class Out = T>
cublasStatus_t multiply(cublasHandle_t handle, const Shape& shape, const T* alpha, Batch<const In> a, int lda,
                        Batch<const In> b, int ldb, const T* beta, Batch<Out> c, int ldc, int batches) {
  const auto& [of_a, of_b, m, n, k] = shape;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(of_a) || !is_operation(of_b) || m < 0 || n < 0 || k < 0 || batches < 0 || alpha == nullptr ||
      beta == nullptr || !fits(of_a, m, k, lda) || !fits(of_b, k, n, ldb) || !fits(CUBLAS_OP_N, m, n, ldc)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  const dim3 grid(blocks_for(m, kTile, ~0u), blocks_for(n, kTile, ~0u), blocks_for(batches, 1, kMostLayers));
  return launch(handle, kernel_for<T, In, Out>(), grid, dim3(kThreads), m, n, k, factor(handle, alpha), a,
                layout(of_a, lda), b, layout(of_b, ldb), factor(handle, beta), c, ldc, batches);
}

// A matrix, or one for each batch, whose type is only known in the run.
struct Operand {
  const void* first;
  const void* const* list;
  long long stride;
  int leading;
  cudaDataType type;
  template <class T>
  Batch<T> of() const {
    return {static_cast<T*>(const_cast<void*>(first)), reinterpret_cast<T* const*>(const_cast<void* const*>(list)),
            stride};
  }
};

template <class T, class In, class Out>
cublasStatus_t multiply_as(cublasHandle_t handle, const Shape& shape, const void* alpha, const Operand& a,
                           const Operand& b, const void* beta, const Operand& c, int batches) {
  return multiply(handle, shape, static_cast<const T*>(alpha), a.of<const In>(), a.leading, b.of<const In>(), b.leading,
                  static_cast<const T*>(beta), c.of<Out>(), c.leading, batches);
}

struct Form {
  cublasComputeType_t compute;
  cudaDataType in, out;
  decltype(&multiply_as<float, float, float>) multiply;
};
constexpr Form kForms[] = {
    {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, multiply_as<__half, __half, __half>},
    {CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I, multiply_as<int, signed char, int>},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, multiply_as<float, __half, __half>},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, multiply_as<float, __half, float>},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, multiply_as<float, __nv_bfloat16, __nv_bfloat16>},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, multiply_as<float, __nv_bfloat16, float>},
    {CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, multiply_as<float, signed char, float>},
    {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, multiply_as<float, float, float>},
    {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, multiply_as<Complex<float>, Complex<float>, Complex<float>>},
    {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, multiply_as<double, double, double>},
    {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, multiply_as<Complex<double>, Complex<double>, Complex<double>>},
};

// Programs before CUDA 11 give a type of numbers; none of them is a cublasComputeType_t.
cublasComputeType_t plain(cublasComputeType_t compute) {
  switch (static_cast<int>(compute)) {
    case CUBLAS_COMPUTE_16F_PEDANTIC:
    case CUDA_R_16F:
      return CUBLAS_COMPUTE_16F;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUDA_R_32F:
    case CUDA_C_32F:
      return CUBLAS_COMPUTE_32F;
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUDA_R_64F:
    case CUDA_C_64F:
      return CUBLAS_COMPUTE_64F;
    case CUBLAS_COMPUTE_32I_PEDANTIC:
    case CUDA_R_32I:
      return CUBLAS_COMPUTE_32I;
    default:
      return compute;
  }
}

cublasStatus_t multiply_mixed(const char* call, cublasHandle_t handle, const Shape& shape, const void* alpha,
                              const Operand& a, const Operand& b, const void* beta, const Operand& c, int batches,
                              cublasComputeType_t compute) {
  const auto* const form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& one) {
    return one.compute == plain(compute) && one.in == a.type && one.in == b.type && one.out == c.type;
  });
  if (form != std::end(kForms)) return form->multiply(handle, shape, alpha, a, b, beta, c, batches);
  std::fprintf(stderr, "warpfold: warning: %s: no product of types %d and %d to type %d in compute type %d\n", call,
               a.type, b.type, c.type, compute);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, const T* alpha,
                    const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(of_a) || !is_operation(of_b) || m < 0 || n < 0 || alpha == nullptr || beta == nullptr ||
      !fits(of_a, m, n, lda) || !fits(of_b, m, n, ldb) || !fits(CUBLAS_OP_N, m, n, ldc)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(
      handle, 1ull * m * n,
      Geam<T>{m, factor(handle, alpha), factor(handle, beta), a, b, layout(of_a, lda), layout(of_b, ldb), c, ldc});
}

}  // namespace
}  // namespace warpfold::blas

namespace blas = warpfold::blas;
using blas::as;

extern "C" {

#define PRODUCTS(P, S, T)                                                                                              \
  cublasStatus_t cublas##P##gemm##S(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,      \
                                    int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb,            \
                                    const T* beta, T* c, int ldc) {                                                    \
    return blas::multiply(handle, {of_a, of_b, m, n, k}, as(alpha), {as(a), nullptr, 0}, lda, {as(b), nullptr, 0},     \
                          ldb, as(beta), {as(c), nullptr, 0}, ldc, 1);                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,  \
                                        int n, int k, const T* alpha, const T* const a[], int lda, const T* const b[], \
                                        int ldb, const T* beta, T* const c[], int ldc, int batches) {                  \
    return blas::multiply(handle, {of_a, of_b, m, n, k}, as(alpha), {nullptr, as(a), 0}, lda, {nullptr, as(b), 0},     \
                          ldb, as(beta), {nullptr, as(c), 0}, ldc, batches);                                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,  \
                                               int m, int n, int k, const T* alpha, const T* a, int lda,               \
                                               long long stride_a, const T* b, int ldb, long long stride_b,            \
                                               const T* beta, T* c, int ldc, long long stride_c, int batches) {        \
    return blas::multiply(handle, {of_a, of_b, m, n, k}, as(alpha), {as(a), nullptr, stride_a}, lda,                   \
                          {as(b), nullptr, stride_b}, ldb, as(beta), {as(c), nullptr, stride_c}, ldc, batches);        \
  }
#define SUMS(P, T)                                                                                                    \
  cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,       \
                                 int ldc) {                                                                           \
    return blas::geam(handle, of_a, of_b, m, n, as(alpha), as(a), lda, as(beta), as(b), ldb, as(c), ldc);             \
  }
PRODUCTS(H, , __half)
PRODUCTS(S, _v2, float)
PRODUCTS(D, _v2, double)
PRODUCTS(C, _v2, cuComplex)
PRODUCTS(Z, _v2, cuDoubleComplex)
SUMS(S, float)
SUMS(D, double)
SUMS(C, cuComplex)
SUMS(Z, cuDoubleComplex)
#undef PRODUCTS
#undef SUMS

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return blas::multiply_mixed("cublasGemmEx", handle, {of_a, of_b, m, n, k}, alpha, {a, nullptr, 0, lda, type_a},
                              {b, nullptr, 0, ldb, type_b}, beta, {c, nullptr, 0, ldc, type_c}, 1, compute);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                                   int k, const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta,
                                   void* const c[], cudaDataType type_c, int ldc, int batches,
                                   cublasComputeType_t compute, cublasGemmAlgo_t) {
  return blas::multiply_mixed("cublasGemmBatchedEx", handle, {of_a, of_b, m, n, k}, alpha, {nullptr, a, 0, lda, type_a},
                              {nullptr, b, 0, ldb, type_b}, beta, {nullptr, c, 0, ldc, type_c}, batches, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          long long stride_a, const void* b, cudaDataType type_b, int ldb,
                                          long long stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batches, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  return blas::multiply_mixed("cublasGemmStridedBatchedEx", handle, {of_a, of_b, m, n, k}, alpha,
                              {a, nullptr, stride_a, lda, type_a}, {b, nullptr, stride_b, ldb, type_b}, beta,
                              {c, nullptr, stride_c, ldc, type_c}, batches, compute);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
  return blas::multiply_mixed("cublasSgemmEx", handle, {of_a, of_b, m, n, k}, alpha, {a, nullptr, 0, lda, type_a},
                              {b, nullptr, 0, ldb, type_b}, beta, {c, nullptr, 0, ldc, type_c}, 1, CUBLAS_COMPUTE_32F);
}

}  // extern "C"
