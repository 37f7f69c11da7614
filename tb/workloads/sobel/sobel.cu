// SPDX-License-Identifier: Apache-2.0
// The Sobel filter: how steep a picture is at each of its pixels, by two masks of 3 x 3. The pixels at its edge have no
// steepness.
//
//   sobel [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Byte = unsigned char;

constexpr const char* kProgram = "sobel";
constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

__global__ void filter(const Byte* from, int width, int height, Byte* to) {
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  if (x == 0 || x + 1 == width || y == 0 || y + 1 == height) {
    to[at] = 0;
    return;
  }
  const Byte* const above = from + at - width;
  const Byte* const here = from + at;
  const Byte* const below = from + at + width;
  const int across = above[1] + 2 * here[1] + below[1] - above[-1] - 2 * here[-1] - below[-1];
  const int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  to[at] = static_cast<Byte>(min((abs(across) + abs(down)) / 2, 255));
}

namespace {

// Rectangles of all shades over one another.
std::vector<Byte> random_picture(int width, int height, Random& random) {
  std::vector<Byte> picture(static_cast<size_t>(width) * height, 128);
  for (int i = 0; i < 40; ++i) {
    const auto shade = static_cast<Byte>(random.below(256));
    const int left = static_cast<int>(random.below(static_cast<uint32_t>(width)));
    const int top = static_cast<int>(random.below(static_cast<uint32_t>(height)));
    for (int y = top; y < std::min(height, top + height / 4); ++y) {
      for (int x = left; x < std::min(width, left + width / 4); ++x) picture[y * width + x] = shade;
    }
  }
  for (Byte& pixel : picture) pixel = static_cast<Byte>(std::min(255, pixel + static_cast<int>(random.below(6))));
  return picture;
}

std::vector<Byte> filter_on_host(const std::vector<Byte>& picture, int width, int height) {
  constexpr int kMask[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  std::vector<Byte> result(picture.size(), 0);
  for (int y = 1; y + 1 < height; ++y) {
    for (int x = 1; x + 1 < width; ++x) {
      int across = 0;
      int down = 0;
      for (int i = 0; i < 9; ++i) {
        const int pixel = picture[(y + i / 3 - 1) * width + x + i % 3 - 1];
        across += kMask[i / 3][i % 3] * pixel;
        down += kMask[i % 3][i / 3] * pixel;
      }
      result[y * width + x] = static_cast<Byte>(std::min((std::abs(across) + std::abs(down)) / 2, 255));
    }
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 70, 700, 2000);
  const int height = workload::by_size(options.size, 20, 500, 1500);
  Random random(options.seed);
  const std::vector<Byte> picture = random_picture(width, height, random);
  const DeviceBuffer<Byte> from(picture);
  const DeviceBuffer<Byte> to(picture.size());
  filter<<<dim3((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY), dim3(kBlockX, kBlockY)>>>(
      from.get(), width, height, to.get());
  workload::check_launch("filter");
  std::printf("sobel: %d x %d pixels\n", width, height);
  return workload::verdict(workload::compare_equal(to.download(), filter_on_host(picture, width, height)));
}
