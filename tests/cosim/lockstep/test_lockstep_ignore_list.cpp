// SPDX-License-Identifier: Apache-2.0
// rtl/ignore_list.sv against the model's list, operation by operation.
#include "tb/cosim/tables/ignore_list_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_ignore_list_test {

class IgnoreListLockStep : public ShadowTest {
 protected:
  IgnoreListLockStep() : ShadowTest("ignore-list") {}

  // Returns how many places came to be ignored.
  unsigned run(Session& session, unsigned entries, unsigned least) {
    IgnoreListShadow shadow(session, clock, 0, entries);
    divergence::IgnoreList list(entries);
    list.observe(&shadow);
    std::mt19937_64 random(entries);
    unsigned ignored = 0;
    while (operations(session) < least) {
      list.clear();
      // Few places per entry, which all come to be ignored, or many, which replace each other.
      const std::uint64_t places = 1 + random() % (2 * entries), far = random() % 2 == 0 ? 1 : 1 + random() % 0x3ff;
      for (unsigned left = 1000 + random() % 1000; left > 0; --left) {
        const auto place = static_cast<isa::Pc>(random() % places * far % 0x10000);
        if (random() % 2 == 0) {
          void(list.has(place));
        } else {
          ignored += list.fruitless(place) ? 1 : 0;
        }
      }
    }
    return ignored;
  }
};

class IgnoreListSizes : public IgnoreListLockStep, public ::testing::WithParamInterface<unsigned> {};

TEST_P(IgnoreListSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { EXPECT_GT(run(session, GetParam(), 100'000), 100U); }), "");
  report(operations(session), "ignore-list");
}

INSTANTIATE_TEST_SUITE_P(Sizes, IgnoreListSizes, ::testing::Values(1, 4, 32));

TEST_F(IgnoreListLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("ignore_list"));
  expect_caught(complaint([&] { run(session, 4, 10'000); }), "core0.ignore-list", "[a-z]+: the place is ignored");
}

TEST_F(IgnoreListLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, 32, 50'000); }), "");
  expect_coverage(directory / "ignore-list.reset.dat", directory / "ignore-list.dat", 100, 97);
}

}  // namespace lockstep_ignore_list_test
}  // namespace warpfold::cosim
