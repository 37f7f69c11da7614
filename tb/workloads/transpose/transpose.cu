// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix in tiles of 32 x 32 through shared memory, 32 x 8 threads a tile, so that rows are read and rows
// are written. The matrix does not end where tiles do.
//
//   transpose [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "transpose";
constexpr int kTile = 32;
constexpr int kRows = 8;  // of threads

__global__ void transpose(const float* from, int rows, int columns, float* to) {
  __shared__ float tile[kTile][kTile + 1];  // one more, so that a column lies in as many banks as a row
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int i = ty; i < kTile; i += kRows) {
    if (left + tx < columns && top + i < rows) tile[i][tx] = from[(top + i) * columns + left + tx];
  }
  __syncthreads();
  for (int i = ty; i < kTile; i += kRows) {
    if (top + tx < rows && left + i < columns) to[(left + i) * rows + top + tx] = tile[tx][i];
  }
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int rows = workload::by_size(options.size, 40, 600, 2000);
  const int columns = workload::by_size(options.size, 70, 900, 3000);
  Random random(options.seed);
  std::vector<float> matrix(static_cast<size_t>(rows) * columns);
  for (float& value : matrix) value = random.unit();
  const DeviceBuffer<float> from(matrix);
  const DeviceBuffer<float> to(matrix.size());
  transpose<<<dim3((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), dim3(kTile, kRows)>>>(from.get(), rows,
                                                                                                     columns, to.get());
  workload::check_launch("transpose");

  std::vector<float> expected;
  for (int i = 0; i < rows * columns; ++i) expected.push_back(matrix[i % rows * columns + i / rows]);
  std::printf("transpose: %d x %d matrix\n", rows, columns);
  return workload::verdict(workload::compare(to.download(), expected, 0.0f));
}
