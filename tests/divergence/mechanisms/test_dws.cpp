// SPDX-License-Identifier: Apache-2.0
// Dynamic warp subdivision: loads and branches that divide, when, and where splits meet; what it has in common with
// PDOM.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "tests/divergence/path_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace dws_test {

using Sets = std::vector<std::string>;

// A block of one row or two of four threads whose load, at pc 1, has the data of threads 0 and 1 at once and those of
// 2 and 3 after twenty cycles. A cycle issues the lowest ready warp.
class LoadingWarps {
 public:
  LoadingWarps(Sets parameters, unsigned rows, bool loads_block)
      : setup_{"dws", std::move(parameters)},
        core(setup_.geometry().max_warps, setup_.max_rows),
        mechanism_(setup_.configured().make(setup_.geometry(), core)),
        block_{0, 0, 0, 0, std::vector<LaneMask>(rows, 0b1111)} {
    core.at_loads = loads_block;
    const Outcome all = [](Who, unsigned) { return true; };
    kernel_ = kernel_of({step(), step(), step(), step(), step(), branch(7, all), step(), leave()});
    mechanism_->kernel_started(kernel_);
    mechanism_->block_started(block_);
  }

  std::string run() {
    std::string text;
    for (Cycle cycle = 0; !core.warps().empty() && cycle < 200; ++cycle) {
      finish_loads(cycle);
      for (const auto& [id, load] : loads_) {
        if (load.told_at == cycle) {
          core.loaded[id] = load.early;
          mechanism_->partly_loaded(id, ready().empty());
        }
      }
      std::vector<WarpId> warps = ready();
      if (warps.empty()) mechanism_->running_dry(0, cycle);
      warps = ready();
      if (warps.empty()) {
        if (!text.empty() && !text.ends_with(" -")) text += " -";
        continue;
      }
      add_issue(text, core.warp(warps.front()).pc, core.warp(warps.front()).mask);
      issue(warps.front(), cycle);
    }
    EXPECT_TRUE(core.warps().empty());
    mechanism_->kernel_ended();
    return text;
  }

 private:
  struct Load {
    LaneMask early;
    Cycle told_at, done_at;
  };

  std::vector<WarpId> ready() const {
    std::vector<WarpId> warps = core.warps();
    std::erase_if(warps, [this](WarpId id) { return loads_.contains(id); });
    return warps;
  }
  void finish_loads(Cycle now) {
    for (auto load = loads_.begin(); load != loads_.end();) {
      const WarpId id = load->first;
      const bool done = load->second.done_at == now;
      load = done ? loads_.erase(load) : std::next(load);
      if (done && core.at_loads) mechanism_->committed(id, 2);
    }
  }
  void issue(WarpId id, Cycle now) {
    const Pc pc = core.warp(id).pc;
    mechanism_->issued(id, now);
    if (pc == 1) {
      loads_[id] = {0b0011, now + 1, now + 21};
      if (!core.at_loads) mechanism_->committed(id, 2);
    } else if (pc == 5) {
      mechanism_->branch_resolved(id, {5, core.warp(id).mask, 7, 7, isa::kNoPc, true});
    } else if (pc == 7) {
      mechanism_->exited(id, core.warp(id).mask, 8);
    } else {
      mechanism_->committed(id, pc + 1);
    }
  }

  FlowSetup setup_;

 public:
  FakeCore core;

 private:
  std::unique_ptr<Mechanism> mechanism_;
  isa::Kernel kernel_;
  const Block block_;
  std::map<WarpId, Load> loads_;
};

std::string loads(Sets parameters, unsigned rows = 1, bool loads_block = true) {
  return LoadingWarps(std::move(parameters), rows, loads_block).run();
}

constexpr const char* kTogether = "0:f 1:f - 2:f 3:f 4:f 5:f 7:f";

// With a scoreboard of warps they wait at their load, with one of registers behind it.
TEST(Dws, LanesThatHitGoOnToTheNextBranch) {
  for (const bool at_load : {true, false}) {
    EXPECT_EQ(loads({"memory=aggress", "beyond=limited"}, 1, at_load), "0:f 1:f 2:3 3:3 4:3 - 2:c 3:c 4:c 5:f 7:f");
  }
}

TEST(Dws, OrBeyondIt) {
  for (const bool at_load : {true, false}) {
    EXPECT_EQ(loads({"memory=aggress", "beyond=bypass"}, 1, at_load),
              "0:f 1:f 2:3 3:3 4:3 5:3 7:3 - 2:c 3:c 4:c 5:c 7:c");
  }
}

