// SPDX-License-Identifier: Apache-2.0
// Texture fetches, surface loads, surface stores and reductions on surfaces (PTX ISA §9.7.9, §9.7.10).
//
// What they cost is the reading and writing of their texels, through the texture cache (fetches) or the data cache
// (surfaces). Not modelled: the rate at which filter units take texels in, and formats that halve it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpfold/common/launch_error.h"
#include "warpfold/isa/check/memory_checker.h"
#include "warpfold/isa/execute/access/atomic_value.h"
#include "warpfold/isa/execute/access/texture_sampler.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {

// Handle and coordinates of all lanes.
struct Executor::ImageOperands {
  const std::uint32_t *handle_low, *handle_high;
  std::array<const std::uint32_t*, 4> coordinate;  // the layer where there is one, then x, y, z
  std::array<const std::uint32_t*, 3> offset;      // of x, y, z; null: there is none

  std::uint64_t handle(unsigned lane) const { return std::uint64_t{handle_high[lane]} << 32 | handle_low[lane]; }
};

namespace {

std::int64_t signed_value(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

TextureCoordinates coordinates_of(const ImageAccess& image, const std::array<const std::uint32_t*, 4>& coordinate,
                                  const std::array<const std::uint32_t*, 3>& offset, unsigned lane) {
  TextureCoordinates at;
  at.dimensions = image.dimensions;
  at.integers = !image.float_coordinates;
  at.cube = image.cube;
  at.gathers = image.gathers != 0;
  const unsigned first = image.layered ? 1 : 0;
  if (image.layered) at.layer = static_cast<std::int32_t>(coordinate[0][lane]);
  for (unsigned axis = 0; first + axis < image.coordinates(); ++axis) {
    const std::uint32_t bits = coordinate[first + axis][lane];
    at.index[axis] = static_cast<std::int32_t>(bits);
    at.position[axis] = std::bit_cast<float>(bits);
    if (axis < offset.size() && offset[axis] != nullptr)
      at.offset[axis] = static_cast<std::int32_t>(offset[axis][lane]);
  }
  return at;
}

std::string shape_text(const ImageAccess& image) {
  if (image.cube) return "as from a cubemap";
  return fmt::format("in {} dimensions {} layers", image.dimensions, image.layered ? "with" : "without");
}

// Their numbers are OpenCL's (PTX ISA §5.3).
std::uint32_t channel_data_type(const Image& image, bool as_fractions) {
  constexpr std::uint32_t kSignedFraction8 = 0x10d0, kFraction8 = 0x10d2, kSigned8 = 0x10d7, kUnsigned8 = 0x10da,
                          kHalf = 0x10dd, kFloat = 0x10de;
  const bool is_signed = image.kind == ChannelKind::kSigned;
  const std::uint32_t size = image.channel_bytes / 2;
  if (image.kind == ChannelKind::kFloat) return image.channel_bytes == 2 ? kHalf : kFloat;
  if (as_fractions) return (is_signed ? kSignedFraction8 : kFraction8) + size;
  return (is_signed ? kSigned8 : kUnsigned8) + size;
}

// `texture`: null for a surface.
std::uint32_t answer(ImageAccess::Query query, const Image& image, const Texture* texture) {
  using Query = ImageAccess::Query;
  constexpr std::uint32_t kOne = 0x10b0, kTwo = 0x10b2, kFour = 0x10b5;  // OpenCL's R, RG, RGBA
  switch (query) {
    case Query::kNone:
      break;
    case Query::kWidth:
      return image.size[0];
    case Query::kHeight:
      return image.size[1];
    case Query::kDepth:
      return image.size[2];
    case Query::kArraySize:
      return image.cube ? image.cubes() : image.layers;
    case Query::kChannelDataType:
      return channel_data_type(image, texture != nullptr && texture->normalized_values);
    case Query::kChannelOrder:
      return image.channels == 1 ? kOne : image.channels == 2 ? kTwo : kFour;
    case Query::kNormalizedCoords:
      return texture != nullptr && texture->normalized_coordinates ? 1 : 0;
    case Query::kMipmapLevels:
    case Query::kSamples:
      return 1;
  }
  return 0;
}

// sust.p: a number of 32 bits as the surface's channel. Decision: integers that it cannot hold become the nearest.
void store_channel(const Image& image, unsigned channel, std::uint32_t bits, std::byte* texel) {
  if (channel >= image.channels) return;
  const unsigned width = 8U * image.channel_bytes;
  if (width < 32) {
    if (image.kind == ChannelKind::kFloat) {
      bits = static_cast<std::uint32_t>(round_to_half(std::bit_cast<float>(bits), Round::kNearest));
    } else if (image.kind == ChannelKind::kUnsigned) {
      bits = std::min(bits, (1U << width) - 1);
    } else {
      const std::int32_t most = (1 << (width - 1)) - 1;
      bits = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(bits), -most - 1, most));
    }
  }
  std::memcpy(texel + channel * image.channel_bytes, &bits, image.channel_bytes);
}

