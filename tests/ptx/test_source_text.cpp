// SPDX-License-Identifier: Apache-2.0
// Comments, places, and the token that an error names.
#include <gtest/gtest.h>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/source_text.h"

namespace warpfold::ptx {
namespace source_text_test {

TEST(SourceText, BlanksCommentsAndKeepsPlaces) {
  const SourceText source("a// x\nb/* y\n */c", "t.ptx");
  EXPECT_EQ(std::string(source.begin(), source.end()), "a    \nb    \n   c");
  EXPECT_EQ(source.locate(source.begin()).line, 1U);
  const Location last = source.locate(source.end() - 1);
  EXPECT_EQ(last.line, 3U);
  EXPECT_EQ(last.column, 4U);
}

TEST(SourceText, LeavesSlashesInStringsAlone) {
  const SourceText source("\"a//b\" // c", "t.ptx");
  EXPECT_EQ(std::string(source.begin(), source.begin() + 6), "\"a//b\"");
  EXPECT_EQ(source.skip_space(source.begin() + 6), source.end());
}

TEST(SourceText, NamesTheToken) {
  const SourceText source("%rd12+4 .b8[ ;", "t.ptx");
  EXPECT_EQ(source.token(source.begin()), "%rd12");
  EXPECT_EQ(source.token(source.begin() + 5), "+");
  EXPECT_EQ(source.token(source.begin() + 8), ".b8");
  EXPECT_EQ(source.token(source.end() - 1), ";");
  EXPECT_EQ(source.token(source.end()), "end of file");
  const SourceText exactly(std::string(40, 'a'), "t.ptx");
  EXPECT_EQ(exactly.token(exactly.begin()), std::string(40, 'a'));
  const SourceText longer(std::string(41, 'a'), "t.ptx");
  EXPECT_EQ(longer.token(longer.begin()), std::string(40, 'a') + "...");
}

TEST(SourceText, RefusesWhatCannotBePtx) {
  EXPECT_EQ(test::error_of(".version 7.1\n/* x"), "t.ptx:2:1: comment is never closed, near '/'");
  EXPECT_EQ(test::error_of(".file 1 \"x\n"), "t.ptx:1:9: string is never closed, near '\"'");
  EXPECT_EQ(test::error_of(".version 7.1\n \x80"), "t.ptx:2:2: character that PTX does not have, near '\\x80'");
  EXPECT_EQ(test::error_of(std::string_view(".version\0 7.1", 13)),
            "t.ptx:1:9: character that PTX does not have, near '\\x00'");
}

TEST(SourceText, TakesTheNulThatEndsPtxInAnExecutable) {
  EXPECT_EQ(test::error_of(test::kHead + std::string(1, '\0')), "accepted");
}

}  // namespace source_text_test
}  // namespace warpfold::ptx
