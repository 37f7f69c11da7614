// SPDX-License-Identifier: Apache-2.0
// One thread's texture fetch: which texels it reads and what it makes of them (CUDA C++ programming guide, appendix
// "Texture Fetching").
#pragma once

#include <array>
#include <cstdint>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/images.h"

namespace warpfold::isa {

// The first so many of x, y and z; along what the texture does not have they do not count.
struct TextureCoordinates {
  unsigned dimensions = 1;
  std::array<float, 3> position{};
  std::array<std::int32_t, 3> index{};  // in place of positions where they are integers
  bool integers = false;
  std::array<std::int32_t, 3> offset{};  // in texels, added before what lies outside is brought in
  std::int32_t layer = 0;
  bool cube = false;     // the position is a direction, and `layer` counts cubes
  bool gathers = false;  // all texels that linear filtering would take
};

struct Footprint {
  struct Texel {
    Address address = 0;  // 0: outside, the border's value stands for it
    double weight = 1;
  };
  std::array<Texel, 8> texels;
  unsigned count = 1;
};

// Positions are computed exactly and only then cut to texels. The weights of linear filtering have eight bits of
// fraction, rounded to the nearest, so that 1.0 occurs. Wrap and mirror need normalised coordinates and clamp
// without them; layers clamp always; a coordinate that is no number is 0. A direction goes to the face of its largest
// coordinate (ties: z before y before x), and filtering stays in that face.
Footprint footprint(const Texture& texture, const TextureCoordinates& at);

// Four channels as bits: float where the texture returns that, else integers extended to 32 bits. Channels that the
// texels do not have read 0, the fourth one. Products with the weights are summed in double precision and rounded once;
// a texel of weight 0 adds nothing, not even a NaN. The texture's memory must be allocated.
std::array<std::uint32_t, 4> filtered(const Texture& texture, const Footprint& footprint, const DeviceMemory& memory);

// One channel of the four texels of a footprint that gathers, against the clock from the lower left (PTX ISA, tld4).
std::array<std::uint32_t, 4> gathered(const Texture& texture, const Footprint& footprint, unsigned channel,
                                      const DeviceMemory& memory);

}  // namespace warpfold::isa
