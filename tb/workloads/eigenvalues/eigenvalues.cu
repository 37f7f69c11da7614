// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric tridiagonal matrices by bisection (Barth, Martin and Wilkinson, Numerische Mathematik 1967),
// a block per matrix. Every round, each interval that still holds eigenvalues is halved by a thread of its own, which
// counts those below its middle; halves without any are dropped, and where both have some, the second goes to a new
// thread. How many threads work, and which intervals are narrow enough already, changes from round to round.
//
//   eigenvalues [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's counts are the same

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "eigenvalues";
constexpr int kThreads = 128;  // and the most that a matrix has rows
constexpr float kTiny = 1e-18f;

struct Matrix {
  int rows;
  const float* diagonal;
  const float* squares;  // of what is beside the diagonal; the first is 0
};

// The eigenvalues numbered `from` to `to` - 1 lie between low and high.
struct Interval {
  float low, high;
  int from, to;
};

// Eigenvalues below x: negative pivots of the matrix less x.
__host__ __device__ inline int count_below(const Matrix& matrix, float x) {
  int count = 0;
  float pivot = 1.0f;
  for (int row = 0; row < matrix.rows; ++row) {
    pivot = matrix.diagonal[row] - x - matrix.squares[row] / pivot;
    if (fabsf(pivot) < kTiny) pivot = -kTiny;
    if (pivot < 0.0f) ++count;
  }
  return count;
}

__host__ __device__ inline float middle_of(const Interval& interval) {
  return interval.low + 0.5f * (interval.high - interval.low);
}

__host__ __device__ inline bool is_narrow(const Interval& interval, float precision) {
  const float middle = middle_of(interval);
  return interval.high - interval.low <= precision || middle <= interval.low || middle >= interval.high;
}

// How many of the threads up to this one, itself included, have a flag (Hillis and Steele, CACM 1986). For all threads.
__device__ inline int flags_up_to(int thread, bool flag, int* sums) {
  sums[thread] = flag ? 1 : 0;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const int other = thread >= distance ? sums[thread - distance] : 0;
    __syncthreads();
    sums[thread] += other;
    __syncthreads();
  }
  return sums[thread];
}

__global__ void bisect(int rows, const float* diagonals, const float* squares, const Interval* starts, float precision,
                       float* eigenvalues) {
  __shared__ float diagonal[kThreads];
  __shared__ float square[kThreads];
  __shared__ Interval intervals[kThreads];
  __shared__ int sums[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * rows;
  if (thread < rows) {
    diagonal[thread] = diagonals[first + thread];
    square[thread] = squares[first + thread];
  }
  if (thread == 0) intervals[0] = starts[blockIdx.x];
  __syncthreads();
  const Matrix matrix = {rows, diagonal, square};
  int used = 1;
  while (true) {
    const bool has_work = thread < used && !is_narrow(intervals[thread], precision);
    if (__syncthreads_or(has_work ? 1 : 0) == 0) break;
    Interval second = {0.0f, 0.0f, 0, 0};
    if (has_work) {
      const Interval old = intervals[thread];
      const float middle = middle_of(old);
      const int below = min(max(count_below(matrix, middle), old.from), old.to);
      if (below == old.from) {
        intervals[thread].low = middle;
      } else if (below == old.to) {
        intervals[thread].high = middle;
      } else {
        intervals[thread] = {old.low, middle, old.from, below};
        second = {middle, old.high, below, old.to};
      }
    }
    const bool has_second = second.to > second.from;
    const int number = flags_up_to(thread, has_second, sums);
    if (has_second) intervals[used + number - 1] = second;
    used += sums[kThreads - 1];
    __syncthreads();
  }
  if (thread < used) {
    const Interval found = intervals[thread];
    for (int i = found.from; i < found.to; ++i) eigenvalues[first + i] = middle_of(found);
  }
}

namespace {

// Between these lie all of a matrix's eigenvalues (Gershgorin).
Interval whole_range(const float* diagonal, const float* squares, int rows) {
  Interval range = {diagonal[0], diagonal[0], 0, rows};
  for (int row = 0; row < rows; ++row) {
    const float reach = std::sqrt(squares[row]) + (row + 1 < rows ? std::sqrt(squares[row + 1]) : 0.0f);
    range.low = std::min(range.low, diagonal[row] - reach);
    range.high = std::max(range.high, diagonal[row] + reach);
  }
  return {range.low - 0.01f, range.high + 0.01f, 0, rows};
}

void bisect_on_host(const Matrix& matrix, const Interval& interval, float precision, float* eigenvalues) {
  const float middle = middle_of(interval);
  if (is_narrow(interval, precision)) {
    std::fill(eigenvalues + interval.from, eigenvalues + interval.to, middle);
    return;
  }
  const int below = std::clamp(count_below(matrix, middle), interval.from, interval.to);
  if (below > interval.from)
    bisect_on_host(matrix, {interval.low, middle, interval.from, below}, precision, eigenvalues);
  if (below < interval.to) bisect_on_host(matrix, {middle, interval.high, below, interval.to}, precision, eigenvalues);
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int rows = workload::by_size(options.size, 12, 64, kThreads);
  const int matrices = workload::by_size(options.size, 1, 30, 120);
  const float precision = workload::by_size(options.size, 0.25f, 1e-3f, 1e-4f);
  Random random(options.seed);
  std::vector<float> diagonals;
  std::vector<float> squares;
  std::vector<Interval> starts;
  for (int matrix = 0; matrix < matrices; ++matrix) {
    for (int row = 0; row < rows; ++row) {
      diagonals.push_back(4.0f * random.unit());
      squares.push_back(row == 0 ? 0.0f : random.unit());
    }
    starts.push_back(whole_range(&diagonals[matrix * rows], &squares[matrix * rows], rows));
  }

  const DeviceBuffer<float> device_diagonals(diagonals);
  const DeviceBuffer<float> device_squares(squares);
  const DeviceBuffer<Interval> device_starts(starts);
  const DeviceBuffer<float> eigenvalues(diagonals.size());
  bisect<<<matrices, kThreads>>>(rows, device_diagonals.get(), device_squares.get(), device_starts.get(), precision,
                                 eigenvalues.get());
  workload::check_launch("bisect");

  std::vector<float> expected(diagonals.size());
  for (int matrix = 0; matrix < matrices; ++matrix) {
    const size_t first = static_cast<size_t>(matrix) * rows;
    bisect_on_host({rows, &diagonals[first], &squares[first]}, starts[matrix], precision, &expected[first]);
  }
  std::printf("eigenvalues: %d matrices of %d rows, smallest %.4f\n", matrices, rows,
              *std::min_element(expected.begin(), expected.end()));
  return workload::verdict(workload::compare(eigenvalues.download(), expected, 0.0f));
}
