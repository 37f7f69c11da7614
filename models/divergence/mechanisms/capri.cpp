// SPDX-License-Identifier: Apache-2.0
// CAPRI: thread block compaction only where it was worth it the last time (TSTBC §2).
#include <bit>

#include "warpfold/divergence/parts/block/meeting_of.h"
#include "warpfold/divergence/parts/block/wct_predictor.h"
#include "warpfold/divergence/parts/validity.h"

namespace warpfold {

namespace divergence {
namespace {

// Which side has to come out as fewer warps for compaction to count as adequate.
enum class Adequacy : std::uint8_t { kEither, kEntered };
// What is predicted of a branch: its latest outcome, or the same always. With kBypass the warps are those of PDOM, so
// that PDOM's place among the classes of TSTBC Fig. 7 can be measured.
enum class Prediction : std::uint8_t { kLatest, kStall, kBypass };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::Adequacy> {
  static constexpr std::array names{"either", "entered"};
};

template <>
struct Choices<divergence::Prediction> {
  static constexpr std::array names{"latest", "stall", "bypass"};
};

namespace divergence {
namespace {

struct CapriParams {
  static constexpr Regroups kRegroups = Regroups::kBlock;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  MeetingOf meeting = MeetingOf::kBlock;
  unsigned stack_entries = BlockStackSpills::kEntries;
  Adequacy adequacy = Adequacy::kEither;
  Prediction prediction = Prediction::kLatest;
  unsigned table_entries = 256;
  static constexpr auto fields() {
    return std::tuple{
        choice("branch_order", &CapriParams::branch_order, "which side of a divergent branch runs first"),
        meeting_field(&CapriParams::meeting),
        BlockStackSpills::field_of(&CapriParams::stack_entries),
        choice("adequacy", &CapriParams::adequacy,
               "the side that must come out as fewer warps: either, or the one entered first"),
        choice("prediction", &CapriParams::prediction,
               "latest: as the branch was the last time; stall, bypass: always (bypass: the warps of PDOM)"),
        power_of_two("table_entries", "branches", &CapriParams::table_entries, 1, 65'536,
                     "of the prediction table; two that share an entry replace each other")};
  }
  // What TBC adds, and the table: a bit for a branch, and which branch that is.
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware = block_compaction(geometry, stack_entries, 2 * kPcBits + count_bits(geometry));
    const auto index = static_cast<unsigned>(std::countr_zero(table_entries));
    hardware.storage.push_back(
        {"predictions", table(table_entries, 1 + kPcBits - index), 1, {{"capri_predictions", 2}}});
    hardware.logic.push_back({"adequacy_unit", {{"Lanes", geometry.core.warp_size}, {"Rows", geometry.block_warps}}});
    hardware.logic.push_back({"wct_predictor", {{"Entries", table_entries}, {"PcWidth", kPcBits}}});
    if (meeting == MeetingOf::kWarp) hardware.add(warp_stack_hardware(geometry, false));
    return hardware;
  }
  bool spills() const { return meeting == MeetingOf::kBlock; }
};

class CapriPolicy final : public MeetingPolicy {
 public:
  CapriPolicy(const CapriParams& params, Taps& taps, StatGroup& stats)
      : params_(params),
        unit_(taps.adequacy_unit()),
        table_(params.table_entries),
        validity_(stats),
        predictions_(stats.counter("capri_predictions", "branches", "of a block that diverged: stall or bypass?")),
        correct_(stats.counter("capri_predictions_correct", "branches",
                               "predictions that turned out as adequate as they said (TSTBC §2)")),
        replaced_(stats.counter("capri_replaced", "branches", "that lost their prediction to another one's")) {
    stats.ratio("capri_accuracy", "of the predictions, those that turned out right", "capri_predictions_correct",
                "capri_predictions");
    table_.observe(taps.predictor_observer(params.table_entries));
  }

  void kernel_started(const isa::Kernel& /*kernel*/) override { table_.clear(); }

  bool may_wait(Pc branch, const Meeting* meeting) const override {
    return (meeting != nullptr && meeting->all.warps != 0 ? meeting->stage : predict(branch)) == kStall;
  }

  bool waits(Meeting& meeting) override {
    if (meeting.all.warps == 1) meeting.stage = predict(meeting.branch);
    return meeting.stage == kStall;
  }

  bool compacts(const Meeting& meeting) override {
    const bool stalls = meeting.stage == kStall;
    validity_.count(stalls, compaction_helps(meeting));
    if (meeting.all.warps == 0) return false;
    const unsigned entered = meeting.entered(meeting.all);
    const bool adequate =
        adequate_on(meeting, entered) ||
        (params_.adequacy == Adequacy::kEither && meeting.runs(1 - entered) && adequate_on(meeting, 1 - entered));
    ++predictions_;
    if (stalls == adequate) ++correct_;
    if (table_.learn(meeting.branch, adequate)) ++replaced_;
    return stalls;
  }

  bool compacts_other(const Meeting& meeting) override { return meeting.stage == kStall; }

 private:
  enum Stage : unsigned { kBypass, kStall };  // what was predicted of a meeting

  bool adequate_on(const Meeting& meeting, unsigned side) {
    AdequacyQuery query;
    query.threads = &meeting.all.threads[side];
    query.warps = meeting.all.warps;
    return unit_.judge(query).adequate;
  }

  Stage predict(Pc branch) const {
    if (params_.prediction == Prediction::kLatest) return table_.adequate(branch) ? kStall : kBypass;
    return params_.prediction == Prediction::kStall ? kStall : kBypass;
  }

  CapriParams params_;
  AdequacyUnit& unit_;
  WctPredictor table_;
  Validity validity_;
  Counter &predictions_, &correct_, &replaced_;
};

struct Capri {
  static std::unique_ptr<Mechanism> make(const CapriParams& params, const Geometry& geometry, Core& core) {
    return meets(params.meeting, params.branch_order, params.stack_entries, geometry, core,
                 std::make_unique<CapriPolicy>(params, core.taps(), core.stats()));
  }
};

const Register<CapriParams, Capri> capri_registration("capri",
                                                      "thread block compaction where it is predicted to be adequate",
                                                      "TSTBC §2; Rhu and Erez, ISCA 2012");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