TEST(Dws, LoadsDivideWhereNothingElseIsReady) {
  EXPECT_EQ(loads({"memory=lazy", "beyond=limited"}), "0:f 1:f 2:3 3:3 4:3 - 2:c 3:c 4:c 5:f 7:f");
  // When the first row's data come the other one's warp is ready: the first waits for all. When the other one's come,
  // nothing else is ready.
  EXPECT_EQ(loads({"memory=lazy", "beyond=limited"}, 2),
            "0:f 1:f 0:f 1:f 2:3 3:3 4:3 - 2:f 3:f 4:f 5:f 7:f 2:c 3:c 4:c 5:f 7:f");
}

TEST(Dws, RevivedOnesDivideWhenNothingElseIs) {
  EXPECT_EQ(loads({"memory=revive", "beyond=limited"}, 2),
            "0:f 1:f 0:f 1:f 2:3 3:3 4:3 2:3 3:3 4:3 - 2:c 3:c 4:c 5:f 7:f 2:c 3:c 4:c 5:f 7:f");
}

TEST(Dws, OneIsRevivedInACycleTheFirstThatWaited) {
  FlowMachine machine({"dws", {"memory=revive"}}, if_else_program());
  machine.start(0, 0, 12);
  for (const WarpId id : {2U, 0U, 1U}) {
    machine.core.loaded[id] = 0b0011;
    machine.mechanism->partly_loaded(id, false);
  }
  const auto warps_of_row = [&](unsigned row) {
    const std::vector<WarpId> warps = machine.core.warps();
    return std::count_if(warps.begin(), warps.end(), [&](WarpId id) {
      const Warp& warp = machine.core.warp(id);
      return warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))] == row;
    });
  };
  const unsigned in_turn[] = {2, 0, 1};
  for (unsigned cycle = 0; cycle < 3; ++cycle) {
    EXPECT_EQ(machine.core.statistic("dws_loads"), cycle);
    EXPECT_EQ(warps_of_row(in_turn[cycle]), 1);
    machine.mechanism->running_dry(0, cycle);
    EXPECT_EQ(warps_of_row(in_turn[cycle]), 2);
  }
}

TEST(Dws, NotAtAllOrWithoutRoom) {
  EXPECT_FALSE((FlowSetup{"dws", {"memory=none"}}.configured().divides)) << "it is told of none";
  EXPECT_FALSE((FlowSetup{"dws", {"splits=0"}}.configured().divides));
  EXPECT_TRUE((FlowSetup{"dws", {}}.configured().divides));
  EXPECT_EQ(loads({"memory=aggress", "splits=0"}), kTogether);
  LoadingWarps two({"memory=aggress", "beyond=limited", "splits=2"}, 2, true);
  EXPECT_EQ(two.run(), "0:f 1:f 0:f 1:f 2:3 3:3 4:3 - 2:c 3:c 4:c 5:f 7:f 2:f 3:f 4:f 5:f 7:f");
  EXPECT_EQ(two.core.statistic("dws_full"), 1U);
  EXPECT_EQ(two.core.statistic("dws_loads"), 1U);
  EXPECT_EQ(two.core.statistic("dws_max_splits"), 2U);
}

// What the lowest warps issue, a split at a time.
std::string run(Program program, Sets parameters) {
  parameters.emplace_back("memory=none");
  return walk("dws", parameters, std::move(program));
}

// The block behind the sides has two instructions.
TEST(Dws, SidesOfABranchRunSideBySideIfTheBlockBehindThemIsShort) {
  FlowMachine machine({"dws", {"memory=none", "block=2"}}, if_else_program());
  machine.start(0, 0, 4);
  machine.issue(0);
  machine.issue(0);
  EXPECT_EQ(machine.core.warps().size(), 2U);
  EXPECT_EQ(machine.core.statistic("dws_branches"), 1U);
  FlowMachine other({"dws", {"memory=none", "block=1"}}, if_else_program());
  other.start(0, 0, 4);
  other.issue(0);
  other.issue(0);
  EXPECT_EQ(other.core.warps().size(), 1U);
  EXPECT_EQ(other.mechanism->parked().inactive, 2U);
  EXPECT_EQ(run(if_else_program(), {"block=1"}), walk("pdom", {}, if_else_program()));
}

