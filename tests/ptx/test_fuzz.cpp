// SPDX-License-Identifier: Apache-2.0
// Damaged PTX ends in a module or in one line with a place, never in anything else.
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "tests/ptx/ptx_text.h"

namespace warpfold::ptx {
namespace fuzz_test {

// Empty when the outcome is as it must be. Anything but UserError escapes and fails the test.
std::string complaint(const std::string& text) {
  static const std::regex kShape("t\\.ptx:[0-9]+:[0-9]+: [^\\n]+, near '[^\\n]+'");
  const std::string error = test::error_of(text);
  return error == "accepted" || std::regex_match(error, kShape) ? "" : error;
}

TEST(Fuzz, TruncatedAtEveryByte) {
  const std::string text = test::read_data("features.ptx");
  std::size_t refused = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    ASSERT_EQ(complaint(cut), "") << "cut at " << size;
    refused += test::error_of(cut) != "accepted";
  }
  EXPECT_GT(refused, text.size() / 2);  // a cut inside a body cannot pass
}

TEST(Fuzz, ClangsOutputTruncated) {
  const std::string text = test::read_data("kernels.ptx");
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_EQ(complaint(text.substr(0, size)), "") << "cut at " << size;
  }
}

TEST(Fuzz, CutInsideAKernelIsAnError) {
  const std::string text = test::read_data("kernels.ptx");
  const std::size_t first = text.find('{', text.find(".entry diverge"));
  for (std::size_t size = first + 1; size < first + 2000; size += 7) {
    EXPECT_NE(test::error_of(text.substr(0, size)), "accepted") << "cut at " << size;
  }
}

std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  using namespace std::string_literals;
  static const std::string kLikely = "{}[]()<>,;:.@!%|+-_=\"/*$09xf \n\0\x80"s;
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1U << below(8)));
        break;
      case 1:
        text[at] = kLikely[below(kLikely.size())];
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(at, std::string(1 + below(40), kLikely[below(kLikely.size())]));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
    }
  }
  return text;
}

TEST(Fuzz, ThousandsOfMutations) {
  std::mt19937 random(20110214);
  const std::string clang = test::read_data("kernels.ptx");
  const std::string features = test::read_data("features.ptx");
  std::size_t refused = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = mutate(i % 2 == 0 ? features : clang, random);
    ASSERT_EQ(complaint(text), "") << "mutation " << i << ":\n" << text;
    refused += test::error_of(text) != "accepted";
  }
  EXPECT_GT(refused, 2500U);
}

TEST(Fuzz, Garbage) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string text = i % 2 == 0 ? test::kHead : "";
    for (std::size_t size = random() % 300; size > 0; --size) text += static_cast<char>(random());
    ASSERT_EQ(complaint(text), "") << "garbage " << i;
  }
}

TEST(Fuzz, DeepNestingAndLongRunsEnd) {
  const std::string many(200000, '{');
  EXPECT_EQ(complaint(test::kernel(many)), "");
  EXPECT_EQ(complaint(test::kHead + ".global .b8 x[2] = " + many), "");
  EXPECT_EQ(complaint(test::kernel("op " + std::string(200000, '(') + ";")), "");
  EXPECT_EQ(complaint(test::kernel("op " + std::string(200000, '-') + "1;")), "");
  EXPECT_EQ(complaint(test::kernel(std::string(200000, 'a') + ";")), "");
  EXPECT_EQ(complaint(test::kernel(".reg .b32 %q<18446744073709551615>;")), "");
}

}  // namespace fuzz_test
}  // namespace warpfold::ptx
