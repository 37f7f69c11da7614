// SPDX-License-Identifier: Apache-2.0
// Simultaneous warp interweaving: beside the warp that a scheduler picks it issues, in the same cycle, another whose
// active lanes are idle in the first (Brunie, Collange and Diamos, ISCA 2012).
//
// A row's threads are in contexts that take turns, as under `frontier`, whose walks these are. A cycle takes two warps
// at most. A lane map (core.lane_map) gives warps whose branches go by lane other lanes each, as the paper's lane
// shuffling does.
#include <vector>

#include "warpfold/divergence/parts/warp/mask_fit.h"
#include "warpfold/divergence/parts/warp/row_contexts.h"

namespace warpfold::divergence {
namespace {

struct SwiParams {
  ContextPriority order = ContextPriority::kRpo;
  unsigned sets = 1;
  static constexpr auto fields() {
    return std::tuple{choice("order", &SwiParams::order, "which of the contexts of a row goes first"),
                      field("sets", "", &SwiParams::sets, 0, 32,
                            "of a scheduler's warps, of which only the pick's is searched for a second; 1: all are, 0: "
                            "no second is issued")};
  }
  RowContextRules rules() const { return {1, order, false}; }
  Shape shape(const Geometry& geometry) const { return rules().shape(geometry); }
  std::string why_not(const Geometry& core) const { return takes_parts(core); }

  // Of the warp buffer, a scheduler's.
  unsigned slots_of(const Geometry& core) const {
    return (shape(core).warp_slots + core.schedulers - 1) / core.schedulers;
  }
  // Contexts as `frontier`. What the picker compares are the masks of the warp buffer, read once more.
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware;
    hardware.storage.push_back(cold_contexts(geometry, 1, order, "swi"));
    hardware.logic.push_back({"context_sorter",
                              {{"Lanes", geometry.core.warp_size},
                               {"PcWidth", kPcBits},
                               {"DepthWidth", order == ContextPriority::kDepthPc ? 8U : 1U}},
                              geometry.core.schedulers});
    if (sets == 0) return hardware;
    hardware.logic.push_back({"mask_fit_picker",
                              {{"Lanes", geometry.core.warp_size}, {"Warps", slots_of(geometry.core)}, {"Sets", sets}},
                              geometry.core.schedulers});
    hardware.unknown = {{"second decoder and operand path", kNoRtl}};
    return hardware;
  }
};

class Swi final : public RowContexts {
 public:
  Swi(const SwiParams& params, const Geometry& geometry, Core& core)
      : RowContexts(params.rules(), geometry, core, "swi", true), sets_(params.sets), schedulers_(geometry.schedulers) {
    for (unsigned s = 0; s < schedulers_ && sets_ != 0; ++s) {
      observers_.push_back(core.taps().mask_fit_observer(s, {params.slots_of(geometry), sets_}));
    }
  }

  WarpId partner(const IssuedParts& parts, const WarpSet& ready, Cycle /*now*/) override {
    if (sets_ == 0 || parts.count != 1) return kNoWarp;
    const WarpId fits = fitting_warp(ready, parts.lanes, parts.first, sets_ * schedulers_,
                                     [this](WarpId id) -> const Warp& { return warp(id); });
    if (observers_[parts.first % schedulers_] != nullptr) tell(parts, ready, fits);
    return fits;
  }

 private:
  void tell(const IssuedParts& parts, const WarpSet& ready, WarpId fits) const {
    const unsigned scheduler = parts.first % schedulers_;
    std::vector<MaskFitObserver::Candidate> candidates;
    for (WarpId id = ready.next(0); id != kNoWarp; id = ready.next(id + 1)) {
      if (id % schedulers_ == scheduler) candidates.push_back({id / schedulers_, warp(id).mask});
    }
    observers_[scheduler]->picked(candidates, parts.lanes, parts.first / schedulers_ % sets_,
                                  fits != kNoWarp ? fits / schedulers_ : kNoWarp);
  }

  unsigned sets_, schedulers_;
  std::vector<MaskFitObserver*> observers_;  // by scheduler
};

const Register<SwiParams, Swi> swi_registration(
    "swi", "simultaneous warp interweaving: another warp issues to the lanes that a warp leaves idle",
    "Brunie, Collange and Diamos, ISCA 2012");

}  // namespace
}  // namespace warpfold::divergence
