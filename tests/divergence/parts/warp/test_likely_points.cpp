// SPDX-License-Identifier: Apache-2.0
// Likely-convergence points from a profile: found by their PTX lines, and every mistake in one line with its place.
#include <gtest/gtest.h>

#include "tests/divergence/profile_file.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/likely_points.h"

namespace warpfold::divergence {
namespace likely_points_test {

Outcome some() {
  return [](Who, unsigned) { return true; };
}

// Lines are pc + 1: 1 a branch, 2 to 4 a loop of its own, 5 a uniform branch, 7 the end.
isa::Kernel kernel() {
  return kernel_of({branch(6, some()), step(), step(), branch(1, some()), uniform(6, some()), step(), leave()});
}

Pc point_of(const LikelyPoints& points, Pc pc) {
  Branch branch;
  branch.pc = pc;
  branch.likely = 42;
  return points.applied_to(branch).likely;
}

// The message, without the file's name, with which a profile is refused.
std::string refusal(const std::string& text, const isa::Kernel& kernel) {
  const ProfileFile file(text);
  try {
    LikelyPoints::from_profile(file.path).kernel_started(kernel);
  } catch (const UserError& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find(file.path), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(file.path.size());
  }
  return "accepted";
}

TEST(LikelyPoints, WithoutAProfileTheyComeWithTheBranch) {
  LikelyPoints points;
  points.kernel_started(kernel());
  EXPECT_EQ(point_of(points, 0), 42U);
}

TEST(LikelyPoints, AProfileGivesThoseOfItsLinesAndNoOthers) {
  const ProfileFile file("k:\n  1: 6\nother: {}\n");
  LikelyPoints points = LikelyPoints::from_profile(file.path);
  points.kernel_started(kernel());
  EXPECT_EQ(point_of(points, 0), 5U);
  EXPECT_EQ(point_of(points, 3), isa::kNoPc);
  isa::Kernel other = kernel();
  other.name = "other";
  points.kernel_started(other);
  EXPECT_EQ(point_of(points, 0), isa::kNoPc) << "kernels have nothing to do with each other";
}

TEST(LikelyPoints, ThePostDominatorIsNoPointOfItsOwn) {
  const ProfileFile file("k:\n  1: 7\n");
  LikelyPoints points = LikelyPoints::from_profile(file.path);
  points.kernel_started(kernel());
  EXPECT_EQ(point_of(points, 0), isa::kNoPc);
}

TEST(LikelyPoints, BadFiles) {
  const auto refused = [](const std::string& text) { return refusal(text, kernel()); };
  EXPECT_EQ(refused("k: 5\n"), ":1:1: k = 5: expected a table of keys");
  EXPECT_EQ(refused("k:\n  x: 5\n"),
            ":2:3: k.x: 'x' is no line number; give PTX line of branch: PTX line of its point");
  EXPECT_EQ(refused("k:\n  1: -5\n"),
            ":2:3: k.1: '-5' is no line number; give PTX line of branch: PTX line of its point");
  EXPECT_EQ(refused("k:\n  1: 6\n  1: 7\n"), ":3:3: k.1: given twice");
  EXPECT_EQ(refused("k:\n  1: [6]\n"), ":2:3: k.1: expected a single value, found a list");
}

TEST(LikelyPoints, LinesThatTheKernelDoesNotHave) {
  const auto refused = [](const std::string& text) { return refusal(text, kernel()); };
  EXPECT_EQ(refused("k:\n  1: 99\n"), ":2:3: k.1 = 99: the kernel has no instruction at k.ptx:99");
  EXPECT_EQ(refused("k:\n  2: 6\n"), ":2:3: k.2: the kernel has no branch that may diverge at k.ptx:2");
  EXPECT_EQ(refused("k:\n  5: 6\n"), ":2:3: k.5: the kernel has no branch that may diverge at k.ptx:5") << "uniform";
}

TEST(LikelyPoints, KernelsThatTheProfileDoesNotHave) {
  EXPECT_EQ(refusal("kk: {}\n", kernel()),
            ":1:1: nothing for kernel k (did you mean 'kk'?); give 'k: {}' if it has no likely-convergence points");
}

// What is called from two places has its lines twice.
TEST(LikelyPoints, ABranchThatIsThereTwice) {
  isa::Kernel twice = kernel();
  twice.ops[3].line = 1;
  EXPECT_EQ(refusal("k:\n  1: 6\n", twice),
            ":2:3: k.1: the kernel has line 1 of k.ptx more than once, by calls of its function; it cannot be "
            "profiled");
}

// Threads would meet there after different numbers of turns, which a uniform branch of that loop may count.
TEST(LikelyPoints, APointInALoopThatTheBranchIsNotIn) {
  EXPECT_EQ(refusal("k:\n  1: 3\n", kernel()), ":2:3: k.1 = 3: this point is in a loop that the branch is not in");
  EXPECT_EQ(refusal("k:\n  4: 3\n", kernel()), "accepted") << "its own loop";
  const isa::Kernel irreducible =
      kernel_of({branch(2, some()), step(), step(), branch(1, some()), branch(5, some()), leave()});
  EXPECT_EQ(refusal("k:\n  1: 5\n", irreducible),
            ":2:3: k.1 = 5: the kernel has a loop of several entries; leave this kernel's table empty");
}

}  // namespace likely_points_test
}  // namespace warpfold::divergence
