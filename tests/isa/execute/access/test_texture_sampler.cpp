// SPDX-License-Identifier: Apache-2.0
// Texture fetches against the formulas of the CUDA C++ programming guide (appendix "Texture Fetching"), written down
// once more here, and against values worked out by hand.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "warpfold/isa/execute/access/texture_sampler.h"

namespace warpfold::isa {
namespace texture_sampler_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

class Sampler : public ::testing::Test {
 protected:
  // A float texture over `values`, x fastest.
  Texture floats(std::vector<float> values, std::array<std::uint32_t, 3> size, unsigned dimensions) {
    Texture texture = of(values.data(), values.size() * sizeof(float), size, dimensions);
    return texture;
  }
  Texture of(const void* texels, std::uint64_t bytes, std::array<std::uint32_t, 3> size, unsigned dimensions,
             unsigned channels = 1, unsigned channel_bytes = 4, ChannelKind kind = ChannelKind::kFloat) {
    Texture texture;
    Image& image = texture.image;
    image.begin = memory.allocate(bytes, "texels");
    EXPECT_TRUE(memory.write(image.begin, texels, bytes));
    image.dimensions = dimensions;
    image.size = size;
    image.channels = static_cast<std::uint8_t>(channels);
    image.channel_bytes = static_cast<std::uint8_t>(channel_bytes);
    image.kind = kind;
    image.row_bytes = image.used_row_bytes();
    image.slice_bytes = image.row_bytes * size[1];
    return texture;
  }
  std::array<std::uint32_t, 4> fetch(const Texture& texture, float x, float y = 0, float z = 0, int layer = 0) {
    TextureCoordinates at;
    at.dimensions = 3;
    at.position = {x, y, z};
    at.layer = layer;
    return filtered(texture, footprint(texture, at), memory);
  }
  float value(const Texture& texture, float x, float y = 0, float z = 0) {
    return std::bit_cast<float>(fetch(texture, x, y, z)[0]);
  }
  std::array<std::uint32_t, 4> fetch_index(const Texture& texture, int x) {
    TextureCoordinates at;
    at.integers = true;
    at.index = {x, 0, 0};
    return filtered(texture, footprint(texture, at), memory);
  }
  DeviceMemory memory{1 << 20};
};

TEST_F(Sampler, PointReadsTheTexelThatHoldsThePosition) {
  const Texture texture = floats({10, 11, 12, 13}, {4, 1, 1}, 1);
  for (const auto& [x, expected] : std::vector<std::pair<float, float>>{{0, 10},
                                                                        {0.99F, 10},
                                                                        {1, 11},
                                                                        {2.5F, 12},
                                                                        {3.99F, 13},
                                                                        {4, 13},
                                                                        {1e30F, 13},
                                                                        {kInfinity, 13},
                                                                        {-0.01F, 10},
                                                                        {-kInfinity, 10},
                                                                        {kNan, 10}}) {
    EXPECT_EQ(value(texture, x), expected) << x;
  }
}

TEST_F(Sampler, RowsSlicesAndLayers) {
  std::vector<float> values(4 * 3 * 2);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Texture texture = floats(values, {4, 3, 2}, 3);
  EXPECT_EQ(value(texture, 2.5F, 1.5F, 1.5F), 2 + 4 * 1 + 12 * 1);
  EXPECT_EQ(value(texture, 9, 9, 9), 23) << "each coordinate is clamped by itself";
  texture.image.dimensions = 2;
  texture.image.size[2] = 1;
  texture.image.layers = 2;
  texture.linear_filter = true;
  EXPECT_EQ(std::bit_cast<float>(fetch(texture, 2.5F, 1.5F, 0, 1)[0]), 18) << "layers are not filtered";
  EXPECT_EQ(std::bit_cast<float>(fetch(texture, 2.5F, 1.5F, 0, -7)[0]), 6) << "but clamped";
  EXPECT_EQ(std::bit_cast<float>(fetch(texture, 2.5F, 1.5F, 0, 7)[0]), 18);
}

// Offsets count texels, and are added before positions repeat, are reflected or clamped.
TEST_F(Sampler, Offsets) {
  Texture texture = floats({10, 11, 12, 13, 20, 21, 22, 23}, {4, 2, 1}, 2);
  texture.border = {std::bit_cast<std::uint32_t>(7.0F), 0, 0, 0};
  TextureCoordinates at;
  at.dimensions = 2;
  const auto value_at = [&] { return std::bit_cast<float>(filtered(texture, footprint(texture, at), memory)[0]); };
  // By modes, of x = 1.5 and y = 0.5, with offsets of x from -8 to 7.
  const std::vector<std::pair<AddressMode, std::vector<float>>> rows{
      {AddressMode::kClamp, {10, 10, 10, 10, 10, 10, 10, 10, 11, 12, 13, 13, 13, 13, 13, 13}},
      {AddressMode::kBorder, {7, 7, 7, 7, 7, 7, 7, 10, 11, 12, 13, 7, 7, 7, 7, 7}},
      {AddressMode::kWrap, {11, 12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10}},
      {AddressMode::kMirror, {11, 12, 13, 13, 12, 11, 10, 10, 11, 12, 13, 13, 12, 11, 10, 10}}};
  for (const auto& [mode, expected] : rows) {
    texture.address.fill(mode);
    texture.normalized_coordinates = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
    at.position = texture.normalized_coordinates ? std::array{0.375F, 0.25F, 0.0F} : std::array{1.5F, 0.5F, 0.0F};
    for (int offset = -8; offset < 8; ++offset) {
      at.offset = {offset, 0, 0};
      EXPECT_EQ(value_at(), expected[static_cast<std::size_t>(offset + 8)]) << static_cast<int>(mode) << " " << offset;
    }
  }
  texture.address.fill(AddressMode::kClamp);
  texture.normalized_coordinates = false;
  at.position = {1.5F, 0.5F, 0};
  at.offset = {1, 1, 5};
  EXPECT_EQ(value_at(), 22) << "along what is not there they do not count";
  at.integers = true;
  at.index = {2, 0, 0};
  at.offset = {1, -3, 0};
  EXPECT_EQ(value_at(), 13);
  at.index = {std::numeric_limits<std::int32_t>::max(), 0, 0};
  EXPECT_EQ(value_at(), 13) << "no overflow";
  at.integers = false;
  texture.linear_filter = true;
  at.position = {1.25F, 1, 0};
  at.offset = {1, 0, 0};
  EXPECT_EQ(value_at(), 16.75F) << "a quarter of 11 + 1, three of 12 + 1, and half of the next row's";
}

// Positions in [0, 1) repeat or are reflected; with coordinates that are not normalised, both clamp.
TEST_F(Sampler, AddressModes) {
  Texture texture = floats({10, 11, 12, 13}, {4, 1, 1}, 1);
  texture.border = {std::bit_cast<std::uint32_t>(7.0F), 0, 0, 0};
  const auto at = [&](AddressMode mode, bool normalized, float x) {
    texture.address.fill(mode);
    texture.normalized_coordinates = normalized;
    return value(texture, x);
  };
  // From -1.125 on in steps of a quarter: the middle of a texel each.
  const std::vector<float> wrap{13, 10, 11, 12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10};
  const std::vector<float> mirror{13, 13, 12, 11, 10, 10, 11, 12, 13, 13, 12, 11, 10, 10};
  const std::vector<float> border{7, 7, 7, 7, 7, 10, 11, 12, 13, 7, 7, 7, 7, 7};
  const std::vector<float> clamp{10, 10, 10, 10, 10, 10, 11, 12, 13, 13, 13, 13, 13, 13};
  for (unsigned i = 0; i < wrap.size(); ++i) {
    const float x = -1.125F + 0.25F * static_cast<float>(i);
    EXPECT_EQ(at(AddressMode::kWrap, true, x), wrap[i]) << x;
    EXPECT_EQ(at(AddressMode::kMirror, true, x), mirror[i]) << x;
    EXPECT_EQ(at(AddressMode::kBorder, true, x), border[i]) << x;
    EXPECT_EQ(at(AddressMode::kClamp, true, x), clamp[i]) << x;
    EXPECT_EQ(at(AddressMode::kWrap, false, 4 * x), clamp[i]) << x;
    EXPECT_EQ(at(AddressMode::kMirror, false, 4 * x), clamp[i]) << x;
    EXPECT_EQ(at(AddressMode::kBorder, false, 4 * x), border[i]) << x;
  }
  EXPECT_EQ(at(AddressMode::kWrap, true, kInfinity), 10);
  EXPECT_EQ(at(AddressMode::kWrap, true, 1e20F), 10) << "a whole number";
}

TEST_F(Sampler, LinearIn1DWithWeightsOfEightBits) {
  Texture texture = floats({0, 256, 1024, 4096}, {4, 1, 1}, 1);
  texture.linear_filter = true;
  EXPECT_EQ(value(texture, 0.5F), 0);
  EXPECT_EQ(value(texture, 1.5F), 256);
  EXPECT_EQ(value(texture, 1), 128);
  EXPECT_EQ(value(texture, 0), 0) << "clamped";
  EXPECT_EQ(value(texture, 4), 4096);
  EXPECT_EQ(value(texture, 0.5F + 1.0F / 256), 1) << "the smallest weight";
  EXPECT_EQ(value(texture, 0.5F + 1.4F / 256), 1) << "rounded down";
  EXPECT_EQ(value(texture, 0.5F + 1.6F / 256), 2) << "rounded up";
  EXPECT_EQ(value(texture, 1.499F), 256) << "a weight of 1.0 occurs";
  texture.normalized_coordinates = true;
  texture.address.fill(AddressMode::kWrap);
  EXPECT_EQ(value(texture, 0), 2048) << "between the last texel and the first";
  EXPECT_EQ(value(texture, 5), 2048);
  texture.address.fill(AddressMode::kMirror);
  EXPECT_EQ(value(texture, 1), 4096);
  texture.address.fill(AddressMode::kBorder);
  EXPECT_EQ(value(texture, 1), 2048) << "half of it is the border's zero";
}

// The guide's formula for two and three dimensions, on texels and positions that look random.
TEST_F(Sampler, LinearIn2DAnd3D) {
  constexpr int kWidth = 7, kHeight = 5, kDepth = 3;
  std::vector<float> values(kWidth * kHeight * kDepth);
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525u + 1013904223u, static_cast<float>(state >> 8) / 65536.0F; };
  for (float& v : values) v = next() - 100;
  const auto texel = [&](int x, int y, int z) {
    const auto inside = [](int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; };
    return static_cast<double>(
        values[static_cast<unsigned>(inside(x, kWidth) + kWidth * (inside(y, kHeight) + kHeight * inside(z, kDepth)))]);
  };
  for (const unsigned dimensions : {2U, 3U}) {
    Texture texture = floats(values, {kWidth, kHeight, dimensions == 3 ? kDepth : 1U}, dimensions);
    texture.linear_filter = true;
    for (unsigned trial = 0; trial < 2000; ++trial) {
      const float x = next() / 32 - 1, y = next() / 40 - 1, z = next() / 64;
      const auto split = [](float at, int& i) {
        i = static_cast<int>(std::floor(at - 0.5));
        return std::round((at - 0.5 - i) * 256) / 256;
      };
      int i = 0, j = 0, k = 0;
      const double a = split(x, i), b = split(y, j), c = dimensions == 3 ? split(z, k) : 0;
      const double near = (1 - a) * (1 - b) * texel(i, j, k) + a * (1 - b) * texel(i + 1, j, k) +
                          (1 - a) * b * texel(i, j + 1, k) + a * b * texel(i + 1, j + 1, k);
      const double far = (1 - a) * (1 - b) * texel(i, j, k + 1) + a * (1 - b) * texel(i + 1, j, k + 1) +
                         (1 - a) * b * texel(i, j + 1, k + 1) + a * b * texel(i + 1, j + 1, k + 1);
      const double expected = dimensions == 3 ? (1 - c) * near + c * far : near;
      ASSERT_NEAR(value(texture, x, y, z), expected, 1e-5 * 256) << x << " " << y << " " << z;
    }
  }
}

