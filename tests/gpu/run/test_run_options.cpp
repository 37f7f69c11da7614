// SPDX-License-Identifier: Apache-2.0
// How a program finds its configuration, and that what is written beside results loads again to the same run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace run_options_test {

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// In a folder of this process: tests run side by side.
std::string write_temporary(const std::string& name, const std::string& text) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("warpfold_options_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
  return folder / name;
}

TEST(RunOptions, DefaultsWithoutTheVariable) {
  unsetenv(kRunVariable);
  const RunOptions options = RunOptions::from_environment();
  EXPECT_EQ(options.machine_name, "tbc2011");
  EXPECT_EQ(options.mechanism, "pdom");
  EXPECT_EQ(options.timing, Timing::kCycle);
  EXPECT_TRUE(options.out.empty());
}

TEST(RunOptions, RunFileLoadsAgain) {
  RunOptions options =
      RunOptions::resolve("tbc2011", "tbc", {"core.warp_size=16", "mechanism.branch_order=fewest_first"});
  options.timing = Timing::kFunctional;
  options.detail = Detail::parse("3-7", "here");
  options.code = Code::kAsWritten;
  options.out = "some dir/it's: \"here\"\n\tand\x01 not # there\\ é";
  options.mask_trace = "some file's.masks";
  options.token_stack = true;
  options.trace = TimeTraceOptions::parse({"7", "10-20", "3-4", "0,2-3", "9"}, "--");
  options.decided_by = R"({"arguments":["a\nb"],"program":"it's"})";
  const std::string path = write_temporary("warpfold_run.yaml", options.run_file());
  setenv(kRunVariable, path.c_str(), 1);
  const RunOptions again = RunOptions::from_environment();
  unsetenv(kRunVariable);
  EXPECT_EQ(again.run_file(), options.run_file());
  EXPECT_EQ(again.out, options.out);
  EXPECT_EQ(again.decided_by, options.decided_by);
  EXPECT_EQ(again.mask_trace, options.mask_trace);
  EXPECT_TRUE(again.token_stack);
  EXPECT_TRUE(again.trace.on);
  EXPECT_EQ(again.trace.every, 7U);
  for (const char* const key : {"decided_by", "mask_trace", "token_stack", "trace"}) {
    EXPECT_EQ(again.effective_config().find(key), std::string::npos) << "it decides no figure";
  }
  EXPECT_EQ(again.machine.core.warp_size, 16U);
  EXPECT_EQ(again.mechanism_parameters.value("branch_order").scalar(), "fewest_first");
  EXPECT_EQ(again.timing, Timing::kFunctional);
  EXPECT_EQ(again.detail.text(), "3-7");
  EXPECT_EQ(again.code, Code::kAsWritten);
  std::filesystem::remove(path);
}

// It changes no figure: another run of the same configuration need not be profiled.
TEST(RunOptions, AProfileIsAskedForInRunFiles) {
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  EXPECT_EQ(options.run_file().find("profile"), std::string::npos);
  options.profile = true;
  EXPECT_EQ(options.effective_config().find("profile"), std::string::npos);
  const std::string path = write_temporary("warpfold_profiled.yaml", options.run_file());
  EXPECT_TRUE(RunOptions::load_file(path).profile);
  std::filesystem::remove(path);
}

TEST(RunOptions, EffectiveConfigNamesNoDirectory) {
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  options.out = "/results/here";
  EXPECT_EQ(options.effective_config().find("/results/here"), std::string::npos);
  const std::string path = write_temporary("warpfold_effective.yaml", options.effective_config());
  EXPECT_EQ(RunOptions::load_file(path).effective_config(), options.effective_config());
  std::filesystem::remove(path);
}

TEST(RunOptions, WhatARunFileCannotHold) {
  RunOptions options;
  options.out = "not \xff UTF-8";
  EXPECT_EQ(refusal([&] { options.run_file(); }), "not \xff UTF-8: this name is not UTF-8, which YAML is written in");
  options = RunOptions::resolve("tbc2011", "pdom", {});
  options.decided_by = "[1]";
  const std::string path = write_temporary("warpfold_decided.yaml", options.run_file());
  EXPECT_NE(refusal([&] { RunOptions::load_file(path); }).find("run.decided_by"), std::string::npos);
  std::filesystem::remove(path);
}

// What its file wants of the core stands between the machine's values and those of the user.
TEST(RunOptions, AMechanismMayWantAnOrderOfWarps) {
  const auto policy = [](const char* mechanism, const std::vector<std::string>& sets) {
    const RunOptions options = RunOptions::resolve("gtx480", mechanism, sets);
    EXPECT_EQ(options.mechanism_parameters.find("core"), nullptr);
    return options.machine.core.warp_policy;
  };
  EXPECT_EQ(policy("pdom", {}), WarpPolicy::kGto);
  EXPECT_EQ(policy("tbc", {}), WarpPolicy::kAge);
  EXPECT_EQ(policy("tbc", {"core.warp_policy=LRR"}), WarpPolicy::kLrr);
}

