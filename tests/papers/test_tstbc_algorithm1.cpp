// SPDX-License-Identifier: Apache-2.0
// TSTBC Algorithm 1 branch by branch, with the filter and the special case that §3.2 adds in words: warps that do not
// diverge, and fewer than n that do. Eight warps of four threads, n = 3; the masks are ours.
#include <gtest/gtest.h>

#include "tests/papers/event_core.h"

namespace warpfold {
namespace tstbc_algorithm1_test {

constexpr unsigned kWidth = 4;

// What the warps whose lanes go to C are `to_c` do, warp by warp, on path C and, once that is through, on path B.
class Walk {
 public:
  Walk(const std::vector<isa::LaneMask>& to_c, const std::vector<std::string>& parameters)
      : core_("tstbc", kWidth, std::vector<isa::LaneMask>(to_c.size(), 0b1111), parameters) {
    core_.start();
    core_.take();
    std::vector<unsigned> threads;
    for (unsigned warp = 0; warp < to_c.size(); ++warp) {
      for (unsigned lane = 0; lane < kWidth; ++lane) {
        if ((to_c[warp] >> lane & 1) != 0) threads.push_back(warp * kWidth + lane + 1);
      }
    }
    for (unsigned warp = 0; warp < to_c.size(); ++warp) {
      core_.issue(warp * kWidth + 1, threads);
      drain();
    }
  }

  // Lets every warp that is on `path` through it.
  void run(isa::Pc path) {
    for (const divergence::WarpId id : core_.warps()) {
      if (core_.warp(id).pc != path) continue;
      const divergence::Warp& warp = core_.warp(id);
      const auto lane = static_cast<unsigned>(std::countr_zero(warp.mask));
      core_.issue(warp.row[lane] * kWidth + lane + 1);
    }
    drain();
  }
  // Warps that went on before the last event, by what they hold.
  Events on(isa::Pc path) {
    Events found;
    for (const divergence::WarpId id : core_.warps()) {
      if (core_.warp(id).pc == path) found.push_back(divergence::threads_text(core_.warp(id), kWidth, 0, 1));
    }
    return found;
  }
  std::uint64_t statistic(const std::string& name) const { return core_.statistic(name); }

