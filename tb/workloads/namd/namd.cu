// SPDX-License-Identifier: Apache-2.0
// Forces between the particles of a droplet, as molecular dynamics needs them in every time step: particles are binned
// in cells as wide as the cut-off, so that those within it are in the same cell or in one that touches it. A block
// takes a cell, and each of its threads a particle there, past all particles of the cells around.
//
//   namd [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "namd";
constexpr int kBlockSize = 64;
constexpr float kCutoff = 12.0f;  // Angstrom; also the width of a cell

// Energy of two particles at distance r, in kcal/mol: (repulsion / r^12 - attraction / r^6 + q q' / r) fading out as
// (1 - (r / cutoff)^2)^2, so that it ends without a step. Charges have the square root of Coulomb's constant in them.
constexpr float kRepulsion = 582000.0f;  // as between the oxygens of water (Jorgensen et al., J. Chem. Phys. 1983)
constexpr float kAttraction = 595.0f;

// Adds to `force` what a particle at offset (dx, dy, dz) and distance sqrt(square) does, and to `force.w` the energy.
__device__ inline void add_pair(float dx, float dy, float dz, float square, float charges, float4& force) {
  const float inverse = rsqrtf(square);
  const float inverse2 = inverse * inverse;
  const float inverse6 = inverse2 * inverse2 * inverse2;
  const float repulsion = kRepulsion * inverse6 * inverse6;
  const float attraction = kAttraction * inverse6;
  const float coulomb = charges * inverse;
  const float energy = repulsion - attraction + coulomb;
  const float fade = 1.0f - square * (1.0f / (kCutoff * kCutoff));
  // Minus the derivative of the energy by the distance, over the distance.
  const float push = fade * (fade * (12.0f * repulsion - 6.0f * attraction + coulomb) * inverse2 +
                             energy * (4.0f / (kCutoff * kCutoff)));
  force.x += push * dx;
  force.y += push * dy;
  force.z += push * dz;
  force.w += fade * fade * energy;
}

// All particles of a tile, of which number `self` is the particle itself.
__device__ inline void add_tile(const float4* tile, int count, int self, const float4& here, float4& force) {
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const float4 other = tile[i];
    const float dx = here.x - other.x;
    const float dy = here.y - other.y;
    const float dz = here.z - other.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square < kCutoff * kCutoff && i != self) add_pair(dx, dy, dz, square, here.w * other.w, force);
  }
}

// Particles: x, y, z and the charge, cell by cell; starts[c] is the first one of cell c, starts[cells] their number.
// forces: x, y, z, and the energy that the particle has with all others.
__global__ void nonbonded(int width, const int* starts, const float4* particles, float4* forces) {
  __shared__ float4 others[kBlockSize];
  const int thread = static_cast<int>(threadIdx.x);
  const int cx = static_cast<int>(blockIdx.x);
  const int cy = static_cast<int>(blockIdx.y);
  const int cz = static_cast<int>(blockIdx.z);
  const int cell = (cz * width + cy) * width + cx;
  const int end = starts[cell + 1];
  for (int first = starts[cell]; first < end; first += kBlockSize) {
    const int self = first + thread;
    float4 here = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (self < end) here = particles[self];
    float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int z = max(cz - 1, 0); z <= min(cz + 1, width - 1); ++z) {
      for (int y = max(cy - 1, 0); y <= min(cy + 1, width - 1); ++y) {
        // Cells side by side in x are one stretch of particles.
        const int row = (z * width + y) * width;
        const int stop = starts[row + min(cx + 1, width - 1) + 1];
        for (int tile = starts[row + max(cx - 1, 0)]; tile < stop; tile += kBlockSize) {
          const int count = min(kBlockSize, stop - tile);
          __syncthreads();
          if (thread < count) others[thread] = particles[tile + thread];
          __syncthreads();
          if (self < end) add_tile(others, count, self - tile, here, force);
        }
      }
    }
    if (self < end) forces[self] = force;
  }
}