// The second side of an inner branch waits for those of the first, not for the splits of the outer branch.
TEST(Dws, ASideHasItsTurnWhenThoseOfItsBranchAreThere) {
  const Program nested{branch(8, of_threads(0b1100)),  // behind it: 9
                       branch(3, of_threads(0b0010)),  // behind it: 4, a long block
                       jump(4),
                       step(),
                       step(),
                       step(),
                       step(),
                       jump(9),
                       step(),
                       leave()};
  FlowMachine machine({"dws", {"memory=none", "block=2"}}, nested);
  machine.start(0, 0, 4);
  const auto warp_of = [&](LaneMask lanes) {
    for (const WarpId id : machine.core.warps()) {
      if (machine.core.warp(id).mask == lanes) return id;
    }
    return kNoWarp;
  };
  machine.issue(0);
  ASSERT_NE(warp_of(0b1100), kNoWarp);
  machine.issue(warp_of(0b0011));
  ASSERT_NE(warp_of(0b0010), kNoWarp);
  EXPECT_EQ(warp_of(0b0001), kNoWarp) << "the taken side is first";
  machine.issue(warp_of(0b0010));
  EXPECT_NE(warp_of(0b0001), kNoWarp);
  EXPECT_NE(warp_of(0b1100), kNoWarp) << "which has not run yet";
}

// Two rows part; the table has room for one.
TEST(Dws, AFullTableLeavesSidesToTheStack) {
  FlowMachine machine({"dws", {"memory=none", "splits=2"}}, if_else_program());
  machine.start(0, 0, 8);
  for (const WarpId id : {0U, 1U, 0U, 1U}) machine.issue(id);
  EXPECT_EQ(machine.core.warps().size(), 2U + 1U) << "threads 6 and 7 go to 4, too, but nobody of 4 and 5 is left";
  machine.run();
  EXPECT_EQ(machine.core.statistic("dws_max_splits"), 2U);
}

TEST(Dws, ALockIsHeldForEver) {
  SpinningWarp endless("dws", {});
  EXPECT_EQ(endless.run(6), "0:f 1:f 0:e 1:e 0:e 1:e");
  endless.run(10'000);
  EXPECT_FALSE(endless.ended());
}

// The other side of a branch comes to the barrier, whether it was a split or waited for its turn.
TEST(Dws, SplitsWaitForTheirBlockEachByItself) {
  for (const char* block : {"block=50", "block=0"}) {
    const FlowSetup setup{"dws", {block}};
    FakeCore core(setup.geometry().max_warps, 8);
    const auto dws = setup.configured().make(setup.geometry(), core);
    const isa::Kernel kernel = kernel_of(if_else_program());
    dws->kernel_started(kernel);
    dws->block_started({0, 0, 0, 0, {0b1111}});
    dws->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
    const WarpId first = core.warps().front();
    EXPECT_TRUE(dws->gives_up(first));
    ASSERT_EQ(core.warps().size(), 1U) << block;
    EXPECT_TRUE(dws->gives_up(core.warps().front()));
    EXPECT_TRUE(core.warps().empty());
    dws->together(Warp::of_row(6, 0, 0b0011));
    EXPECT_EQ(dws->parked().reconverging, 2U);
    dws->together(Warp::of_row(6, 0, 0b1100));
    EXPECT_EQ(core.warp(core.warps().front()).mask, 0b1111U) << block;
  }
}

// An entry: one of 32 rows, a pc, 32 lanes, a status of four.
TEST(Dws, Hardware) {
  const Configured plain = FlowSetup{"dws", {}}.configured(), none = FlowSetup{"dws", {"splits=0"}}.configured();
  const std::string stacks = FlowSetup{"pdom", {}}.configured().hardware(HardwareGeometry{}).text();
  EXPECT_EQ(none.hardware(HardwareGeometry{}).text(), stacks);
  const std::string text = plain.hardware(HardwareGeometry{}).text();
  EXPECT_EQ(text,
            stacks.substr(0, stacks.find(", rtl/")) + ", split masks (16 × 32 bits), rtl/warp_stack, rtl/split_table");
  EXPECT_EQ(plain.hardware(HardwareGeometry{}).unknown.size(), 2U);
  EXPECT_TRUE((FlowSetup{"dws", {"memory=none"}}.configured().hardware(HardwareGeometry{}).unknown.empty()));
}

TEST(Dws, OneSplitIsNone) {
  EXPECT_EQ((FlowSetup{"dws", {"splits=2"}}.configured().why_not({})), "");
  EXPECT_EQ((FlowSetup{"dws", {"splits=1"}}.configured().why_not({})),
            "splits = 1: a warp that divides has two splits at least, and 0 says that none does");
}

constexpr std::uint64_t kSeeds = 80;
Program program_of(std::uint64_t seed) { return StructuredProgram(seed, seed % 2 == 0).make(); }
std::vector<std::string> issued(const FlowSetup& setup, const Program& program, std::uint64_t seed) {
  FlowMachine machine(setup, program);
  machine.start(0, seed, 22);
  machine.run();
  return issues_of(machine);
}
std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(Dws, WithoutSplitsItIsPdom) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program programs[] = {program_of(seed), arbitrary_program(seed)};
    for (const Program& program : programs) {
      for (const char* order :
           {"branch_order=taken_first", "branch_order=not_taken_first", "branch_order=fewest_first"}) {
        const std::vector<std::string> expected = issued({"pdom", {order}}, program, seed);
        ASSERT_EQ(issued({"dws", {order, "splits=0"}}, program, seed), expected) << "seed " << seed;
        ASSERT_EQ(issued({"dws", {order, "block=0", "memory=none"}}, program, seed), expected) << "seed " << seed;
        ASSERT_EQ(issued({"dws", {order, "block=0"}}, program, seed), expected) << "no load divides: seed " << seed;
      }
    }
  }
}

