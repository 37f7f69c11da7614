// SPDX-License-Identifier: Apache-2.0
// The parameters of the pools in which threads wait to be compacted (spare-time compaction), and what they cost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/divergence/hardware.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/lane_registers.h"

namespace warpfold {

namespace divergence {

// Whose threads may be in one pool.
enum class PoolScope : std::uint8_t { kCore, kBlock };
// When pools give besides: never, or when all threads of a block that are not in pools wait for those that are.
enum class PoolRelease : std::uint8_t { kDry, kLate };
// Which pool gives when a scheduler runs dry.
enum class PoolPick : std::uint8_t { kMost, kOldest, kAwaited };

}  // namespace divergence

template <>
struct Choices<divergence::PoolScope> {
  static constexpr std::array names{"core", "block"};
};
template <>
struct Choices<divergence::PoolRelease> {
  static constexpr std::array names{"dry", "late"};
};
template <>
struct Choices<divergence::PoolPick> {
  static constexpr std::array names{"most", "oldest", "awaited"};
};

namespace divergence {

inline constexpr unsigned kPoolAgeBits = 16, kLongestPoolAge = 1U << kPoolAgeBits;

struct StcParams {
  static constexpr Regroups kRegroups = Regroups::kCore;
  unsigned pools = 16;
  unsigned patience = 4096;
  PoolRelease release = PoolRelease::kDry;
  PoolScope scope = PoolScope::kCore;
  PoolPick pick = PoolPick::kMost;
  static constexpr auto fields() {
    using P = StcParams;
    return std::tuple{
        field("pools", "entries", &P::pools, 1, 1024, "of the pool table; threads that find none free go on at once"),
        field("patience", "cycles", &P::patience, 16, kLongestPoolAge / 2,
              "after which a pool gives a warp whoever else is ready"),
        choice("release", &P::release,
               "what brings a warp out of a pool that has not filled its lanes: dry: a scheduler that has nothing to "
               "issue; late: also a block whose other threads all wait for those in pools"),
        choice("scope", &P::scope, "threads of a pool are of the core or of a block"),
        choice("pick", &P::pick,
               "which pool gives to a scheduler that has nothing to issue: most: that of most threads; oldest: that "
               "waits longest; awaited: whose threads most others of their rows wait for, where the rows meet")};
  }
  Shape shape(const Geometry& geometry) const { return warp_per_thread(geometry, geometry.warp_size); }
  std::string why_not(const Geometry& /*geometry*/) const { return ""; }

  // A pool's threads may not be of several groups: of schedulers, where blocks are dealt to them, or of blocks.
  unsigned groups(const Geometry& core) const {
    if (scope == PoolScope::kBlock) return core.max_blocks;
    return core.deals_blocks ? core.schedulers : 1;
  }
  // Of a pool: a bit for each thread; pcs, ages and how many there are lie in the table's logic, which compares them.
  // Of a row: its reconvergence point, who diverged and who is to come.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const Geometry& core = geometry.core;
    Hardware hardware;
    hardware.storage = {{"thread pools",
                         table(pools, core.max_threads),
                         1,
                         {{"stc_pooled", 2}, {"stc_given_full"}, {"stc_given_dry"}, {"stc_given_aged"}}},
                        {"rows that diverged",
                         table(geometry.rows(), kPcBits + 2 * core.warp_size),
                         1,
                         {{"warp_instructions"}, {"stc_divergences"}, {"stc_reborn"}}}};
    add_lane_registers(hardware, geometry);
    hardware.logic.push_back({"thread_compactor",
                              {{"Lanes", core.warp_size},
                               {"Rows", core.max_threads / core.warp_size},
                               {"Stages", geometry.compactor_stages}}});
    hardware.logic.push_back({"pool_table",
                              {{"Lanes", core.warp_size},
                               {"Rows", geometry.rows()},
                               {"Pools", pools},
                               {"Groups", groups(core)},
                               {"PcWidth", kPcBits},
                               {"AgeWidth", kPoolAgeBits},
                               {"LongestWait", patience}}});
    hardware.unknown = {{"rows of most threads first", "rtl/thread_compactor takes the lowest row of each lane"}};
    if (pick == PoolPick::kAwaited)
      hardware.unknown.push_back({"count of those who wait for a pool's threads", kNoRtl});
    if (release == PoolRelease::kLate) hardware.unknown.push_back({"count of a block's threads that wait", kNoRtl});
    return hardware;
  }
};

}  // namespace divergence
}  // namespace warpfold
