// SPDX-License-Identifier: Apache-2.0
// Dense matrices as kernels see them.
#pragma once

#include "descriptors.h"

namespace warpfold::sparse {

// A dense matrix, or its transpose: where element (i, j) is.
template <class T>
struct Dense {
  T* values;
  int64_t down, right;
  Dense(cusparseConstDnMatDescr_t matrix, bool transposed) : values(static_cast<T*>(matrix->values)) {
    const bool by_columns = (matrix->order == CUSPARSE_ORDER_COL) != transposed;
    down = by_columns ? 1 : matrix->leading;
    right = by_columns ? matrix->leading : 1;
  }
  __device__ T& operator()(int64_t i, int64_t j) const { return values[i * down + j * right]; }
};

}  // namespace warpfold::sparse
