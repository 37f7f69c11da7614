// SPDX-License-Identifier: Apache-2.0
// Finding and outlining white blood cells in a picture. `edges` gives every pixel the best score of a circle around it:
// the mean of the outward gradient along the circle, squared, over its variance. `spread` takes the maximum of the
// scores nearby, and a cell is where a score is its own maximum. `flow` then moves the outline of every cell, a block
// each, until it stands still, which takes some cells longer than others.
//
//   leukocyte [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "leukocyte";
constexpr int kBlock = 175;
constexpr int kFlowBlock = 128;
constexpr int kRadii = 3;
constexpr int kAngles = 16;
constexpr int kMargin = 7;  // circles around pixels nearer to the edge would leave the picture
constexpr int kDisc = 4;    // radius in which a cell's score is the highest
constexpr int kPatch = 17;  // side of the square in which an outline moves
constexpr int kCells = kPatch * kPatch;

constexpr float kStill = 0.01f;

struct Sample {
  int x, y;
  float cosine, sine;
};

__constant__ Sample circles[kRadii][kAngles];

struct Gradient {
  float x, y;
};

__host__ __device__ inline float circle_score(const Sample* circle, const Gradient* gradients, int width, int pixel) {
  float sum = 0.0f;
  for (int k = 0; k < kAngles; ++k) {
    const Gradient g = gradients[pixel + circle[k].y * width + circle[k].x];
    sum += g.x * circle[k].cosine + g.y * circle[k].sine;
  }
  const float mean = sum / kAngles;
  float spread = 0.0f;
  for (int k = 0; k < kAngles; ++k) {
    const Gradient g = gradients[pixel + circle[k].y * width + circle[k].x];
    const float off = g.x * circle[k].cosine + g.y * circle[k].sine - mean;
    spread += off * off;
  }
  if (mean >= 0.0f) return 0.0f;  // darker inside than outside: not a cell
  return mean * mean / (spread / kAngles + 1.0f);
}

__global__ void edges(const Gradient* gradients, int width, int height, float* scores) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel >= width * height) return;
  const int x = pixel % width;
  const int y = pixel / width;
  float best = 0.0f;
  if (x >= kMargin && x < width - kMargin && y >= kMargin && y < height - kMargin) {
#pragma unroll 1
    for (int radius = 0; radius < kRadii; ++radius) {
      const float score = circle_score(circles[radius], gradients, width, pixel);
      if (score > best) best = score;
    }
  }
  scores[pixel] = best;
}

__host__ __device__ inline float highest_nearby(const float* scores, int width, int height, int x, int y) {
  float highest = 0.0f;
  for (int dy = -kDisc; dy <= kDisc; ++dy) {
    if (y + dy < 0 || y + dy >= height) continue;
    for (int dx = -kDisc; dx <= kDisc; ++dx) {
      if (dx * dx + dy * dy > kDisc * kDisc || x + dx < 0 || x + dx >= width) continue;
      highest = fmaxf(highest, scores[(y + dy) * width + x + dx]);
    }
  }
  return highest;
}

__global__ void spread(const float* scores, int width, int height, float* highest) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel < width * height) {
    highest[pixel] = highest_nearby(scores, width, height, pixel % width, pixel / width);
  }
}

// A smooth step from 0 to 1, in three pieces.
__host__ __device__ inline float step_at(float z) {
  if (z < -1.0f) return 0.0f;
  if (z > 1.0f) return 1.0f;
  return 0.5f * (z + 1.0f);
}

// What a cell of the patch becomes: it gives in to those neighbours that the gradient points to, and is drawn to the
// picture's own edges where these are strong.
__host__ __device__ inline float flowed(const float* patch, const float* strength, int at) {
  const int x = at % kPatch;
  const int y = at / kPatch;
  const float here = patch[at];
  float change = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if ((dx == 0 && dy == 0) || x + dx < 0 || x + dx >= kPatch || y + dy < 0 || y + dy >= kPatch) continue;
      const float difference = patch[at + dy * kPatch + dx] - here;
      change += step_at(4.0f * difference) * difference;
    }
  }
  const float moved = here + 0.125f * change;
  return moved - 0.2f * strength[at] * (moved - strength[at]);
}