// sured: with .p, whose type has no sign, by the surface's.
std::uint64_t reduced(const MicroOp& op, const Image& image, std::uint64_t value, const std::byte* at) {
  AtomicForm form{op.atomic, op.element_type, op.element_bytes};
  if (op.image.formatted) form.type = image.kind == ChannelKind::kSigned ? 's' : 'u';
  std::uint64_t old = 0;
  std::memcpy(&old, at, op.element_bytes);
  return combined(form, op.space, old, value);
}

}  // namespace

Executor::ImageOperands Executor::image_operands(const MicroOp& op) {
  ImageOperands operands{source(op.base, source_[4]), source(static_cast<Word>(op.base + 1), source_[5]), {}, {}};
  const unsigned coordinates = op.image.coordinates();
  for (unsigned k = 0; k < coordinates; ++k) operands.coordinate[k] = source(op.s[k], source_[k]);
  if (op.space != Space::kTexture || op.offset == 0) return operands;
  constexpr std::array<unsigned, 3> kFree{3, 6, 7};  // only cubes have a fourth coordinate, and they have no offsets
  for (unsigned k = 0; k < op.image.dimensions; ++k) {
    operands.offset[k] = source(op.s[coordinates + k], source_[kFree[k]]);
  }
  return operands;
}

void Executor::access_image(const MicroOp& op, Outcome& outcome) {
  outcome.space = op.space;
  outcome.texels.clear();
  const ImageOperands operands = image_operands(op);
  if (op.image.query != ImageAccess::Query::kNone) return query_image(op, operands);
  if (op.space == Space::kTexture) return fetch(op, operands, outcome);
  if (op.kind == Kind::kLoad) return load_surface(op, operands, outcome);
  store_surface(op, operands, outcome);
  if (checker_ == nullptr) return;
  for (const Outcome::Texel& texel : outcome.texels) checker_->written(texel.address, texel.bytes);
}

// Which texels it is for, as access_image() says; nothing is read or written.
void Executor::find_texels(const MicroOp& op, Outcome& outcome) {
  outcome.space = op.space;
  outcome.texels.clear();
  if (op.image.query != ImageAccess::Query::kNone) return;
  const ImageOperands operands = image_operands(op);
  const unsigned elements = op.kind == Kind::kLoad ? op.d_count : op.s_count - op.image.coordinates();
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (op.space == Space::kTexture) {
      touched_texels(op, operands, lane, outcome);
    } else {
      surface_element(op, operands, lane, op.element_bytes * elements, outcome);
    }
  }
}

// What one lane fetches from: it counts as read.
Footprint Executor::touched_texels(const MicroOp& op, const ImageOperands& operands, unsigned lane, Outcome& outcome) {
  const Texture& texture = texture_of(op, lane, operands.handle(lane));
  const Footprint texels = footprint(texture, coordinates_of(op.image, operands.coordinate, operands.offset, lane));
  for (unsigned k = 0; k < texels.count; ++k) {
    if (texels.texels[k].address == 0) continue;
    outcome.texels.push_back({texels.texels[k].address, texture.image.texel_bytes()});
  }
  return texels;
}

// Lane by lane, so that results may lie in the words of coordinates.
void Executor::fetch(const MicroOp& op, const ImageOperands& operands, Outcome& outcome) {
  std::array<std::uint32_t*, 4> results{};
  for (unsigned k = 0; k < op.d_count; ++k) results[k] = result(op.d[k], result_[k]);
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Footprint texels = touched_texels(op, operands, lane, outcome);
    const std::array<std::uint32_t, 4> values = op.image.gathers != 0
                                                    ? gathered(*last_texture_, texels, op.image.gathers - 1U, *memory_)
                                                    : filtered(*last_texture_, texels, *memory_);
    for (unsigned k = 0; k < op.d_count; ++k) results[k][lane] = values[k];
  }
  for (unsigned k = 0; k < op.d_count; ++k) write_back(op.d[k], results[k]);
}

