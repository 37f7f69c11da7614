// SPDX-License-Identifier: Apache-2.0
// The smallest divergence mechanism: a branch that goes both ways makes two warps of one, which never meet again.
#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {
namespace {

struct NeverMeetParams {
  unsigned slots_per_warp = 32;
  static constexpr auto fields() {
    return std::tuple{field("slots_per_warp", "warps", &NeverMeetParams::slots_per_warp, 1, 64,
                            "that may come of each, one after the other")};
  }
  // Optional: why it cannot run on a machine; empty: it can.
  std::string why_not(const Geometry& geometry) const {
    if (slots_per_warp >= geometry.warp_size) return "";
    return fmt::format("slots_per_warp = {}: threads of a warp of {} may all part", slots_per_warp, geometry.warp_size);
  }
  // Optional: warps of another width than the machine's, or a warp buffer of more slots than there are rows of threads.
  Shape shape(const Geometry& geometry) const {
    return {geometry.warp_size, geometry.max_threads / geometry.warp_size * slots_per_warp};
  }
  // What it adds to a core: a pc and a mask for every warp that can come of one. Of its logic there is no RTL, so its
  // area is a lower bound.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned more = geometry.rows() * (slots_per_warp - 1);
    return {{{"warps that have parted", table(more, kPcBits + geometry.core.warp_size), 1, {}}},
            {},
            {{"warp control", kNoRtl}}};
  }
};

class NeverMeet final : public Mechanism {
 public:
  NeverMeet(const NeverMeetParams& /*params*/, const Geometry& /*geometry*/, Core& core)
      : core_(core), partings_(core.stats().counter("partings", "events", "warps of which two were made")) {}

  void kernel_started(const isa::Kernel& /*kernel*/) override {}
  void block_started(const Block& block) override {
    for (unsigned row = 0; row < block.rows(); ++row) {
      core_.insert(Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]));
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId /*warp*/, Pc /*next*/) const override { return false; }
  void committed(WarpId warp, Pc next) override { core_.warp(warp).pc = next; }
  void branch_resolved(WarpId id, const Branch& branch) override {
    Warp& warp = core_.warp(id);
    const LaneMask falls_through = warp.mask & ~branch.taken;
    if (branch.taken != 0 && falls_through != 0) {
      Warp other = split(warp, falls_through);
      other.pc = branch.pc + 1;
      core_.insert(other);
      ++partings_;
    }
    warp.pc = branch.taken != 0 ? branch.target : branch.pc + 1;
  }
  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    if (warp.mask == lanes) return core_.remove(id);
    narrow(warp, ~lanes);
    warp.pc = next;
  }
  std::string waiting(unsigned /*block_slot*/) const override { return "none"; }

 private:
  Core& core_;
  Counter& partings_;
};

const Register<NeverMeetParams, NeverMeet> never_meet_registration("never-meet",
                                                                   "warps that part at a branch and never meet again",
                                                                   "none: the sample of docs/add-a-mechanism.md");

}  // namespace
}  // namespace warpfold::divergence
