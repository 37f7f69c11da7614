// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/common/warning.h"

namespace warpfold {
namespace warning_test {

TEST(Warning, GoesToStandardErrorInOneLine) {
  testing::internal::CaptureStderr();
  warn("it rains");
  warn("it rains");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warpfold: warning: it rains\nwarpfold: warning: it rains\n");
}

TEST(Warning, IsSaidOnceWhereThatIsAsked) {
  testing::internal::CaptureStderr();
  for (const char* text : {"it snows", "it hails", "it snows"}) warn_once(text);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warpfold: warning: it snows\nwarpfold: warning: it hails\n");
}

}  // namespace warning_test
}  // namespace warpfold
