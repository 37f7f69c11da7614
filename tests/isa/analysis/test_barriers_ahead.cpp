// SPDX-License-Identifier: Apache-2.0
// Where threads that do not return early meet on their way to a barrier.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/analysis/barriers_ahead.h"

namespace warpfold::isa {
namespace barriers_ahead_test {

// Every branch of the kernel with the block that its threads meet in before the next barrier; -1: none.
std::vector<std::pair<Pc, int>> meetings(const std::string& body) {
  PtxFixture fixture(kernel_text(body));
  const Kernel& kernel = fixture.kernel();
  const Cfg cfg(flow_of(kernel));
  std::vector<bool> barriers(cfg.blocks().size(), false);
  for (Pc pc = 0; pc < kernel.ops.size(); ++pc) {
    if (kernel.ops[pc].kind == Kind::kBarrier) barriers[cfg.block_of(pc)] = true;
  }
  const BarriersAhead ahead(cfg, barriers);
  std::vector<std::pair<Pc, int>> found;
  for (Pc pc = 0; pc < kernel.ops.size(); ++pc) {
    const bool asks = kernel.ops[pc].kind == Kind::kBranch && kernel.ops[pc].guard != kNoWord;
    if (!asks || !ahead.any(cfg.block_of(pc))) continue;
    const BlockIndex at = ahead.meeting_point(cfg.block_of(pc));
    found.emplace_back(pc, at == cfg.exit() ? -1 : static_cast<int>(cfg.blocks()[at].begin));
  }
  return found;
}

using Found = std::vector<std::pair<Pc, int>>;

TEST(BarriersAhead, NobodyWaitsForThreadsThatReturn) {
  EXPECT_EQ(meetings("@%p1 bra OUT;\nadd.u32 %r1, %r1, 1;\nbar.sync 0;\nOUT: ret;"), (Found{{0, 1}}));
}

// if (p1) { if (p2) return; r1++; } bar.sync: the two sides of the outer branch meet at the barrier.
TEST(BarriersAhead, AReturnInABranchDoesNotKeepItsOtherThreadsApart) {
  const std::string body =
      "@!%p1 bra JOIN;\n@%p2 bra OUT;\nadd.u32 %r1, %r1, 1;\nJOIN: bar.sync 0;\nadd.u32 %r1, %r1, 2;\nOUT: ret;";
  EXPECT_EQ(meetings(body), (Found{{0, 3}, {1, 2}}));
}

// Each side has a barrier of its own: there is no point before them.
TEST(BarriersAhead, SidesThatComeToDifferentBarriersDoNotMeetBefore) {
  const std::string body = "@%p1 bra B;\nbar.sync 0;\nbra OUT;\nB: bar.sync 0;\nOUT: ret;";
  EXPECT_EQ(meetings(body), (Found{{0, -1}}));
}

// A loop with a barrier: those that stay meet where it begins, while the others are through with barriers.
TEST(BarriersAhead, ThreadsThatLeaveALoopOfBarriersAreNotWaitedFor) {
  const std::string body = "L: add.u32 %r1, %r1, 1;\nbar.sync 0;\n@%p1 bra L;\nadd.u32 %r1, %r1, 2;\nret;";
  EXPECT_EQ(meetings(body), (Found{{2, 0}}));
}

TEST(BarriersAhead, ABarrierBehindIsNone) {
  EXPECT_EQ(meetings("bar.sync 0;\n@%p1 bra OUT;\nadd.u32 %r1, %r1, 1;\nOUT: ret;"), Found{});
}

}  // namespace barriers_ahead_test
}  // namespace warpfold::isa
