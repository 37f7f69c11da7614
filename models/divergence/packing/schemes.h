// SPDX-License-Identifier: Apache-2.0
// The lane packings that there are. Each takes at most the cycles of the one before.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/divergence/packing/bcc.h"
#include "warpfold/divergence/packing/ivb.h"
#include "warpfold/divergence/packing/none.h"
#include "warpfold/divergence/packing/scc.h"

namespace warpfold::divergence {

// A scheme by its place in the list.
enum class Packing : std::uint8_t { kNone, kIvb, kBcc, kScc };
using PackingSchemes = std::tuple<NoPacking, IvbPacking, BccPacking, SccPacking>;

// A scheme at run time: what its file says.
struct PackingInfo {
  const char *name, *description, *statistic;
  bool has_rtl, swizzles;
  unsigned (*cycles)(const LanesOnUnit&, const Quads&);
  QuadAccesses (*accesses)(const LanesOnUnit&, const Quads&);
  SwizzleSettings (*settings)(const LanesOnUnit&);
  unsigned (*moved_lanes)(const LanesOnUnit&);
  Hardware (*hardware)(const HardwareGeometry&);
};

template <class... Scheme>
constexpr std::array<PackingInfo, sizeof...(Scheme)> infos_of(const std::tuple<Scheme...>& /*schemes*/) {
  return {PackingInfo{Scheme::name, Scheme::description, Scheme::statistic, Scheme::has_rtl, Scheme::swizzles,
                      &Scheme::cycles, &Scheme::accesses, &Scheme::settings, &Scheme::moved_lanes,
                      &Scheme::hardware}...};
}
inline constexpr auto kPackings = infos_of(PackingSchemes{});

inline const PackingInfo& info_of(Packing packing) { return kPackings[static_cast<std::size_t>(packing)]; }

}  // namespace warpfold::divergence

namespace warpfold {

template <>
struct Choices<divergence::Packing> {
  static constexpr auto names = [] {
    std::array<const char*, divergence::kPackings.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = divergence::kPackings[i].name;
    return all;
  }();
};

}  // namespace warpfold
