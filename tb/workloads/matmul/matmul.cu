// SPDX-License-Identifier: Apache-2.0
// Dense matrix product C = A B in single precision, tiled through shared memory: no divergence at all, two barriers a
// tile, broadcast and stride-one reads of shared memory.
//
//   matmul [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "matmul";
constexpr int kTile = 16;

// A is rows x depth, B depth x columns, all row by row; every extent is a multiple of kTile.
__global__ void multiply(int depth, int columns, const float* a, const float* b, float* c) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y;
  const int column = static_cast<int>(blockIdx.x) * kTile + x;
  float sum = 0.0f;
  for (int tile = 0; tile < depth; tile += kTile) {
    a_tile[y][x] = a[row * depth + tile + x];
    b_tile[y][x] = b[(tile + y) * columns + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  c[row * columns + column] = sum;
}

namespace {

// Multiples of 1/16 in [-1, 1]: every product and every sum of up to 2^16 of them is exact in single precision, so the
// result does not depend on the order of the additions and is compared for equality.
std::vector<float> random_matrix(size_t count, workload::Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = (static_cast<float>(random.below(33)) - 16.0f) / 16.0f;
  return values;
}

std::vector<float> multiply_on_host(int rows, int depth, int columns, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  std::vector<float> c(static_cast<size_t>(rows) * columns, 0.0f);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < depth; ++k) {
      const float factor = a[static_cast<size_t>(row) * depth + k];
      const float* from = &b[static_cast<size_t>(k) * columns];
      float* to = &c[static_cast<size_t>(row) * columns];
      for (int column = 0; column < columns; ++column) to[column] += factor * from[column];
    }
  }
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int rows = workload::by_size(options.size, 48, 352, 704);
  const int depth = workload::by_size(options.size, 64, 160, 400);
  const int columns = workload::by_size(options.size, 32, 352, 704);
  workload::Random random(options.seed);
  const std::vector<float> a = random_matrix(static_cast<size_t>(rows) * depth, random);
  const std::vector<float> b = random_matrix(static_cast<size_t>(depth) * columns, random);

  const DeviceBuffer<float> device_a(a);
  const DeviceBuffer<float> device_b(b);
  const DeviceBuffer<float> device_c(static_cast<size_t>(rows) * columns);
  multiply<<<dim3(columns / kTile, rows / kTile), dim3(kTile, kTile)>>>(depth, columns, device_a.get(), device_b.get(),
                                                                        device_c.get());
  workload::check_launch("multiply");
  const std::vector<float> c = device_c.download();

  std::printf("matmul: (%d x %d) by (%d x %d)\n", rows, depth, depth, columns);
  return workload::verdict(workload::compare(c, multiply_on_host(rows, depth, columns, a, b), 0.0f));
}
