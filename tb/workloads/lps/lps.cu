// SPDX-License-Identifier: Apache-2.0
// Laplace's equation in three dimensions by Jacobi iteration. A block of 32 x 4 threads owns a column of the grid and
// walks along z with three planes in shared memory. A plane has a halo of one point around the block's own: its points
// are dealt to the block's first threads, one each, whatever points of the grid those own.
//
// TBC's Table 1, TSTBC's Table 2 and HARP's Table 5 have LPS of gpgpu-sim/ispass2009-benchmarks at commit 1716296.
// Algorithm and blocks are its own, and at default its size, 100 x 100 x 100 points and one iteration, which is HARP's
// grid of 4 x 25 blocks.
//
//   lps [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "lps";
constexpr int kBlockX = 32;
constexpr int kBlockY = 4;
constexpr int kPitch = kBlockX + 2;  // of a plane with its halo
constexpr int kPlane = kPitch * (kBlockY + 2);
constexpr float kSixth = 1.0f / 6.0f;

// A point of a block's planes, and of the grid's.
struct Point {
  bool exists;
  int in_block;
  int in_grid;
};

// (x, y) counts from the block's first point; the halo lies at -1, kBlockX and kBlockY.
__device__ inline Point point_at(int x, int y, int nx, int ny) {
  const int grid_x = static_cast<int>(blockIdx.x) * kBlockX + x;
  const int grid_y = static_cast<int>(blockIdx.y) * kBlockY + y;
  const bool exists = grid_x >= 0 && grid_x < nx && grid_y >= 0 && grid_y < ny;
  return {exists, (y + 1) * kPitch + x + 1, grid_y * nx + grid_x};
}

// The thread's point of the halo: the first two rows of threads have the rows above and below, those after them pairs
// of the first and the last column, corners among them.
__device__ inline Point halo_point(int nx, int ny) {
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int thread = ty * kBlockX + tx;
  if (thread >= 2 * (kBlockX + kBlockY + 2)) return {false, 0, 0};
  if (ty < 2) return point_at(tx, ty == 0 ? -1 : kBlockY, nx, ny);
  return point_at(thread % 2 == 0 ? -1 : kBlockX, thread / 2 - kBlockX - 1, nx, ny);
}

// Fetches the first plane at a point. Below it there is none, so that what is moved there first is only defined.
__device__ inline void start(float* planes, const Point& point, const float* from) {
  planes[point.in_block + kPlane] = 0.0f;
  planes[point.in_block + 2 * kPlane] = from[point.in_grid];
}

// Moves the planes at a point down by one and fetches the topmost, if there is another.
__device__ inline void advance(float* planes, Point& point, int plane_points, bool more, const float* from) {
  float* here = planes + point.in_block;
  point.in_grid += plane_points;
  here[0] = here[kPlane];
  here[kPlane] = here[2 * kPlane];
  if (more) here[2 * kPlane] = from[point.in_grid];
}

// One iteration: inner points become the mean of their six neighbours, points on the surface keep their value.
__global__ void laplace(int nx, int ny, int nz, const float* from, float* to) {
  __shared__ float planes[3 * kPlane];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kBlockX + tx;
  const int y = static_cast<int>(blockIdx.y) * kBlockY + ty;
  Point own = point_at(tx, ty, nx, ny);
  Point halo = halo_point(nx, ny);
  if (own.exists) start(planes, own, from);
  if (halo.exists) start(planes, halo, from);
  const float* here = planes + own.in_block + kPlane;
  for (int z = 0; z < nz; ++z) {
    const int index = own.in_grid;
    if (own.exists) advance(planes, own, nx * ny, z + 1 < nz, from);
    if (halo.exists) advance(planes, halo, nx * ny, z + 1 < nz, from);
    __syncthreads();
    if (own.exists) {
      if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
        to[index] = here[0];
      } else {
        to[index] = (here[-1] + here[1] + here[-kPitch] + here[kPitch] + here[-kPlane] + here[kPlane]) * kSixth;
      }
    }
    __syncthreads();
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
  const int nx = workload::by_size(options.size, 40, 100, 220);
  const int ny = workload::by_size(options.size, 10, 100, 220);
  const int nz = workload::by_size(options.size, 6, 100, 220);
  const int iterations = workload::by_size(options.size, 2, 1, 1);
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
