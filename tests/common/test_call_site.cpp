// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/common/call_site.h"
#include "warpfold/common/symbol_name.h"

namespace warpfold {
namespace call_site_test {

CallSite kept;

// As a function of the library, which programs call through wrappers.
__attribute__((noinline)) void library_call() { kept = CallSite::of(__builtin_return_address(0)); }
__attribute__((noinline)) int cudaMallocOfInts() {
  library_call();
  return 1;
}
__attribute__((noinline)) int grow() { return 1 + cudaMallocOfInts(); }
__attribute__((noinline)) int shrink() {
  library_call();
  return 2;
}

TEST(CallSite, NamesTheFunctionAndWhoCalledIt) {
  EXPECT_FALSE(kept.known());
  EXPECT_EQ(kept.text(), "");
  EXPECT_EQ(shrink(), 2);
  ASSERT_TRUE(kept.known());
  const std::string text = kept.text();
  EXPECT_TRUE(text.starts_with("warpfold::call_site_test::shrink()+0x")) << text;
  EXPECT_NE(text.find(", called by warpfold::call_site_test::CallSite_NamesTheFunctionAndWhoCalledIt_Test::"),
            std::string::npos)
      << text;
}

TEST(CallSite, LeavesWrappersOfTheLibraryOut) {
  EXPECT_EQ(grow(), 2);
  EXPECT_TRUE(kept.text().starts_with("warpfold::call_site_test::grow()+0x")) << kept.text();
}

TEST(CallSite, ShowsNamesAsTheirAuthorsWroteThem) {
  EXPECT_EQ(shown_name("_Z4wildPi"), "wild(int*)");
  EXPECT_EQ(shown_name("main"), "main");
  EXPECT_EQ(shown_name("_Zx"), "_Zx");
  EXPECT_EQ(shown_name("_ZL4wildPi__intern__f541fb9aa3faf9e8"), "wild(int*)");
}

}  // namespace call_site_test
}  // namespace warpfold
