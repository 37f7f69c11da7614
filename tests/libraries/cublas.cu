// SPDX-License-Identifier: Apache-2.0
// cuBLAS: every operation, sizes around a tile's, leading dimensions, steps in both directions, and what is refused.
#include <cmath>
#include <limits>
#include <string>

#include "blas_reference.h"
#include "checks.h"

namespace {

constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

cublasHandle_t handle;

template <class T>
bool gemm_is_right(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, T alpha, T beta) {
  const int lda = (of_a == CUBLAS_OP_N ? m : k) + 2, ldb = (of_b == CUBLAS_OP_N ? k : n) + 1, ldc = m + 3;
  const std::vector<T> a = some<T>(lda * (of_a == CUBLAS_OP_N ? k : m) + 1, 1);
  const std::vector<T> b = some<T>(ldb * (of_b == CUBLAS_OP_N ? n : k) + 1, 2);
  std::vector<T> c = some<T>(ldc * n, 3);
  // What beta cancels is not read.
  if (beta == T{}) {
    for (int column = 0; column < n; ++column) c[column * ldc] = std::numeric_limits<float>::quiet_NaN();
  }
  OnDevice<T> on_a(a), on_b(b), on_c(c);
  const cublasStatus_t status =
      gemm(handle, of_a, of_b, m, n, k, &alpha, on_a.data(), lda, on_b.data(), ldb, &beta, on_c.data(), ldc);
  reference_gemm(of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return status == CUBLAS_STATUS_SUCCESS && on_c.values() == c;
}

template <class T>
void products(Checks& check, const char* type) {
  const T one = 1, two = Number<T>::make(2, 1), less = Number<T>::make(-3, 2), zero{};
  for (const cublasOperation_t of_a : kOperations) {
    for (const cublasOperation_t of_b : kOperations) {
      const std::string name = std::string(type) + " gemm " + std::to_string(of_a) + std::to_string(of_b);
      check(name.c_str(),
            gemm_is_right<T>(of_a, of_b, 5, 35, 3, one, zero) && gemm_is_right<T>(of_a, of_b, 34, 7, 37, two, less));
    }
  }
  check("gemm of no products", gemm_is_right<T>(CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 0, one, two));
  check("gemm of alpha 0", gemm_is_right<T>(CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 3, zero, two));
}

// The order of a sum is that of k, each product fused.
void order_of_sums(Checks& check) {
  constexpr int kSize = 20;
  std::vector<float> a(kSize * kSize), b(kSize * kSize), c(kSize * kSize), wanted(kSize * kSize);
  for (int i = 0; i < kSize * kSize; ++i) a[i] = 1 / (1.0f + i), b[i] = std::sqrt(2.0f + i);
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      float sum = 0;
      for (int k = 0; k < kSize; ++k) sum = std::fma(a[row + k * kSize], b[k + column * kSize], sum);
      wanted[row + column * kSize] = sum;
    }
  }
  const float one = 1, zero = 0;
  OnDevice<float> on_a(a), on_b(b), on_c(c);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, on_a.data(), kSize, on_b.data(), kSize,
              &zero, on_c.data(), kSize);
  check("the order of sums", on_c.values() == wanted);
}

void batches(Checks& check) {
  constexpr int kBatches = 3, kSize = 4, kStride = 20;
  const std::vector<double> a = some<double>(kBatches * kStride, 4), b = some<double>(kBatches * kStride, 5);
  std::vector<double> wanted(kBatches * kStride);
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto part = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + batch * kStride, all.begin() + (batch + 1) * kStride);
    };
    std::vector<double> c(kStride);
    reference_gemm(CUBLAS_OP_N, CUBLAS_OP_T, kSize, kSize, kSize, 2.0, part(a), kSize, part(b), kSize, 0.0, c, kSize);
    std::copy(c.begin(), c.end(), wanted.begin() + batch * kStride);
  }
  OnDevice<double> on_a(a), on_b(b), c(std::vector<double>(kBatches * kStride)),
      d(std::vector<double>(kBatches * kStride));
  std::vector<double*> list_a, list_b, list_d;
  for (int batch = 0; batch < kBatches; ++batch) {
    list_a.push_back(on_a.data() + batch * kStride);
    list_b.push_back(on_b.data() + batch * kStride);
    list_d.push_back(d.data() + batch * kStride);
  }
  OnDevice<double*> on_list_a(list_a), on_list_b(list_b), on_list_d(list_d);
  const double two = 2, zero = 0;
  cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, kSize, kSize, kSize, &two, on_a.data(), kSize, kStride,
                            on_b.data(), kSize, kStride, &zero, c.data(), kSize, kStride, kBatches);
  cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, kSize, kSize, kSize, &two, on_list_a.data(), kSize,
                     on_list_b.data(), kSize, &zero, on_list_d.data(), kSize, kBatches);
  check("gemmStridedBatched", c.values() == wanted);
  check("gemmBatched", d.values() == wanted);
}

