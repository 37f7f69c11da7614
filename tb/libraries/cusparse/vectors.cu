// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: a sparse vector and a dense one.
#include "kernels.cuh"

namespace warpfold::sparse {

template <class T>
struct Scale {
  Factor<T> beta;
  T* y;
  __device__ void operator()(int64_t i) const { y[i] = beta() == 0 ? T(0) : beta() * y[i]; }
};

// f(element of x, element of y at its index).
template <class T, class I, class Function>
struct OfPair {
  const I* indices;
  int64_t base;
  T *x, *y;
  Function f;
  __device__ void operator()(int64_t i) const { f(x[i], y[indices[i] - base]); }
};

template <class T>
struct Axpy {
  Factor<T> alpha;
  __device__ void operator()(T& x, T& y) const { y = multiply_add(alpha(), x, y); }
};
template <class T>
struct Gather {
  __device__ void operator()(T& x, T& y) const { x = y; }
};
template <class T>
struct Scatter {
  __device__ void operator()(T& x, T& y) const { y = x; }
};

namespace {

cusparseStatus_t check_vectors(const char* call, cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                               cusparseConstDnVecDescr_t y) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (x == nullptr || y == nullptr || x->size != y->size) return CUSPARSE_STATUS_INVALID_VALUE;
  return x->value_type == y->value_type ? CUSPARSE_STATUS_SUCCESS : not_supported(call, kValueTypes);
}

template <class T, class I, class Function>
void for_pairs(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, Function f) {
  launch_for_each(handle, x->count,
                  OfPair<T, I, Function>{static_cast<const I*>(x->indices), x->base, static_cast<T*>(x->values),
                                         static_cast<T*>(y->values), f});
}

}  // namespace
}  // namespace warpfold::sparse

using namespace warpfold::sparse;

extern "C" {

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                               const void* beta, cusparseDnVecDescr_t y) {
  const auto status = check_vectors("cusparseAxpby", handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_types("cusparseAxpby", x->value_type, x->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    launch_for_each(handle, y->size, Scale<T>{{handle, beta}, static_cast<T*>(y->values)});
    for_pairs<T, decltype(index)>(handle, x, y, Axpy<T>{{handle, alpha}});
    return last_status();
  });
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
  const auto status = check_vectors("cusparseGather", handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseGather", x->value_type, x->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    for_pairs<T, decltype(index)>(handle, x, y, Gather<T>{});
    return last_status();
  });
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
  const auto status = check_vectors("cusparseScatter", handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseScatter", x->value_type, x->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    for_pairs<T, decltype(index)>(handle, x, y, Scatter<T>{});
    return last_status();
  });
}

}  // extern "C"
