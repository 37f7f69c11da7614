// SPDX-License-Identifier: Apache-2.0
// Coulomb potential of charged atoms on one plane of a lattice, by direct summation (the problem of Stone et al., J.
// Comput. Chem. 2007). Every thread reads the same atom from constant memory at the same time.
//
//   cp [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "cp";
constexpr int kBlockX = 16;
constexpr int kBlockY = 8;
constexpr int kMostAtoms = 512;

// x, y, the squared distance from the plane, and the charge.
__constant__ float4 constant_atoms[kMostAtoms];

// The lattice is a multiple of the block in both directions.
__global__ void potential(int atoms, float spacing, float* plane) {
  const unsigned column = blockIdx.x * kBlockX + threadIdx.x;
  const unsigned row = blockIdx.y * kBlockY + threadIdx.y;
  const float x = spacing * static_cast<float>(column);
  const float y = spacing * static_cast<float>(row);
  float sum = 0.0f;
  for (int i = 0; i < atoms; ++i) {
    const float4 atom = constant_atoms[i];
    const float dx = x - atom.x;
    const float dy = y - atom.y;
    sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z);
  }
  plane[row * gridDim.x * kBlockX + column] = sum;
}

namespace {

// Atoms all over the plane, one to nine units above it, with charges of both signs.
std::vector<float4> random_atoms(int count, float width, float height, workload::Random& random) {
  std::vector<float4> atoms(count);
  for (float4& atom : atoms) {
    atom.x = width * random.unit();
    atom.y = height * random.unit();
    const float z = 1.0f + 8.0f * random.unit();
    atom.z = z * z;
    atom.w = 4.0f * random.unit() - 2.0f;
  }
  return atoms;
}

// The square root on the device is an approximation (PTX ISA, rsqrt.approx), and large terms of both signs cancel: the
// error is measured against the sum of their magnitudes.
std::string check(int columns, float spacing, const std::vector<float4>& atoms, const std::vector<float>& plane) {
  for (size_t i = 0; i < plane.size(); ++i) {
    const float x = spacing * static_cast<float>(i % columns);
    const float y = spacing * static_cast<float>(i / columns);
    float sum = 0.0f;
    float magnitude = 0.0f;
    for (const float4& atom : atoms) {
      const float dx = x - atom.x;
      const float dy = y - atom.y;
      const float term = atom.w / std::sqrt(dx * dx + dy * dy + atom.z);
      sum += term;
      magnitude += std::fabs(term);
    }
    if (!(std::fabs(plane[i] - sum) <= 2e-5f * magnitude)) {
      return "point (" + std::to_string(i % columns) + ", " + std::to_string(i / columns) + ") has " +
             std::to_string(plane[i]) + ", expected " + std::to_string(sum);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int columns = workload::by_size(options.size, 32, 384, 640);
  const int rows = workload::by_size(options.size, 32, 320, 512);
  const int count = workload::by_size(options.size, 64, 128, 512);
  const float spacing = 0.25f;
  workload::Random random(options.seed);
  const std::vector<float4> atoms =
      random_atoms(count, spacing * static_cast<float>(columns), spacing * static_cast<float>(rows), random);

  workload::check_cuda(cudaMemcpyToSymbol(constant_atoms, atoms.data(), atoms.size() * sizeof(float4)),
                       "cudaMemcpyToSymbol");
  const DeviceBuffer<float> plane(static_cast<size_t>(columns) * rows);
  potential<<<dim3(columns / kBlockX, rows / kBlockY), dim3(kBlockX, kBlockY)>>>(count, spacing, plane.get());
  workload::check_launch("potential");

  std::printf("cp: %d x %d lattice points, %d atoms\n", columns, rows, count);
  return workload::verdict(check(columns, spacing, atoms, plane.download()));
}
