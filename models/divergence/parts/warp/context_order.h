// SPDX-License-Identifier: Apache-2.0
// Which instructions go first where the threads of a row are at several: the code's layout, as a compiler for thread
// frontiers makes it (Diamos et al., MICRO 2011), and how deep in divergent regions each instruction is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpfold/common/config/params.h"
#include "warpfold/divergence/parts/warp/context_sorter.h"
#include "warpfold/isa/analysis/cfg.h"

namespace warpfold {

namespace divergence {

enum class ContextPriority : std::uint8_t { kRpo, kPc, kDepthPc };

// kRpo: blocks in a reverse postorder that keeps each loop together and is the program's own order where that leaves a
// choice, so that whoever waits does so behind all that may still come to it. kPc: as the program is. kDepthPc: the
// same behind the depth, in divergent regions: calls are inlined here, so that depth is that of SIMTight's pushes and
// pops.
class ContextOrder {
 public:
  ContextOrder() = default;
  ContextOrder(const isa::Kernel& kernel, ContextPriority priority);

  Context at(Pc pc, LaneMask mask) const { return {depths_[pc], places_[pc], mask}; }
  Pc pc(const Context& context) const { return pcs_[context.place]; }

 private:
  void lay_out(const isa::Cfg& cfg);
  void find_depths(const isa::Kernel& kernel, const isa::Cfg& cfg);

  std::vector<unsigned> depths_;  // by pc
  std::vector<Pc> places_;        // by pc
  std::vector<Pc> pcs_;           // by place
};

}  // namespace divergence

template <>
struct Choices<divergence::ContextPriority> {
  static constexpr std::array names{"rpo", "pc", "depth_pc"};
};

}  // namespace warpfold