// Products of matrices whose numbers are small and whole, in each pair of types, are exact.
template <class In, class Out, class Factor>
bool mixed_is_right(cudaDataType in, cudaDataType out, cublasComputeType_t compute, int batches) {
  const int m = 35, n = 9, k = 18, lda = k + 1, ldb = k, ldc = m + 2;
  const size_t stride_a = lda * m, stride_b = ldb * n, stride_c = ldc * n;
  const std::vector<float> a = some<float>(batches * stride_a, 12), b = some<float>(batches * stride_b, 13);
  std::vector<float> c = some<float>(batches * stride_c, 14);
  const auto converted = [](const std::vector<float>& from, auto like) {
    std::vector<decltype(like)> to;
    for (float one : from) to.push_back(decltype(like)(one));
    return to;
  };
  OnDevice<In> on_a(converted(a, In{})), on_b(converted(b, In{}));
  OnDevice<Out> on_c(converted(c, Out{}));
  const Factor alpha = Factor(2.0f), beta = Factor(-1.0f);
  const cublasStatus_t status =
      batches == 1 ? cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, on_a.data(), in, lda, on_b.data(),
                                  in, ldb, &beta, on_c.data(), out, ldc, compute, CUBLAS_GEMM_DEFAULT)
                   : cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, on_a.data(), in, lda,
                                                stride_a, on_b.data(), in, ldb, stride_b, &beta, on_c.data(), out, ldc,
                                                stride_c, batches, compute, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  bool right = status == CUBLAS_STATUS_SUCCESS;
  const std::vector<Out> found = on_c.values();
  for (int batch = 0; batch < batches; ++batch) {
    const auto part = [&](const std::vector<float>& all, size_t size) {
      return std::vector<float>(all.begin() + batch * size, all.begin() + (batch + 1) * size);
    };
    std::vector<float> wanted = part(c, stride_c);
    reference_gemm(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, 2.0f, part(a, stride_a), lda, part(b, stride_b), ldb, -1.0f,
                   wanted, ldc);
    // A bfloat16 has 8 bits, which the result is rounded to once.
    for (size_t i = 0; i < stride_c; ++i) right = right && float(found[batch * stride_c + i]) == float(Out(wanted[i]));
  }
  return right;
}

