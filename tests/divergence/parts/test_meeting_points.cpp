// SPDX-License-Identifier: Apache-2.0
// Points where threads of a warp meet: who is waited for, when those who wait may go on, and what becomes of entries.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/meeting_points.h"

namespace warpfold::divergence {
namespace meeting_points_test {

constexpr unsigned kNone = MeetingPoints::kNone;

TEST(MeetingPoints, AreCompleteWhenTheLastComes) {
  MeetingPoints points;
  const unsigned at = points.begin(7, kNone, 0b1111, 0);
  EXPECT_FALSE(points.complete(at));
  points.arrive(at, 0b0011, 3);
  EXPECT_FALSE(points.complete(at));
  EXPECT_EQ(points.arrived(), 0b0011U);
  EXPECT_EQ(points[at].heard, 3U);
  points.arrive(at, 0b1100, 4);
  ASSERT_TRUE(points.complete(at));
  const MeetingPoints::Point ended = points.end(at);
  EXPECT_EQ(ended.pc, 7U);
  EXPECT_EQ(ended.arrived(), 0b1111U);
  EXPECT_EQ(points.in_use(), 0U);
}

TEST(MeetingPoints, NobodyWaitsForThreadsThatYielded) {
  MeetingPoints points;
  const unsigned at = points.begin(7, kNone, 0b0111, 0);
  EXPECT_FALSE(points.complete(at, 0b0111)) << "nobody is there who could go on";
  points.arrive(at, 0b0001, 0);
  EXPECT_FALSE(points.complete(at, 0b0010));
  EXPECT_TRUE(points.complete(at, 0b0110));
}

TEST(MeetingPoints, ExitsAreNotWaitedForAndFreeEntries) {
  MeetingPoints points;
  const unsigned outer = points.begin(7, kNone, 0b1111, 0), inner = points.begin(5, outer, 0b1100, 0);
  points.arrive(outer, 0b0001, 0);
  points.exit(0b1100);
  EXPECT_FALSE(points.used(inner));
  EXPECT_FALSE(points.complete(outer));
  points.exit(0b0010);
  EXPECT_TRUE(points.complete(outer));
  EXPECT_EQ(points[outer].threads, 0b0001U);
}

TEST(MeetingPoints, AnEntryThatEndsGivesTheOnesInsideItsOwnOuterOne) {
  MeetingPoints points;
  const unsigned first = points.begin(9, kNone, 0b1111, 0), second = points.begin(7, first, 0b1111, 0);
  const unsigned third = points.begin(5, second, 0b0011, 0);
  points.end(second);
  EXPECT_EQ(points[third].outer, first);
  EXPECT_EQ(points.begin(6, first, 0b1000, 0), second) << "the lowest free entry";
  EXPECT_EQ(points.in_use(), 3U);
}

TEST(MeetingPoints, ThoseWhoAreLetGoAreNotMissedByThoseWhoCome) {
  MeetingPoints points;
  const unsigned at = points.begin(7, kNone, 0b1111, 0);
  points.arrive(at, 0b0001, 5);
  points.let_go(at, 30);
  EXPECT_EQ(points[at].heard, 30U);
  points.arrive(at, 0b1110, 40);
  ASSERT_TRUE(points.complete(at));
  EXPECT_EQ(points.end(at).arrived(), 0b1110U);
}

TEST(MeetingPoints, KeepBackThoseWhoWaitForSome) {
  MeetingPoints points;
  const unsigned left = points.begin(7, kNone, 0b0011, 0), right = points.begin(8, kNone, 0b1100, 0);
  points.arrive(left, 0b0001, 0);
  points.arrive(right, 0b0100, 0);
  EXPECT_EQ(points.kept_back_by(0b0010), 0b0001U);
  EXPECT_EQ(points.kept_back_by(0b1000), 0b0100U);
  EXPECT_EQ(points.kept_back_by(0b1010), 0b0101U);
  EXPECT_EQ(points.kept_back_by(0b0101), 0U) << "those who wait keep nobody back";
}

TEST(MeetingPoints, WhoComesTwiceIsOurMistake) {
  MeetingPoints points;
  const unsigned at = points.begin(7, kNone, 0b0011, 0);
  points.arrive(at, 0b0001, 0);
  EXPECT_THROW(points.arrive(at, 0b0001, 0), InternalError);
}

}  // namespace meeting_points_test
}  // namespace warpfold::divergence