void Executor::query_image(const MicroOp& op, const ImageOperands& operands) {
  std::uint32_t* const to = result(op.d[0], result_[0]);
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Texture* const texture =
        op.space == Space::kTexture ? &known_texture(op, lane, operands.handle(lane)) : nullptr;
    const Image& image = texture != nullptr ? texture->image : known_surface(op, lane, operands.handle(lane));
    to[lane] = answer(op.image.query, image, texture);
  }
  write_back(op.d[0], to);
}

void Executor::load_surface(const MicroOp& op, const ImageOperands& operands, Outcome& outcome) {
  std::array<std::array<std::uint32_t*, 2>, 4> results{};
  for (unsigned k = 0; k < op.d_count; ++k) {
    results[k][0] = result(op.d[k], result_[2 * k]);
    if (op.d_wide >> k & 1) results[k][1] = result(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1]);
  }
  const unsigned bytes = op.element_bytes * unsigned{op.d_count};
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::byte* const at = surface_element(op, operands, lane, bytes, outcome);
    for (unsigned k = 0; k < op.d_count; ++k) {
      std::uint64_t value = 0;
      if (at != nullptr) std::memcpy(&value, at + k * op.element_bytes, op.element_bytes);
      results[k][0][lane] = static_cast<std::uint32_t>(value);
      if (results[k][1] != nullptr) results[k][1][lane] = static_cast<std::uint32_t>(value >> 32);
    }
  }
  for (unsigned k = 0; k < op.d_count; ++k) {
    write_back(op.d[k], results[k][0]);
    if (results[k][1] != nullptr) write_back(static_cast<Word>(op.d[k] + 1), results[k][1]);
  }
}

void Executor::store_surface(const MicroOp& op, const ImageOperands& operands, Outcome& outcome) {
  const unsigned first = op.image.coordinates(), count = op.s_count - first;
  const unsigned bytes = op.element_bytes * count;
  std::array<std::byte*, kMaxLanes> places{};
  std::array<const Image*, kMaxLanes> formats{};
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    places[lane] = surface_element(op, operands, lane, bytes, outcome);
    formats[lane] = last_surface_;
  }
  ++memory_changes_;
  for (unsigned k = 0; k < count; ++k) {  // the coordinates' temporaries are free by now
    const Word word = op.s[first + k];
    const std::uint32_t* const low = source(word, source_[0]);
    const std::uint32_t* const high = op.element_bytes == 8 ? source(static_cast<Word>(word + 1), source_[1]) : nullptr;
    for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (places[lane] == nullptr) continue;
      if (op.image.formatted && op.kind == Kind::kStore) {
        store_channel(*formats[lane], k, low[lane], places[lane]);
        continue;
      }
      std::uint64_t value = low[lane] | (high != nullptr ? std::uint64_t{high[lane]} << 32 : 0);
      if (op.kind == Kind::kAtomic) value = reduced(op, *formats[lane], value, places[lane]);
      std::memcpy(places[lane] + k * op.element_bytes, &value, op.element_bytes);
    }
  }
}

// The host's byte for one lane's access; null where it lies outside and does nothing there.
std::byte* Executor::surface_element(const MicroOp& op, const ImageOperands& operands, unsigned lane, unsigned bytes,
                                     Outcome& outcome) {
  const Image& surface = surface_of(op, lane, operands.handle(lane));
  const unsigned first = op.image.layered ? 1 : 0;
  std::array<std::int64_t, 3> at{};    // byte in the row, row, slice
  std::array<std::int64_t, 3> most{};  // of each
  for (unsigned axis = 0; axis < op.image.dimensions; ++axis) {
    at[axis] = signed_value(operands.coordinate[first + axis][lane]);
    most[axis] = std::int64_t{surface.size[axis]} - 1;
  }
  if (op.image.layered) {
    at[2] = signed_value(operands.coordinate[0][lane]);
    most[2] = std::int64_t{surface.layers} - 1;
  }
  if (op.image.formatted) {
    bytes = surface.texel_bytes();
    if (op.kind == Kind::kAtomic && (surface.kind == ChannelKind::kFloat || bytes != op.element_bytes)) {
      image_fault(op, lane, fmt::format("takes texels for integers of {} bytes, which they are not", op.element_bytes));
    }
    at[0] *= bytes;
  }
  most[0] = static_cast<std::int64_t>(surface.used_row_bytes()) - bytes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (at[axis] >= 0 && at[axis] <= most[axis]) continue;
    if (op.image.outside == ImageAccess::Outside::kZero) return nullptr;
    if (op.image.outside == ImageAccess::Outside::kTrap || most[axis] < 0) {
      image_fault(
          op, lane,
          fmt::format("accesses {} bytes at byte {}, row {}, slice {} of a surface of {} bytes, {} rows, {} slices",
                      bytes, at[0], at[1], at[2], surface.used_row_bytes(), surface.size[1], surface.slices()));
    }
    at[axis] = std::clamp<std::int64_t>(at[axis], 0, most[axis]);
  }
  if (at[0] % bytes != 0) {
    image_fault(
        op, lane,
        fmt::format("accesses {} bytes of a surface at byte {} of its row, no multiple of {}", bytes, at[0], bytes));
  }
  const Address address = surface.at(static_cast<std::uint64_t>(at[0]), static_cast<std::uint64_t>(at[1]),
                                     static_cast<std::uint64_t>(at[2]));
  outcome.texels.push_back({address, bytes});
  return memory_->host(address);
}

