// SPDX-License-Identifier: Apache-2.0
// Programs that are more than one main(): a run of processes.cu for each of its scenarios.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/host/front_end.h"

namespace warpfold {
namespace processes_test {

class Processes : public ::testing::Test {
 protected:
  host::CommandResult run(const std::string& scenario, const std::string& options = "") const {
    return host::run_command("cd '" + folder.path("") + "' && rm -rf out && '" WARPFOLD_PROGRAM "' run " + options +
                             " --set cores=2 --out out -- '" PROCESSES_PROGRAM "' '" + scenario + "'");
  }
  void expect_said(const host::CommandResult& result, const std::string& text) const {
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "not in\n" << result.output;
  }
  nlohmann::json read(const std::string& file) const {
    return nlohmann::json::parse(folder.read("out/" + file), nullptr, false);
  }
  std::uint64_t thread_instructions_of_kernels() const {
    const nlohmann::json statistics = read("stats.json");
    std::uint64_t sum = 0;
    for (const auto& kernel : statistics.at("kernels")) sum += kernel.at("thread_instructions").get<std::uint64_t>();
    return sum;
  }
  std::size_t launches() const { return read("run.json").at("launches"); }
  host::ScratchFolder folder;
};

TEST_F(Processes, KernelsFromDestructorsAndExitHandlers) {
  const host::CommandResult after = run("ends");
  EXPECT_EQ(after.status, 0) << after.output;
  expect_said(after, "destructor 3296 cudaSuccess\nhandler 6560 cudaSuccess\n");
  EXPECT_EQ(launches(), 5U);
  EXPECT_TRUE(read("run.json").at("finished").get<bool>());
  const host::CommandResult only = run("ends only");
  EXPECT_EQ(only.status, 0) << only.output;
  expect_said(only, "destructor 3264 cudaSuccess\nhandler 6528 cudaSuccess\n");
  EXPECT_EQ(launches(), 4U);
}

// As with any CUDA: a process may not use the device of the one that it was forked from.
TEST_F(Processes, AForkedChildHasNoDeviceAndLeavesTheResultsAlone) {
  const host::CommandResult result = run("fork");
  EXPECT_EQ(result.status, 0) << result.output;
  expect_said(result, "child -1 cudaErrorInitializationError\nchild's status 0\nparent 64 cudaSuccess\n");
  EXPECT_EQ(host::count(result.output, "warning: this process was forked"), 1U) << result.output;
  EXPECT_EQ(launches(), 2U);
  EXPECT_TRUE(read("run.json").at("finished").get<bool>());
}

TEST_F(Processes, ResultsAreOneProcesss) {
  const host::CommandResult first = run("fork first");
  EXPECT_EQ(first.status, 0) << first.output;
  expect_said(first, "child 3072 cudaSuccess\nchild's status 0\nparent 0 cudaSuccess\n");
  EXPECT_EQ(launches(), 3U);
  const host::CommandResult twice = run("fork twice");
  expect_said(twice, "child 3072 cudaSuccess\nchild's status 0\n");
  expect_said(twice, "of this program has results here already; let one process launch all kernels\n");
  expect_said(twice, "child's status 1\n");
  EXPECT_EQ(launches(), 3U);
}

TEST_F(Processes, ThreadsThatLaunchAreCounted) {
  expect_said(run("threads"),
              "caution: host threads that launch, in an order that may differ from run to run: pdom 2\n");
  EXPECT_EQ(read("run.json").at("launching_threads"), 2);
}

// The program goes on, as it would with any CUDA; its run is no success for that.
TEST_F(Processes, AFaultOfAKernelIsTheProgramsToHandleAndTheRunsFailure) {
  for (const std::string options : {"", "--timing functional"}) {
    const host::CommandResult result = run("fault", options);
    EXPECT_EQ(result.status, 1) << result.output;
    expect_said(result, "(cudaErrorIllegalAddress, as every CUDA call from here on)\n");
    expect_said(result, "fault -1 cudaErrorIllegalAddress\nreset 64 cudaSuccess\n");
    EXPECT_EQ(host::count(result.output, "kernel 'wild(int*)'"), 2U)
        << result.output;  // when it failed, and at the end
    EXPECT_EQ(launches(), 2U);
    const nlohmann::json total = read("stats.json").at("total");
    EXPECT_EQ(total.at("thread_instructions"), thread_instructions_of_kernels()) << "the failed kernel counts nothing";
    EXPECT_EQ(read("run.json").at("kernel_faults").size(), 1U);
    EXPECT_NE(read("run.json").at("outcome").get<std::string>().find("WRONG: kernel 'wild(int*)'"), std::string::npos);
  }
}

TEST_F(Processes, RefusedLaunchesAreACaution) {
  const host::CommandResult result = run("refused");
  EXPECT_EQ(result.status, 0) << result.output;
  expect_said(result, "refused 32 cudaErrorInvalidConfiguration\n");
  expect_said(result,
              "caution: launches that were refused, and so have not run (refused_launches in run.json): pdom 1\n");
  EXPECT_EQ(read("run.json").at("refused_launches").at("count"), 1);
}

TEST_F(Processes, TheProgramsArithmeticIsItsOwn) {
  expect_said(run("plain"), "1 1\n");
  expect_said(run("upward"), "1 1\nstill upward\n");
  expect_said(run("flush"), "1 1\n");  // the result is subnormal
  const host::CommandResult trap = run("trap");
  EXPECT_EQ(trap.status, 0) << trap.output;
}

TEST_F(Processes, DetailThatNamesNoLaunchIsAnError) {
  const std::string reason = "--detail bumb: names none of the program's 2 launches, of which the last is 1, _Z4bumpv";
  const host::CommandResult run_of = run("threads", "--detail bumb");
  EXPECT_EQ(run_of.status, 1);
  expect_said(run_of, "warpfold: error: " + reason + "\n");
  const host::CommandResult compared = host::run_command(
      "cd '" + folder.path("") +
      "' && '" WARPFOLD_PROGRAM "' compare --mechanisms pdom --detail 7 '" PROCESSES_PROGRAM " threads'");
  EXPECT_EQ(compared.status, 1);
  expect_said(compared, "WRONG: warpfold: error: --detail 7: names none of the program's 2 launches");
  EXPECT_EQ(run("threads", "--detail 1").status, 0);
}

}  // namespace processes_test
}  // namespace warpfold
