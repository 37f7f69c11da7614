// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: a sparse vector and a dense one.
#include "kernels.cuh"

namespace warpfold::sparse {
namespace {

cusparseStatus_t check_vectors(const char* call, cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                               cusparseConstDnVecDescr_t y) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (x == nullptr || y == nullptr || x->size != y->size) return CUSPARSE_STATUS_INVALID_VALUE;
  return x->value_type == y->value_type ? CUSPARSE_STATUS_SUCCESS : not_supported(call, kValueTypes);
}

// f(element of x, element of y at its index) for all of x.
template <class T, class I, class Function>
void for_pairs(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, Function f) {
  const I* const indices = static_cast<const I*>(x->indices);
  T* const sparse = static_cast<T*>(x->values);
  T* const dense = static_cast<T*>(y->values);
  const int64_t base = x->base;
  launch_for_each(handle, x->count, [=] __device__(int64_t i) { f(sparse[i], dense[indices[i] - base]); });
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
    const Factor<T> a(handle, alpha), b(handle, beta);
    T* const all = static_cast<T*>(y->values);
    launch_for_each(handle, y->size, [=] __device__(int64_t i) { all[i] = b() == 0 ? T(0) : b() * all[i]; });
    for_pairs<T, decltype(index)>(handle, x, y,
                                  [=] __device__(T & from, T & to) { to = multiply_add(a(), from, to); });
    return last_status();
  });
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
  const auto status = check_vectors("cusparseGather", handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseGather", x->value_type, x->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    for_pairs<T, decltype(index)>(handle, x, y, [=] __device__(T & sparse, T & dense) { sparse = dense; });
    return last_status();
  });
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
  const auto status = check_vectors("cusparseScatter", handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return with_types("cusparseScatter", x->value_type, x->index_type, [&](auto value, auto index) {
    using T = decltype(value);
    for_pairs<T, decltype(index)>(handle, x, y, [=] __device__(T & sparse, T & dense) { dense = sparse; });
    return last_status();
  });
}

}  // extern "C"
