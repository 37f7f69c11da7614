// SPDX-License-Identifier: Apache-2.0
// LU decomposition in place, without pivoting, in tiles of 16 x 16. For every step along the diagonal, `diagonal`
// decomposes one tile with one block of 16 threads, of which ever fewer have work; `perimeter` solves the row and the
// column of tiles from there, one half of a block each; `interior` takes their products off all other tiles.
//
//   lud [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "lud";
constexpr int kTile = 16;

__global__ void diagonal(float* matrix, int size, int offset) {
  __shared__ float tile[kTile][kTile];
  const int thread = static_cast<int>(threadIdx.x);
  float* const corner = matrix + offset * size + offset;
  for (int row = 0; row < kTile; ++row) tile[row][thread] = corner[row * size + thread];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i + 1 < kTile; ++i) {
    if (thread > i) {
      for (int k = 0; k < i; ++k) tile[thread][i] -= tile[thread][k] * tile[k][i];
      tile[thread][i] /= tile[i][i];
    }
    __syncthreads();
    if (thread > i) {
      for (int k = 0; k < i + 1; ++k) tile[i + 1][thread] -= tile[i + 1][k] * tile[k][thread];
    }
    __syncthreads();
  }
  for (int row = 1; row < kTile; ++row) corner[row * size + thread] = tile[row][thread];
}

__global__ void perimeter(float* matrix, int size, int offset) {
  __shared__ float pivot[kTile][kTile];
  __shared__ float across[kTile][kTile];
  __shared__ float down[kTile][kTile];
  const int thread = static_cast<int>(threadIdx.x) % kTile;
  const bool for_row = threadIdx.x < kTile;
  const int away = (static_cast<int>(blockIdx.x) + 1) * kTile;
  float* const corner = matrix + offset * size + offset;
  float* const row_tile = corner + away;
  float* const column_tile = corner + away * size;
  for (int row = 0; row < kTile; ++row) {
    if (for_row) {
      pivot[row][thread] = corner[row * size + thread];
      across[row][thread] = row_tile[row * size + thread];
    } else {
      down[row][thread] = column_tile[row * size + thread];
    }
  }
  __syncthreads();
  if (for_row) {
    for (int i = 1; i < kTile; ++i) {
      for (int k = 0; k < i; ++k) across[i][thread] -= pivot[i][k] * across[k][thread];
    }
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int k = 0; k < i; ++k) down[thread][i] -= down[thread][k] * pivot[k][i];
      down[thread][i] /= pivot[i][i];
    }
  }
  __syncthreads();
  for (int row = 0; row < kTile; ++row) {
    if (for_row) {
      row_tile[row * size + thread] = across[row][thread];
    } else {
      column_tile[row * size + thread] = down[row][thread];
    }
  }
}

__global__ void interior(float* matrix, int size, int offset) {
  __shared__ float across[kTile][kTile];
  __shared__ float down[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = offset + (static_cast<int>(blockIdx.y) + 1) * kTile + ty;
  const int column = offset + (static_cast<int>(blockIdx.x) + 1) * kTile + tx;
  across[ty][tx] = matrix[(offset + ty) * size + column];
  down[ty][tx] = matrix[row * size + offset + tx];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < kTile; ++k) sum += down[ty][k] * across[k][tx];
  matrix[row * size + column] -= sum;
}

namespace {

// Diagonally dominant, so that no pivots need be sought.
std::vector<float> random_matrix(int size, Random& random) {
  std::vector<float> matrix(static_cast<size_t>(size) * size);
  for (float& value : matrix) value = random.unit() - 0.5f;
  for (int i = 0; i < size; ++i) matrix[static_cast<size_t>(i) * size + i] += static_cast<float>(size);
  return matrix;
}

// Element by element: the products of whole tiles are added up first, those within the element's own tile are taken off
// one by one.
void decompose(std::vector<float>& matrix, int size) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      float* const row = matrix.data() + static_cast<size_t>(i) * size;
      const int last = std::min(i, j);
      const int tiles = last / kTile * kTile;
      for (int tile = 0; tile < tiles; tile += kTile) {
        float sum = 0.0f;
        for (int k = tile; k < tile + kTile; ++k) sum += row[k] * matrix[static_cast<size_t>(k) * size + j];
        row[j] -= sum;
      }
      for (int k = tiles; k < last; ++k) row[j] -= row[k] * matrix[static_cast<size_t>(k) * size + j];
      if (i > j) row[j] /= matrix[static_cast<size_t>(j) * size + j];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int size = workload::by_size(options.size, 32, 256, 640);
  Random random(options.seed);
  std::vector<float> expected = random_matrix(size, random);
  const DeviceBuffer<float> matrix(expected);
  for (int offset = 0; offset < size; offset += kTile) {
    diagonal<<<1, kTile>>>(matrix.get(), size, offset);
    workload::check_launch("diagonal");
    const unsigned rest = static_cast<unsigned>((size - offset) / kTile - 1);
    if (rest == 0) break;
    perimeter<<<rest, 2 * kTile>>>(matrix.get(), size, offset);
    workload::check_launch("perimeter");
    interior<<<dim3(rest, rest), dim3(kTile, kTile)>>>(matrix.get(), size, offset);
    workload::check_launch("interior");
  }
  std::printf("lud: %d x %d matrix\n", size, size);
  decompose(expected, size);
  return workload::verdict(workload::compare(matrix.download(), expected, 0.0f));
}
