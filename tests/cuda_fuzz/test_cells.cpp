// SPDX-License-Identifier: Apache-2.0
// Which ways of running programs are drawn for kernels.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/cuda_fuzz/cells.h"
#include "tests/cuda_fuzz/unit.h"
#include "warpfold/common/error.h"

namespace warpfold::cuda_fuzz {
namespace cells_test {

// Statement::value of a walk: virtual functions that call each other, 36 to 39 deep, by pairs of lanes.
constexpr std::uint32_t kDeepPairs = 0x20502;

TEST(Cells, EveryMechanismMeetsEveryValueOfEveryDimension) {
  std::map<std::string, std::set<std::string>> met;  // mechanism → values
  for (const DrawnCell& drawn : draw_cells({plain_mechanisms(), "", {}}, 0)) {
    EXPECT_EQ(drawn.refused, "") << drawn.cell.name();
    const Cell& cell = drawn.cell;
    std::set<std::string>& values = met[cell.variant.mechanism];
    for (const std::string& value :
         {cell.mode, cell.machine, "warps of " + cell.warp, cell.scoreboard, cell.lane_map}) {
      values.insert(value);
    }
  }
  EXPECT_EQ(met.size(), plain_mechanisms().size());
  std::vector<std::string> wanted = config_names("machines");
  for (const char* const value : {"cycle", "functional", "sampled", "detail", "check", "threads", "warps of 4",
                                  "warps of 8", "warps of 16", "warps of 32", "warps of 64", "simple", "per_register",
                                  "per_thread", "identity", "xor", "xor_rev", "mirror_odd"}) {
    wanted.emplace_back(value);
  }
  for (const auto& [mechanism, values] : met) {
    for (const std::string& value : wanted) EXPECT_TRUE(values.contains(value)) << mechanism << ": " << value;
  }
}

TEST(Cells, EachSettingHasOne) {
  const std::vector<MechanismVariant> variants = extreme_variants();
  const std::vector<DrawnCell> cells = draw_cells({variants, "", {}}, 0);
  ASSERT_EQ(cells.size(), variants.size());
  for (std::size_t n = 0; n < cells.size(); ++n) EXPECT_EQ(cells[n].cell.variant.name(), variants[n].name());
}

TEST(Cells, OtherDrawsAreOfOtherCells) {
  const CellChoice choice{variants_of({"tbc"}), "", {}};
  const auto names = [&](std::uint32_t draw) {
    std::string all;
    for (const DrawnCell& cell : draw_cells(choice, draw)) all += cell.cell.name() + "\n";
    return all;
  };
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
}

TEST(Cells, WhatNoMachineTakesIsRefusedWithItsReason) {
  const std::vector<DrawnCell> cells = draw_cells({{{"tstbc", {"mechanism.n=512"}}}, "tbc2011", {}}, 0);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_NE(cells[0].refused.find("n = 512"), std::string::npos) << cells[0].refused;
}

TEST(Cells, NarrowWarpsThatOrderTheirSidesApartAreRefused) {
  const Cell narrow{{"pdom", {"mechanism.branch_order=fewest_first"}}, "functional", "gt200", "8", "", ""};
  EXPECT_THROW(options_of(narrow, {}), UserError);
  Cell whole = narrow;
  whole.warp = "32";
  EXPECT_NO_THROW(options_of(whole, {}));
  Cell in_one_order = narrow;
  in_one_order.variant.sets = {"mechanism.branch_order=not_taken_first"};
  EXPECT_NO_THROW(options_of(in_one_order, {}));
}

// Deep recursion by many who each walk alone, which a stack of the block runs one after the other.
TEST(Cells, LetTheLongestWalksEnd) {
  Statement walk;
  walk.kind = Statement::Kind::kWalk;
  walk.value = kDeepPairs;
  walk.expressions = {{Expression::Kind::kVariable, Type::kU32, 1, nullptr, {}}};  // other by thread
  walk.bodies.resize(4);
  Kernel kernel;
  kernel.shape = {{1, 1, 1}, {256, 1, 1}};
  kernel.body = {walk};
  const Unit unit({kernel}, {});
  const std::string& code = unit.texts()[0].code;
  for (const char* word : {"group(t & 31, 2u)", "= 36u + w", "]->go(left"}) {
    EXPECT_NE(code.find(word), std::string::npos) << word << " in\n" << code;
  }
  const RunOptions options = options_of({{"tbc", {}}, "cycle", "gt200", "", "simple", ""}, {});
  EXPECT_EQ(unit.complaint(0, options.run_file()), "");
}

}  // namespace cells_test
}  // namespace warpfold::cuda_fuzz
