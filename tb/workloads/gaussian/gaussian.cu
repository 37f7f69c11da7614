// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination, two launches a column: `factors` divides by the pivot, `eliminate` takes multiples of its row
// off all rows below. Grids are always those of the whole matrix, so that more and more threads find nothing to do.
//
//   gaussian [--size small|default|large] [--seed N]
#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "gaussian";
constexpr int kBlock = 128;
constexpr int kTile = 8;

__global__ void factors(const float* matrix, int size, int pivot, float* factor) {
  const int row = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (row <= pivot || row >= size) return;
  factor[row] = matrix[row * size + pivot] / matrix[pivot * size + pivot];
}

// The thread of a row's pivot column does the right side of the equation, too.
__global__ void eliminate(float* matrix, float* right, int size, int pivot, const float* factor) {
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  if (row <= pivot || row >= size || column < pivot || column >= size) return;
  matrix[row * size + column] -= factor[row] * matrix[pivot * size + column];
  if (column == pivot) right[row] -= factor[row] * right[pivot];
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int size = workload::by_size(options.size, 14, 160, 352);
  Random random(options.seed);
  std::vector<float> matrix(static_cast<size_t>(size) * size);
  for (float& value : matrix) value = random.unit() - 0.5f;
  for (int i = 0; i < size; ++i) matrix[i * size + i] += static_cast<float>(size);  // no pivot comes near 0
  std::vector<float> right(size);
  for (float& value : right) value = random.unit();

  const DeviceBuffer<float> device_matrix(matrix);
  const DeviceBuffer<float> device_right(right);
  const DeviceBuffer<float> factor(size);
  const unsigned tiles = static_cast<unsigned>((size + kTile - 1) / kTile);
  for (int pivot = 0; pivot + 1 < size; ++pivot) {
    factors<<<(size + kBlock - 1) / kBlock, kBlock>>>(device_matrix.get(), size, pivot, factor.get());
    workload::check_launch("factors");
    eliminate<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(device_matrix.get(), device_right.get(), size, pivot,
                                                          factor.get());
    workload::check_launch("eliminate");
  }
  std::printf("gaussian: %d equations\n", size);

  for (int row = 1; row < size; ++row) {  // the host finishes a row before it comes to the next one
    for (int pivot = 0; pivot < row; ++pivot) {
      const float multiple = matrix[row * size + pivot] / matrix[pivot * size + pivot];
      for (int column = pivot; column < size; ++column) {
        matrix[row * size + column] -= multiple * matrix[pivot * size + column];
      }
      right[row] -= multiple * right[pivot];
    }
  }
  const std::string wrong = workload::compare(device_matrix.download(), matrix, 0.0f);
  return workload::verdict(wrong.empty() ? workload::compare(device_right.download(), right, 0.0f) : wrong);
}