void mixed_products(Checks& check) {
  using Bf16 = __nv_bfloat16;
  check("16F", mixed_is_right<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 1));
  check("16F in 32F", mixed_is_right<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 3));
  check("16F to 32F", mixed_is_right<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F, 1));
  check("16BF", mixed_is_right<Bf16, Bf16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2));
  check("16BF to 32F", mixed_is_right<Bf16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1));
  check("8I to 32F", mixed_is_right<signed char, float, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1));
  check("8I", mixed_is_right<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 2));
  check("32F", mixed_is_right<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, 2));
  check("64F", mixed_is_right<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 1));

  // By the type's own call, by lists, and with what is computed as before CUDA 11. Halves are added in halves: 2048 and
  // 1 are 2048, and the next even number above 2049 is 2050.
  const std::vector<__half> values = {__half(2048.0f), __half(1.0f), __half(1.0f)}, ones(3, __half(1.0f));
  const __half one(1.0f), zero(0.0f);
  OnDevice<__half> x(values), y(ones), z(std::vector<__half>(2, zero));
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 3, &one, x.data(), 1, y.data(), 3, &zero, z.data(), 1);
  check("Hgemm", float(z.values()[0]) == 2048);
  OnDevice<void*> of_x(std::vector<void*>{x.data()}), of_y(std::vector<void*>{y.data()}),
      of_z(std::vector<void*>{z.data() + 1});
  const float whole = 1, none = 0;
  check("BatchedEx", cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 3, &whole, of_x.data(), CUDA_R_16F, 1,
                                         of_y.data(), CUDA_R_16F, 3, &none, of_z.data(), CUDA_R_16F, 1, 1, CUDA_R_32F,
                                         CUBLAS_GEMM_ALGO3) == CUBLAS_STATUS_SUCCESS &&
                         float(z.values()[1]) == 2050);
  OnDevice<float> sum(std::vector<float>{7});
  cublasSgemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 3, &whole, x.data(), CUDA_R_16F, 1, y.data(), CUDA_R_16F, 3,
                &whole, sum.data(), CUDA_R_32F, 1);
  check("SgemmEx", sum.values()[0] == 2057);
  check("no such form", cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &whole, x.data(), CUDA_R_16F, 1,
                                     y.data(), CUDA_R_16F, 1, &none, z.data(), CUDA_R_64F, 1, CUBLAS_COMPUTE_64F,
                                     CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

template <class T>
void matrix_and_vector(Checks& check) {
  const int m = 140, n = 131, lda = 150;
  const std::vector<T> a = some<T>(lda * n, 6);
  const T alpha = Number<T>::make(2, -1), beta = Number<T>::make(-1, 3);
  for (const cublasOperation_t operation : kOperations) {
    const int rows = operation == CUBLAS_OP_N ? m : n, columns = operation == CUBLAS_OP_N ? n : m;
    const int incx = -2, incy = 3;
    const std::vector<T> x = some<T>(2 * columns, 7);
    std::vector<T> y = some<T>(3 * rows, 8);
    OnDevice<T> on_a(a), on_x(x), on_y(y);
    gemv(handle, operation, m, n, &alpha, on_a.data(), lda, on_x.data(), incx, &beta, on_y.data(), incy);
    for (int row = 0; row < rows; ++row) {
      T sum{};
      for (int i = 0; i < columns; ++i) sum += element(a, lda, operation, row, i) * x[place(i, columns, incx)];
      T& to = y[place(row, rows, incy)];
      to = alpha * sum + beta * to;
    }
    check("gemv", on_y.values() == y);

    std::vector<T> sums(rows * columns), old = some<T>(rows * columns, 9);
    OnDevice<T> on_sums(old);
    geam(handle, operation, CUBLAS_OP_N, rows, columns, &alpha, on_a.data(), lda, &beta, on_sums.data(), rows,
         on_sums.data(), rows);
    for (int i = 0; i < rows * columns; ++i) {
      sums[i] = alpha * element(a, lda, operation, i % rows, i / rows) + beta * old[i];
    }
    check("geam", on_sums.values() == sums);
  }
}

template <class T>
void vectors(Checks& check) {
  const int n = 300;
  const T alpha = Number<T>::make(3, -2);
  std::vector<T> x = some<T>(2 * n, 10), y = some<T>(3 * n, 11);
  OnDevice<T> on_x(x), on_y(y);
  const auto px = [](int i) { return place(i, n, -2); };
  const auto py = [](int i) { return place(i, n, 3); };
  axpy(handle, n, &alpha, on_x.data(), -2, on_y.data(), 3);
  for (int i = 0; i < n; ++i) y[py(i)] += alpha * x[px(i)];
  check("axpy", on_y.values() == y);
  scal(handle, n, &alpha, on_x.data(), 2);
  for (int i = 0; i < n; ++i) x[2 * i] *= alpha;
  check("scal", on_x.values() == x);
  T result{}, wanted{};
  dot(handle, n, on_x.data(), -2, on_y.data(), 3, &result);
  for (int i = 0; i < n; ++i) wanted += Number<T>::conjugate(x[px(i)]) * y[py(i)];
  check("dot", result == wanted);
  swap(handle, n, on_x.data(), -2, on_y.data(), 3);
  for (int i = 0; i < n; ++i) std::swap(x[px(i)], y[py(i)]);
  check("swap", on_x.values() == x && on_y.values() == y);
  copy(handle, n, on_x.data(), -2, on_y.data(), 3);
  for (int i = 0; i < n; ++i) y[py(i)] = x[px(i)];
  check("copy", on_y.values() == y);
}

// Vectors whose type is told, computed as `Number`s: each value is rounded once. Whole numbers as large are exact.
template <class Number, class In>
void typed_vectors(Checks& check, cudaDataType type, cudaDataType compute) {
  const int n = 40;
  const std::vector<float> x = some<float>(2 * n, 15);
  std::vector<float> y = some<float>(n, 16);
  const auto converted = [](const std::vector<float>& from) { return std::vector<In>(from.begin(), from.end()); };
  OnDevice<In> on_x(converted(x)), on_y(converted(y));
  const Number alpha(3);
  float products = 0, squares = 0;
  bool right = cublasAxpyEx(handle, n, &alpha, compute, on_x.data(), type, -2, on_y.data(), type, 1, compute) ==
               CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < n; ++i) y[i] += 3 * x[place(i, n, -2)];
  right = right && cublasScalEx(handle, n, &alpha, compute, on_y.data(), type, 1, compute) == CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < n; ++i) y[i] *= 3, products += x[2 * i] * y[i], squares += y[i] * y[i];
  const std::vector<In> scaled = on_y.values();
  for (int i = 0; i < n; ++i) right = right && scaled[i] == In(y[i]);
  check("AxpyEx and ScalEx", right);
  In sum(0.0f), conjugated(0.0f), size(0.0f);
  right = cublasDotEx(handle, n, on_x.data(), type, 2, on_y.data(), type, 1, &sum, type, compute) ==
              CUBLAS_STATUS_SUCCESS &&
          cublasDotcEx(handle, n, on_x.data(), type, 2, on_y.data(), type, 1, &conjugated, type, compute) ==
              CUBLAS_STATUS_SUCCESS;
  check("DotEx", right && sum == In(products) && conjugated == sum);
  right = cublasNrm2Ex(handle, n, on_y.data(), type, 1, &size, type, compute) == CUBLAS_STATUS_SUCCESS;
  check("Nrm2Ex", right && std::fabs(float(size) / std::sqrt(squares) - 1) < (sizeof(In) > 2 ? 1e-6f : 0.004f));
}

