// SPDX-License-Identifier: Apache-2.0
// Streams in simulated time: what overlaps, what waits for what.
#include <gtest/gtest.h>

#include "warpfold/host/runtime/timeline.h"

namespace warpfold::host {
namespace timeline_test {

using Engine = Timeline::Engine;

struct TimelineTest : ::testing::Test {
  Timeline timeline;
  cudaStream_t a = timeline.create(cudaStreamNonBlocking, 0), b = timeline.create(cudaStreamNonBlocking, 0);
};

TEST_F(TimelineTest, AStreamDoesItsWorkInOrder) {
  EXPECT_EQ(timeline.enqueue(a, Engine::kIn, 3), 3);
  EXPECT_EQ(timeline.enqueue(a, Engine::kKernels, 2), 5);
  EXPECT_EQ(timeline.enqueue(a, Engine::kOut, 1), 6);
  EXPECT_EQ(timeline.now(), 0) << "the host has not waited";
}

TEST_F(TimelineTest, CopiesPassBesideKernelsOfOtherStreams) {
  timeline.enqueue(a, Engine::kKernels, 10);
  EXPECT_EQ(timeline.enqueue(b, Engine::kIn, 4), 4);
  EXPECT_EQ(timeline.enqueue(b, Engine::kKernels, 1), 11) << "one kernel at a time";
  EXPECT_EQ(timeline.enqueue(a, Engine::kIn, 1), 11);
  EXPECT_EQ(timeline.enqueue(a, Engine::kOut, 1), 12) << "each way by itself";
  EXPECT_EQ(timeline.all_ready(), 12);
}

TEST_F(TimelineTest, TheDefaultStreamWaitsForBlockingOnesAndTheyForIt) {
  const cudaStream_t blocking = timeline.create(cudaStreamDefault, 0);
  timeline.enqueue(blocking, Engine::kIn, 5);
  timeline.enqueue(a, Engine::kOut, 50);
  EXPECT_EQ(timeline.ready(nullptr), 5);
  EXPECT_EQ(timeline.enqueue(nullptr, Engine::kKernels, 2), 7);
  EXPECT_EQ(timeline.ready(blocking), 7);
  EXPECT_EQ(timeline.ready(cudaStreamPerThread), 7);
  EXPECT_EQ(timeline.ready(b), 0);
  EXPECT_EQ(timeline.ready(cudaStreamLegacy), 7);
}

TEST_F(TimelineTest, WhatTheHostHasWaitedForIsPast) {
  timeline.wait_until(8);
  timeline.wait_until(2);
  EXPECT_EQ(timeline.now(), 8);
  EXPECT_EQ(timeline.enqueue(a, Engine::kIn, 1), 9);
  timeline.hold_back(b, 20);
  timeline.hold_back(b, 10);
  EXPECT_EQ(timeline.enqueue(b, Engine::kIn, 1), 21);
}

TEST_F(TimelineTest, AskingTakesTime) {
  timeline.enqueue(a, Engine::kKernels, 1e-3);
  unsigned asked = 0;
  for (; timeline.ready(a) > timeline.now(); ++asked) timeline.poll();
  EXPECT_NEAR(asked, 1000, 1);
}

TEST_F(TimelineTest, WhatADestroyedStreamWasGivenGoesOn) {
  timeline.enqueue(a, Engine::kKernels, 5);
  EXPECT_TRUE(timeline.destroy(a));
  EXPECT_FALSE(timeline.destroy(a));
  EXPECT_FALSE(timeline.knows(a));
  EXPECT_EQ(timeline.all_ready(), 5);
  EXPECT_NE(timeline.create(cudaStreamDefault, 0), a);
  EXPECT_FALSE(timeline.destroy(nullptr));
}

}  // namespace timeline_test
}  // namespace warpfold::host
