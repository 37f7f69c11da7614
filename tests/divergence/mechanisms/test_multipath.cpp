// SPDX-License-Identifier: Apache-2.0
// Multi-path execution: what each warp runs, how full its tables get, and what that has in common with PDOM.
#include <gtest/gtest.h>

#include "tests/divergence/path_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace multipath_test {

using Sets = std::vector<std::string>;

std::string text_of(const Sets& sets) {
  std::string text;
  for (const std::string& set : sets) text += set + " ";
  return text;
}

struct Ran {
  std::string walk;
  std::uint64_t splits, points;
};

Ran run(Program program, Sets parameters = {}) {
  FlowMachine machine({"multipath", std::move(parameters)}, std::move(program));
  machine.start(0, 0, 4);
  machine.run_preferred();
  return {walk_of(machine), machine.core.statistic("multipath_max_paths"),
          machine.core.statistic("multipath_max_meeting_points")};
}

void expect(const Ran& ran, const std::string& walk, std::uint64_t splits, std::uint64_t points) {
  EXPECT_EQ(ran.walk, walk);
  EXPECT_EQ(ran.splits, splits);
  EXPECT_EQ(ran.points, points);
}

TEST(Multipath, WalksOfTwoSides) {
  expect(run(if_else_program()), "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f", 2, 1);
  expect(run(if_else_program(), {"switch=every"}), "0:f 1:f 2:3 4:c 3:3 5:c 6:f 7:f", 2, 1);
  expect(run(if_else_program(), {"shape=tos", "switch=every"}), "0:f 1:f 2:3 4:c 3:3 5:c 6:f 7:f", 2, 1);
}

TEST(Multipath, WalksOfAShortCircuit) {
  expect(run(short_circuit_program(), {"early=false"}), "0:f 1:6 2:6 4:9 5:9 3:2 4:4 5:4 6:4 7:4 6:8 7:1 8:f 9:f", 4,
         1);
  expect(run(short_circuit_program()), "0:f 1:6 2:6 4:d 5:d 3:2 6:c 7:5 8:f 9:f", 3, 1);
}

TEST(Multipath, WalksOfALoop) {
  expect(run(loop_program()), "0:f 1:f 2:5 3:5 4:a 5:f 0:e 1:e 2:4 3:4 4:a 5:e 0:4 1:4 2:4 3:4 5:4 6:f 7:f", 2, 2);
}

// Dual path: both sides of the youngest branch take turns, a nested divergence suspends the sibling below.
TEST(Multipath, DualPathRunsTheYoungestBranchOnly) {
  const Program nested{branch(7, of_threads(0b1100)),
                       branch(4, of_threads(0b0010)),
                       step(),
                       jump(5),
                       step(),
                       step(),
                       jump(9),
                       step(),
                       step(),
                       step(),
                       leave()};
  EXPECT_EQ(run(nested, {"switch=every"}).walk, "0:f 1:3 7:c 2:1 4:2 8:c 3:1 5:3 6:3 9:f 10:f");
  EXPECT_EQ(run(nested, {"switch=every", "shape=tos", "paths=2"}).walk, "0:f 1:3 2:1 4:2 3:1 7:c 5:3 8:c 6:3 9:f 10:f");
}

TEST(Multipath, TheSecondOfMoreSplitsThanMayRunWaits) {
  EXPECT_EQ(run(if_else_program(), {"switch=every", "paths=1"}).walk, "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f");
  EXPECT_EQ(run(if_else_program(), {"switch=every", "st=1"}).walk, "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f");
  FlowMachine machine({"multipath", {"st=1", "rt=1"}}, loop_program());
  machine.start(0, 0, 4);
  machine.run();
  EXPECT_EQ(machine.core.statistic("multipath_full"), 3U) << "two divergences of two sides, one nested in the loop's";
}

