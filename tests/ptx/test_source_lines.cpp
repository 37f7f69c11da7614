// SPDX-License-Identifier: Apache-2.0
// Which line of the source a line of PTX comes from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "warpfold/ptx/link.h"
#include "warpfold/ptx/parser.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold::ptx {
namespace source_lines_test {

// Lines 1 to 3, then the rest.
constexpr const char* kHead = ".version 6.3\n.target sm_70\n.address_size 64\n";
constexpr const char* kTwoFunctions =
    ".visible .entry a()\n{\n\t.loc\t1 7 3\n\tbar.sync 0;\n\t.loc\t2 53 1\n\tbar.sync 0;\n\t.loc\t1 0 5\n\tret;\n}\n"
    ".visible .entry b()\n{\n\tret;\n}\n\t.file\t1 \"/tmp/my file.cu\"\n\t.file\t2 \"helper.h\"\n";

std::string at(const SourceLines& lines, std::uint32_t ptx_line) {
  const SourceLine found = lines.at(ptx_line);
  return found.line == 0 ? "" : fmt::format("{}:{}", found.file, found.line);
}

TEST(SourceLines, FromOneLocationToTheNext) {
  const Module module = parse(std::string(kHead) + kTwoFunctions, "t.ptx");
  ASSERT_NE(module.sources, nullptr);
  EXPECT_EQ(at(*module.sources, 4), "");
  EXPECT_EQ(at(*module.sources, 7), "/tmp/my file.cu:7");
  EXPECT_EQ(at(*module.sources, 9), "helper.h:53");
  EXPECT_EQ(at(*module.sources, 11), "helper.h:53") << "line 0 is no line";
  EXPECT_EQ(at(*module.sources, 15), "") << "another function";
}

TEST(SourceLines, AreLeftOutWhereTheyCannotBeRead) {
  const SourceLines lines(".entry k\n.loc x 3\n.loc 9 3 1\nret;\n.file \"no number\"\n.loc 1 4294967296 1\n");
  for (std::uint32_t line = 0; line < 9; ++line) EXPECT_EQ(at(lines, line), "");
  EXPECT_EQ(parse(std::string(kHead) + ".visible .entry k()\n{\nret;\n}\n", "t.ptx").sources, nullptr);
}

TEST(SourceLines, OfSeveralModules) {
  const std::string one = std::string(kHead) + kTwoFunctions;
  const std::string other =
      std::string(20, '\n') + kHead + ".visible .entry c()\n{\n.loc 1 99 1\nret;\n}\n.file 1 \"other.cu\"\n";
  const Module whole = link({parse(one, "1.ptx"), parse(other, "2.ptx")}, "whole.ptx");
  EXPECT_EQ(at(*whole.sources, 7), "/tmp/my file.cu:7");
  EXPECT_EQ(at(*whole.sources, 27), "other.cu:99");
}

}  // namespace source_lines_test
}  // namespace warpfold::ptx
