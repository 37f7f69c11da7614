// SPDX-License-Identifier: Apache-2.0
// Texture fetches and surface accesses in code that diverges: the same values under every mechanism and in both
// engines, and what the cycle engine reads for them.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace textures_test {

constexpr unsigned kBlock = 96, kBlocks = 3, kThreads = kBlock * kBlocks;
constexpr unsigned kWidth = 32, kHeight = 16;

// Each thread walks as far as it will, on a texture of floats read linearly or point by point, or on a surface.
constexpr const char* kSource = R"(
texture<float, 2> image;
surface<void, 2> canvas;
__device__ unsigned mix(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}
extern "C" __global__ void walk(float* out, const int* table, cudaTextureObject_t points) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  unsigned at = t;
  for (unsigned i = 0; i < mix(t) % 11; ++i) {
    at = mix(at + i);
    if (at % 3 == 0) {
      sum += tex2D(image, (at & 127) * 0.25f, (at >> 8 & 63) * 0.25f);
    } else if (at % 3 == 1) {
      sum -= tex2D<float>(points, (at & 127) * 0.25f, (at >> 8 & 63) * 0.25f);
    } else {
      sum += tex1Dfetch<int>(4, at % 1000 + (at & 512 ? 0 : 100));
    }
  }
  if (t & 1) surf2Dwrite(sum, canvas, t % 32 * 4, t / 32);
  out[t] = t & 2 ? sum : surf2Dread<float>(canvas, t % 32 * 4, t / 32);
}
)";

std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

float texel(int x, int y) {
  const auto inside = [](int i, unsigned n) {
    return static_cast<unsigned>(std::min(std::max(i, 0), static_cast<int>(n) - 1));
  };
  return static_cast<float>(mix(inside(x, kWidth) + kWidth * inside(y, kHeight)) % 256);
}

// The weights are quarters and eighths: all sums are exact.
float linear(float x, float y) {
  const int i = static_cast<int>(std::floor(x - 0.5F)), j = static_cast<int>(std::floor(y - 0.5F));
  const float a = x - 0.5F - static_cast<float>(i), b = y - 0.5F - static_cast<float>(j);
  return (1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) + (1 - a) * b * texel(i, j + 1) +
         a * b * texel(i + 1, j + 1);
}

float expected(std::uint32_t t) {
  float sum = 0;
  std::uint32_t at = t;
  for (std::uint32_t i = 0; i < mix(t) % 11; ++i) {
    at = mix(at + i);
    const float x = static_cast<float>(at & 127) * 0.25F, y = static_cast<float>(at >> 8 & 63) * 0.25F;
    if (at % 3 == 0) {
      sum += linear(x, y);
    } else if (at % 3 == 1) {
      sum -= texel(static_cast<int>(x), static_cast<int>(y));
    } else {
      const std::uint32_t index = at % 1000 + ((at & 512) != 0 ? 0 : 100);
      sum += index < 1000 ? static_cast<float>(3 * index) : 0;
    }
  }
  return (t & 1) != 0 || (t & 2) != 0 ? sum : -1;
}

class Textures : public testing::TestWithParam<MechanismVariant> {
 protected:
  static void SetUpTestSuite() { ptx_ = host::ptx_of(kSource); }

  template <class T>
  static isa::Image image_of(Address begin, std::uint32_t width, std::uint32_t height, isa::ChannelKind kind) {
    isa::Image image;
    image.begin = begin;
    image.dimensions = height > 1 ? 2 : 1;
    image.size = {width, height, 1};
    image.row_bytes = width * sizeof(T);
    image.kind = kind;
    return image;
  }

  static std::uint64_t run(const std::string& machine, Timing timing) {
    std::vector<std::string> sets = sets_on(machine, GetParam().mechanism);
    sets.push_back("cores=1");
    RunOptions options = RunOptions::resolve(machine, GetParam().mechanism, sets);
    options.timing = timing;
    KernelMachine<> gpu(ptx_, options);
    std::vector<float> texels, canvas(kWidth * kHeight, -1);
    for (unsigned i = 0; i < kWidth * kHeight; ++i) texels.push_back(texel(i % kWidth, static_cast<int>(i / kWidth)));
    std::vector<int> line(1000);
    for (unsigned i = 0; i < line.size(); ++i) line[i] = static_cast<int>(3 * i);
    isa::Texture texture;
    texture.image = image_of<float>(gpu.upload(texels, "texels"), kWidth, kHeight, isa::ChannelKind::kFloat);
    gpu.images.textures[3] = texture;
    texture.linear_filter = true;
    gpu.images.textures[gpu.program.symbol("image")->address] = texture;
    isa::Texture& row = gpu.images.textures[4];
    row.image = image_of<int>(gpu.upload(line, "line"), 1000, 1, isa::ChannelKind::kSigned);
    row.address.fill(isa::AddressMode::kBorder);
    gpu.images.surfaces[gpu.program.symbol("canvas")->address] =
        image_of<float>(gpu.upload(canvas, "canvas"), kWidth, kHeight, isa::ChannelKind::kFloat);

    const Address out = gpu.upload(std::vector<float>(kThreads), "out");
    gpu.run("walk", {kBlocks}, {kBlock}, out, out, std::uint64_t{3});
    const std::vector<float> got = gpu.download<float>(out, kThreads);
    unsigned wrong = 0;
    for (unsigned t = 0; t < kThreads; ++t) wrong += got[t] != expected(t) ? 1 : 0;
    EXPECT_EQ(wrong, 0U) << GetParam().name() << " on " << machine;
    return timing == Timing::kCycle ? static_cast<std::uint64_t>(gpu.device.results().total().at("texture_accesses"))
                                    : 0;
  }

 private:
  static inline std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Every, Textures, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Textures, ReadTheSameEverywhere) {
  for (const char* machine : {"tbc2011", "tstbc2016"}) EXPECT_GT(run(machine, Timing::kCycle), 0U) << machine;
  for (const char* machine : {"ivb2013", "harp2013", "volta"}) run(machine, Timing::kFunctional);
}

}  // namespace textures_test
}  // namespace warpfold
