// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/sampling/sample_choice.h"

namespace warpfold {
namespace sample_choice_test {

TEST(SampleChoice, Percentages) {
  EXPECT_DOUBLE_EQ(SampleChoice::parse("3%", "--sample").share(), 0.03);
  EXPECT_DOUBLE_EQ(SampleChoice::parse("0.5%", "--sample").share(), 0.005);
  EXPECT_EQ(SampleChoice::parse("3%", "--sample").text(), "3%");
  EXPECT_TRUE(SampleChoice::parse("3%", "--sample").on());
  EXPECT_FALSE(SampleChoice::parse("", "--sample").on());
}

TEST(SampleChoice, Launches) {
  const SampleChoice choice = SampleChoice::parse("0-2,7,12-13", "--sample");
  EXPECT_TRUE(choice.on() && choice.given());
  std::vector<std::size_t> covered;
  for (std::size_t launch = 0; launch < 20; ++launch) {
    if (choice.covers(launch)) covered.push_back(launch);
  }
  EXPECT_EQ(covered, (std::vector<std::size_t>{0, 1, 2, 7, 12, 13}));
  EXPECT_EQ(SampleChoice::text_of(covered), choice.text());
  EXPECT_EQ(SampleChoice::text_of({}), "");
  EXPECT_FALSE(SampleChoice::parse("3%", "--sample").given());
}

TEST(SampleChoice, MistakesAreToldInOneLine) {
  for (const char* const text : {"0%",  "-3%",   "100%", "0.03",  "3,",  ",3", "3,,4", "4-3", "3-",   "-3",  "4,3",
                                 "3,3", "1-4,4", "3 4",  "1-2-3", "abc", "%",  "3%%",  "3 %", "nan%", "inf%"}) {
    try {
      SampleChoice::parse(text, "--sample");
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format("--sample {}: must be a percentage above 0% and below 100%, such as 3%, or launches, such "
                            "as 0-3,7,12",
                            text));
    }
  }
}

}  // namespace sample_choice_test
}  // namespace warpfold
