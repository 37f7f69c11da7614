// SPDX-License-Identifier: Apache-2.0
// Work shared out to threads: each piece once, and its effects seen by the caller.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "warpfold/common/clock/crew.h"

namespace warpfold {
namespace crew_test {

class Crews : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Of, Crews, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

TEST_P(Crews, DoEachPieceOnce) {
  Crew crew(GetParam());
  EXPECT_EQ(crew.threads(), GetParam());
  std::vector<unsigned> done;
  for (std::uint32_t pieces = 0; pieces < 200; ++pieces) {
    done.assign(pieces, 0);
    crew.run(pieces, [&](std::uint32_t piece) { ++done[piece]; });
    ASSERT_EQ(done, std::vector<unsigned>(pieces, 1));
  }
}

// Nothing but the crew orders what one run writes and the next reads.
TEST_P(Crews, SeeWhatRunsBeforeHaveDone) {
  Crew crew(GetParam());
  std::vector<std::uint64_t> from(16, 1), to(16);
  for (unsigned run = 0; run < 3000; ++run) {
    crew.run(16, [&](std::uint32_t piece) { to[piece] = from[piece] + from[(piece + 5) % 16]; });
    from.swap(to);
    for (std::uint64_t& value : from) value &= 0xffff;
  }
  std::vector<std::uint64_t> alone(16, 1);
  for (unsigned run = 0; run < 3000; ++run) {
    std::vector<std::uint64_t> next(16);
    for (unsigned piece = 0; piece < 16; ++piece) next[piece] = (alone[piece] + alone[(piece + 5) % 16]) & 0xffff;
    alone = next;
  }
  EXPECT_EQ(from, alone);
}

TEST(Crew, WakesThreadsThatHaveGoneToSleep) {
  Crew crew(2);
  for (unsigned run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<unsigned> done(4, 0);
    crew.run(4, [&](std::uint32_t piece) { ++done[piece]; });
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0U), 4U);
  }
}

// The program may fork: its copy has a crew that has worked, but not the threads; one that has not gets threads of its
// own.
TEST(Crew, WorksAndEndsInACopyOfTheProcess) {
  for (const bool has_worked : {false, true}) {
    auto crew = std::make_unique<Crew>(3);
    if (has_worked) crew->run(8, [](std::uint32_t) {});
    const pid_t copy = fork();
    if (copy == 0) {
      std::atomic<unsigned> sum = 0;
      crew->run(8, [&](std::uint32_t piece) { sum += piece; });
      crew.reset();
      _exit(sum == 28 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(copy, &status, 0), copy);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << has_worked;
  }
}

}  // namespace crew_test
}  // namespace warpfold
