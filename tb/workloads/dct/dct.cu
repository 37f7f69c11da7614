// SPDX-License-Identifier: Apache-2.0
// What compresses pictures: every square of 8 x 8 pixels is turned into frequencies by a discrete cosine transform,
// these are divided and rounded, and the picture is made of them again. A block of 64 threads has a square; rounding
// takes positive and negative values different ways.
//
//   dct [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "dct";
constexpr int kSide = 8;
constexpr int kArea = kSide * kSide;

__constant__ float waves[kArea];   // wave u, sampled at place x, at u * 8 + x
__constant__ int divisors[kArea];  // of the frequencies

__host__ __device__ inline int rounded_quotient(float value, int divisor) {
  int whole = static_cast<int>(fabsf(value));
  whole = (whole + divisor / 2) / divisor;
  if (value < 0.0f) whole = -whole;
  return whole;
}

__global__ void transform(const float* picture, int width, int* frequencies) {
  __shared__ float from[kSide][kSide];
  __shared__ float half[kSide][kSide];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int at = (static_cast<int>(blockIdx.y) * kSide + y) * width + static_cast<int>(blockIdx.x) * kSide + x;
  from[y][x] = picture[at];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < kSide; ++k) sum += from[y][k] * waves[x * kSide + k];
  half[y][x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < kSide; ++k) sum += half[k][x] * waves[y * kSide + k];
  frequencies[at] = rounded_quotient(sum, divisors[y * kSide + x]);
}

__global__ void restore(const int* frequencies, int width, float* picture) {
  __shared__ float from[kSide][kSide];
  __shared__ float half[kSide][kSide];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int at = (static_cast<int>(blockIdx.y) * kSide + y) * width + static_cast<int>(blockIdx.x) * kSide + x;
  from[y][x] = static_cast<float>(frequencies[at] * divisors[y * kSide + x]);
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < kSide; ++k) sum += from[y][k] * waves[k * kSide + x];
  half[y][x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < kSide; ++k) sum += half[k][x] * waves[k * kSide + y];
  picture[at] = fminf(fmaxf(sum, -128.0f), 127.0f);
}

namespace {

std::vector<float> make_waves() {
  std::vector<float> values;
  for (int i = 0; i < kArea; ++i) {
    const int u = i / kSide;
    const double scale = u == 0 ? std::sqrt(1.0 / kSide) : std::sqrt(2.0 / kSide);
    values.push_back(static_cast<float>(scale * std::cos((2 * (i % kSide) + 1) * u * 3.14159265358979 / (2 * kSide))));
  }
  return values;
}

// Fine structure is kept less well than coarse one.
std::vector<int> make_divisors() {
  std::vector<int> values;
  for (int i = 0; i < kArea; ++i) values.push_back(8 + 3 * (i / kSide + i % kSide));
  return values;
}

// Gentle slopes, an edge, and some noise; grey is 0.
std::vector<float> random_picture(int width, int height, Random& random) {
  std::vector<float> picture;
  const int edge = static_cast<int>(random.below(static_cast<uint32_t>(width)));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int slope = (x * 3 + y * 5) / 4 % 160 - 80 + (x + y / 2 < edge ? 35 : -35);
      picture.push_back(static_cast<float>(slope + static_cast<int>(random.below(12)) - 6));
    }
  }
  return picture;
}

// A square's rows, then its columns: with `forwards` from places to waves, else back.
std::vector<float> both_ways(const std::vector<float>& square, const std::vector<float>& wave, bool forwards) {
  std::vector<float> values = square;
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<float> before = values;
    for (int line = 0; line < kSide; ++line) {
      for (int i = 0; i < kSide; ++i) {
        float sum = 0.0f;
        for (int k = 0; k < kSide; ++k) {
          const float factor = forwards ? wave[i * kSide + k] : wave[k * kSide + i];
          sum += (pass == 0 ? before[line * kSide + k] : before[k * kSide + line]) * factor;
        }
        values[pass == 0 ? line * kSide + i : i * kSide + line] = sum;
      }
    }
  }
  return values;
}

void compress(const std::vector<float>& picture, int width, std::vector<int>& frequencies,
              std::vector<float>& restored) {
  const std::vector<float> wave = make_waves();
  const std::vector<int> divisor = make_divisors();
  const int squares = static_cast<int>(picture.size()) / kArea;
  for (int square = 0; square < squares; ++square) {
    const int first = square / (width / kSide) * kSide * width + square % (width / kSide) * kSide;
    std::vector<float> values(kArea);
    for (int i = 0; i < kArea; ++i) values[i] = picture[first + i / kSide * width + i % kSide];
    values = both_ways(values, wave, true);
    for (int i = 0; i < kArea; ++i) {
      const int frequency = rounded_quotient(values[i], divisor[i]);
      frequencies[first + i / kSide * width + i % kSide] = frequency;
      values[i] = static_cast<float>(frequency * divisor[i]);
    }
    values = both_ways(values, wave, false);
    for (int i = 0; i < kArea; ++i) {
      restored[first + i / kSide * width + i % kSide] = std::clamp(values[i], -128.0f, 127.0f);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 32, 320, 1024);
  const int height = workload::by_size(options.size, 16, 256, 768);
  Random random(options.seed);
  const std::vector<float> picture = random_picture(width, height, random);
  workload::check_cuda(cudaMemcpyToSymbol(waves, make_waves().data(), sizeof(waves)), "cudaMemcpyToSymbol");
  workload::check_cuda(cudaMemcpyToSymbol(divisors, make_divisors().data(), sizeof(divisors)), "cudaMemcpyToSymbol");

  const DeviceBuffer<float> from(picture);
  const DeviceBuffer<int> frequencies(picture.size());
  const DeviceBuffer<float> to(picture.size());
  const dim3 blocks(width / kSide, height / kSide);
  transform<<<blocks, dim3(kSide, kSide)>>>(from.get(), width, frequencies.get());
  workload::check_launch("transform");
  restore<<<blocks, dim3(kSide, kSide)>>>(frequencies.get(), width, to.get());
  workload::check_launch("restore");

  std::vector<int> expected(picture.size());
  std::vector<float> restored(picture.size());
  compress(picture, width, expected, restored);
  const auto zeros = std::count(expected.begin(), expected.end(), 0);
  std::printf("dct: %d x %d pixels, %d %% of the frequencies are 0\n", width, height,
              static_cast<int>(100 * zeros / static_cast<int64_t>(expected.size())));
  const std::string wrong = workload::compare_equal(frequencies.download(), expected);
  return workload::verdict(wrong.empty() ? workload::compare(to.download(), restored, 0.0f) : wrong);
}
