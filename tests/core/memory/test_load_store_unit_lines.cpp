// SPDX-License-Identifier: Apache-2.0
// What the load/store unit says of the lines of an instruction to whoever issues it.
#include "tests/core/load_store_fixture.h"

namespace warpfold {
namespace load_store_unit_lines_test {

using Lines = std::vector<LaneMask>;

class LinesOfAnAccess : public LoadStoreUnitTest {
 protected:
  Lines lines_of(const Memory& what) {
    unit.tell_of_lines();
    issue_at(next_, what);
    run(next_ += 40);
    return told_lines;
  }

 private:
  Cycle next_ = 0;
};

TEST_F(LinesOfAnAccess, AreToldWithWhoAsksForThem) {
  EXPECT_EQ(lines_of({.address = stride(4)}), (Lines{0xffff, 0xffff'0000}));
  EXPECT_EQ(lines_of({.kind = Kind::kStore, .address = stride(0), .executed = 0xf0}), (Lines{0xf0}));
  EXPECT_EQ(lines_of({.space = Space::kTexture, .address = stride(2)}), (Lines{kAll})) << "read-only global memory";
  // Words of local memory lie a row of words apart.
  EXPECT_EQ(lines_of({.space = Space::kLocal, .address = stride(4), .executed = 0b1, .bytes = 8}), (Lines{1, 1}));
}

TEST_F(LinesOfAnAccess, AreNotToldWhereNothingCoalesces) {
  EXPECT_EQ(lines_of({.space = Space::kShared}), Lines{});
  EXPECT_EQ(lines_of({.space = Space::kConst}), Lines{});
  EXPECT_EQ(lines_of({.space = Space::kParam}), Lines{});
  EXPECT_EQ(lines_of({.kind = Kind::kAtomic}), Lines{});
  EXPECT_EQ(lines_of({.executed = 0}), Lines{});
}

TEST_F(LoadStoreUnitTest, LinesAreToldOnlyWhereSomebodyAsks) {
  issue_at(0, {});
  run(40);
  EXPECT_TRUE(told_lines.empty());
}

}  // namespace load_store_unit_lines_test
}  // namespace warpfold
