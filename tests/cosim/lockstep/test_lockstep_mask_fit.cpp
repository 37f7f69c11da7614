// SPDX-License-Identifier: Apache-2.0
// rtl/mask_fit_picker.sv against the model's search, op by op.
#include <bit>

#include "tb/cosim/shadows/mask_fit_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_mask_fit_test {

using divergence::kNoWarp;
using divergence::Warp;
using divergence::WarpId;
using divergence::WarpSet;
using isa::LaneMask;

struct Size {
  unsigned lanes, warps, sets, picks;
};

class MaskFitLockStep : public ShadowTest {
 protected:
  MaskFitLockStep() : ShadowTest("mask-fit") {}

  void run(Session& session, const Size& size) {
    MaskFitShadow shadow(session, clock, 0, 0, {size.lanes, {size.warps, size.sets}});
    std::mt19937_64 random(size.lanes);
    std::vector<Warp> warps(size.warps);
    while (operations(session) < size.picks) {
      const LaneMask taken = sparse_or_dense(random, static_cast<unsigned>(random() % 6)) & low_bits(size.lanes);
      const auto set = static_cast<unsigned>(random() % size.sets);
      const bool few = random() % 2 == 0;
      WarpSet ready(size.warps);
      std::vector<MaskFitShadow::Candidate> candidates;
      for (WarpId id = 0; id < size.warps; ++id) {
        warps[id].mask = sparse_or_dense(random, static_cast<unsigned>(random() % 6)) & low_bits(size.lanes);
        if (random() % 2 == 0) warps[id].mask &= ~taken;
        if (warps[id].mask == 0 || random() % (few ? 8 : 2) != 0) continue;
        ready.insert(id);
        candidates.push_back({id, warps[id].mask});
      }
      const WarpId fits =
          divergence::fitting_warp(ready, taken, set, size.sets, [&](WarpId id) -> const Warp& { return warps[id]; });
      shadow.picked(candidates, taken, set, fits);
    }
  }
};

class MaskFitSizes : public MaskFitLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(MaskFitSizes, RandomMasks) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  EXPECT_EQ(session.record("mask-fit").most_latency, 2U);
  report(operations(session), "mask-fit");
}

INSTANTIATE_TEST_SUITE_P(Sizes, MaskFitSizes,
                         ::testing::Values(Size{4, 3, 1, 50'000}, Size{16, 24, 3, 20'000}, Size{32, 32, 1, 10'000}),
                         [](const auto& size) {
                           return fmt::format("{}x{}in{}", size.param.lanes, size.param.warps, size.param.sets);
                         });

TEST_F(MaskFitLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("mask_fit_picker"));
  expect_caught(complaint([&] { run(session, {8, 4, 1, 1000}); }), "core0.mask-fit_scheduler0", "pick: ");
}

TEST_F(MaskFitLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 6, 2, 30'000}); }), "");
  expect_coverage(directory / "mask-fit.reset.dat", directory / "mask-fit.dat", 100, 90);
}

}  // namespace lockstep_mask_fit_test
}  // namespace warpfold::cosim
