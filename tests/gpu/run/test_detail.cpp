// SPDX-License-Identifier: Apache-2.0
// Which launches are named: all, one, some in a row, or those of a kernel.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/run/detail.h"

namespace warpfold {
namespace detail_test {

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Detail, AllOneRangeOrKernel) {
  EXPECT_TRUE(Detail().covers(1000000, "k"));
  const Detail one = Detail::parse("4", "here");
  EXPECT_FALSE(one.covers(3, "k"));
  EXPECT_TRUE(one.covers(4, "k"));
  EXPECT_FALSE(one.covers(5, "k"));
  const Detail range = Detail::parse("2-3", "here");
  EXPECT_FALSE(range.covers(1, "k"));
  EXPECT_TRUE(range.covers(2, "k"));
  EXPECT_TRUE(range.covers(3, "k"));
  EXPECT_FALSE(range.covers(4, "k"));
  const Detail kernel = Detail::parse("expand", "here");
  EXPECT_TRUE(kernel.covers(9, "expand"));
  EXPECT_TRUE(kernel.covers(9, "_Z6expandPKiS0_"));
  EXPECT_FALSE(kernel.covers(9, "_Z8reexpandPKi"));
  EXPECT_FALSE(kernel.covers(9, "_Z7expand2PKi"));
}

TEST(Detail, BadRanges) {
  const std::string expected = ": must be a kernel's name, a launch such as 12, or a range such as 3-7";
  for (const char* text : {"7-3", "3-", "3-x", "-1", "0x3", "3 ", " 3", "1e3", "18446744073709551616", "a b", "a\n"}) {
    EXPECT_EQ(refusal([&] { Detail::parse(text, "--detail"); }), std::string("--detail: detail = ") + text + expected);
  }
}

}  // namespace detail_test
}  // namespace warpfold
