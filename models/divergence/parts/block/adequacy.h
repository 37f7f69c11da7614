// SPDX-License-Identifier: Apache-2.0
// The adequacy unit: is compaction worth the wait? A population counter per lane, their maximum, and the comparisons
// that CAPRI and the two stages of TSTBC make with it (TSTBC §2 and §3, Algorithm 1).
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/divergence/parts/unit_clocks.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

// Whom a branch of a block waits for: the first n warps, all of them, or all but those n.
enum class AdequacyStage : std::uint8_t { kFirst, kWhole, kRest };

struct AdequacyQuery {
  enum class Kind : std::uint8_t {
    kFirstCame,  // the first n warps have come: wait for the others too?
    kAllCame,    // nobody else is waited for: compact the path that is entered?
    kOtherPath,  // through that path: compact the other one?
  };
  Kind kind = Kind::kAllCame;
  AdequacyStage stage = AdequacyStage::kFirst;
  const std::vector<LaneMask>* threads = nullptr;  // per row of the block, of the path in question
  unsigned warps = 0;                              // that these threads are in now
  unsigned n = 0, t_wct = 0;
  bool literal = false;  // threshold: fewer than t_wct are left; otherwise: t_wct or more are saved
};

struct AdequacyVerdict {
  unsigned count = 0;  // warps that the threads compact to: the largest number in a lane
  bool adequate = false;
  AdequacyStage stage = AdequacyStage::kFirst;  // from now on

  bool operator==(const AdequacyVerdict&) const = default;
};

AdequacyVerdict judge(const AdequacyQuery& query);

// The unit as a part of a core that RTL can stand in for.
class AdequacyUnit {
 public:
  static constexpr unsigned kClocks = 2;  // the counts, then the verdict
  virtual ~AdequacyUnit() = default;
  virtual AdequacyVerdict judge(const AdequacyQuery& query) {
    clocks.spend(kClocks);
    return divergence::judge(query);
  }
  SpentClocks clocks;
};

}  // namespace warpfold::divergence