TEST(Dws, BranchesAloneIssueWhatPdomDoes) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = program_of(seed);
    const std::vector<std::string> expected = sorted(issued({"pdom", {}}, program, seed));
    for (const char* splits : {"splits=2", "splits=5", "splits=64"}) {
      ASSERT_EQ(sorted(issued({"dws", {"memory=none", "beyond=limited", splits}}, program, seed)), expected)
          << "seed " << seed << " " << splits;
      EXPECT_LE(issued({"dws", {"memory=none", splits}}, program, seed).size(), expected.size())
          << "those that meet early";
    }
  }
}

// At some time some lanes of some warp have their data, and again until all threads have left.
void run_with_loads(FlowMachine& machine, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (machine.start(0, seed, 22); machine.live() > 0; machine.run_some(random, 1)) {
    const std::vector<WarpId> warps = machine.core.warps();
    const WarpId id = warps[random() % warps.size()];
    machine.core.loaded[id] = random() % 16;
    machine.mechanism->partly_loaded(id, random() % 2 == 0);
    machine.core.check_places();
  }
  machine.end();
}

// Splits of a load wait for each other before each branch.
TEST(Dws, LimitedLoadsIssueNoBranchMoreThanPdom) {
  const auto branches_of = [](std::vector<std::string> issues, const Program& program) {
    std::erase_if(
        issues, [&](const std::string& issue) { return program.at(std::stoul(issue)).kind != FlowOp::Kind::kBranch; });
    return sorted(issues);
  };
  std::uint64_t divided = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = program_of(seed);
    const std::vector<std::string> expected = branches_of(issued({"pdom", {}}, program, seed), program);
    for (const char* block : {"block=0", "block=50"}) {
      FlowMachine machine({"dws", {"memory=aggress", "beyond=limited", block}}, program);
      run_with_loads(machine, seed);
      ASSERT_EQ(branches_of(issues_of(machine), program), expected) << "seed " << seed << " " << block;
      divided += machine.core.statistic("dws_loads");
    }
  }
  EXPECT_GT(divided, 1000U);
}

// The table never has more splits than it has room for.
TEST(Dws, ThreadsGoTheirWayWhereverLoadsDivide) {
  std::uint64_t divided = 0;
  for (const char* beyond : {"beyond=limited", "beyond=bypass"}) {
    for (std::uint64_t seed = 1; seed <= 4 * kSeeds && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << beyond << ", seed " << seed);
      const unsigned splits = 2 + static_cast<unsigned>(seed % 7);
      FlowSetup setup{"dws", {"memory=aggress", beyond, fmt::format("splits={}", splits)}};
      setup.schedulers = 1 + static_cast<unsigned>(seed % 2);
      FlowMachine machine(setup, seed % 3 == 0 ? arbitrary_program(seed) : program_of(seed));
      machine.traces = false;
      run_with_loads(machine, seed);
      EXPECT_LE(machine.core.statistic("dws_max_splits"), splits);
      divided += machine.core.statistic("dws_loads");
    }
  }
  EXPECT_GT(divided, 1000U);
}

}  // namespace dws_test
}  // namespace warpfold::divergence