const Texture& Executor::known_texture(const MicroOp& op, unsigned lane, std::uint64_t handle) {
  if (last_texture_ != nullptr && last_texture_handle_ == handle) return *last_texture_;
  const Texture* found = nullptr;
  if (launch_->images != nullptr) {
    const auto entry = launch_->images->textures.find(handle);
    if (entry != launch_->images->textures.end()) found = &entry->second;
  }
  if (found == nullptr) {
    const Allocation* const reference = memory_->find(handle);
    if (reference == nullptr) image_fault(op, lane, fmt::format("fetches through {:#x}, no texture object", handle));
    image_fault(op, lane, fmt::format("fetches through texture '{}', which is bound to nothing", reference->name));
  }
  check_image(op, lane, handle, found->image);
  last_texture_ = found;
  last_texture_handle_ = handle;
  return *found;
}

const Texture& Executor::texture_of(const MicroOp& op, unsigned lane, std::uint64_t handle) {
  const Texture& texture = known_texture(op, lane, handle);
  if (!texture.image.fits(op.image.dimensions, op.image.layered, op.image.cube)) {
    image_fault(op, lane, fmt::format("fetches {}, which is not what the texture has", shape_text(op.image)));
  }
  return texture;
}

const Image& Executor::known_surface(const MicroOp& op, unsigned lane, std::uint64_t handle) {
  if (last_surface_ != nullptr && last_surface_handle_ == handle) return *last_surface_;
  const Image* found = nullptr;
  if (launch_->images != nullptr) {
    const auto entry = launch_->images->surfaces.find(handle);
    if (entry != launch_->images->surfaces.end()) found = &entry->second;
  }
  if (found == nullptr) {
    const Allocation* const reference = memory_->find(handle);
    if (reference == nullptr) image_fault(op, lane, fmt::format("accesses {:#x}, no surface object", handle));
    image_fault(op, lane, fmt::format("accesses surface '{}', which is bound to nothing", reference->name));
  }
  check_image(op, lane, handle, *found);
  last_surface_ = found;
  last_surface_handle_ = handle;
  return *found;
}

const Image& Executor::surface_of(const MicroOp& op, unsigned lane, std::uint64_t handle) {
  const Image& surface = known_surface(op, lane, handle);
  if (!surface.fits(op.image.dimensions, op.image.layered, op.image.cube)) {
    image_fault(op, lane, fmt::format("accesses it {}, which is not what the surface has", shape_text(op.image)));
  }
  return surface;
}

// Allocations stay while a kernel runs: once is enough.
void Executor::check_image(const MicroOp& op, unsigned lane, std::uint64_t handle, const Image& image) const {
  const Allocation* const allocation = memory_->find(image.begin);
  if (allocation != nullptr && allocation->holds(image.begin, image.bytes())) return;
  image_fault(op, lane,
              fmt::format("uses the texture or surface {:#x}, whose memory [{:#x}, {:#x}) has been freed", handle,
                          image.begin, image.begin + image.bytes()));
}

void Executor::image_fault(const MicroOp& op, unsigned lane, const std::string& what) const {
  kernel_fault(KernelFault::Kind::kIllegalAddress, "{}: {} {}", place(op), thread_text(lane), what);
}

}  // namespace warpfold::isa
