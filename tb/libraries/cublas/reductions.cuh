// SPDX-License-Identifier: Apache-2.0
// One value of a vector: what is gathered of its elements, and the kernels that do so.
#pragma once

#include "numbers.cuh"

namespace warpfold::blas {

// Of numbers that are stored as `In`, added as T.
template <class T, class In = T>
struct Dot {
  using Part = T;
  using Result = In;
  Vector<const In> x, y;
  bool conjugates;
  __device__ static Part none() { return {}; }
  __device__ void add(Part& part, long long i) const {
    const T left = static_cast<T>(x[i]);
    part = multiply_add(conjugates ? conjugate(left) : left, static_cast<T>(y[i]), part);
  }
  __device__ static Part merged(Part a, Part b) { return sum(a, b); }
  __device__ static Result result(Part part) { return static_cast<In>(part); }
};

template <class T>
struct Asum {
  using Part = Real<T>;
  using Result = Real<T>;
  Vector<const T> x;
  __device__ static Part none() { return 0; }
  __device__ void add(Part& part, long long i) const { part += size_of(x[i]); }
  __device__ static Part merged(Part a, Part b) { return a + b; }
  __device__ static Result result(Part part) { return part; }
};

// Squares that neither overflow nor vanish: those of floats as doubles; of doubles in three sums, of which two are of
// scaled numbers (Blue, ACM TOMS 4(1), 1978).
template <class R>
struct SquareSum;
template <>
struct SquareSum<float> {
  double all;
  __device__ void add(float x) { all = fma(static_cast<double>(x), static_cast<double>(x), all); }
  __device__ void merge(SquareSum other) { all += other.all; }
  __device__ float root() const { return static_cast<float>(sqrt(all)); }
};
template <>
struct SquareSum<double> {
  double large, middle, little;
  static constexpr double kLarge = 0x1p500, kLittle = 0x1p-500, kDown = 0x1p-600, kUp = 0x1p600;
  __device__ void add(double x) {
    const double size = fabs(x), down = x * kDown, up = x * kUp;
    large = size > kLarge ? fma(down, down, large) : large;
    little = size < kLittle ? fma(up, up, little) : little;
    middle = size > kLarge || size < kLittle ? middle : fma(x, x, middle);
  }
  __device__ void merge(SquareSum other) {
    large += other.large;
    middle += other.middle;
    little += other.little;
  }
  // Beside large ones the little ones are nothing; beside the rest they count as far as they still are numbers.
  __device__ double root() const {
    if (large > 0) return sqrt(large + middle * kDown * kDown) * kUp;
    if (middle == 0) return sqrt(little) * kDown;
    return sqrt(middle + little * kDown * kDown);
  }
};

template <class T, class In = T>
struct Norm {
  using Part = SquareSum<Real<T>>;
  using Result = Real<In>;
  Vector<const In> x;
  __device__ static Part none() { return {}; }
  __device__ static void add_number(Part& part, Real<T> x) { part.add(x); }
  __device__ static void add_number(Part& part, Complex<Real<T>> x) {
    part.add(x.re);
    part.add(x.im);
  }
  __device__ void add(Part& part, long long i) const { add_number(part, static_cast<T>(x[i])); }
  __device__ static Part merged(Part a, Part b) {
    a.merge(b);
    return a;
  }
  __device__ static Result result(Part part) { return static_cast<Result>(part.root()); }
};

// The first of the largest, or smallest, counted from 1.
template <class T, bool kLargest>
struct Extreme {
  struct Part {
    Real<T> size;
    int place;  // 0: of no element
  };
  using Result = int;
  Vector<const T> x;
  __device__ static Part none() { return {}; }
  __device__ void add(Part& part, long long i) const { part = merged(part, {size_of(x[i]), static_cast<int>(i + 1)}); }
  __device__ static Part merged(Part a, Part b) {
    const bool ahead = kLargest ? b.size > a.size : b.size < a.size;
    const bool takes = b.place != 0 && (a.place == 0 || ahead || (b.size == a.size && b.place < a.place));
    return takes ? b : a;
  }
  __device__ static Result result(Part part) { return part.place; }
};

// A tree: the upper half onto the lower, until one is left.
template <class Op, unsigned kThreads>
__device__ typename Op::Part merged_in_block(typename Op::Part part) {
  __shared__ typename Op::Part parts[kThreads];
  parts[threadIdx.x] = part;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] = Op::merged(parts[threadIdx.x], parts[threadIdx.x + half]);
  }
  return parts[0];
}

inline constexpr unsigned kReductionThreads = 256;

// Thread t of all T takes elements t, t + T and so on, in this order; a block's parts are merged by a tree, and so are
// those of the blocks, by gather().
template <class Op>
__global__ void reduce(Op op, int n, typename Op::Part* parts, typename Op::Result* result) {
  const long long all = 1ll * gridDim.x * kReductionThreads;
  typename Op::Part part = Op::none();
  for (long long i = 1ll * blockIdx.x * kReductionThreads + threadIdx.x; i < n; i += all) op.add(part, i);
  part = merged_in_block<Op, kReductionThreads>(part);
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1)
    *result = Op::result(part);
  else
    parts[blockIdx.x] = part;
}

template <class Op, unsigned kThreads>
__global__ void gather(unsigned count, const typename Op::Part* parts, typename Op::Result* result) {
  const typename Op::Part part = merged_in_block<Op, kThreads>(threadIdx.x < count ? parts[threadIdx.x] : Op::none());
  if (threadIdx.x == 0) *result = Op::result(part);
}

}  // namespace warpfold::blas
