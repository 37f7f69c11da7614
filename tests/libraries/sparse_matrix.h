// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of small whole numbers, in every format, for the programs about cuSPARSE.
#pragma once

#include <cusparse.h>

#include <vector>

#include "on_device.h"

template <class T>
constexpr cudaDataType kValueType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
template <class I>
constexpr cusparseIndexType_t kIndexType = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

// Whole numbers from -4 to 4; one of `sparsity` is not 0.
template <class T>
std::vector<T> some_numbers(int count, unsigned seed, unsigned sparsity = 1) {
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    seed = seed * 1664525 + 1013904223;
    const unsigned drawn = seed >> 8;
    number = drawn / 9 % sparsity == 0 ? static_cast<T>(static_cast<int>(drawn % 9) - 4) : T(0);
  }
  return numbers;
}

// By rows.
template <class T>
struct Matrix {
  int rows, columns;
  std::vector<T> all;
  Matrix(int r, int c, unsigned seed, unsigned sparsity)
      : rows(r), columns(c), all(some_numbers<T>(r * c, seed, sparsity)) {}
  T at(int i, int j) const { return all[i * columns + j]; }
};

// Its entries that are not 0, as a format has them.
template <class T, class I>
struct Entries {
  std::vector<I> major, minor;
  std::vector<T> values;
  Entries(const Matrix<T>& m, cusparseFormat_t format, int base) {
    const bool by_columns = format == CUSPARSE_FORMAT_CSC, is_coo = format == CUSPARSE_FORMAT_COO;
    const int lists = by_columns ? m.columns : m.rows, length = by_columns ? m.rows : m.columns;
    if (!is_coo) major.push_back(base);
    for (int i = 0; i < lists; ++i) {
      for (int j = 0; j < length; ++j) {
        const T value = by_columns ? m.at(j, i) : m.at(i, j);
        if (value == 0) continue;
        if (is_coo) major.push_back(i + base);
        minor.push_back(j + base);
        values.push_back(value);
      }
      if (!is_coo) major.push_back(static_cast<I>(values.size()) + base);
    }
  }
  bool operator==(const Entries& other) const {
    return major == other.major && minor == other.minor && values == other.values;
  }
};

// On the device, with its descriptor.
template <class T, class I>
struct SparseOnDevice {
  Entries<T, I> entries;
  OnDevice<I> major, minor;
  OnDevice<T> values;
  cusparseSpMatDescr_t matrix = nullptr;
  SparseOnDevice(const Matrix<T>& m, cusparseFormat_t format, int base)
      : entries(m, format, base), major(entries.major), minor(entries.minor), values(entries.values) {
    const int64_t count = static_cast<int64_t>(entries.values.size());
    const auto index_base = static_cast<cusparseIndexBase_t>(base);
    if (format == CUSPARSE_FORMAT_COO) {
      cusparseCreateCoo(&matrix, m.rows, m.columns, count, major.data(), minor.data(), values.data(), kIndexType<I>,
                        index_base, kValueType<T>);
    } else {
      const auto create = format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc;
      create(&matrix, m.rows, m.columns, count, major.data(), minor.data(), values.data(), kIndexType<I>, kIndexType<I>,
             index_base, kValueType<T>);
    }
  }
  ~SparseOnDevice() { cusparseDestroySpMat(matrix); }
};

constexpr cusparseFormat_t kFormats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
