// SPDX-License-Identifier: Apache-2.0
// What cuSPARSE's kernels share. All that is added is added in an order that only the numbers of entries decide.
#pragma once

#include "descriptors.h"

namespace warpfold::sparse {

constexpr unsigned kThreads = 256, kMostBlocks = 1024;

__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }

// A factor that the program passes by value or leaves on the device.
template <class T>
struct Factor {
  T value;
  const T* pointer;
  Factor(cusparseHandle_t handle, const void* given) : value(), pointer(nullptr) {
    if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
      pointer = static_cast<const T*>(given);
    } else {
      value = *static_cast<const T*>(given);
    }
  }
  __device__ T operator()() const { return pointer != nullptr ? *pointer : value; }
};

// alpha s + beta y, where a y that beta cancels is not read.
template <class T>
__device__ void put_scaled(T alpha, T s, T beta, T* y) {
  *y = beta == 0 ? alpha * s : multiply_add(alpha, s, beta * *y);
}

// f(i) for every i below n.
template <class Function>
__global__ void for_each(int64_t n, Function f) {
  const int64_t all = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) f(i);
}
template <class Function>
void launch_for_each(cusparseHandle_t handle, int64_t n, Function f) {
  if (n <= 0) return;
  const int64_t blocks = (n + kThreads - 1) / kThreads;
  for_each < <<blocks<kMostBlocks ? static_cast<unsigned>(blocks) : kMostBlocks, kThreads, 0, handle->stream>>>(n, f);
}

// How many of the ascending numbers are below `limit`.
template <class I>
__device__ int64_t count_below(const I* numbers, int64_t count, int64_t limit) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (numbers[middle] < limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Of `lists` + 1 lists, where the entries of each begin, from indices in ascending order; `base` is that of both.
template <class I>
struct OffsetsFromIndices {
  const I* indices;
  int64_t count, base;
  I* starts;
  __device__ void operator()(int64_t i) const {
    starts[i] = static_cast<I>(count_below(indices, count, i + base) + base);
  }
};
template <class I>
void offsets_from_indices(cusparseHandle_t handle, const I* indices, int64_t count, int64_t lists, I* starts,
                          int64_t base) {
  launch_for_each(handle, lists + 1, OffsetsFromIndices<I>{indices, count, base, starts});
}

// The index of each entry's list; `base` is that of both.
template <class I>
struct IndicesFromOffsets {
  const I* starts;
  int64_t lists, base;
  I* indices;
  __device__ void operator()(int64_t k) const {
    indices[k] = static_cast<I>(count_below(starts, lists + 1, k + base + 1) - 1 + base);
  }
};
template <class I>
void indices_from_offsets(cusparseHandle_t handle, const I* starts, int64_t count, int64_t lists, I* indices,
                          int64_t base) {
  launch_for_each(handle, count, IndicesFromOffsets<I>{starts, lists, base, indices});
}

// sums[i] becomes the sum of all up to i, by one block.
template <class I>
__global__ void add_up(I* sums, int64_t count) {
  __shared__ I part[kThreads];
  const int64_t each = (count + kThreads - 1) / kThreads, first = threadIdx.x * each;
  const int64_t last = first + each < count ? first + each : count;
  I sum = 0;
  for (int64_t i = first; i < last; ++i) sum += sums[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step *= 2) {
    const I before = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
    __syncthreads();
    part[threadIdx.x] += before;
    __syncthreads();
  }
  sum = part[threadIdx.x] - sum;
  for (int64_t i = first; i < last; ++i) sums[i] = sum += sums[i];
}

__device__ inline int counted(int* at) { return atomicAdd(at, 1); }
__device__ inline int64_t counted(int64_t* at) {
  return static_cast<int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(at), 1ull));
}

// Heap sort, in place.
template <class I>
__device__ void sort(I* first, int64_t count) {
  const auto sink = [&](int64_t at, int64_t end) {
    for (int64_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && first[child] < first[child + 1]) ++child;
      if (first[at] >= first[child]) return;
      const I moved = first[at];
      first[at] = first[child];
      first[child] = moved;
      at = child;
    }
  };
  for (int64_t at = count / 2; at-- > 0;) sink(at, count);
  for (int64_t end = count; end-- > 1;) {
    const I largest = first[0];
    first[0] = first[end];
    first[end] = largest;
    sink(0, end);
  }
}

template <class I>
struct Clear {
  I* numbers;
  __device__ void operator()(int64_t i) const { numbers[i] = 0; }
};
template <class I>
struct Copy {
  const I* from;
  I* to;
  __device__ void operator()(int64_t i) const { to[i] = from[i]; }
};
template <class I>
struct CountIndices {
  const I* indices;
  int64_t base;
  I* counts;  // of index i at i + 1
  __device__ void operator()(int64_t k) const { counted(&counts[indices[k] - base + 1]); }
};
template <class I>
struct PutIntoLists {
  const I* indices;
  int64_t base;
  I *next, *places;
  __device__ void operator()(int64_t k) const { places[counted(&next[indices[k] - base])] = static_cast<I>(k); }
};
template <class I>
struct SortLists {
  const I* starts;
  I* places;
  __device__ void operator()(int64_t i) const { sort(places + starts[i], starts[i + 1] - starts[i]); }
};

// Entries by another index than the one that they lie by: places of entries in ascending order for each list. Where an
// entry comes to lie at first depends on the order of atomics; sorted, it does not.
template <class I>
struct Reordered {
  I *starts, *places;
  static std::size_t bytes(int64_t lists, int64_t count) {
    return sizeof(I) * static_cast<std::size_t>(2 * lists + 1 + count);
  }
  // `buffer` has so many bytes.
  Reordered(cusparseHandle_t handle, const I* indices, int64_t count, int64_t lists, int64_t base, void* buffer)
      : starts(static_cast<I*>(buffer)), places(starts + 2 * lists + 1) {
    I* const next = starts + lists + 1;
    launch_for_each(handle, lists + 1, Clear<I>{starts});
    launch_for_each(handle, count, CountIndices<I>{indices, base, starts});
    add_up<<<1, kThreads, 0, handle->stream>>>(starts, lists + 1);
    launch_for_each(handle, lists, Copy<I>{starts, next});
    launch_for_each(handle, count, PutIntoLists<I>{indices, base, next, places});
    launch_for_each(handle, lists, SortLists<I>{starts, places});
  }
};

}  // namespace warpfold::sparse
