// SPDX-License-Identifier: Apache-2.0
// Sampled comparisons: the launches that the baseline has chosen are timed under every mechanism.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/common/command_line.h"

namespace warpfold {
namespace compare_sample_test {

class CompareSample : public CommandLineTest {
 protected:
  // What the mechanism's run was told to time: "3%".
  std::string sample(const std::string& mechanism) const {
    const std::string file = read_file(directory_ / keyed("results/pretend/" + mechanism) / "run.yaml");
    const std::string key = "  sample: \"";
    const auto begin = file.find(key);
    if (begin == std::string::npos) return "nothing";
    return file.substr(begin + key.size(), file.find('"', begin + key.size()) - begin - key.size());
  }
  const std::string pretend_ = PRETEND_PROGRAM;
};

TEST_F(CompareSample, TimesTheSameLaunchesUnderEveryMechanism) {
  const Result compared = warpfold("compare --sample 3% --mechanisms tbc,pdom,harp " + pretend_);
  ASSERT_EQ(compared.status, 0) << compared.err;
  EXPECT_EQ(sample("pdom"), "0-1,4") << "the baseline is tbc";
  EXPECT_EQ(sample("harp"), "0-1,4");
  EXPECT_EQ(sample("tbc"), "3%");
}

TEST_F(CompareSample, ABaselineThatFailsLeavesTheOthersTheirOwnChoice) {
  const Result compared = warpfold("compare --sample 3% --mechanisms pdom,tbc '" + pretend_ + " fail'");
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(sample("tbc"), "3%");
}

TEST_F(CompareSample, LaunchesCanBeGiven) {
  ASSERT_EQ(warpfold("compare --sample 0-2,7 --mechanisms pdom,tbc " + pretend_).status, 0);
  for (const char* const mechanism : {"pdom", "tbc"}) {
    EXPECT_EQ(sample(mechanism), "0-2,7");
  }
}

// The baseline is interrupted: nothing else is begun.
TEST_F(CompareSample, AnInterruptedBaselineEndsTheComparison) {
  const std::string command = "compare --sample 3% --mechanisms pdom,tbc '" + pretend_ + " until go'";
  write_file("go", "");
  ASSERT_EQ(warpfold(command).status, 0);
  const std::string kept = keyed("results/pretend/tbc");
  std::filesystem::remove(directory_ / "go");
  write_file("started", "");
  const pid_t compare = begin(command);
  for (int i = 0; i < 1000 && read_file(directory_ / "started").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(compare, SIGINT);
  EXPECT_EQ(end_of(compare), 1);
  EXPECT_EQ(keyed("results/pretend/tbc"), kept);
}

}  // namespace compare_sample_test
}  // namespace warpfold
