// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/sampling/sample_aim.h"

namespace warpfold {
namespace sample_aim_test {

TEST(SampleAim, Percentages) {
  EXPECT_DOUBLE_EQ(SampleAim::parse("3%", "--sample").share(), 0.03);
  EXPECT_DOUBLE_EQ(SampleAim::parse("0.5%", "--sample").share(), 0.005);
  EXPECT_EQ(SampleAim::parse("3%", "--sample").text(), "3%");
  EXPECT_TRUE(SampleAim::parse("3%", "--sample").on());
  EXPECT_FALSE(SampleAim::parse("", "--sample").on());
}

TEST(SampleAim, MistakesAreToldInOneLine) {
  for (const char* const text : {"0%", "-3%", "100%", "3", "0.03", "abc", "%", "3%%", "3 %", "nan%", "inf%"}) {
    try {
      SampleAim::parse(text, "--sample");
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format("--sample {}: must be a percentage above 0% and below 100%, such as 3%", text));
    }
  }
}

}  // namespace sample_aim_test
}  // namespace warpfold