__global__ void flow(const float* strengths, float* outlines, int most_steps, int* steps) {
  __shared__ float strength[kCells];
  __shared__ float patch[kCells];
  __shared__ float largest[kFlowBlock];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kCells;
  for (int at = thread; at < kCells; at += kFlowBlock) {
    strength[at] = strengths[first + at];
    patch[at] = strength[at];
  }
  int step = 0;
  float change = 0.0f;
  do {
    float next[(kCells + kFlowBlock - 1) / kFlowBlock];
    __syncthreads();
    change = 0.0f;
    for (int i = 0, at = thread; at < kCells; ++i, at += kFlowBlock) {
      next[i] = flowed(patch, strength, at);
      change = fmaxf(change, fabsf(next[i] - patch[at]));
    }
    largest[thread] = change;
    __syncthreads();
    for (int i = 0, at = thread; at < kCells; ++i, at += kFlowBlock) patch[at] = next[i];
    for (int half = kFlowBlock / 2; half > 0; half /= 2) {
      if (thread < half) largest[thread] = fmaxf(largest[thread], largest[thread + half]);
      __syncthreads();
    }
    change = largest[0];
    ++step;
  } while (change > kStill && step < most_steps);
  for (int at = thread; at < kCells; at += kFlowBlock) outlines[first + at] = patch[at];
  if (thread == 0) steps[blockIdx.x] = step;
}

namespace {

std::vector<Sample> make_circles() {
  std::vector<Sample> samples;
  for (int radius = 0; radius < kRadii; ++radius) {
    for (int k = 0; k < kAngles; ++k) {
      const double angle = 6.283185307 * k / kAngles;
      const auto cosine = static_cast<float>(std::cos(angle));
      const auto sine = static_cast<float>(std::sin(angle));
      const auto r = static_cast<float>(3 + radius);
      samples.push_back(
          {static_cast<int>(std::lround(r * cosine)), static_cast<int>(std::lround(r * sine)), cosine, sine});
    }
  }
  return samples;
}

// Bright discs on a dark, noisy ground.
std::vector<float> random_picture(int width, int height, int cells, Random& random) {
  std::vector<float> picture(static_cast<size_t>(width) * height);
  for (float& pixel : picture) pixel = 0.1f + 0.05f * random.unit();
  for (int cell = 0; cell < cells; ++cell) {
    const int cx = kMargin + static_cast<int>(random.below(static_cast<uint32_t>(width - 2 * kMargin)));
    const int cy = kMargin + static_cast<int>(random.below(static_cast<uint32_t>(height - 2 * kMargin)));
    const int radius = 3 + static_cast<int>(random.below(kRadii));
    const float brightness = 0.4f + 0.5f * random.unit();
    for (int y = std::max(0, cy - radius); y <= std::min(height - 1, cy + radius); ++y) {
      for (int x = std::max(0, cx - radius); x <= std::min(width - 1, cx + radius); ++x) {
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius) picture[y * width + x] += brightness;
      }
    }
  }
  return picture;
}

std::vector<Gradient> gradients_of(const std::vector<float>& picture, int width, int height) {
  std::vector<Gradient> gradients(picture.size(), Gradient{0.0f, 0.0f});
  for (int y = 1; y + 1 < height; ++y) {
    for (int x = 1; x + 1 < width; ++x) {
      const int at = y * width + x;
      gradients[at] = {8.0f * (picture[at + 1] - picture[at - 1]), 8.0f * (picture[at + width] - picture[at - width])};
    }
  }
  return gradients;
}

// The strength of the picture's edges around each place where a score is the highest nearby.
std::vector<float> patches(const std::vector<float>& scores, const std::vector<float>& highest,
                           const std::vector<Gradient>& gradients, int width, int height) {
  std::vector<float> strengths;
  constexpr int kHalf = kPatch / 2;
  for (int at = 0; at < width * height; ++at) {
    if (scores[at] < 0.5f || scores[at] != highest[at]) continue;
    for (int i = 0; i < kCells; ++i) {
      const int x = std::clamp(at % width + i % kPatch - kHalf, 0, width - 1);
      const int y = std::clamp(at / width + i / kPatch - kHalf, 0, height - 1);
      const Gradient g = gradients[y * width + x];
      strengths.push_back(std::min(1.0f, 0.2f * (std::fabs(g.x) + std::fabs(g.y))));
    }
  }
  return strengths;
}