TEST_F(Sampler, WeightlessTexelsAddNothing) {
  Texture texture = floats({1, kNan, kInfinity, 2}, {4, 1, 1}, 1);
  texture.linear_filter = true;
  EXPECT_EQ(value(texture, 0.5F), 1);
  EXPECT_EQ(value(texture, 3.5F), 2);
  EXPECT_TRUE(std::isnan(value(texture, 1)));
}

TEST_F(Sampler, ReadsWhatTheFilterNeeds) {
  Texture texture = floats(std::vector<float>(64), {4, 4, 4}, 3);
  TextureCoordinates at;
  at.position = {1, 1, 1};
  at.dimensions = 3;
  EXPECT_EQ(footprint(texture, at).count, 1u);
  texture.linear_filter = true;
  EXPECT_EQ(footprint(texture, at).count, 8u);
  at.dimensions = 2;
  const Footprint four = footprint(texture, at);
  EXPECT_EQ(four.count, 4u);
  const Address begin = texture.image.begin;
  EXPECT_EQ(four.texels[0].address, begin);
  EXPECT_EQ(four.texels[3].address, begin + 4 * (1 + 4));
  texture.address.fill(AddressMode::kBorder);
  at.position = {-1, 1, 1};
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(footprint(texture, at).texels[k].address, 0u) << "nothing to read";
}

