// SPDX-License-Identifier: Apache-2.0
// Dynamic warp resizing: slices that run by themselves and meet at loads, whom they wait for there, and when they no
// longer do.
#include <gtest/gtest.h>

#include "tests/divergence/parts_walk.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace dwr_test {

using Sets = std::vector<std::string>;

// The second slice comes to the load four cycles after the first.
Program late_program() {
  return {branch(3, of_threads(0b1100)),
          step(),
          jump(9),
          step(),
          step(),
          step(),
          step(),
          step(),
          step(),
          load(),
          step(),
          leave()};
}

// Each slice has a load of its own in a loop of so many rounds.
Program loads_apart(unsigned rounds) {
  return {step(), branch(4, of_threads(0b1100)),
          load(), jump(5),
          load(), branch(0, [rounds](Who, unsigned visit) { return visit + 1 < rounds; }),
          leave()};
}

// Some steps are loads.
Program with_loads(Program program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (FlowOp& op : program) op.loads = op.kind == FlowOp::Kind::kStep && random() % 2 == 0;
  return program;
}

TEST(Dwr, SlicesMeetForOneAccess) {
  const PartsWalk walk = walk_in_parts("dwr", {"slice=2"}, late_program());
  EXPECT_EQ(walk.text, "0:3|0:c 1:3|3:c 2:3|4:c 5:c 6:c 7:c 8:c 9:f 10:3|10:c 11:3|11:c");
  EXPECT_EQ(walk_in_parts("dwr", {"slice=2", "part=branch"}, late_program()).text,
            "0:3|0:c 1:3|3:c 2:3|4:c 5:c 6:c 7:c 8:c 9:f 10:f 11:f");
  FlowMachine machine({"dwr", {"slice=1"}}, late_program());
  walk_in_parts(machine, 4);
  EXPECT_EQ(machine.core.statistic("dwr_meetings"), 1U);
  EXPECT_EQ(machine.core.statistic("dwr_met"), 3U);
  EXPECT_EQ(machine.core.statistic("dwr_gangs_max"), 4U);
  EXPECT_EQ(machine.core.statistic("dwr_elsewhere"), 0U);
}

// Elsewhere nobody waits: an if with an else takes what it takes under vws, but for who is one warp.
TEST(Dwr, SlicesRunByThemselves) {
  EXPECT_EQ(walk_in_parts("dwr", {"slice=2"}, if_else_program()).text,
            "0:3|0:c 1:3|1:c 2:3|4:c 3:3|5:c 6:3|6:c 7:3|7:c");
  const Program inside{step(), branch(4, of_threads(0b1110)), step(), jump(6), step(), step(), step(), leave()};
  EXPECT_EQ(walk_in_parts("dwr", {"slice=2"}, inside).text, "0:3|0:c 1:3|1:c 4:2|4:c 5:2|5:c 2:1|6:c 3:1|7:c 6:3 7:3");
}

// Whoever comes to another load ends the meeting, and after three of those nobody waits there. The first place to be
// ignored ends no meeting at the other.
TEST(Dwr, PlacesWithoutUseOfMeetingsAreIgnored) {
  FlowMachine machine({"dwr", {"slice=2"}}, loads_apart(8));
  const std::string text = walk_in_parts(machine, 4).text;
  EXPECT_EQ(text.substr(0, text.find(" 5:3")), "0:3|0:c 1:3|1:c 2:3 3:3") << "the second slice waits at 4";
  EXPECT_EQ(machine.core.statistic("dwr_elsewhere"), 5U);
  EXPECT_EQ(machine.core.statistic("dwr_ignored"), 1U);
  EXPECT_EQ(machine.core.statistic("dwr_met"), 0U);
  // Two places that share an entry.
  FlowMachine narrow({"dwr", {"slice=2", "ignore=1"}}, loads_apart(8));
  walk_in_parts(narrow, 4);
  EXPECT_EQ(narrow.core.statistic("dwr_ignored"), 0U);
  EXPECT_EQ(narrow.core.statistic("dwr_elsewhere"), 15U);
}

// Two slices at 0, in front of a load at 1.
class DwrMoves : public testing::Test {
 protected:
  explicit DwrMoves(const Sets& sets = {"slice=2", "patience=10"}) : setup{"dwr", sets} {
    mechanism->kernel_started(kernel);
    mechanism->block_started({0, 0, 0, 0, {0b1111}});
  }
  // Both come to the load; returns who does it.
  WarpId meet() {
    for (const WarpId id : core.warps()) mechanism->committed(id, 1);
    EXPECT_EQ(core.warps().size(), 1U);
    return core.warps().front();
  }
  std::string warps() { return core.warps_text(4); }
  std::uint64_t statistic(const char* name) const { return core.statistic(name); }

  const FlowSetup setup;
  FakeCore core{setup.geometry().max_warps, 8};
  std::unique_ptr<Mechanism> mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of({step(), load(), step(), load(), step(), leave()});
};