TEST(RunOptions, UnknownNamesAndKeys) {
  EXPECT_NE(refusal([] { RunOptions::resolve("tbc2O11", "pdom", {}); }).find("did you mean 'tbc2011'?"),
            std::string::npos);
  EXPECT_EQ(refusal([] { RunOptions::resolve("tbc2011", "tcb", {}); }), "no mechanism 'tcb': did you mean 'tbc'?");
  EXPECT_EQ(refusal([] { RunOptions::resolve("tbc2011", "tbc", {"mechanism.compacter=false"}); }),
            "--set: mechanism.compacter: unknown key; did you mean 'compactor'?");
  EXPECT_EQ(refusal([] { RunOptions::resolve("tbc2011", "tbc", {"core.warp_policy=LIFO"}); }),
            "--set: core.warp_policy = LIFO: must be LRR, GTO, AGE, SRR, RRB or RRB-issue");
  EXPECT_EQ(refusal([] { RunOptions::resolve("/nonexistent/machine.yaml", "tbc", {}); }),
            "/nonexistent/machine.yaml: cannot read this configuration file: No such file or directory");
}

TEST(RunOptions, MachineByPath) {
  const std::string path = write_temporary("my_machine.yaml", dump(MachineConfig{}));
  const RunOptions options = RunOptions::resolve(path, "pdom", {});
  EXPECT_EQ(options.machine_name, "my_machine");
  std::filesystem::remove(path);
}

TEST(RunOptions, AMachineMayGiveOnlyWhatDiffersFromAnother) {
  const std::string path = write_temporary(
      "mine.yaml", "base: tbc2011\ncores: 3\ncore:\n  fetch: {buffer_entries: 4}\n  warp_policy: GTO\n");
  const RunOptions options = RunOptions::resolve(path, "pdom", {"memory.l2.ways=4"});
  RunOptions other = RunOptions::resolve(
      "tbc2011", "pdom", {"cores=3", "core.fetch.buffer_entries=4", "core.warp_policy=GTO", "memory.l2.ways=4"});
  EXPECT_EQ(options.machine_name, "mine");
  other.machine_name = options.machine_name;
  EXPECT_EQ(options.run_file(), other.run_file());
}

TEST(RunOptions, BasesThatAreNone) {
  const std::string own = write_temporary("own.yaml", "base: own\n");
  EXPECT_EQ(refusal([&] { RunOptions::resolve(own, "pdom", {}); }), own + ":1:1: base = own: must be another machine");
  const std::string derived = write_temporary("derived.yaml", "base: titan-v\n");
  EXPECT_EQ(refusal([&] { RunOptions::resolve(derived, "pdom", {}); }),
            derived + ":1:1: base = titan-v: must be a machine that is complete, with no base of its own");
  const std::string unknown = write_temporary("unknown.yaml", "base: tbc2012\n");
  EXPECT_NE(refusal([&] { RunOptions::resolve(unknown, "pdom", {}); }).find("tbc2012: no such configuration"),
            std::string::npos);
  const std::string wrong = write_temporary("wrong.yaml", "base: tbc2011\ncore:\n  warp_sice: 32\n");
  EXPECT_NE(refusal([&] { RunOptions::resolve(wrong, "pdom", {}); }).find("core.warp_sice: unknown key"),
            std::string::npos);
}

TEST(RunOptions, AMachinesDefaultMechanism) {
  EXPECT_EQ(RunOptions::resolve("ampere", "", {}).mechanism, "its");
  EXPECT_EQ(RunOptions::resolve("ampere", "tbc", {}).mechanism, "tbc");
  EXPECT_EQ(RunOptions::resolve("volta", "", {}).mechanism, "pdom");
  EXPECT_EQ(refusal([] { RunOptions::resolve("volta", "pdom", {"defaults.mechanism=its"}); }),
            "'defaults.mechanism=its': only a machine's file says so; name a run's mechanism itself: --mechanism NAME");
}

TEST(RunOptions, EveryMachineFileLoads) {
  ASSERT_FALSE(config_names("machines").empty());
  for (const std::string& name : config_names("machines"))
    EXPECT_NO_THROW(RunOptions::resolve(name, "pdom", {})) << name;
}

TEST(RunOptions, EveryMechanismFileLoads) {
  ASSERT_FALSE(config_names("mechanisms").empty());
  for (const std::string& name : config_names("mechanisms"))
    EXPECT_NO_THROW(RunOptions::resolve("tbc2011", name, {})) << name;
}

}  // namespace run_options_test
}  // namespace warpfold
