// SPDX-License-Identifier: Apache-2.0
// `warpfold area --decide`: what areas, clocks and energies decide between mechanisms.
#include "tests/sim/area_fixture.h"
#include "warpfold/area/scaling.h"

namespace warpfold {
namespace area_decisions_test {

class AreaDecisions : public AreaCommandLine {
 protected:
  Json decisions(const std::string& arguments) const { return area("--decide --table decisions " + arguments); }
};

// The machine is the default one, of which results of synthesis come with the sources.
TEST_F(AreaDecisions, AreaAndClockAgainstTheFirst) {
  const Json table = decisions("--mechanisms pdom,token-stack,dwf,tbc,harp,oracle");
  ASSERT_EQ(table.size(), 6U);
  const Json& base = row(table, "mechanism", "pdom");
  EXPECT_EQ(base.at("area_verdict"), "same");
  EXPECT_EQ(base.at("clock_verdict"), "same");
  EXPECT_EQ(base.at("would_decide"), "");
  // A tenth of the stacks, and shorter paths.
  const Json& token = row(table, "mechanism", "token-stack");
  EXPECT_EQ(token.at("area_verdict"), "smaller");
  EXPECT_LT(token.at("area_high"), 1);
  EXPECT_EQ(row(table, "mechanism", "tbc").at("area_verdict"), "larger");
  EXPECT_EQ(row(table, "mechanism", "harp").at("clock_verdict"), "slower");
  // Its logic is a range of which only a library of the process tells more.
  const Json& dwf = row(table, "mechanism", "dwf");
  EXPECT_EQ(dwf.at("clock_verdict"), "open");
  EXPECT_LT(dwf.at("clock_low"), 1);
  EXPECT_GE(dwf.at("clock_high"), 1);
  EXPECT_NE(dwf.at("would_decide").get<std::string>().find("clock: a library of the process"), std::string::npos)
      << dwf;
  EXPECT_NEAR(dwf.at("must_gain_high").get<double>(),
              dwf.at("area_high").get<double>() / dwf.at("clock_low").get<double>(), 1e-3);
  EXPECT_EQ(row(table, "mechanism", "oracle").at("note"), "n/a: nobody can build it");
}

// Who knows the process has no range of it left.
TEST_F(AreaDecisions, AProcessThatIsKnownDecides) {
  const auto range = [&](const std::string& more) {
    const Json one = row(decisions("--mechanisms pdom,tbc " + more), "mechanism", "tbc");
    return one.at("clock_high").get<double>() / one.at("clock_low").get<double>();
  };
  EXPECT_LT(range("--fo4 20 --nand2 0.6"), range(""));
}

// Cells alone keep up with this clock. With wires the stacks of pdom may not, and the token stack, whose logic is
// shorter, still does.
TEST_F(AreaDecisions, WiresSlowLogic) {
  const std::string asked = "--mechanisms pdom,token-stack --set core.clock_mhz=500 --fo4 20 --nand2 0.6";
  const double cells_ns = row(area("--table mechanisms " + asked), "mechanism", "pdom").at("slowest_ns_high");
  ASSERT_LT(cells_ns, 2);
  const Json token = row(decisions(asked), "mechanism", "token-stack");
  EXPECT_NEAR(token.at("clock_high").get<double>(), area::kPlacedDelay.high * cells_ns / 2, 1e-3);
  EXPECT_EQ(token.at("clock_low"), 1);
  const std::string by = token.at("would_decide");
  EXPECT_NE(by.find("clock: a library of the process or a placement"), std::string::npos) << by;
}

// Without tools all logic is unknown: nothing says that a mechanism is smaller, or faster, than one of unknown logic.
TEST_F(AreaDecisions, UnknownLogicLeavesItOpen) {
  without_synthesis();
  const Json table = decisions("--mechanisms pdom,exec-mask");
  const Json& mask = row(table, "mechanism", "exec-mask");
  EXPECT_EQ(mask.at("area_verdict"), "open");
  EXPECT_EQ(mask.at("clock_verdict"), "open");
  const std::string by = mask.at("would_decide");
  EXPECT_NE(by.find("area: RTL of mask_unit"), std::string::npos) << by;
  EXPECT_NE(by.find("clock: RTL of mask_unit"), std::string::npos) << by;
  const std::string shown = warpfold("area --decide --table decisions --mechanisms pdom,exec-mask").out;
  EXPECT_NE(shown.find("energy is not decided without runs"), std::string::npos) << shown;
}

TEST_F(AreaDecisions, RunsSayWhatPaysAndWhatEnergyIsKnown) {
  without_synthesis();
  run("made", "pdom",
      {{"cycles", 3000}, {"divergent_branches", 0}, {"warp_instructions", 1}, {"thread_instructions", 32}});
  run("made", "exec-mask",
      {{"cycles", 2000}, {"warp_instructions", 1}, {"exec_mask_slots", 1}, {"thread_instructions", 32}});
  const Json table = decisions("--results results");
  ASSERT_EQ(table.size(), 2U);
  const Json& other = table[1];
  EXPECT_EQ(other.at("program"), "made");
  EXPECT_EQ(other.at("speed_up_in_cycles"), 1.5);
  EXPECT_EQ(other.at("pays"), "open");
  EXPECT_EQ(other.at("energy_verdict"), "open");
  EXPECT_NE(other.at("would_decide").get<std::string>().find("energy: waves of all its blocks"), std::string::npos)
      << other;
  EXPECT_EQ(table[0].at("pays"), "same");
}

TEST_F(AreaDecisions, MistakesAreOneLine) {
  EXPECT_EQ(complaint("--decide --papers"), "warpfold: error: --decide: between mechanisms: leave --papers out\n");
  EXPECT_EQ(complaint("--decide --points grid.csv"),
            "warpfold: error: --decide: between mechanisms: leave --points out\n");
  expect_complaint("--decide --mechanisms pdom,nothing", "nothing");
}

}  // namespace area_decisions_test
}  // namespace warpfold
