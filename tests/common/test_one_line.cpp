// SPDX-License-Identifier: Apache-2.0
// Whatever a message quotes, it stays on one line.
#include <gtest/gtest.h>

#include "warpfold/common/one_line.h"

namespace warpfold {
namespace one_line_test {

TEST(OneLine, ControlCharactersAreShownAsTheyAreWritten) {
  EXPECT_EQ(one_line("m.yaml:1:1: a: unknown key"), "m.yaml:1:1: a: unknown key");
  EXPECT_EQ(one_line("a\nb\r\t\x1b[0m\x7f"), "a\\x0ab\\x0d\\x09\\x1b[0m\\x7f");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(one_line("µm²"), "µm²");
}

TEST(OneLine, LongTextsLoseTheirMiddle) {
  const std::string text = "begin" + std::string(5'000'000, 'k') + "end";
  const std::string shown = one_line(text);
  EXPECT_LT(shown.size(), 5000U);
  EXPECT_TRUE(shown.starts_with("begink"));
  EXPECT_TRUE(shown.ends_with("kend"));
  EXPECT_EQ(one_line(std::string(4000, 'k')), std::string(4000, 'k'));
}

}  // namespace one_line_test
}  // namespace warpfold
