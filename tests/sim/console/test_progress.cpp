// SPDX-License-Identifier: Apache-2.0
// What is told of how far something is, on a terminal and elsewhere, by a clock of the test's own.
#include <gtest/gtest.h>

#include "tb/sim/console/launch_progress.h"
#include "tb/sim/console/progress.h"

namespace warpfold::sim {
namespace progress_test {

using namespace std::chrono_literals;

TEST(ProgressText, RateAndTimeLeft) {
  EXPECT_EQ(progress_text(0, 12, "runs", 5), "[0/12]");
  EXPECT_EQ(progress_text(3, 12, "runs", 1.5), "[3/12] 2.0 runs/s, 5 s left");
  EXPECT_EQ(progress_text(3, 120, "runs", 90), "[3/120] 2.0 runs/min, 58 min 30 s left");
  EXPECT_EQ(progress_text(1, 3, "blocks", 7200), "[1/3] 0.5 blocks/h, 4 h 0 min left");
  EXPECT_EQ(progress_text(12, 12, "runs", 6), "[12/12] 2.0 runs/s");
  EXPECT_EQ(progress_text(7, 0, "runs", 1), "[7] 7.0 runs/s");
  EXPECT_EQ(progress_text(103, 112, "runs", 1.5, 100), "[103/112] 2.0 runs/s, 5 s left");
  EXPECT_EQ(progress_text(100, 112, "runs", 5, 100), "[100/112]");
}

class ProgressLine : public testing::Test {
 protected:
  Progress::Stage stage() {
    return {[this] { return columns_; }, [this](const std::string& text) { said_ += text; }, [this] { return now_; }};
  }
  std::string said() { return std::exchange(said_, ""); }

  unsigned columns_ = 0;
  std::string said_;
  Progress::Clock::time_point now_{};
};

TEST_F(ProgressLine, ATerminalHasOneThatIsWrittenOver) {
  columns_ = 30;
  {
    Progress progress("runs", 4, stage());
    progress.show("bfs tbc");
    EXPECT_EQ(said(), "");  // it may be over at once
    now_ += 500ms;
    progress.advance();
    progress.show("bfs tbc");
    EXPECT_EQ(said(), "\r\x1b[K[1/4] 2.0 runs/s, 2 s left  b");  // 29 columns
    now_ += 100ms;
    progress.show("bfs tbc");
    EXPECT_EQ(said(), "");
    progress.note("bfs tbc: ok");
    EXPECT_EQ(said(), "\r\x1b[Kbfs tbc: ok\n");
    progress.note("bfs pdom: ok");
    EXPECT_EQ(said(), "bfs pdom: ok\n");
    now_ += 100ms;
    progress.advance_to(4);
    progress.show("");
    EXPECT_NE(said(), "");
  }
  EXPECT_EQ(said(), "\r\x1b[K");
}

TEST_F(ProgressLine, ElsewhereItIsAPlainLineNowAndThen) {
  {
    Progress progress("runs", 4, stage());
    now_ += 29s;
    progress.show("bfs tbc");
    EXPECT_EQ(said(), "");
    now_ += 1s;
    progress.advance();
    progress.show("bfs tbc");
    EXPECT_EQ(said(), "[1/4] 2.0 runs/min, 1 min 30 s left  bfs tbc\n");
    now_ += 29s;
    progress.show("bfs tbc");
  }
  EXPECT_EQ(said(), "");
}

TEST_F(ProgressLine, LaunchesAreToldWhileTheyRun) {
  columns_ = 100;
  LaunchProgress line(stage());
  line.launch_started("_Z6expandPKi", 8);
  now_ += 2s;
  line.launch_goes_on(2, 4'000'000);
  EXPECT_EQ(said(), "\r\x1b[K[2/8] 1.0 blocks/s, 6 s left  launch 0, expand: 4.0 M cycles, 2000 k/s");
  line.launch_ended();
  EXPECT_EQ(said(), "\r\x1b[K") << "before the program prints anything";
  line.launch_started("_Z6settlePKi", 8);
  now_ += 100ms;
  line.launch_goes_on(2, 1000);
  line.launch_ended();
  EXPECT_EQ(said(), "") << "over before anybody could read it";
  columns_ = 0;
  now_ += 28s;
  line.launch_started("_Z6settlePKi", 8);
  line.launch_ended();
  EXPECT_EQ(said(), "[3] 6.0 launches/min  settle\n");
}

}  // namespace progress_test
}  // namespace warpfold::sim