std::string check_scores(const std::vector<Gradient>& gradients, int width, int height,
                         const std::vector<float>& scores, const std::vector<float>& highest) {
  const std::vector<Sample> samples = make_circles();
  std::vector<float> expected(scores.size(), 0.0f);
  for (int y = kMargin; y < height - kMargin; ++y) {
    for (int x = kMargin; x < width - kMargin; ++x) {
      float& best = expected[y * width + x];
      for (int radius = kRadii - 1; radius >= 0; --radius) {
        best = std::max(best, circle_score(&samples[radius * kAngles], gradients.data(), width, y * width + x));
      }
    }
  }
  const std::string wrong = workload::compare(scores, expected, 0.0f);
  if (!wrong.empty()) return "scores: " + wrong;
  for (int at = 0; at < width * height; ++at) {
    expected[at] = highest_nearby(scores.data(), width, height, at % width, at / width);
  }
  return workload::compare(highest, expected, 0.0f);
}

std::string check_outlines(const std::vector<float>& strengths, const std::vector<float>& outlines,
                           const std::vector<int>& steps, int most_steps) {
  std::vector<float> expected = strengths;
  for (size_t cell = 0; cell < steps.size(); ++cell) {
    float* const patch = expected.data() + cell * kCells;
    int step = 0;
    for (float change = 1.0f; change > kStill && step < most_steps; ++step) {
      change = 0.0f;
      const std::vector<float> before(patch, patch + kCells);
      for (int at = 0; at < kCells; ++at) {
        patch[at] = flowed(before.data(), strengths.data() + cell * kCells, at);
        change = std::max(change, std::fabs(patch[at] - before[at]));
      }
    }
    if (step != steps[cell]) {
      return "cell " + std::to_string(cell) + " took " + std::to_string(steps[cell]) + " steps, expected " +
             std::to_string(step);
    }
  }
  return workload::compare(outlines, expected, 0.0f);
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 20, 160, 640);
  const int height = workload::by_size(options.size, 19, 120, 360);
  const int most_steps = workload::by_size(options.size, 2, 40, 40);
  Random random(options.seed);
  const std::vector<float> picture = random_picture(width, height, workload::by_size(options.size, 1, 36, 400), random);
  const std::vector<Gradient> gradients = gradients_of(picture, width, height);
  const std::vector<Sample> samples = make_circles();
  workload::check_cuda(cudaMemcpyToSymbol(circles, samples.data(), sizeof(circles)), "cudaMemcpyToSymbol");

  const DeviceBuffer<Gradient> device_gradients(gradients);
  const DeviceBuffer<float> device_scores(picture.size());
  const DeviceBuffer<float> device_highest(picture.size());
  const int blocks = (width * height + kBlock - 1) / kBlock;
  edges<<<blocks, kBlock>>>(device_gradients.get(), width, height, device_scores.get());
  workload::check_launch("edges");
  spread<<<blocks, kBlock>>>(device_scores.get(), width, height, device_highest.get());
  workload::check_launch("spread");
  const std::vector<float> scores = device_scores.download();
  const std::vector<float> highest = device_highest.download();
  const std::string wrong = check_scores(gradients, width, height, scores, highest);
  if (!wrong.empty()) return workload::verdict(wrong);

  const std::vector<float> strengths = patches(scores, highest, gradients, width, height);
  const size_t cells = strengths.size() / kCells;
  if (cells == 0) return workload::verdict("no cell was found");
  const DeviceBuffer<float> device_strengths(strengths);
  const DeviceBuffer<float> outlines(strengths.size());
  const DeviceBuffer<int> steps(cells);
  flow<<<static_cast<unsigned>(cells), kFlowBlock>>>(device_strengths.get(), outlines.get(), most_steps, steps.get());
  workload::check_launch("flow");
  std::printf("leukocyte: %d x %d pixels, %zu cells found\n", width, height, cells);
  return workload::verdict(check_outlines(strengths, outlines.download(), steps.download(), most_steps));
}
