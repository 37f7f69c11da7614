// SPDX-License-Identifier: Apache-2.0
// Laplace's equation in three dimensions by Jacobi iteration. A block of 32 x 4 threads owns a column of the grid and
// walks along z with the current plane in shared memory and the planes above and below in registers; threads at the rim
// of the block also fetch the halo, and the extents are no multiples of the block's.
//
//   lps [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "lps";
constexpr int kBlockX = 32;
constexpr int kBlockY = 4;
constexpr float kSixth = 1.0f / 6.0f;

// One iteration: inner points become the mean of their six neighbours, points on the surface keep their value.
__global__ void laplace(int nx, int ny, int nz, const float* from, float* to) {
  __shared__ float plane[kBlockY + 2][kBlockX + 2];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kBlockX + tx;
  const int y = static_cast<int>(blockIdx.y) * kBlockY + ty;
  const bool inside = x < nx && y < ny;
  int index = y * nx + x;
  float below = 0.0f;
  float centre = 0.0f;
  float above = 0.0f;
  if (inside) above = from[index];
  for (int z = 0; z < nz; ++z) {
    below = centre;
    centre = above;
    if (inside) {
      plane[ty + 1][tx + 1] = centre;
      if (tx == 0 && x > 0) plane[ty + 1][0] = from[index - 1];
      if (tx == kBlockX - 1 && x + 1 < nx) plane[ty + 1][kBlockX + 1] = from[index + 1];
      if (ty == 0 && y > 0) plane[0][tx + 1] = from[index - nx];
      if (ty == kBlockY - 1 && y + 1 < ny) plane[kBlockY + 1][tx + 1] = from[index + nx];
      if (z + 1 < nz) above = from[index + nx * ny];
    }
    __syncthreads();
    if (inside) {
      if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
        to[index] = centre;
      } else {
        to[index] =
            (below + above + plane[ty][tx + 1] + plane[ty + 2][tx + 1] + plane[ty + 1][tx] + plane[ty + 1][tx + 2]) *
            kSixth;
      }
    }
    __syncthreads();
    index += nx * ny;
  }
}

namespace {

void iterate_on_host(int nx, int ny, int nz, const std::vector<float>& from, std::vector<float>& to) {
  to = from;
  const int plane = nx * ny;
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      const float* p = &from[static_cast<size_t>(z * plane + y * nx)];
      float* q = &to[static_cast<size_t>(z * plane + y * nx)];
      for (int x = 1; x < nx - 1; ++x) {
        q[x] = (p[x - plane] + p[x + plane] + p[x - nx] + p[x + nx] + p[x - 1] + p[x + 1]) * kSixth;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int nx = workload::by_size(options.size, 40, 300, 600);
  const int ny = workload::by_size(options.size, 10, 300, 600);
  const int nz = workload::by_size(options.size, 6, 16, 40);
  const int iterations = 2;
  workload::Random random(options.seed);
  std::vector<float> start(static_cast<size_t>(nx) * ny * nz);
  for (float& value : start) value = random.unit();

  const DeviceBuffer<float> ping(start);
  const DeviceBuffer<float> pong(start.size());
  const dim3 blocks((nx + kBlockX - 1) / kBlockX, (ny + kBlockY - 1) / kBlockY);
  for (int i = 0; i < iterations; ++i) {
    const DeviceBuffer<float>& from = i % 2 == 0 ? ping : pong;
    const DeviceBuffer<float>& to = i % 2 == 0 ? pong : ping;
    laplace<<<blocks, dim3(kBlockX, kBlockY)>>>(nx, ny, nz, from.get(), to.get());
    workload::check_launch("laplace");
  }
  const std::vector<float> result = (iterations % 2 == 0 ? ping : pong).download();

  std::printf("lps: %d x %d x %d points, %d iterations\n", nx, ny, nz, iterations);
  std::vector<float> expected = start;
  std::vector<float> next;
  for (int i = 0; i < iterations; ++i) {
    iterate_on_host(nx, ny, nz, expected, next);
    expected.swap(next);
  }
  return workload::verdict(workload::compare(result, expected, 1e-5f));
}
