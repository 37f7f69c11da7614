// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/execute/access/texture_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpfold::isa {
namespace {

constexpr std::int64_t kNoTexel = -1;
constexpr double kFar = static_cast<double>(std::int64_t{1} << 40);  // beyond every texture, and an exact integer
constexpr double kWeightSteps = 256;
constexpr std::int32_t kFaces = 6;

// The texels along one axis.
struct Taps {
  struct Tap {
    std::int64_t index = 0;
    double weight = 1;
  };
  std::array<Tap, 2> tap;
  unsigned count = 1;
};

AddressMode effective(const Texture& texture, unsigned axis) {
  const AddressMode mode = texture.address[axis];
  const bool periodic = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return periodic && !texture.normalized_coordinates ? AddressMode::kClamp : mode;
}

std::int64_t modulo(std::int64_t value, std::int64_t by) {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

std::int64_t addressed(std::int64_t index, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::kWrap:
      return modulo(index, size);
    case AddressMode::kMirror: {
      const std::int64_t in_period = modulo(index, 2 * size);
      return in_period < size ? in_period : 2 * size - 1 - in_period;
    }
    case AddressMode::kBorder:
      return index < 0 || index >= size ? kNoTexel : index;
    case AddressMode::kClamp:
      break;
  }
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

// In texels from the first one's edge, finite; where the texture repeats, any of the places that are the same.
double position(const Texture& texture, unsigned axis, float coordinate, AddressMode mode) {
  const double size = texture.image.size[axis];
  double at = coordinate;
  if (std::isnan(at)) return 0;
  if (texture.normalized_coordinates) at *= size;
  if (mode == AddressMode::kWrap || mode == AddressMode::kMirror) return std::isinf(at) ? 0 : std::fmod(at, 2 * size);
  return std::clamp(at, -kFar, kFar);
}

Taps taps(const Texture& texture, unsigned axis, const TextureCoordinates& at) {
  const AddressMode mode = effective(texture, axis);
  const std::int64_t size = texture.image.size[axis], offset = at.offset[axis];
  if (at.integers) {
    const bool border = mode == AddressMode::kBorder;
    return {{{{addressed(at.index[axis] + offset, size, border ? mode : AddressMode::kClamp), 1}}}, 1};
  }
  const double where = position(texture, axis, at.position[axis], mode);
  if (!texture.linear_filter && !at.gathers) {
    return {{{{addressed(static_cast<std::int64_t>(std::floor(where)) + offset, size, mode), 1}}}, 1};
  }
  const double lower = std::floor(where - 0.5);
  const std::int64_t index = static_cast<std::int64_t>(lower) + offset;
  const double weight = std::floor((where - 0.5 - lower) * kWeightSteps + 0.5) / kWeightSteps;
  return {{{{addressed(index, size, mode), 1 - weight}, {addressed(index + 1, size, mode), weight}}}, 2};
}

// The face of the largest coordinate m, and (s / m + 1) / 2, (t / m + 1) / 2 in it (CUDA C++ programming guide,
// "Cubemap Textures").
TextureCoordinates on_face(const TextureCoordinates& from, std::uint32_t cubes) {
  const auto [x, y, z] = from.position;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  unsigned axis = 2;
  if (ax > ay && ax > az) {
    axis = 0;
  } else if (ay > az) {
    axis = 1;
  }
  const bool negative = from.position[axis] < 0;
  const std::array<float, 3> m{ax, ay, az};
  const std::array<float, 3> s{negative ? z : -z, x, negative ? -x : x}, t{-y, negative ? -z : z, -y};
  TextureCoordinates at = from;
  at.cube = false;
  at.position = {(s[axis] / m[axis] + 1) / 2, (t[axis] / m[axis] + 1) / 2, 0};
  const std::int32_t cube = std::clamp<std::int32_t>(from.layer, 0, static_cast<std::int32_t>(cubes) - 1);
  at.layer = cube * kFaces + static_cast<std::int32_t>(2 * axis + (negative ? 1 : 0));
  return at;
}

float half_to_float(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const std::uint32_t sign = (bits & 0x8000) << 16;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t widened = exponent == 0x1f ? 0xffU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

// A channel as it lies in memory, extended to 32 bits.
std::uint32_t raw_channel(const Image& image, const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, image.channel_bytes);
  if (image.kind != ChannelKind::kSigned) return bits;
  const unsigned unused = 32 - 8 * image.channel_bytes;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused);
}

float fraction_of_largest(const Image& image, std::uint32_t raw) {
  if (image.kind == ChannelKind::kUnsigned)
    return static_cast<float>(raw) / (image.channel_bytes == 1 ? 255.0F : 65535.0F);
  const auto value = static_cast<float>(static_cast<std::int32_t>(raw));
  return std::max(value / (image.channel_bytes == 1 ? 127.0F : 32767.0F), -1.0F);
}

std::uint32_t missing_channel(const Texture& texture, unsigned channel) {
  if (channel < 3) return 0;
  return texture.returns_float() ? std::bit_cast<std::uint32_t>(1.0F) : 1;
}

// What a point read of one texel gives.
std::uint32_t channel_bits(const Texture& texture, const Footprint::Texel& texel, unsigned channel,
                           const DeviceMemory& memory) {
  if (texel.address == 0) return texture.border[channel];
  const Image& image = texture.image;
  const std::uint32_t raw = raw_channel(image, memory.host(texel.address) + channel * image.channel_bytes);
  if (image.kind == ChannelKind::kFloat) {
    return image.channel_bytes == 2 ? std::bit_cast<std::uint32_t>(half_to_float(raw)) : raw;
  }
  return texture.normalized_values ? std::bit_cast<std::uint32_t>(fraction_of_largest(image, raw)) : raw;
}

}  // namespace