TEST_F(Sampler, IntegersAsTheyAreAndAsFractions) {
  const std::int8_t bytes[] = {-128, -127, 0, 127};
  Texture texture = of(bytes, 4, {1, 1, 1}, 1, 4, 1, ChannelKind::kSigned);
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(fetch(texture, 0), (Four{0xffffff80, 0xffffff81, 0, 127}));
  texture.normalized_values = true;
  const auto floats_of = [](float a, float b, float c, float d) {
    return std::bit_cast<Four>(std::array<float, 4>{a, b, c, d});
  };
  EXPECT_EQ(fetch(texture, 0), floats_of(-1, -1, 0, 1));
  texture.image.kind = ChannelKind::kUnsigned;
  EXPECT_EQ(fetch(texture, 0), floats_of(128 / 255.0F, 129 / 255.0F, 0, 127 / 255.0F));
  texture.normalized_values = false;
  EXPECT_EQ(fetch(texture, 0), (Four{128, 129, 0, 127}));

  const std::uint16_t words[] = {0xffff, 0x8001};
  texture = of(words, 4, {1, 1, 1}, 1, 2, 2, ChannelKind::kUnsigned);
  EXPECT_EQ(fetch(texture, 0), (Four{0xffff, 0x8001, 0, 1})) << "missing components: 0, 0, 1";
  texture.normalized_values = true;
  EXPECT_EQ(fetch(texture, 0), floats_of(1, 32769 / 65535.0F, 0, 1));
  texture.image.kind = ChannelKind::kSigned;
  EXPECT_EQ(fetch(texture, 0), floats_of(-1 / 32767.0F, -1, 0, 1));
}