namespace {

struct Droplet {
  int width;                // cells along each axis of the box
  std::vector<int> starts;  // of each cell's particles, and their number
  std::vector<float4> particles;
};

// Particles on a lattice, each moved a little, inside a sphere that the box just holds: cells at its rim are emptier.
Droplet make_droplet(int width, float spacing, workload::Random& random) {
  const float box = kCutoff * static_cast<float>(width);
  const int sites = static_cast<int>(box / spacing);
  std::vector<std::vector<float4>> cells(static_cast<size_t>(width) * width * width);
  const auto place = [&](int site) { return spacing * (static_cast<float>(site) + 0.3f + 0.4f * random.unit()); };
  const auto cell_at = [&](float at) { return std::min(static_cast<int>(at / kCutoff), width - 1); };
  for (int site = 0; site < sites * sites * sites; ++site) {
    const float4 particle = make_float4(place(site % sites), place(site / sites % sites), place(site / sites / sites),
                                        random.below(2) == 0 ? -7.0f : 7.0f);
    const float x = particle.x - 0.5f * box;
    const float y = particle.y - 0.5f * box;
    const float z = particle.z - 0.5f * box;
    if (x * x + y * y + z * z > 0.25f * box * box) continue;
    cells[(cell_at(particle.z) * width + cell_at(particle.y)) * width + cell_at(particle.x)].push_back(particle);
  }
  Droplet droplet{width, {0}, {}};
  for (const std::vector<float4>& cell : cells) {
    droplet.particles.insert(droplet.particles.end(), cell.begin(), cell.end());
    droplet.starts.push_back(static_cast<int>(droplet.particles.size()));
  }
  return droplet;
}

struct Vector {
  double x;
  double y;
  double z;
};

struct Expected {
  Vector force{0.0, 0.0, 0.0};
  double energy = 0.0;
  double force_scale = 0.0;  // sums of magnitudes: large terms of both signs cancel
  double energy_scale = 0.0;
};

void add(const Vector& d, double push, double energy, double scale, Expected& to) {
  to.force.x += push * d.x;
  to.force.y += push * d.y;
  to.force.z += push * d.z;
  to.energy += energy;
  to.force_scale += 12.0 * scale / std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  to.energy_scale += scale;
}

// What two particles do to each other, in double precision, from the energy as a function of u = r^2.
void add_both(const float4& a, const float4& b, Expected& to_a, Expected& to_b) {
  const Vector d{double{a.x} - b.x, double{a.y} - b.y, double{a.z} - b.z};
  const double u = d.x * d.x + d.y * d.y + d.z * d.z;
  const double cutoff = double{kCutoff} * kCutoff;
  if (u >= cutoff) return;
  const double repulsion = kRepulsion / std::pow(u, 6);
  const double attraction = kAttraction / std::pow(u, 3);
  const double coulomb = double{a.w} * b.w / std::sqrt(u);
  const double plain = repulsion - attraction + coulomb;
  const double slope = (-6.0 * repulsion + 3.0 * attraction - 0.5 * coulomb) / u;
  const double fade = (1.0 - u / cutoff) * (1.0 - u / cutoff);
  const double fade_slope = -2.0 * (1.0 - u / cutoff) / cutoff;
  const double push = -2.0 * (fade * slope + fade_slope * plain);
  const double scale = std::fabs(repulsion) + std::fabs(attraction) + std::fabs(coulomb);
  add(d, push, fade * plain, scale, to_a);
  add(d, -push, fade * plain, scale, to_b);
}

// Every pair of the droplet, without cells.
std::vector<Expected> forces_on_host(const std::vector<float4>& particles) {
  std::vector<Expected> expected(particles.size());
  for (size_t i = 0; i < particles.size(); ++i) {
    for (size_t j = 0; j < i; ++j) add_both(particles[i], particles[j], expected[i], expected[j]);
  }
  return expected;
}

std::string check(const std::vector<float4>& forces, const std::vector<Expected>& expected) {
  constexpr double kError = 1e-5;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Expected& e = expected[i];
    const double dx = forces[i].x - e.force.x;
    const double dy = forces[i].y - e.force.y;
    const double dz = forces[i].z - e.force.z;
    const double off = std::sqrt(dx * dx + dy * dy + dz * dz);
    if (!(off <= kError * e.force_scale)) {
      return "the force on particle " + std::to_string(i) + " is off by " + std::to_string(off);
    }
    if (!(std::fabs(forces[i].w - e.energy) <= kError * e.energy_scale)) {
      return "the energy of particle " + std::to_string(i) + " is " + std::to_string(forces[i].w) + ", expected " +
             std::to_string(e.energy);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 2, 10, 16);
  const float spacing = workload::by_size(options.size, 3.0f, 3.1f, 3.1f);
  workload::Random random(options.seed);
  const Droplet droplet = make_droplet(width, spacing, random);

  const DeviceBuffer<int> device_starts(droplet.starts);
  const DeviceBuffer<float4> device_particles(droplet.particles);
  const DeviceBuffer<float4> device_forces(droplet.particles.size());
  nonbonded<<<dim3(width, width, width), kBlockSize>>>(width, device_starts.get(), device_particles.get(),
                                                       device_forces.get());
  workload::check_launch("nonbonded");

  std::printf("namd: %zu particles in %d cells\n", droplet.particles.size(), width * width * width);
  return workload::verdict(check(device_forces.download(), forces_on_host(droplet.particles)));
}