TEST_F(DwrMoves, ThreeAccessesThatSaveNoLine) {
  const std::vector<LaneMask> apart{0b0011, 0b1100}, one{0b1111}, shared{0b0111, 0b1000};
  for (unsigned round = 0; round < 3; ++round) {
    const WarpId id = meet();
    EXPECT_EQ(core.warp(id).mask, 0b1111U);
    mechanism->accessed(id, one);
    mechanism->accessed(id, shared);
    mechanism->accessed(id, apart);
    EXPECT_TRUE(mechanism->leaves_at(id, 2));
    mechanism->committed(id, 0);
    EXPECT_EQ(warps(), "0{0,1} 0{2,3}");
  }
  EXPECT_EQ(statistic("dwr_lines_saved"), 6U);
  EXPECT_EQ(statistic("dwr_none_saved"), 3U);
  EXPECT_EQ(statistic("dwr_ignored"), 1U);
  for (const WarpId id : core.warps()) mechanism->committed(id, 1);
  EXPECT_EQ(warps(), "1{0,1} 1{2,3}") << "nobody waits";
  mechanism->accessed(0, apart);
  EXPECT_EQ(statistic("dwr_none_saved"), 3U) << "of one slice";
  for (const WarpId id : core.warps()) mechanism->committed(id, 3);
  EXPECT_EQ(warps(), "3{0,1,2,3}") << "another place";
}

TEST_F(DwrMoves, PatienceEnds) {
  mechanism->committed(0, 1);
  EXPECT_TRUE(core.waits(0));
  EXPECT_TRUE(mechanism->leaves_at(1, 1)) << "it would join the other";
  EXPECT_FALSE(mechanism->leaves_at(1, 3));
  EXPECT_EQ(mechanism->tick(100), 110U);
  EXPECT_EQ(mechanism->tick(109), 110U);
  EXPECT_TRUE(core.waits(0));
  EXPECT_EQ(mechanism->tick(110), kNever);
  EXPECT_EQ(warps(), "1{0,1} 0{2,3}");
  EXPECT_EQ(statistic("dwr_late"), 1U);
  // The late one has to wait in its turn.
  mechanism->committed(1, 1);
  EXPECT_TRUE(core.waits(1));
  mechanism->committed(0, 2);
  mechanism->committed(0, 3);
  EXPECT_FALSE(core.waits(1)) << "its partner is at another load";
  EXPECT_TRUE(core.waits(0));
  EXPECT_EQ(mechanism->tick(120), 130U) << "of the second meeting nothing is left";
}

// Nobody waits for who waits at a barrier or a collective, nor for who has exited.
TEST_F(DwrMoves, NobodyWaitsForWhoCannotCome) {
  mechanism->committed(0, 1);
  EXPECT_FALSE(mechanism->gives_up(1));
  EXPECT_EQ(warps(), "1{0,1} 0{2,3}");
  EXPECT_EQ(mechanism->kept_back(1, core.warp(1), 0), 0U);
  mechanism->committed(0, 2);
  mechanism->committed(0, 3);
  EXPECT_FALSE(core.waits(0)) << "the other still does";
  mechanism->committed(1, 1);
  EXPECT_TRUE(core.waits(1)) << "it has gone on";
  mechanism->exited(0, 0b0011, 4);
  EXPECT_EQ(warps(), "1{2,3}");
  mechanism->committed(1, 2);
  mechanism->committed(1, 3);
  EXPECT_EQ(warps(), "3{2,3}") << "alone";
  mechanism->exited(1, 0b1100, 4);
  mechanism->kernel_ended();
  EXPECT_EQ(statistic("dwr_late") + statistic("dwr_elsewhere"), 0U) << "those were no fruitless meetings";
}

class DwrInSpareTime : public DwrMoves {
 protected:
  DwrInSpareTime() : DwrMoves({"slice=2", "spare=true"}) {}
};

// A scheduler that runs dry lets go who has waited longest.
TEST_F(DwrInSpareTime, NobodyWaitsWhereNobodyElseIssues) {
  mechanism->block_started({1, 1, 1, 1, {0b1111}});
  mechanism->committed(0, 1);
  mechanism->committed(2, 1);
  EXPECT_TRUE(core.waits(0) && core.waits(2));
  mechanism->running_dry(0, 5);
  EXPECT_FALSE(core.waits(0));
  EXPECT_TRUE(core.waits(2));
  mechanism->running_dry(0, 6);
  EXPECT_FALSE(core.waits(2));
  mechanism->running_dry(0, 7);
  EXPECT_EQ(statistic("dwr_dry"), 2U);
}

TEST_F(DwrMoves, WhoWaitsDoesSoInAnyCase) {
  mechanism->committed(0, 1);
  mechanism->running_dry(0, 5);
  EXPECT_TRUE(core.waits(0));
}

class DwrUntilABranch : public DwrMoves {
 protected:
  DwrUntilABranch() : DwrMoves({"slice=2", "part=branch"}) {}
};

