// SPDX-License-Identifier: Apache-2.0
// A walk of another number of rounds for every thread, so that threads of a warp part; in device code and on the host.
#pragma once

#include <cstdint>
#include <string>

namespace warpfold {

inline const std::string kWalkSource = R"(
typedef unsigned u32;
__device__ u32 mix(u32 x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__device__ u32 walk(u32 t) {
  u32 v = t;
  for (u32 i = 0; i < mix(t) % 13; ++i) v = mix(v + i);
  return v;
}
)";

inline std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

inline std::uint32_t walk(std::uint32_t t) {
  std::uint32_t v = t;
  for (std::uint32_t i = 0; i < mix(t) % 13; ++i) v = mix(v + i);
  return v;
}

}  // namespace warpfold
