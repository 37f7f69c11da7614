// SPDX-License-Identifier: Apache-2.0
// What threads executed, and how few warp instructions could have done it (HARP §3.2).
#include <gtest/gtest.h>

#include "tests/gpu/contract/thread_sequences.h"

namespace warpfold {
namespace thread_sequences_test {

ThreadSequences sequences(unsigned blocks, unsigned threads,
                          const std::vector<std::tuple<unsigned, unsigned, std::vector<isa::Pc>>>& executed) {
  isa::Launch launch;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  ThreadSequences made(launch);
  for (const auto& [block, thread, pcs] : executed) {
    for (const isa::Pc pc : pcs) made.append(block, thread, {pc, true});
  }
  return made;
}

TEST(LeastIssues, ThreadsOfOneLaneNeedAnIssueEach) {
  // Two lanes: threads 0 and 2 share one.
  const auto two_rows = sequences(1, 4, {{0, 0, {1, 2}}, {0, 1, {1, 3}}, {0, 2, {1, 2, 2}}, {0, 3, {1}}});
  EXPECT_EQ(two_rows.least_issues(2, {0}), 2U + 3U + 1U) << "pc 1 twice, pc 2 three times, pc 3 once";
  EXPECT_EQ(two_rows.least_issues(4, {0}), 1U + 2U + 1U) << "lanes of their own";
}

TEST(LeastIssues, OnlyBlocksOfAGroupShareWarps) {
  const auto apart = sequences(3, 2, {{0, 0, {5}}, {1, 1, {5}}, {2, 0, {5}}});
  EXPECT_EQ(apart.least_issues(2, {0, 1, 2}), 3U);
  EXPECT_EQ(apart.least_issues(2, {0, 0, 1}), 2U);
  EXPECT_EQ(apart.least_issues(2, {0, 0, 0}), 2U) << "the first and the third collide in lane 0";
}

}  // namespace thread_sequences_test
}  // namespace warpfold
