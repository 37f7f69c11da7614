// SPDX-License-Identifier: Apache-2.0
// rtl/wct_predictor.sv against CAPRI's table of the model, operation by operation.
#include "tb/cosim/tables/predictor_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_wct_predictor_test {

class WctPredictorLockStep : public ShadowTest {
 protected:
  WctPredictorLockStep() : ShadowTest("predictor") {}

  void run(Session& session, unsigned entries, unsigned least) {
    PredictorShadow shadow(session, clock, 0, entries);
    divergence::WctPredictor table(entries);
    table.observe(&shadow);
    std::mt19937_64 random(entries);
    while (operations(session) < least) {
      table.clear();
      const std::uint64_t branches = 1 + random() % 0xffff;
      for (unsigned left = 1000 + random() % 1000; left > 0; --left) {
        const auto branch = static_cast<isa::Pc>(random() % branches);
        random() % 2 == 0 ? void(table.adequate(branch)) : void(table.learn(branch, random() % 2 == 0));
      }
    }
  }
};

class WctPredictorSizes : public WctPredictorLockStep, public ::testing::WithParamInterface<unsigned> {};

TEST_P(WctPredictorSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam(), 100'000); }), "");
  report(operations(session), "predictor");
}

INSTANTIATE_TEST_SUITE_P(Sizes, WctPredictorSizes, ::testing::Values(1, 16, 256));

TEST_F(WctPredictorLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("wct_predictor"));
  expect_caught(complaint([&] { run(session, 16, 10'000); }), "core0.predictor", "predict: compaction is adequate");
}

TEST_F(WctPredictorLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, 16, 20'000); }), "");
  expect_coverage(directory / "predictor.reset.dat", directory / "predictor.dat", 100, 97);
}

}  // namespace lockstep_wct_predictor_test
}  // namespace warpfold::cosim