TEST(Multipath, ALockIsHeldForEverUnlessThoseWhoWaitAreLetGo) {
  SpinningWarp endless("multipath", {});
  EXPECT_EQ(endless.run(6), "0:f 1:f 0:e 1:e 0:e 1:e");
  endless.run(10'000);
  EXPECT_FALSE(endless.ended());
  SpinningWarp ends("multipath", {"timeout=16"});
  ends.run(10'000);
  EXPECT_TRUE(ends.ended());
  EXPECT_EQ(ends.core().statistic("multipath_timeouts"), 3U);
}

// The parts of a row that wait for others at a barrier of their block let the others come to it.
TEST(Multipath, SplitsWaitForTheirBlockEachByItself) {
  for (const char* paths : {"paths=0", "paths=1"}) {
    const FlowSetup setup{"multipath", {paths}};
    FakeCore core(setup.geometry().max_warps, 8);
    const auto multipath = setup.configured().make(setup.geometry(), core);
    const isa::Kernel kernel = kernel_of(if_else_program());
    multipath->kernel_started(kernel);
    multipath->block_started({0, 0, 0, 0, {0b1111}});
    multipath->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
    EXPECT_TRUE(multipath->gives_up(0));
    ASSERT_EQ(core.warps().size(), 1U);
    const WarpId other = core.warps().front();
    EXPECT_EQ(core.warp(other).mask, 0b1100U);
    EXPECT_TRUE(multipath->gives_up(other));
    EXPECT_TRUE(core.warps().empty());
    multipath->together(Warp::of_row(6, 0, 0b0011));
    EXPECT_EQ(multipath->parked().reconverging, 2U);
    multipath->together(Warp::of_row(6, 0, 0b1100));
    EXPECT_EQ(core.warp(core.warps().front()).mask, 0b1111U) << paths;
  }
}

// Those of a row who wait where they meet others, that wait at a collective, may be whom it lacks.
TEST(Multipath, WhoMeetsThoseAtACollectiveGoesOnWithoutThem) {
  for (const unsigned order : {0U, 1U, 2U, 3U}) {
    const bool meets_first = (order & 1) != 0, stands = (order & 2) != 0;
    const FlowSetup setup{"multipath", {}};
    FakeCore core(setup.geometry().max_warps, 8);
    const auto multipath = setup.configured().make(setup.geometry(), core);
    isa::Kernel kernel = kernel_of(if_else_program());
    kernel.ops[4].collective = true;
    multipath->kernel_started(kernel);
    multipath->block_started({0, 0, 0, 0, {0b1111}});
    multipath->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
    const auto slot_of = [&](LaneMask mask) {
      for (const WarpId id : core.warps())
        if (core.warp(id).mask == mask) return id;
      return kNoWarp;
    };
    if (meets_first) multipath->committed(slot_of(0b0011), 6);
    EXPECT_TRUE(multipath->gives_up(slot_of(0b1100)));
    if (!meets_first) multipath->committed(slot_of(0b0011), 6);
    ASSERT_EQ(core.warps().size(), 1U) << meets_first;
    EXPECT_EQ(core.warp(core.warps().front()).mask, 0b0011U);
    EXPECT_EQ(core.warp(core.warps().front()).pc, 6U);
    EXPECT_EQ(multipath->parked().reconverging, 0U);
    if (!stands) multipath->committed(slot_of(0b0011), 7);
    multipath->together(Warp::of_row(5, 0, 0b1100));
    multipath->committed(slot_of(0b1100), 6);
    if (stands) {
      EXPECT_EQ(core.warp(slot_of(0b1111)).pc, 6U) << "they are still there";
    } else {
      EXPECT_EQ(core.warp(slot_of(0b1100)).pc, 6U) << "nobody waits for them";
    }
  }
}

// Two pcs, the index of a reconvergence entry, and one mask or two, of 32 lanes.
TEST(Multipath, Hardware) {
  const Configured all = FlowSetup{"multipath", {}}.configured(),
                   few = FlowSetup{"multipath", {"st=4", "rt=2"}}.configured();
  EXPECT_EQ(all.hardware(HardwareGeometry{}).text(),
            "split tables (1024 × 102 bits), reconvergence tables (1024 × 134 bits), "
            "orders of splits (32 × 198 bits), rtl/path_table");
  EXPECT_EQ(few.hardware(HardwareGeometry{}).text(),
            "split tables (128 × 98 bits), reconvergence tables (64 × 130 bits), "
            "orders of splits (32 × 13 bits), rtl/path_table");
}

TEST(Multipath, DualPathIsOfTwoPaths) {
  EXPECT_EQ((FlowSetup{"multipath", {"shape=tos", "paths=2"}}.configured().why_not({})), "");
  EXPECT_EQ((FlowSetup{"multipath", {"shape=tos", "paths=3"}}.configured().why_not({})),
            "shape = tos, paths = 3: the youngest branch has two sides");
}

std::vector<std::string> issued(const FlowSetup& setup, const Program& program, std::uint64_t seed) {
  FlowMachine machine(setup, program);
  machine.start(0, seed, 22);
  machine.run_preferred();
  return issues_of(machine);
}
std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

constexpr std::uint64_t kSeeds = 80;
Program program_of(std::uint64_t seed) { return StructuredProgram(seed, seed % 2 == 0).make(); }

TEST(Multipath, OnePathAtATimeIsPdom) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = program_of(seed);
    ASSERT_EQ(issued({"multipath", {"paths=1", "order=lifo", "early=false"}}, program, seed),
              issued({"pdom", {}}, program, seed))
        << "seed " << seed;
  }
}

TEST(Multipath, WithoutEarlyMeetingsItIssuesWhatPdomDoes) {
  const std::vector<Sets> settings{{},
                                   {"paths=1"},
                                   {"order=lifo"},
                                   {"paths=2", "switch=every"},
                                   {"paths=2", "order=lifo", "switch=stall"},
                                   {"switch=block"},
                                   {"rt=1", "st=2"},
                                   {"shape=tos", "paths=2"},
                                   {"shape=tos", "order=lifo", "switch=every"}};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = program_of(seed);
    const std::vector<std::string> expected = sorted(issued({"pdom", {}}, program, seed));
    for (Sets sets : settings) {
      sets.emplace_back("early=false");
      ASSERT_EQ(sorted(issued({"multipath", sets}, program, seed)), expected)
          << "seed " << seed << " " << text_of(sets);
    }
  }
}

TEST(Multipath, EarlyMeetingsNeverTakeMoreIssues) {
  std::size_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = program_of(seed);
    const std::size_t of_pdom = issued({"pdom", {}}, program, seed).size();
    for (const Sets& sets : {Sets{}, Sets{"switch=block"}, Sets{"order=lifo"}, Sets{"paths=1"}}) {
      const std::size_t issues = issued({"multipath", sets}, program, seed).size();
      ASSERT_LE(issues, of_pdom) << "seed " << seed << " " << text_of(sets);
      fewer += issues < of_pdom ? 1 : 0;
    }
  }
  EXPECT_GT(fewer, 0U);
}

}  // namespace multipath_test
}  // namespace warpfold::divergence
