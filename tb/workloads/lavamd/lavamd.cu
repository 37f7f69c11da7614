// SPDX-License-Identifier: Apache-2.0
// Potential and forces between the particles of neighbouring boxes, a block per box: every one of a box's 100 particles
// meets all those of up to 27 boxes, which the block copies to shared memory one by one. Nothing is cut off at a
// distance, so what diverges is that 100 particles fill three warps and an eighth of a fourth.
//
//   lavamd [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "lavamd";
constexpr int kThreads = 128;
constexpr int kMostParticles = 100;  // of a box
constexpr float kSharpness = 0.5f;   // of the potential, a Gaussian bell

struct Particle {
  float x, y, z, charge;
};

struct Force {
  float potential, x, y, z;
};

// Boxes are numbered along x first; space is `side` boxes long and wide and `layers` high.
__global__ void interact(int side, int layers, int particles, const Particle* all, Force* forces) {
  __shared__ Particle others[kMostParticles];
  const int thread = static_cast<int>(threadIdx.x);
  const int box = static_cast<int>(blockIdx.x);
  const int x = box % side, y = box / side % side, z = box / (side * side);
  const bool has_particle = thread < particles;
  Particle own = {0.0f, 0.0f, 0.0f, 0.0f};
  if (has_particle) own = all[box * particles + thread];
  Force force = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    const int nx = x + neighbour % 3 - 1, ny = y + neighbour / 3 % 3 - 1, nz = z + neighbour / 9 - 1;
    if (nx < 0 || nx >= side || ny < 0 || ny >= side || nz < 0 || nz >= layers) continue;  // the whole block does
    __syncthreads();
    if (has_particle) others[thread] = all[((nz * side + ny) * side + nx) * particles + thread];
    __syncthreads();
    if (!has_particle) continue;
    for (int i = 0; i < particles; ++i) {
      const float dx = own.x - others[i].x, dy = own.y - others[i].y, dz = own.z - others[i].z;
      const float bell = others[i].charge * expf(-kSharpness * (dx * dx + dy * dy + dz * dz));
      force.potential += bell;
      force.x += 2.0f * kSharpness * bell * dx;
      force.y += 2.0f * kSharpness * bell * dy;
      force.z += 2.0f * kSharpness * bell * dz;
    }
  }
  if (has_particle) forces[box * particles + thread] = force;
}

namespace {

std::vector<Particle> random_particles(int side, int layers, int particles, Random& random) {
  std::vector<Particle> all;
  for (int box = 0; box < side * side * layers; ++box) {
    for (int i = 0; i < particles; ++i) {
      all.push_back({static_cast<float>(box % side) + random.unit(),
                     static_cast<float>(box / side % side) + random.unit(),
                     static_cast<float>(box / (side * side)) + random.unit(), random.unit() + 0.1f});
    }
  }
  return all;
}

bool are_neighbours(int side, int a, int b) {
  return std::abs(a % side - b % side) <= 1 && std::abs(a / side % side - b / side % side) <= 1 &&
         std::abs(a / (side * side) - b / (side * side)) <= 1;
}

// In double precision, box by box. All terms of the potential are positive, those of a force at most as large, so the
// errors of some thousand rounded sums and of expf stay below a thousandth of the potential.
std::string check(int side, int layers, int particles, const std::vector<Particle>& all,
                  const std::vector<Force>& forces) {
  const int boxes = side * side * layers;
  for (int i = 0; i < boxes * particles; ++i) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (int box = 0; box < boxes; ++box) {
      if (!are_neighbours(side, box, i / particles)) continue;
      for (int j = box * particles; j < (box + 1) * particles; ++j) {
        const double apart[3] = {double(all[i].x) - all[j].x, double(all[i].y) - all[j].y, double(all[i].z) - all[j].z};
        const double bell =
            all[j].charge * std::exp(-kSharpness * (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]));
        sums[0] += bell;
        for (int axis = 0; axis < 3; ++axis) sums[axis + 1] += 2.0 * kSharpness * bell * apart[axis];
      }
    }
    const float found[4] = {forces[i].potential, forces[i].x, forces[i].y, forces[i].z};
    for (int part = 0; part < 4; ++part) {
      if (std::fabs(found[part] - sums[part]) <= 1e-3 * sums[0]) continue;  // false for NaN as well
      return "particle " + std::to_string(i) + ", part " + std::to_string(part) + " is " + std::to_string(found[part]) +
             ", expected " + std::to_string(sums[part]);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int side = workload::by_size(options.size, 1, 4, 7);
  const int layers = workload::by_size(options.size, 2, 4, 7);
  const int particles = workload::by_size(options.size, 18, 50, kMostParticles);
  Random random(options.seed);
  const std::vector<Particle> all = random_particles(side, layers, particles, random);
  const DeviceBuffer<Particle> device_all(all);
  const DeviceBuffer<Force> forces(all.size());
  const int boxes = side * side * layers;
  interact<<<boxes, kThreads>>>(side, layers, particles, device_all.get(), forces.get());
  workload::check_launch("interact");
  std::printf("lavamd: %d boxes of %d particles\n", boxes, particles);
  return workload::verdict(check(side, layers, particles, all, forces.download()));
}
