// SPDX-License-Identifier: Apache-2.0
// What of a run a time trace shows, as users say it and as run files hold it.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/record/time_trace_options.h"

namespace warpfold {
namespace time_trace_options_test {

using Words = TimeTraceOptions::Words;

// Nothing said but this.
Words words_with(std::string Words::*one, const std::string& value, std::string Words::*other = nullptr,
                 const std::string& its = "") {
  Words words;
  words.*one = value;
  if (other != nullptr) words.*other = its;
  return words;
}

std::string refusal(const Words& words) {
  try {
    TimeTraceOptions::parse(words, "--");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TimeTraceOptions, Defaults) {
  EXPECT_FALSE(TimeTraceOptions().on);
  const TimeTraceOptions options = TimeTraceOptions::parse({}, "--");
  EXPECT_TRUE(options.on);
  EXPECT_EQ(options.every, 100U);
  EXPECT_EQ(options.first, 0U);
  EXPECT_EQ(options.last, kNever);
  EXPECT_TRUE(options.launches.covers(1000, "k"));
  EXPECT_EQ(options.limit_mb, 64U);
  EXPECT_EQ(options.traced_of(3), (std::vector<bool>{true, false, false}));
}

TEST(TimeTraceOptions, WhatUsersSay) {
  const TimeTraceOptions options = TimeTraceOptions::parse({"50", "10000-20000", "3-7", "1,3-4", "500"}, "--");
  EXPECT_EQ(options.every, 50U);
  EXPECT_EQ(options.first, 10000U);
  EXPECT_EQ(options.last, 20000U);
  EXPECT_FALSE(options.launches.covers(2, "k"));
  EXPECT_TRUE(options.launches.covers(3, "k"));
  EXPECT_EQ(options.limit_mb, 500U);
  EXPECT_EQ(options.traced_of(6), (std::vector<bool>{false, true, false, true, true, false}));
  EXPECT_EQ(TimeTraceOptions::parse(words_with(&Words::window, "70-"), "--").last, kNever);
  EXPECT_EQ(TimeTraceOptions::parse(words_with(&Words::cores, "all"), "--").traced_of(2),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(TimeTraceOptions::parse(words_with(&Words::cores, "none"), "--").traced_of(2),
            (std::vector<bool>{false, false}));
}

TEST(TimeTraceOptions, OfARunFile) {
  for (const Words& words : {Words{}, Words{"50", "10000-", "_Z1kv", "all", "500"},
                             words_with(&Words::window, "0-7", &Words::cores, "none")}) {
    const TimeTraceOptions options = TimeTraceOptions::parse(words, "--");
    const ConfigNode file = ConfigNode::from_text("run:\n" + options.run_file(), "run.yaml");
    const TimeTraceOptions again = TimeTraceOptions::load(file.table("run").table("trace"));
    EXPECT_EQ(again.run_file(), options.run_file());
    EXPECT_EQ(again.last, options.last);
    EXPECT_EQ(again.launches.text(), options.launches.text());
  }
  const ConfigNode wrong =
      ConfigNode::from_text("run:\n  trace: {every: 0, window: '', launches: '', cores: '', limit: ''}\n", "run.yaml");
  try {
    TimeTraceOptions::load(wrong.table("run").table("trace"));
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("run.yaml:2:")) << error.what();
  }
}

TEST(TimeTraceOptions, Mistakes) {
  EXPECT_EQ(refusal(words_with(&Words::every, "0")), "--trace-every 0: must be in [1, 1000000000000] cycles");
  EXPECT_EQ(refusal(words_with(&Words::every, "1.5")), "--trace-every 1.5: must be in [1, 1000000000000] cycles");
  EXPECT_EQ(refusal(words_with(&Words::limit, "-1")), "--trace-limit -1: must be in [1, 1000000] MB");
  EXPECT_EQ(refusal(words_with(&Words::launches, "7-3")),
            "--trace-launches: launches = 7-3: must be a kernel's name, a launch such as 12, or a range such as 3-7");
  for (const char* const window :
       {"5", "7-7", "8-7", "-7", "a-b", "1-2-3", "1000000000001-", "99999999999999999999-"}) {
    EXPECT_EQ(refusal(words_with(&Words::window, window)),
              fmt::format("--trace-window {}: must be cycles of the run such as 10000-20000, or 10000- for all that "
                          "follow",
                          window));
  }
  for (const char* const cores : {"x", "1,", ",1", "3-1", "1-", "all,1", "1000000"}) {
    EXPECT_EQ(refusal(words_with(&Words::cores, cores)),
              fmt::format("--trace-cores {}: must be cores such as 0,3-5, or all, or none", cores));
  }
}

}  // namespace time_trace_options_test
}  // namespace warpfold
