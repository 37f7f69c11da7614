// SPDX-License-Identifier: Apache-2.0
// rtl/thread_compactor.sv against the packing of large warps, packing by packing.
#include <numeric>

#include "tb/cosim/shadows/packer_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_packer_test {

using divergence::Warp;
using isa::LaneMask;

struct Size {
  unsigned lanes, rows, packings;
};

class PackerLockStep : public ShadowTest {
 protected:
  PackerLockStep() : ShadowTest("packer") {}

  // Large warps of up to all rows, any density, anywhere in the core.
  void run(Session& session, const Size& size) {
    PackerShadow shadow(session, clock, 0, 0, {size.lanes, size.rows});
    std::mt19937_64 random(size.lanes);
    while (operations(session) < size.packings) {
      std::vector<LaneMask> threads(1 + random() % size.rows);
      const auto kind = static_cast<unsigned>(random() % 6);
      for (LaneMask& row : threads) row = sparse_or_dense(random, kind) & low_bits(size.lanes);
      if (std::reduce(threads.begin(), threads.end(), LaneMask{0}, std::bit_or<>()) == 0) continue;
      const auto first_row = static_cast<unsigned>(random() % 100);
      std::vector<LaneMask> left = threads;
      std::vector<Warp> subwarps;
      while (std::reduce(left.begin(), left.end(), LaneMask{0}, std::bit_or<>()) != 0) {
        subwarps.push_back(divergence::compact_step(left, first_row, 7, true));
      }
      shadow.packed(threads, first_row, subwarps);
    }
  }
};

class PackerSizes : public PackerLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(PackerSizes, RandomLargeWarps) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  EXPECT_EQ(session.record("packer").most_latency, 1U) << "a sub-warp per clock from the clock after the request";
  report(operations(session), "packer");
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackerSizes,
                         ::testing::Values(Size{8, 16, 100'000}, Size{16, 8, 100'000}, Size{32, 4, 100'000}),
                         [](const auto& size) { return fmt::format("{}x{}", size.param.lanes, size.param.rows); });

TEST_F(PackerLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("thread_compactor"));
  expect_caught(complaint([&] { run(session, {16, 8, 1000}); }), "core0.packer_scheduler0", "pack: ");
}

}  // namespace lockstep_packer_test
}  // namespace warpfold::cosim