 private:
  void drain() {
    while (core_.compacting()) core_.compactor_cycle();
  }
  EventCore core_;
};

using Lanes = std::vector<isa::LaneMask>;
constexpr isa::LaneMask k1 = 0b0001, k2 = 0b0010, k3 = 0b0100, k4 = 0b1000;

// if: t_max < n → all synchronise; t_max passes the threshold → compacted. Eight warps become two on C; on B, where
// each lane has six threads, 8 - 6 = 2 warps are saved as well.
TEST(TstbcAlgorithm1, StageOneCompactsTheBlock) {
  Walk walk({k1, k2, k3, k4, k1, k2, k3, k4}, {});
  EXPECT_EQ(walk.on(kC), (Events{"{1,6,11,16}", "{17,22,27,32}"}));
  EXPECT_EQ(walk.statistic("tstbc_compacted_whole"), 1U);
  walk.run(kC);
  EXPECT_EQ(walk.on(kB).size(), 6U) << "else: the other path is compacted by the threshold too";
  EXPECT_EQ(walk.statistic("tstbc_compacted_other_path"), 1U);
  walk.run(kB);
  EXPECT_EQ(walk.on(kD).size(), 8U);
  EXPECT_EQ(walk.statistic("validity_stall_stall"), 1U);
}

// As printed, t_max < T_WCT = 2: two warps are not few enough.
TEST(TstbcAlgorithm1, StageOneUnderTheRuleAsPrinted) {
  EXPECT_EQ(Walk({k1, k2, k3, k4, k1, k2, k3, k4}, {"wct_rule=literal"}).on(kC).size(), 8U);
  Walk walk({k1, k2, k3, k4, k1, k2, k3, k4}, {"wct_rule=literal", "t_wct=3"});
  EXPECT_EQ(walk.on(kC).size(), 2U);
  walk.run(kC);
  EXPECT_EQ(walk.on(kB).size(), 8U) << "six warps are not fewer than three";
}

// The first three come out as one, but the block saves a single warp of eight: it goes on uncompacted, all together.
TEST(TstbcAlgorithm1, StageOneFindsTooLittleInTheBlock) {
  Walk walk({k1, k2, k3, k1, k1, k1, k1, k1}, {"t_wct=3"});
  EXPECT_EQ(walk.on(kC).size(), 8U);
  EXPECT_EQ(walk.statistic("tstbc_compacted_whole"), 0U);
  EXPECT_EQ(walk.statistic("tstbc_first_released"), 0U);
  EXPECT_EQ(walk.statistic("validity_bypass_stall"), 1U) << "six warps instead of eight would have been fewer";
  walk.run(kC);
  EXPECT_EQ(walk.on(kB).size(), 8U) << "on B, lane 4 has eight threads";
}

// else: the first three come out as three and go on; the other five come out as two.
TEST(TstbcAlgorithm1, StageTwoCompactsTheRest) {
  Walk walk({k1, k1, k1, k1, k2, k3, k4, k1}, {});
  EXPECT_EQ(walk.statistic("tstbc_first_released"), 1U);
  EXPECT_EQ(walk.statistic("tstbc_compacted_rest"), 1U);
  EXPECT_EQ(walk.on(kC), (Events{"{1}", "{5}", "{9}", "{13,18,23,28}", "{29}"}));
}

// Stage 2 compares with N - n only, whatever T_WCT.
TEST(TstbcAlgorithm1, StageTwoIsContentWithOneWarpLess) {
  Walk walk({k1, k1, k1, k1, k1, k1, k1, k2}, {"t_wct=8"});
  EXPECT_EQ(walk.statistic("tstbc_compacted_rest"), 1U) << "4 < 5";
  walk.run(kC);
  EXPECT_EQ(walk.statistic("tstbc_compacted_other_path"), 0U);
}

TEST(TstbcAlgorithm1, StageTwoFindsNothing) {
  Walk walk(Lanes(8, k1), {});
  EXPECT_EQ(walk.on(kC).size(), 8U);
  EXPECT_EQ(walk.statistic("tstbc_first_released"), 1U);
  EXPECT_EQ(walk.statistic("tstbc_compacted_rest"), 0U);
  EXPECT_EQ(walk.statistic("validity_bypass_bypass"), 1U);
}

// §3.2: warps that do not diverge go on at once and are no part of the test.
TEST(TstbcAlgorithm1, WarpsThatDoNotDivergeAreFilteredOut) {
  Walk walk({0, k1, 0b1111, k2, 0, k3, k4}, {});
  EXPECT_EQ(walk.on(kC), (Events{"{5,14,23,28}", "{9,10,11,12}"}));
  EXPECT_EQ(walk.statistic("tstbc_compacted_whole"), 1U) << "three of four are saved";
  EXPECT_EQ(walk.on(kB).size(), 2U);
}

// §3.2: fewer than n diverge in all: only the numbers before and after count.
TEST(TstbcAlgorithm1, FewerThanNDiverge) {
  Walk fewer({k1, 0, 0, k2, 0, 0, 0, 0}, {"t_wct=8"});
  EXPECT_EQ(fewer.statistic("tstbc_fewer_than_n"), 1U);
  EXPECT_EQ(fewer.on(kC), (Events{"{1,14}"})) << "1 < 2, whatever T_WCT";
  fewer.run(kC);
  EXPECT_EQ(fewer.statistic("tstbc_compacted_other_path"), 0U) << "two threads in lanes 3 and 4 of B";

  Walk same({k1, 0, 0, k1, 0, 0, 0, 0}, {});
  EXPECT_EQ(same.on(kC), (Events{"{1}", "{13}"}));
  EXPECT_EQ(same.statistic("validity_bypass_bypass"), 1U);

  Walk one({0, 0b0011, 0, 0, 0, 0, 0, 0}, {});
  EXPECT_EQ(one.on(kC), (Events{"{5,6}"}));
  EXPECT_EQ(one.statistic("tstbc_fewer_than_n"), 1U);
}

TEST(TstbcAlgorithm1, NoneDiverges) {
  Walk walk(Lanes(8, 0b1111), {});
  EXPECT_EQ(walk.on(kC).size(), 8U);
  EXPECT_EQ(walk.statistic("tstbc_fewer_than_n"), 0U);
  EXPECT_EQ(walk.statistic("validity_bypass_bypass"), 1U) << "counts as well (TSTBC §4.2.1, NW)";
}

}  // namespace tstbc_algorithm1_test
}  // namespace warpfold
