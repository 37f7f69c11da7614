// SPDX-License-Identifier: Apache-2.0
// Intra-warp compaction: in which cycles which lanes of a warp go through a unit that is narrower than the warp
// (Intra-warp §3, §4). Twin of rtl/swizzle_control.sv.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "warpfold/common/params.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

// none: every group of lanes takes its cycle, active or not. ivb: a SIMD16 instruction whose upper or lower eight lanes
// are off runs as SIMD8 (§5.2). bcc: groups without an active lane are skipped (§3.1). scc: lanes are swizzled into as
// few groups as hold them (§3.2). Each takes at most the cycles of the one before.
enum class Packing : std::uint8_t { kNone, kIvb, kBcc, kScc };
inline constexpr std::array kPackings{Packing::kNone, Packing::kIvb, Packing::kBcc, Packing::kScc};
const char* describe(Packing packing);  // one line, with its source

// Groups of `unit_width` that hold so many lanes. Units are powers of two wide in any machine, and a division would be
// most of what counting costs.
inline unsigned groups(unsigned lanes, unsigned unit_width) {
  const unsigned up = lanes + unit_width - 1;
  return std::has_single_bit(unit_width) ? up >> std::countr_zero(unit_width) : up / unit_width;
}

// A mask on a unit: `width` lanes of a warp (1 to 64, the mask has no others), `unit_width` of which go through per
// cycle (1 to 64). A *quad* is an aligned group of unit_width lanes; the last one may be short.
struct LanesOnUnit {
  isa::LaneMask mask = 0;
  unsigned width = 32, unit_width = 8;
  unsigned quads() const { return groups(width, unit_width); }
  bool operator==(const LanesOnUnit&) const = default;
};

// Quads with an active lane.
unsigned active_quads(isa::LaneMask mask, unsigned unit_width);

// Quads of one operand that are fetched and of one result that are written; the rest, up to quads(), is suppressed. bcc
// and ivb fetch and write what they execute. scc fetches full width (§4.2) and writes quads with an active lane.
struct QuadAccesses {
  unsigned fetched = 0, written = 0;
};

// What every packing makes of a mask, by closed formulas.
struct PackedCounts {
  unsigned quads = 0;         // of the unit
  unsigned ivb_quads = 0;     // that ivb executes
  unsigned active_quads = 0;  // with an active lane
  unsigned optimum = 0;       // cycles for the active lanes

  // For which the unit is held, at least 1: a mask of zero takes its slot too.
  unsigned cycles(Packing packing) const {
    switch (packing) {
      case Packing::kNone:
        return quads;
      case Packing::kIvb:
        return ivb_quads;
      case Packing::kBcc:
        return active_quads > 1 ? active_quads : 1;
      case Packing::kScc:
        break;
    }
    return optimum;
  }
  QuadAccesses accesses(Packing packing) const;
};
// Asked for at every instruction: numbers stay in registers where a LanesOnUnit goes through memory.
PackedCounts packed_counts(isa::LaneMask mask, unsigned width, unsigned unit_width);
inline unsigned packed_cycles(Packing packing, const LanesOnUnit& lanes) {
  return packed_counts(lanes.mask, lanes.width, lanes.unit_width).cycles(packing);
}

// Lanes that scc moves to another output lane: the surplus of all lanes (§4.2, Fig. 6).
unsigned swizzled_lanes(const LanesOnUnit& lanes);

// What feeds an output lane in a cycle: lane `lane` of quad `quad`; both 0 where it is not enabled.
struct LaneSource {
  bool enable = false;
  std::uint8_t quad = 0, lane = 0;
  bool operator==(const LaneSource&) const = default;
};

// Where the result of a lane of the warp comes from: output lane `lane` in cycle `cycle`.
struct LaneResult {
  bool enable = false;
  std::uint8_t cycle = 0, lane = 0;
  bool operator==(const LaneResult&) const = default;
};

struct SwizzleSettings {
  unsigned unit_width = 0;
  std::vector<LaneSource> sources;  // output lane n of cycle c: [c * unit_width + n]

  unsigned cycles() const { return static_cast<unsigned>(sources.size()) / unit_width; }
  const LaneSource& at(unsigned cycle, unsigned output) const { return sources[cycle * unit_width + output]; }
  // The unswizzle settings of write-back: the inverse permutation (§4.2). One per lane of a warp of `width`.
  std::vector<LaneResult> inverse(unsigned width) const;
};

// Fig. 6 for scc: if there are as many active quads as the optimum has cycles, as bcc; else per lane a queue of its
// active quads in ascending order, and cycle by cycle, outputs ascending, an output whose own queue is empty takes from
// the lowest lane that has a surplus.
SwizzleSettings swizzle_settings(Packing packing, const LanesOnUnit& lanes);

// The second seam: nothing else says how long an instruction occupies lanes.
class LanePacking {
 public:
  explicit LanePacking(Packing packing = Packing::kNone) : packing_(packing) {}
  virtual ~LanePacking() = default;
  // Cycles for which `mask` of a warp of `width` lanes holds a unit of `unit_width` lanes; at least 1.
  virtual unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const {
    if (packing_ == Packing::kNone) return groups(width, unit_width);
    return packed_counts(mask, width, unit_width).cycles(packing_);
  }
  Packing packing() const { return packing_; }

 private:
  Packing packing_;
};

}  // namespace warpfold::divergence

namespace warpfold {

template <>
struct Choices<divergence::Packing> {
  static constexpr std::array names{"none", "ivb", "bcc", "scc"};
};

}  // namespace warpfold
