// SPDX-License-Identifier: Apache-2.0
// What a trace of execution masks takes under each lane packing: the trace-based profiling of Intra-warp §5.1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "warpfold/divergence/packing/schemes.h"

namespace warpfold::divergence {

// Cycles saved beyond those that Ivy Bridge saves, of those that it takes (Intra-warp Fig. 10).
inline double saving_beyond_ivb(double cycles, double ivb_cycles) { return 1 - cycles / ivb_cycles; }

// SIMD efficiency below which a program is divergent (Intra-warp §3, §5.3).
inline constexpr double kDivergentBelow = 0.95;

// So many instructions of one execution mask on units of one width.
struct MaskRecord {
  LanesOnUnit lanes;
  unsigned bits = 32;  // of the widest operand or result; the unit's lanes are of this type already
  std::uint64_t count = 1;
  bool operator==(const MaskRecord&) const = default;
};

class MaskTotals {
 public:
  // False, and nothing is added, if the sums leave 64 bits.
  bool add(const MaskRecord& record);

  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t active_lanes() const { return active_; }
  std::uint64_t cycles(Packing packing) const { return cycles_[static_cast<std::size_t>(packing)]; }
  // Enabled lanes of an executed instruction on average, of its width on average (Intra-warp §3).
  double simd_efficiency() const { return static_cast<double>(active_) / static_cast<double>(width_); }
  double saving(Packing packing) const;
  bool divergent() const { return simd_efficiency() < kDivergentBelow; }

  // Fig. 9: instructions of one width on units of one width, by how many groups their active lanes would fill; [0]
  // have none.
  using Shape = std::pair<unsigned, unsigned>;  // width, unit width
  const std::map<Shape, std::vector<std::uint64_t>>& utilisation() const { return utilisation_; }

 private:
  std::uint64_t instructions_ = 0, active_ = 0, width_ = 0;
  std::array<std::uint64_t, kPackings.size()> cycles_{};
  std::map<Shape, std::vector<std::uint64_t>> utilisation_;
};

}  // namespace warpfold::divergence
