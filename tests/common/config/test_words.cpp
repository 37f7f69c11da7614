// SPDX-License-Identifier: Apache-2.0
// Command lines in words, against what a shell makes of them.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace words_test {

using Words = std::vector<std::string>;

// The words that the shell hands to a program, each ended by a bar.
std::string as_the_shell_does(const std::string& text) {
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(("set -f; printf '%s|' " + text).c_str(), "r"), pclose);
  std::string words;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), shell.get()) != nullptr) words += piece.data();
  return words;
}

TEST(Words, AsAShell) {
  for (const char* text : {"./prog", "  ./prog \t a\nb  ", "'./my prog' arg", "./my\\ prog arg", "\"./my prog\"arg",
                           "a '' \"\" b", "'it'\\''s'", "\"a\\\"b\\\\c\\d\"", "'a\\b'", "\"it's\"", "a\\'b", "'\"'"}) {
    std::string ours;
    for (const std::string& word : words_of(text)) ours += word + "|";
    std::string lines = text;
    for (char& c : lines) c = c == '\n' ? ' ' : c;  // a shell ends its command there
    EXPECT_EQ(ours, as_the_shell_does(lines)) << text;
  }
  EXPECT_EQ(words_of("$HOME *"), (Words{"$HOME", "*"}));
  EXPECT_EQ(words_of(" "), Words{});
}

TEST(Words, QuotationsThatDoNotEnd) {
  for (const char* text : {"'a", "a\"b", "\"a\\\"", "''\""}) {
    try {
      words_of(text);
      ADD_FAILURE() << text << " is taken";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("does not end"), std::string::npos) << error.what();
    }
  }
}

TEST(Words, BetweenOtherCharacters) {
  EXPECT_EQ(words_of(",\"-O3\",-DX='a,b' c", " ,"), (Words{"-O3", "-DX=a,b", "c"}));
  EXPECT_EQ(words_of("a b", ","), Words{"a b"});
}

}  // namespace words_test
}  // namespace warpfold
