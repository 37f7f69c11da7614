// SPDX-License-Identifier: Apache-2.0
// CAPRI: thread block compaction only where it was worth it the last time (TSTBC §2).
#include "models/divergence/compaction_scopes.h"
#include "models/divergence/validity.h"

namespace warpfold {

namespace divergence {
namespace {

// Which side has to come out as fewer warps for compaction to count as adequate.
enum class Adequacy : std::uint8_t { kEither, kEntered };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::Adequacy> {
  static constexpr std::array names{"either", "entered"};
};

namespace divergence {
namespace {

struct CapriParams {
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  Adequacy adequacy = Adequacy::kEither;
  static constexpr auto fields() {
    return std::tuple{choice("branch_order", &CapriParams::branch_order, "which side of a divergent branch runs first"),
                      choice("adequacy", &CapriParams::adequacy,
                             "the side that must come out as fewer warps: either, or the one entered first")};
  }
};

class CapriPolicy final : public MeetingPolicy {
 public:
  CapriPolicy(const CapriParams& params, StatGroup& stats)
      : params_(params),
        validity_(stats),
        predictions_(stats.counter("capri_predictions", "branches", "of a block that diverged: stall or bypass?")),
        correct_(stats.counter("capri_predictions_correct", "branches",
                               "predictions that turned out as adequate as they said (TSTBC §2)")) {}

  void kernel_started(const isa::Kernel& kernel) override { adequate_.assign(kernel.ops.size(), true); }

  bool waits(Meeting& meeting) override {
    if (meeting.all.warps == 1) meeting.stage = adequate_[meeting.branch] ? kStall : kBypass;
    return meeting.stage == kStall;
  }

  bool compacts(const Meeting& meeting) override {
    const unsigned warps = meeting.all.warps;
    const bool stalls = meeting.stage == kStall;
    if (warps == 0) {
      validity_.count(false, false);
      return false;
    }
    const unsigned entered = meeting.entered(meeting.all);
    const bool helps = compaction_helps(warps, warps_after(meeting.all, entered));
    const bool adequate = helps || (params_.adequacy == Adequacy::kEither && meeting.runs(1 - entered) &&
                                    compaction_helps(warps, warps_after(meeting.all, 1 - entered)));
    validity_.count(stalls, helps);
    ++predictions_;
    if (stalls == adequate) ++correct_;
    adequate_[meeting.branch] = adequate;
    return stalls;
  }

  bool compacts_other(const Meeting& /*meeting*/) override { return true; }

 private:
  enum Stage : unsigned { kBypass, kStall };  // what was predicted of a meeting

  CapriParams params_;
  std::vector<bool> adequate_;  // the prediction table, by branch pc; the paper sets it no limit
  Validity validity_;
  Counter &predictions_, &correct_;
};

class Capri final : public CompactionScopes {
 public:
  Capri(const CapriParams& params, const Geometry& geometry, Core& core)
      : CompactionScopes(params.branch_order, geometry, core, std::make_unique<CapriPolicy>(params, core.stats())) {}
};

const Register<CapriParams, Capri> registration("capri", "thread block compaction where it is predicted to be adequate",
                                                "TSTBC §2; Rhu and Erez, ISCA 2012");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
