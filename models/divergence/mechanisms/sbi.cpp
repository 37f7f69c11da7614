// SPDX-License-Identifier: Apache-2.0
// Simultaneous branch interweaving: the first two contexts of a row, which are at different places of the code, issue
// in one cycle, each in its own lanes (Brunie, Collange and Diamos, ISCA 2012).
//
// Contexts are those of thread frontiers, sorted by the order of the code; the first is the primary, the next one the
// secondary, and the others wait. A secondary that has come to a reconvergence point waits while the primary is in the
// region that ends there. A loop in that region which waits for the secondary never ends.
#include "warpfold/divergence/parts/warp/mask_fit.h"
#include "warpfold/divergence/parts/warp/row_contexts.h"

namespace warpfold::divergence {
namespace {

constexpr unsigned kHot = 2;

struct SbiParams {
  ContextPriority order = ContextPriority::kRpo;
  bool wait = true;
  bool alone = false;
  bool warps = false;
  static constexpr auto fields() {
    return std::tuple{choice("order", &SbiParams::order, "which of the contexts of a row goes first"),
                      flag("wait", &SbiParams::wait,
                           "a secondary at a reconvergence point waits while the primary is in the region before it"),
                      flag("alone", &SbiParams::alone,
                           "a secondary issues by itself where its primary cannot; false: only beside it"),
                      flag("warps", &SbiParams::warps,
                           "beside a primary without a ready secondary another warp's primary issues, as under `swi`")};
  }
  RowContextRules rules() const { return {kHot, order, wait}; }
  Shape shape(const Geometry& geometry) const { return rules().shape(geometry); }
  std::string why_not(const Geometry& core) const {
    const std::string order_is_ours = keeps_its_order(core, "primaries");
    return order_is_ours.empty() ? takes_parts(core) : order_is_ours;
  }

  // The primary is in the warp buffer.
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware;
    hardware.storage = {{"secondary contexts",
                         table(geometry.rows(), context_bits(geometry, order)),
                         1,
                         {{"joint_parts", 2}, {"sbi_inserts"}, {"sbi_turns"}}},
                        cold_contexts(geometry, kHot, order, "sbi")};
    hardware.unknown = {{"sorter of four contexts", kNoRtl}, {"second fetch, decoder and operand path", kNoRtl}};
    if (warps) hardware.unknown.push_back({"mask-fit picker", kNoRtl});
    return hardware;
  }
};

class Sbi final : public RowContexts {
 public:
  Sbi(const SbiParams& params, const Geometry& geometry, Core& core)
      : RowContexts(params.rules(), geometry, core, "sbi", false), params_(params) {}

  void prefer(WarpSet& ready, Cycle /*now*/) override {
    if (seconds().empty()) return;
    if (!params_.alone) {
      ready -= seconds();
      return;
    }
    for (WarpId id = seconds().next(0); id != kNoWarp; id = seconds().next(id + 1)) {
      if (ready.contains(id) && ready.contains(other_of_row(id))) ready.erase(id);
    }
  }
  WarpId partner(const IssuedParts& parts, const WarpSet& ready, Cycle /*now*/) override {
    if (parts.count != 1) return kNoWarp;
    const WarpId other = other_of_row(parts.first);
    // It may have been joined by the primary since that issued.
    if (other != kNoWarp && ready.contains(other) && (warp(other).mask & parts.lanes) == 0) return other;
    if (!params_.warps) return kNoWarp;
    WarpSet primaries = ready;
    primaries -= seconds();
    return fitting_warp(primaries, parts.lanes, 0, 1, [this](WarpId id) -> const Warp& { return warp(id); });
  }

 private:
  SbiParams params_;
};

const Register<SbiParams, Sbi> sbi_registration(
    "sbi", "simultaneous branch interweaving: two sides of a branch issue in one cycle, each in its own lanes",
    "Brunie, Collange and Diamos, ISCA 2012");

}  // namespace
}  // namespace warpfold::divergence