TEST_F(Sampler, HalfPrecisionTexels) {
  // One, the largest, the smallest normal, the smallest subnormal; minus zero, minus two, infinity, not a number.
  const std::uint16_t halves[] = {0x3c00, 0x7bff, 0x0400, 0x0001, 0x8000, 0xc000, 0x7c00, 0x7e00};
  const Texture texture = of(halves, sizeof halves, {2, 1, 1}, 1, 4, 2, ChannelKind::kFloat);
  const auto first = std::bit_cast<std::array<float, 4>>(fetch(texture, 0));
  EXPECT_EQ(first, (std::array<float, 4>{1, 65504, std::ldexp(1.0F, -14), std::ldexp(1.0F, -24)}));
  const auto second = std::bit_cast<std::array<float, 4>>(fetch(texture, 1));
  EXPECT_TRUE(second[0] == 0 && std::signbit(second[0]));
  EXPECT_EQ(second[1], -2);
  EXPECT_EQ(second[2], kInfinity);
  EXPECT_TRUE(std::isnan(second[3]));
}

TEST_F(Sampler, IntegerCoordinatesAreIndices) {
  Texture texture = floats({10, 11, 12, 13}, {4, 1, 1}, 1);
  texture.linear_filter = true;
  EXPECT_EQ(std::bit_cast<float>(fetch_index(texture, 2)[0]), 12) << "never filtered";
  EXPECT_EQ(std::bit_cast<float>(fetch_index(texture, -1)[0]), 10);
  texture.address.fill(AddressMode::kBorder);
  EXPECT_EQ(fetch_index(texture, -1)[0], 0u);
  EXPECT_EQ(fetch_index(texture, 4)[0], 0u);
  EXPECT_EQ(std::bit_cast<float>(fetch_index(texture, 3)[0]), 13);
}

