// SPDX-License-Identifier: Apache-2.0
// TSTBC: thread block compaction that tries the first warps to come before it lets a block wait (TSTBC §3).
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/block/meeting_of.h"
#include "warpfold/divergence/parts/validity.h"

namespace warpfold {

namespace divergence {
namespace {

// What T_wct is compared with.
enum class WctRule : std::uint8_t { kSaved, kLiteral };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::WctRule> {
  static constexpr std::array names{"saved", "literal"};
};

namespace divergence {
namespace {

struct TstbcParams {
  static constexpr Regroups kRegroups = Regroups::kBlock;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  MeetingOf meeting = MeetingOf::kBlock;
  unsigned stack_entries = BlockStackSpills::kEntries;
  unsigned n = 3;
  unsigned t_wct = 2;
  WctRule wct_rule = WctRule::kSaved;
  static constexpr auto fields() {
    return std::tuple{
        choice("branch_order", &TstbcParams::branch_order, "which side of a divergent branch runs first"),
        meeting_field(&TstbcParams::meeting),
        BlockStackSpills::field_of(&TstbcParams::stack_entries),
        field("n", "warps", &TstbcParams::n, 1, 512, "diverging warps that stage 1 waits for"),
        field("t_wct", "warps", &TstbcParams::t_wct, 1, 512, "threshold of compaction, T_WCT"),
        choice("wct_rule", &TstbcParams::wct_rule,
               "saved: compact if it saves T_WCT warps; literal: if it leaves fewer"),
    };
  }
  std::string why_not(const Geometry& geometry) const {
    const unsigned warps = geometry.max_threads / geometry.warp_size;
    if (n > warps) return fmt::format("n = {} warps of a block, which has no more than {} here", n, warps);
    if (t_wct > warps) {
      return fmt::format("t_wct = {} warps of a block, which has no more than {} here", t_wct, warps);
    }
    return "";
  }
  // What TBC adds, but for counters that count up, in every entry of every block's stack (§4.2.5), and the unit that
  // compares them.
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware = block_compaction(geometry, stack_entries, 2 * kPcBits);
    hardware.storage.push_back({"arrival counts",
                                table(stack_entries, geometry.core.max_blocks * count_bits(geometry)),
                                1,
                                {{"divergent_branches", 2}}});
    hardware.logic.push_back({"adequacy_unit", {{"Lanes", geometry.core.warp_size}, {"Rows", geometry.block_warps}}});
    if (meeting == MeetingOf::kWarp) hardware.add(warp_stack_hardware(geometry, false));
    return hardware;
  }
  bool spills() const { return meeting == MeetingOf::kBlock; }
};

class TstbcPolicy final : public MeetingPolicy {
 public:
  TstbcPolicy(const TstbcParams& params, AdequacyUnit& unit, StatGroup& stats)
      : params_(params),
        unit_(unit),
        validity_(stats),
        released_(stats.counter("tstbc_first_released", "branches",
                                "whose first n warps came out as no fewer and went on (stage 1)")),
        few_(stats.counter("tstbc_fewer_than_n", "branches", "at which some warps diverged, but fewer than n")),
        whole_(stats.counter("tstbc_compacted_whole", "branches", "whose warps were all compacted (stage 1)")),
        rest_(
            stats.counter("tstbc_compacted_rest", "branches", "whose warps but the first n were compacted (stage 2)")),
        other_(stats.counter("tstbc_compacted_other_path", "branches", "whose second path was compacted")) {}

  bool waits(Meeting& meeting) override {
    if (stage_of(meeting) != AdequacyStage::kFirst || meeting.waiting.warps < params_.n) return true;
    const AdequacyVerdict verdict = judge(AdequacyQuery::Kind::kFirstCame, meeting, meeting.waiting, entered(meeting));
    meeting.stage = static_cast<unsigned>(verdict.stage);
    if (!verdict.adequate) ++released_;
    return verdict.adequate;
  }

  bool compacts(const Meeting& meeting) override {
    const bool compact = meeting.waiting.warps != 0 &&
                         judge(AdequacyQuery::Kind::kAllCame, meeting, meeting.waiting, entered(meeting)).adequate;
    validity_.count(compact, compaction_helps(meeting));
    if (stage_of(meeting) == AdequacyStage::kFirst && meeting.all.warps != 0) ++few_;
    if (compact) ++(stage_of(meeting) == AdequacyStage::kRest ? rest_ : whole_);
    return compact;
  }

  bool compacts_other(const Meeting& meeting) override {
    const unsigned other = 1 - meeting.entered(meeting.all);
    const bool compact = judge(AdequacyQuery::Kind::kOtherPath, meeting, meeting.all, other).adequate;
    if (compact) ++other_;
    return compact;
  }

 private:
  static AdequacyStage stage_of(const Meeting& meeting) { return static_cast<AdequacyStage>(meeting.stage); }
  // The path that those who wait enter.
  static unsigned entered(const Meeting& meeting) { return meeting.entered(meeting.waiting); }

  AdequacyVerdict judge(AdequacyQuery::Kind kind, const Meeting& meeting, const Gathering& warps, unsigned side) {
    return unit_.judge({kind, stage_of(meeting), &warps.threads[side], warps.warps, params_.n, params_.t_wct,
                        params_.wct_rule == WctRule::kLiteral});
  }

  TstbcParams params_;
  AdequacyUnit& unit_;
  Validity validity_;
  Counter &released_, &few_, &whole_, &rest_, &other_;
};

struct Tstbc {
  static std::unique_ptr<Mechanism> make(const TstbcParams& params, const Geometry& geometry, Core& core) {
    return meets(params.meeting, params.branch_order, params.stack_entries, geometry, core,
                 std::make_unique<TstbcPolicy>(params, core.taps().adequacy_unit(), core.stats()));
  }
};

const Register<TstbcParams, Tstbc> tstbc_registration(
    "tstbc", "thread block compaction that tries the first n warps before it waits", "TSTBC §3");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