void typed_complex_vectors(Checks& check) {
  using Complex = std::complex<double>;
  OnDevice<Complex> x({{1, 2}, {0, -3}}), y({{3, -1}, {2, 5}});
  Complex sum, conjugated;
  double size = 0;
  cublasDotEx(handle, 2, x.data(), CUDA_C_64F, 1, y.data(), CUDA_C_64F, 1, &sum, CUDA_C_64F, CUDA_C_64F);
  cublasDotcEx(handle, 2, x.data(), CUDA_C_64F, 1, y.data(), CUDA_C_64F, 1, &conjugated, CUDA_C_64F, CUDA_C_64F);
  check("DotEx of complex numbers", sum == Complex(20, -1) && conjugated == Complex(-14, -1));
  const cublasStatus_t status = cublasNrm2Ex(handle, 2, x.data(), CUDA_C_64F, 1, &size, CUDA_R_64F, CUDA_R_64F);
  check("Nrm2Ex of complex numbers", status == CUBLAS_STATUS_SUCCESS && std::fabs(size - std::sqrt(14.0)) < 1e-14);
  check("no such form", cublasDotEx(handle, 2, x.data(), CUDA_C_64F, 1, y.data(), CUDA_R_64F, 1, &sum, CUDA_C_64F,
                                    CUDA_C_64F) == CUBLAS_STATUS_NOT_SUPPORTED &&
                            cublasNrm2Ex(handle, 2, x.data(), CUDA_C_64F, 1, &size, CUDA_R_32F, CUDA_R_64F) ==
                                CUBLAS_STATUS_NOT_SUPPORTED);
}

// Of one block, and of many.
void sizes(Checks& check) {
  for (const int n : {1, 1000, 70000}) {
    std::vector<double> x(n, 1.0);
    x[n / 2] = -3, x[n - 1] = n == 1 ? 0.25 : -3;
    if (n > 1) x[n / 3] = 0.5, x[n / 3 + 1] = -0.5;
    double wanted = 0, squares = 0;
    for (const double v : x) wanted += std::fabs(v), squares += v * v;
    OnDevice<double> on(x);
    double sum = 0, norm = 0, product = 0;
    int most = 0, least = 0;
    cublasDasum(handle, n, on.data(), 1, &sum);
    cublasDnrm2(handle, n, on.data(), 1, &norm);
    cublasDdot(handle, n, on.data(), 1, on.data(), 1, &product);
    cublasIdamax(handle, n, on.data(), 1, &most);
    cublasIdamin(handle, n, on.data(), 1, &least);
    check("asum", sum == wanted);
    check("nrm2", std::fabs(norm - std::sqrt(squares)) <= 1e-15 * norm);
    check("dot of many", product == squares);
    check("amax, the first", most == n / 2 + 1);
    check("amin, the first", least == n / 3 + 1);
  }
  for (const double size : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    OnDevice<double> on({3 * size, -4 * size});
    double norm = 0;
    cublasDnrm2(handle, 2, on.data(), 1, &norm);
    check("nrm2 of any size", std::fabs(norm / size - 5) < 1e-14);
  }
  OnDevice<float> on({3e30f, 4e30f});
  float norm = 0;
  cublasScnrm2(handle, 1, reinterpret_cast<cuComplex*>(on.data()), 1, &norm);
  check("nrm2 of a complex number", std::fabs(norm / 5e30f - 1) < 1e-6f);
  norm = 1;
  check("nrm2 of nothing", cublasSnrm2(handle, 0, on.data(), 1, &norm) == CUBLAS_STATUS_SUCCESS && norm == 0);
}

