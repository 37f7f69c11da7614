// SPDX-License-Identifier: Apache-2.0
// TSTBC Fig. 4 (§3.3): the stack with wcnt, two of four warps having arrived at both targets of the branch. The masks
// are the figure's own; TSTBC counts arrivals up, per target entry.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/divergence/parts/block/selective_compaction.h"

namespace warpfold::divergence {
namespace tstbc_fig4_test {

using Rows = std::vector<LaneMask>;

// Lane 1 is leftmost in the figure.
LaneMask mask(const char* lanes) {
  LaneMask bits = 0;
  for (unsigned lane = 0; lanes[lane] != 0; ++lane) bits |= LaneMask{lanes[lane] == '1'} << lane;
  return bits;
}

// Waits for all, and shows the entries.
class Observer final : public MeetingPolicy {
 public:
  bool waits(Meeting& meeting) override {
    seen = meeting;
    return true;
  }
  bool compacts(const Meeting& /*meeting*/) override { return true; }
  bool compacts_other(const Meeting& /*meeting*/) override { return true; }
  Meeting seen;
};

TEST(TstbcFigure4, TwoWarpsHaveArrived) {
  constexpr Pc kBranch = 4, kB = 5, kC = 8, kD = 10;
  FakeCore core(8, 4);
  Geometry geometry;
  geometry.warp_size = 4;
  auto policy = std::make_unique<Observer>();
  const Observer& observer = *policy;
  SelectiveCompaction stack(BranchOrder::kTakenFirst, 32, geometry, core, std::move(policy));
  isa::Kernel kernel;
  kernel.ops.resize(20);
  stack.kernel_started(kernel);
  stack.block_started({0, 0, 0, 0, {0b1111, 0b1111, 0b1111, 0b1111}});

  stack.branch_resolved(0, {kBranch, mask("0010"), kC, kD, isa::kNoPc, true});
  EXPECT_EQ(observer.seen.waiting.warps, 1U);
  stack.branch_resolved(1, {kBranch, mask("0101"), kC, kD, isa::kNoPc, true});

  const Meeting& seen = observer.seen;
  EXPECT_EQ(seen.target[1], kC);
  EXPECT_EQ(seen.target[0], kB);
  EXPECT_EQ(seen.rpc, kD);
  EXPECT_EQ(seen.waiting.warps, 2U) << "wcnt of both entries";
  EXPECT_EQ(seen.waiting.threads[1], (Rows{mask("0010"), mask("0101"), 0, 0}));
  EXPECT_EQ(seen.waiting.threads[0], (Rows{mask("1101"), mask("1010"), 0, 0}));
  EXPECT_EQ(seen.entered(seen.waiting), 1U) << "C is the top of the stack";
  EXPECT_EQ(warps_after(seen.waiting, 1), 1U) << "maximum of the top's lanes";
  EXPECT_EQ(warps_after(seen.waiting, 0), 2U);
  EXPECT_EQ(core.warps(), (std::vector<WarpId>{2, 3})) << "the two that are still to come";
}

}  // namespace tstbc_fig4_test
}  // namespace warpfold::divergence