// Two cubes of faces of 2 × 2 texels, whose values are 100 × cube + 10 × face + texel.
class Cubes : public Sampler {
 protected:
  Cubes() {
    std::vector<float> values;
    for (unsigned texel = 0; texel < 48; ++texel) {
      values.push_back(static_cast<float>(100 * (texel / 24) + 10 * (texel / 4 % 6) + texel % 4));
    }
    cubes = floats(values, {2, 2, 1}, 2);
    cubes.image.layers = 12;
    cubes.image.cube = true;
    cubes.normalized_coordinates = true;
  }
  float towards(float x, float y, float z, int cube = 0) {
    TextureCoordinates at;
    at.dimensions = 2;
    at.cube = true;
    at.position = {x, y, z};
    at.layer = cube;
    return std::bit_cast<float>(filtered(cubes, footprint(cubes, at), memory)[0]);
  }
  Texture cubes;
};

// By the table of the CUDA C++ programming guide: on +x, s = -z and t = -y; and so on.
TEST_F(Cubes, ADirectionGoesToATexelOfAFace) {
  EXPECT_EQ(towards(2, 1, 1), 0);    // s = -1/2, t = -1/2: the first texel
  EXPECT_EQ(towards(2, 1, -1), 1);   // s = 1/2
  EXPECT_EQ(towards(2, -1, 1), 2);   // t = 1/2
  EXPECT_EQ(towards(-2, 1, 1), 11);  // on -x, s = z
  EXPECT_EQ(towards(-2, -1, -1), 12);
  EXPECT_EQ(towards(-1, 2, 1), 22);  // on +y, s = x, t = z
  EXPECT_EQ(towards(1, 2, -1), 21);
  EXPECT_EQ(towards(1, -2, 1), 31);  // on -y, t = -z
  EXPECT_EQ(towards(-1, -2, -1), 32);
  EXPECT_EQ(towards(1, 1, 2), 41);  // on +z, s = x, t = -y
  EXPECT_EQ(towards(-1, -1, 2), 42);
  EXPECT_EQ(towards(1, 1, -2), 50);  // on -z, s = -x
  EXPECT_EQ(towards(-1, -1, -2), 53);
  EXPECT_EQ(towards(20, 10, 10), 0) << "its length is no matter";
  EXPECT_EQ(towards(1, 1, 1), 41) << "z before y before x";
  EXPECT_EQ(towards(1, 1, 0.5F), 23) << "y before x: s = 1, t = 1/2";
}

TEST_F(Cubes, LayersCountCubes) {
  EXPECT_EQ(towards(2, 1, 1, 1), 100);
  EXPECT_EQ(towards(1, 1, -2, 7), 150) << "the last cube";
  EXPECT_EQ(towards(1, 1, -2, -1), 50);
}

TEST_F(Cubes, FilteringStaysInAFace) {
  cubes.linear_filter = true;
  EXPECT_EQ(towards(1, 0, 0), 1.5F);
  EXPECT_EQ(towards(1, 1, 1 - 1e-6F), 23) << "s = 1, t = 1: the corner, clamped";
}

TEST_F(Sampler, GathersTheFourTexelsThatFilteringWouldTake) {
  Texture texture = floats({0, 1, 2, 10, 11, 12, 20, 21, 22}, {3, 3, 1}, 2);
  TextureCoordinates at;
  at.dimensions = 2;
  at.gathers = true;
  at.position = {1.2F, 1.9F, 0};  // between columns 0 and 1, rows 1 and 2
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  EXPECT_EQ(gathered(texture, footprint(texture, at), 0, memory), (std::array{bits(20), bits(21), bits(11), bits(10)}));
  EXPECT_EQ(gathered(texture, footprint(texture, at), 1, memory), (std::array{0U, 0U, 0U, 0U}));
  EXPECT_EQ(gathered(texture, footprint(texture, at), 3, memory)[2], bits(1)) << "alpha";
  texture.address.fill(AddressMode::kBorder);
  texture.border[0] = bits(7);
  at.position = {0.1F, 0.1F, 0};
  EXPECT_EQ(gathered(texture, footprint(texture, at), 0, memory), (std::array{bits(7), bits(0), bits(7), bits(7)}));
}

}  // namespace texture_sampler_test
}  // namespace warpfold::isa