void pointers_on_device(Checks& check) {
  OnDevice<float> x({1, 2, 3}), y({10, 20, 30}), factors({2, -1});
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasSaxpy(handle, 3, factors.data(), x.data(), 1, y.data(), 1);
  check("factors on the device", y.values() == std::vector<float>({12, 24, 36}));
  cublasSdot(handle, 3, x.data(), 1, y.data(), 1, factors.data());
  check("results on the device", factors.values()[0] == 12 + 48 + 108);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
}

void copies_between(Checks& check) {
  const std::vector<float> host = {1, 2, 3, 4, 5, 6};
  OnDevice<float> device(std::vector<float>(9));
  cublasSetMatrix(2, 2, sizeof(float), host.data(), 3, device.data(), 4);
  check("SetMatrix", device.values() == std::vector<float>({1, 2, 0, 0, 4, 5, 0, 0, 0}));
  std::vector<float> back(6);
  cublasGetVector(3, sizeof(float), device.data(), 4, back.data(), 2);
  check("GetVector", back == std::vector<float>({1, 0, 4, 0, 0, 0}));
}

void refusals(Checks& check) {
  const float one = 1;
  OnDevice<float> x(std::vector<float>(16, 1.0f));
  float* const p = x.data();
  const auto refused = [&](cublasStatus_t status) { return status == CUBLAS_STATUS_INVALID_VALUE; };
  constexpr auto kN = CUBLAS_OP_N;
  check("m", refused(cublasSgemm(handle, kN, kN, -1, 2, 2, &one, p, 2, p, 2, &one, p, 2)));
  check("lda", refused(cublasSgemm(handle, kN, kN, 2, 2, 2, &one, p, 1, p, 2, &one, p, 2)));
  check("ldb", refused(cublasSgemm(handle, kN, CUBLAS_OP_T, 1, 3, 2, &one, p, 2, p, 2, &one, p, 2)));
  check("ldc", refused(cublasSgemm(handle, kN, kN, 2, 2, 2, &one, p, 2, p, 2, &one, p, 1)));
  check("alpha", refused(cublasSgemm(handle, kN, kN, 2, 2, 2, nullptr, p, 2, p, 2, &one, p, 2)));
  check("operation",
        refused(cublasSgemv(handle, static_cast<cublasOperation_t>(7), 2, 2, &one, p, 2, p, 1, &one, p, 1)));
  check("step", refused(cublasSgemv(handle, kN, 2, 2, &one, p, 2, p, 0, &one, p, 1)));
  check("bytes", refused(cublasSetVector(2, 0, &one, 1, p, 1)));
  check("handle", cublasSscal(nullptr, 2, &one, p, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
  check("untouched", x.values() == std::vector<float>(16, 1.0f));
  check("names", std::string(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE)) == "CUBLAS_STATUS_INVALID_VALUE");
}

}  // namespace

int main() {
  Checks check;
  check("create", cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  products<float>(check, "S");
  products<double>(check, "D");
  products<std::complex<float>>(check, "C");
  products<std::complex<double>>(check, "Z");
  order_of_sums(check);
  batches(check);
  mixed_products(check);
  matrix_and_vector<double>(check);
  matrix_and_vector<std::complex<float>>(check);
  vectors<float>(check);
  vectors<double>(check);
  vectors<std::complex<float>>(check);
  vectors<std::complex<double>>(check);
  typed_vectors<float, __half>(check, CUDA_R_16F, CUDA_R_32F);
  typed_vectors<float, __nv_bfloat16>(check, CUDA_R_16BF, CUDA_R_32F);
  typed_vectors<float, float>(check, CUDA_R_32F, CUDA_R_32F);
  typed_vectors<double, double>(check, CUDA_R_64F, CUDA_R_64F);
  typed_complex_vectors(check);
  sizes(check);
  pointers_on_device(check);
  copies_between(check);
  refusals(check);
  check("destroy", cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
  return check.end();
}
