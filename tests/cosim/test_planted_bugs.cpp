// SPDX-License-Identifier: Apache-2.0
// Bugs of the kinds that designers make, planted in blocks: a run either stops at them, or says that it never came to
// the state that they are in.
#include <fmt/format.h>

#include <ostream>

#include "tests/cosim/in_machine.h"

namespace warpfold {
namespace planted_bugs_test {

struct Bug {
  const char *block, *module, *right, *wrong;
  const char* passes;   // a run that does not reach the state
  const char* state;    // as that run names it
  const char* catches;  // one that does, or empty where none of the programs here reaches it
};

void PrintTo(const Bug& bug, std::ostream* out) { *out << bug.block << " " << bug.state; }

class PlantedBug : public InMachine, public testing::WithParamInterface<Bug> {};

TEST_P(PlantedBug, IsCaughtOrItsStateIsNamed) {
  const Bug& bug = GetParam();
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / fmt::format("{}.sv", bug.module));
  write_file("wrong.sv", replaced(right, bug.right, bug.wrong));
  const Result passes = warpfold(fmt::format("run --out run --rtl {}=wrong.sv {}", bug.block, bug.passes));
  ASSERT_EQ(passes.status, 0) << passes.err << passes.out;
  const auto never = rtl("run")[bug.block]["not_exercised"];
  EXPECT_NE(std::find(never.begin(), never.end(), bug.state), never.end()) << never;
  if (std::string(bug.catches).empty()) return;
  const Result caught = warpfold(fmt::format("run --rtl {}=wrong.sv {}", bug.block, bug.catches));
  EXPECT_EQ(caught.status, 1) << caught.err << caught.out;
  EXPECT_NE((caught.err + caught.out).find(fmt::format(".{}", bug.block)), std::string::npos) << caught.err;
}

#define HARP "--machine harp2013 --mechanism harp "
#define CAPRI "--machine tstbc2016 --mechanism capri "
#define TOKENS "--machine kepler-token --mechanism token-stack "
#define SMALL " --size small"

INSTANTIATE_TEST_SUITE_P(
    InMachine, PlantedBug,
    testing::Values(
        // At full depth, and from some depth on.
        Bug{"warp-stack", "warp_stack", "<= (DepthWidth + 1)'(Depth) +", "<= (DepthWidth + 1)'(Depth - 1) +",
            "--mechanism pdom bfs" SMALL, "stacks_filled", "--mechanism pdom -- " DEEP_PROGRAM},
        Bug{"warp-stack", "warp_stack", "write_index = IndexWidth'(used_q);", "write_index = IndexWidth'(used_q[1:0]);",
            "--mechanism pdom bfs" SMALL, "entries_of_stacks 4-32", "--mechanism pdom nqueens-divergent" SMALL},
        // Threads of an entry that exited leave it with nobody.
        Bug{"token-stack", "token_stack", "finishes = warp_mask_o != '0;", "finishes = 1'b1;",
            TOKENS "nqueens-divergent" SMALL, "tokens_that_pop 2-16", ""},
        // On an alias, and in the bits that tell two apart.
        Bug{"predictor", "wct_predictor", "read_tag != tag || read_adequate;", "read_adequate;",
            CAPRI "nqueens-divergent" SMALL, "predictions_of_another_branchs_entry",
            CAPRI "--set mechanism.table_entries=2 nqueens-divergent" SMALL},
        Bug{"ignore-list", "ignore_list", "read_tag == tag ? read_count : 2'd0;", "read_count;",
            "--mechanism dwr nqueens-divergent" SMALL, "places_that_replace_another",
            "--mechanism dwr --set mechanism.ignore=2 bfs" SMALL},
        // With one entry left, and in a full table.
        Bug{"split-table", "split_table", "of_row == '0 ? many_free : any_free;", "any_free;",
            "--mechanism dws nqueens-divergent" SMALL, "whole_rows_with_one_entry_left",
            "--mechanism dws --set mechanism.splits=4 bfs" SMALL},
        Bug{"pool-table", "pool_table", "ok_d = any_same || any_free;", "ok_d = 1'b1;",
            "--mechanism stc nqueens-divergent" SMALL, "warps_that_find_no_pool",
            "--mechanism stc --set mechanism.pools=2 bfs" SMALL},
        // Three at once, and the deeper one.
        Bug{"sorter", "context_sorter", "if (same_12) merged", "if (same_12 && !same_01) merged",
            "--mechanism frontier nqueens-divergent" SMALL, "all_three_merge", ""},
        Bug{"sorter", "context_sorter", "assign deeper[p] = depth > next_depth;",
            "assign deeper[p] = depth < next_depth;", "--mechanism frontier nqueens-divergent" SMALL, "depths 1-255",
            "--mechanism frontier --set mechanism.order=depth_pc nqueens-divergent" SMALL},
        // In the last entry, in a full table, and with more operations than a counter holds.
        Bug{"ready", "ready_lookup", "assign full = used_q == '1;", "assign full = used_q[Entries-2:0] == '1;",
            HARP "nqueens-divergent" SMALL, "tables_filled", HARP "bfs" SMALL},
        Bug{"waiting", "waiting_lookup", "full_d = select == '0;", "full_d = 1'b0;", HARP "nqueens-divergent" SMALL,
            "warps_that_find_it_full", HARP "bfs" SMALL},
        Bug{"waiting", "waiting_lookup", "flights + FlightWidth'(1);", "FlightWidth'(2'(flights) + 2'(1));",
            HARP "nqueens-divergent" SMALL, "operations_of_an_entry 2-16", HARP "bfs" SMALL}));

}  // namespace planted_bugs_test
}  // namespace warpfold
