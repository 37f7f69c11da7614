// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces as kernels find them at launch: where their texels lie and how they are read.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold::isa {

enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };

// Texels of 1, 2, 4, 8 or 16 bytes in device memory, row after row and slice after slice. Decision: arrays lie so too,
// each row at a multiple of 64 bytes; GPUs tile theirs in ways that nobody documents.
struct Image {
  Address begin = 0;
  unsigned dimensions = 1;
  std::array<std::uint32_t, 3> size{1, 1, 1};  // texels: width, height, depth; 1 where there is no such dimension
  std::uint32_t layers = 0;                    // 0: not layered
  bool cube = false;                           // each six layers are the faces of a cube: +x, -x, +y, -y, +z, -z
  std::uint64_t row_bytes = 0;                 // from one row to the next
  std::uint64_t slice_bytes = 0;               // from one slice of the depth, or one layer, to the next
  std::uint8_t channels = 1;                   // 1, 2 or 4
  std::uint8_t channel_bytes = 4;              // 1, 2 or 4
  ChannelKind kind = ChannelKind::kFloat;

  unsigned texel_bytes() const { return unsigned{channels} * channel_bytes; }
  std::uint64_t used_row_bytes() const { return std::uint64_t{size[0]} * texel_bytes(); }
  std::uint32_t slices() const { return layers != 0 ? layers : size[2]; }
  std::uint32_t cubes() const { return layers / 6; }
  // Can an instruction with so many coordinates name every texel?
  bool fits(unsigned asked_dimensions, bool asked_layers, bool asked_cube) const {
    if (asked_cube) return cube;
    const bool flat = (asked_dimensions > 1 || size[1] == 1) && (asked_dimensions > 2 || size[2] == 1);
    return flat && asked_layers == (layers != 0);
  }
  // Up to the end of the last texel.
  std::uint64_t bytes() const { return (slices() - 1) * slice_bytes + (size[1] - 1) * row_bytes + used_row_bytes(); }
  Address at(std::uint64_t byte_in_row, std::uint64_t row, std::uint64_t slice) const {
    return begin + slice * slice_bytes + row * row_bytes + byte_in_row;
  }
};

enum class AddressMode : std::uint8_t { kWrap, kClamp, kMirror, kBorder };  // CUDA's numbers

struct Texture {
  Image image;
  std::array<AddressMode, 3> address{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool linear_filter = false;
  bool normalized_coordinates = false;    // [0, 1) is the whole extent
  bool normalized_values = false;         // integers of 8 or 16 bits are read as fractions of their largest value
  std::array<std::uint32_t, 4> border{};  // bits of what is read outside where `address` says so

  bool returns_float() const { return normalized_values || image.kind == ChannelKind::kFloat; }
};

// By handle: a reference's is the address of its variable, an object's a small number.
struct ImageTable {
  std::unordered_map<std::uint64_t, Texture> textures;
  std::unordered_map<std::uint64_t, Image> surfaces;
};

}  // namespace warpfold::isa