TEST_F(DwrUntilABranch, WhoHasMetStaysTogether) {
  const WarpId id = meet();
  EXPECT_FALSE(mechanism->leaves_at(id, 2));
  mechanism->committed(id, 2);
  mechanism->committed(id, 3);
  EXPECT_EQ(warps(), "3{0,1,2,3}") << "all are there: nobody waits";
  EXPECT_FALSE(mechanism->leaves_by(id, {4, 0b1010, 1, 5, isa::kNoPc, true}, true));
  EXPECT_TRUE(mechanism->leaves_by(id, {4, 0b1100, 0, 5, isa::kNoPc, true}, true));
  mechanism->branch_resolved(id, {4, 0b1100, 0, 5, isa::kNoPc, true});
  EXPECT_EQ(warps(), "5{0,1} 0{2,3}");
}

TEST(Dwr, BeginsTogetherAtALoad) {
  EXPECT_EQ(walk_in_parts("dwr", {"slice=2"}, {load(), load(), step(), leave()}).text, "0:f 1:f 2:3|2:c 3:3|3:c");
}

TEST(Dwr, SlicesAsWideAsAWarpArePdom) {
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const Program program =
        with_loads(seed % 4 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, seed % 2 == 0).make(), seed);
    EXPECT_EQ(walk("dwr", {"slice=4"}, program), walk("pdom", {}, program)) << "seed " << seed;
  }
  const FlowSetup wide{"dwr", {"slice=4"}}, narrow{"dwr", {"slice=2"}};
  FakeCore core(64, 8);
  const Traits traits = wide.configured().make(wide.geometry(), core)->traits;
  EXPECT_TRUE(traits.keeps_warps && traits.any_order);
  EXPECT_FALSE(traits.issues_parts || traits.hears_of_lines);
  FakeCore other(64, 8);
  EXPECT_FALSE(narrow.configured().make(narrow.geometry(), other)->traits.any_order) << "patience takes time";
}

// What slices do together they would do one by one as narrow warps of PDOM.
TEST(Dwr, IssuesNoMoreThanNarrowWarps) {
  std::size_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const Program program = with_loads(StructuredProgram(seed, seed % 2 == 0).make(), seed);
    FlowMachine narrow({"pdom", {}, 2}, program);
    narrow.start(0, 0, 4);
    narrow.run();
    for (const char* part : {"part=access", "part=branch"}) {
      FlowMachine machine({"dwr", {"slice=2", part}}, program);
      const unsigned cycles = walk_in_parts(machine, 4).cycles;
      EXPECT_LE(machine.trace.size(), narrow.trace.size()) << "seed " << seed << ", " << part;
      EXPECT_LE(cycles, narrow.trace.size()) << "seed " << seed << ", " << part;
      fewer += machine.trace.size() < narrow.trace.size() ? 1 : 0;
    }
  }
  EXPECT_GT(fewer, 500U);
}

TEST(Dwr, EveryThreadIsAccountedFor) {
  std::uint64_t inactive = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    const FlowSetup setup{"dwr", {"slice=2", seed % 3 == 0 ? "part=branch" : "part=access"}};
    FlowMachine machine(setup, with_loads(StructuredProgram(seed, true).make(), seed));
    std::mt19937_64 random(seed);
    for (machine.start(0, seed, 22); machine.live() > 0; machine.run_some(random, 1)) {
      std::uint64_t running = 0;
      for (WarpId id = 0; id < setup.geometry().max_warps; ++id) {
        if (!machine.core.live(id)) continue;
        running += static_cast<unsigned>(std::popcount(machine.core.warp(id).mask));
        held += machine.core.waits(id) ? 1 : 0;
      }
      const Parked parked = machine.mechanism->parked();
      ASSERT_EQ(running + parked.inactive + parked.reconverging, machine.live()) << "seed " << seed;
      inactive += parked.inactive;
    }
    machine.end();
  }
  EXPECT_GT(inactive, 0U);
  EXPECT_GT(held, 0U);
}

TEST(Dwr, SaysWhatItLacks) {
  Geometry core;
  const auto why_not = [&](const Sets& sets) { return FlowSetup{"dwr", sets}.configured().why_not(core); };
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({"slice=5"}), "mechanism.slice = 5: does not divide a warp of 32 lanes");
  core.passes = true;
  EXPECT_NE(why_not({}).find("core.pipes"), std::string::npos);
  EXPECT_EQ(why_not({"slice=32"}), "") << "it issues no parts";
}

TEST(Dwr, DeclaresItsHardware) {
  EXPECT_EQ(FlowSetup({"dwr", {}}).configured().hardware({}).text(),
            "slice stacks (4096 × 72 bits), slice states (128 × 40 bits), slice instruction buffers (128 × 64 bits), "
            "meetings (32 × 36 bits), ignore list (32 × 29 bits), rtl/ignore_list");
}

}  // namespace dwr_test
}  // namespace warpfold::divergence
