// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/mask_fit_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

using divergence::kNoWarp;
using divergence::WarpId;
using isa::LaneMask;

MaskFitShadow::MaskFitShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                             const Size& size)
    : model_(session, "mask-fit", core, {{"Lanes", size.lanes}, {"Warps", size.shape.warps}, {"Sets", size.shape.sets}},
             fmt::format("_scheduler{}", scheduler)),
      clock_(clock),
      size_(size),
      handshake_{model_.pin("op_valid_i"), model_.pin("op_ready_o"), model_.pin("done_valid_o")},
      op_ready_(model_.pin("op_ready_i")),
      op_masks_(model_.pin("op_masks_i")),
      op_taken_(model_.pin("op_taken_i")),
      op_set_(model_.pin("op_set_i")),
      found_(model_.pin("res_found_o")),
      warp_(model_.pin("res_warp_o")) {
  model_.record.model_latency = 2;
  Coverage& coverage = model_.record.coverage;
  coverage.cannot("operations_back_to_back", Coverage::kOneAtATime);
  points_ = {coverage.sizes("warps_that_are_picked", 0, size.shape.warps - 1),
             coverage.sizes("ready_warps_of_a_set", 0, (size.shape.warps + size.shape.sets - 1) / size.shape.sets),
             coverage.sizes("lanes_of_picked_warps", 1, size.lanes),
             coverage.sizes("sets_of_picks", 0, size.shape.sets - 1),
             coverage.event("several_fit"),
             coverage.event("none_fits"),
             coverage.event("ready_warps_none_of_which_fits"),
             coverage.event("others_have_as_many_lanes")};
}

void MaskFitShadow::picked(std::span<const Candidate> ready, LaneMask taken, unsigned set, WarpId fits) {
  Coverage& coverage = model_.record.coverage;
  LaneMask best = 0;
  unsigned of_set = 0, fitting = 0, alike = 0;
  for (unsigned warp = 0; warp < size_.shape.warps; ++warp) op_ready_.set_field(warp, 1, 0);
  for (const Candidate& one : ready) {
    op_ready_.set_field(one.warp, 1, 1);
    op_masks_.set_field(one.warp * size_.lanes, size_.lanes, one.mask);
    if (one.warp == fits) best = one.mask;
  }
  for (const Candidate& one : ready) {
    if (one.warp % size_.shape.sets != set) continue;
    ++of_set;
    if ((one.mask & taken) != 0) continue;
    ++fitting;
    alike += std::popcount(one.mask) == std::popcount(best) ? 1 : 0;
  }
  coverage.size(points_.ready, of_set);
  coverage.size(points_.sets, set);
  coverage.count_if(fitting > 1, points_.fitting);
  coverage.count_if(fits == kNoWarp, points_.none);
  coverage.count_if(fits == kNoWarp && of_set != 0, points_.without);
  coverage.count_if(fits != kNoWarp && alike > 1, points_.ties);
  op_taken_.set(taken);
  op_set_.set(set);
  model_.asks("pick");
  model_.rtl().forget();
  model_.took(model_.operate(clock_.edge_ps(clock_.current()), handshake_, "pick"), "pick");
  model_.same("pick", "a warp fits", fits != kNoWarp ? 1 : 0, found_.get());
  if (fits == kNoWarp) return;
  model_.same("pick", "the warp", fits, warp_.get());
  coverage.size(points_.picked, fits);
  coverage.size(points_.lanes, static_cast<unsigned>(std::popcount(best)));
}

}  // namespace warpfold::cosim