Footprint footprint(const Texture& texture, const TextureCoordinates& from) {
  const Image& image = texture.image;
  const TextureCoordinates at = from.cube ? on_face(from, image.cubes()) : from;
  std::array<Taps, 3> along;
  for (unsigned axis = 0; axis < std::min(at.dimensions, image.dimensions); ++axis)
    along[axis] = taps(texture, axis, at);
  const std::int64_t layer = image.layers != 0 ? std::clamp<std::int64_t>(at.layer, 0, image.layers - 1) : 0;
  Footprint result;
  result.count = 0;
  for (unsigned z = 0; z < along[2].count; ++z) {
    for (unsigned y = 0; y < along[1].count; ++y) {
      for (unsigned x = 0; x < along[0].count; ++x) {
        const Taps::Tap &tx = along[0].tap[x], &ty = along[1].tap[y], &tz = along[2].tap[z];
        Footprint::Texel& texel = result.texels[result.count++];
        texel.weight = tx.weight * ty.weight * tz.weight;
        if (tx.index == kNoTexel || ty.index == kNoTexel || tz.index == kNoTexel) continue;
        texel.address =
            image.at(static_cast<std::uint64_t>(tx.index) * image.texel_bytes(), static_cast<std::uint64_t>(ty.index),
                     static_cast<std::uint64_t>(image.layers != 0 ? layer : tz.index));
      }
    }
  }
  return result;
}

std::array<std::uint32_t, 4> filtered(const Texture& texture, const Footprint& footprint, const DeviceMemory& memory) {
  std::array<std::uint32_t, 4> result{};
  for (unsigned channel = texture.image.channels; channel < result.size(); ++channel)
    result[channel] = missing_channel(texture, channel);
  for (unsigned channel = 0; channel < texture.image.channels; ++channel) {
    if (footprint.count == 1) {
      result[channel] = channel_bits(texture, footprint.texels[0], channel, memory);
      continue;
    }
    double sum = 0;
    for (unsigned k = 0; k < footprint.count; ++k) {
      const Footprint::Texel& texel = footprint.texels[k];
      if (texel.weight == 0) continue;
      sum += texel.weight * static_cast<double>(std::bit_cast<float>(channel_bits(texture, texel, channel, memory)));
    }
    result[channel] = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  }
  return result;
}

std::array<std::uint32_t, 4> gathered(const Texture& texture, const Footprint& footprint, unsigned channel,
                                      const DeviceMemory& memory) {
  std::array<std::uint32_t, 4> result{};
  constexpr std::array<unsigned, 4> kOrder{2, 3, 1, 0};
  for (unsigned k = 0; k < result.size(); ++k) {
    result[k] = channel < texture.image.channels ? channel_bits(texture, footprint.texels[kOrder[k]], channel, memory)
                                                 : missing_channel(texture, channel);
  }
  return result;
}

}  // namespace warpfold::isa
