// SPDX-License-Identifier: Apache-2.0
// Several modules of PTX in one text: its parts, their lines in messages, and what nobody defines.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/host/runtime/linked_image.h"
#include "warpfold/host/runtime/relocatable.h"

namespace warpfold::host {
namespace linked_image_test {

const std::string kHead = ".version 7.0\n.target sm_70\n.address_size 64\n";
const std::string kCaller = kHead +
                            ".extern .func f;\n.extern .global .u32 v;\n.extern .shared .b8 s[];\n"
                            ".visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [v]; call f; ret; }\n";
const std::string kCallee = kHead + ".visible .func f { ret; }\n.visible .global .u32 v = 7;\n";

std::string complaint(const std::vector<LinkedPart>& parts) {
  try {
    parsed_image(linked_image(parts), "all.ptx");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(LinkedImage, IsOneModule) {
  const ptx::Module whole = parsed_image(linked_image({{"a", kCaller}, {"b", kCallee}}), "all.ptx");
  EXPECT_EQ(whole.file, "all.ptx");
  EXPECT_EQ(whole.functions.size(), 2U);
  EXPECT_EQ(undefined_in(whole), std::vector<std::string>{});
  EXPECT_EQ(parsed_image(kCallee, "one.ptx").file, "one.ptx");
}

TEST(LinkedImage, TellsWhatNobodyDefines) {
  EXPECT_EQ(undefined_in(parsed_image(linked_image({{"a", kCaller}}), "all.ptx")),
            (std::vector<std::string>{"f", "v"}));
  const std::string prints = kHead +
                             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                             ".visible .entry k() { .param .b32 r; .param .b64 a; .param .b64 b;\n"
                             "call (r), vprintf, (a, b); ret; }\n";
  EXPECT_EQ(undefined_in(parsed_image(prints, "p.ptx")), std::vector<std::string>{}) << "the device has it";
}

TEST(LinkedImage, MessagesNameThePartAndTheLineOfTheWhole) {
  EXPECT_EQ(complaint({{"a", kCallee}, {"b", kCallee}}),
            "'v' is defined in a and in b, which are files of one program (-rdc=true)");
  const std::string wrong = complaint({{"a", kCallee}, {"c", kHead + "nonsense\n"}});
  EXPECT_EQ(wrong.rfind("c:11:", 0), 0U)
      << wrong;  // five lines of the first part, three of its own, the end of each mark
  EXPECT_EQ(complaint({{"a\nb", kCallee}}), "") << "a name is one line";
}

// A part's own mark of -rdc=true is replaced; its line stays.
TEST(LinkedImage, MarksOfTheCompilerGo) {
  const std::string marked = std::string(kRelocatableMark) + "a.cu\n" + kCallee;
  EXPECT_EQ(standing_alone(marked), "\n" + kCallee);
  EXPECT_EQ(standing_alone(kCallee), kCallee);
  const std::string image = linked_image({{"a", marked}});
  EXPECT_EQ(image.find("a.cu"), std::string::npos);
  EXPECT_EQ(parsed_image(image, "all.ptx").functions.size(), 1U);
}

}  // namespace linked_image_test
}  // namespace warpfold::host
