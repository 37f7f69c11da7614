// SPDX-License-Identifier: Apache-2.0
// `warpfold new`: machines that load as they stand, a mechanism's folder, and nothing that is overwritten. What the
// mechanism does is tested where the others' tests are (tests/divergence/CMakeLists.txt).
#include <algorithm>

#include "tests/common/command_line.h"

namespace warpfold {
namespace new_command_test {

namespace fs = std::filesystem;

class NewCommand : public CommandLineTest {};

TEST_F(NewCommand, EveryMachineCanBeMadeAnotherOf) {
  std::istringstream machines(warpfold("list machines").out);
  unsigned made = 0;
  for (std::string line; std::getline(machines, line); ++made) {
    const std::string from = line.substr(0, line.find(' ')), name = "my-" + from;
    const Result r = warpfold("new machine " + name + " --from " + from);
    EXPECT_EQ(r.status, 0) << r.err;
    const Result same = warpfold("machines diff " + from + " ./" + name + ".yaml");
    EXPECT_TRUE(same.out.find("are the same in all ") != std::string::npos) << same.out << same.err;
  }
  EXPECT_GT(made, 5U);
}

TEST_F(NewCommand, ValuesSayWhoseTheyAre) {
  ASSERT_EQ(warpfold("new machine mine --out .").status, 0);
  std::istringstream lines(read_file(directory_ / "mine.yaml"));
  std::string first;
  std::getline(lines, first);
  EXPECT_EQ(first, "# mine, made of tbc2011: say here in one line what it is");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') || line.ends_with(':')) continue;
    EXPECT_NE(line.find("# as tbc2011"), std::string::npos) << line;
  }
  const std::string text = read_file(directory_ / "mine.yaml");
  EXPECT_NE(text.find("  warp_size: 32                  # as tbc2011: TBC Table 2\n"), std::string::npos) << text;
}

// Which tests/examples builds and runs.
TEST_F(NewCommand, AMechanismIsAFolder) {
  const Result r = warpfold("new mechanism warp-split --out mine");
  ASSERT_EQ(r.status, 0) << r.err;
  const fs::path folder = directory_ / "mine/warp-split";
  const std::string source = read_file(folder / "warp_split.cpp");
  EXPECT_NE(source.find("registration(\"warp-split\","), std::string::npos) << source;
  EXPECT_NE(source.find("class WarpSplit final : public Mechanism {"), std::string::npos) << source;
  EXPECT_NE(read_file(folder / "test_warp_split.cpp").find("TEST(WarpSplit, "), std::string::npos);
  EXPECT_NE(read_file(folder / "warp-split.yaml").find("branch_order: "), std::string::npos);
  EXPECT_NE(read_file(folder / "CMakeLists.txt").find("add_library(warp_split MODULE"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(read_file(entry.path()).find('@'), std::string::npos) << entry.path() << ": a name is missing";
  }
  EXPECT_NE(r.out.find("compare --plugin mine/warp-split/warp_split.so --mechanisms pdom,warp-split"),
            std::string::npos)
      << r.out;
}

TEST_F(NewCommand, NothingIsOverwrittenAndMistakesAreOneLine) {
  write_file("mine.yaml", "precious");
  write_file("foo/test_foo.cpp", "precious");
  for (const auto& [arguments, complaint] :
       {std::pair{"new machine mine", "mine.yaml: is there already; nothing was written"},
        std::pair{"new mechanism foo", "test_foo.cpp: is there already; nothing was written"},
        std::pair{"new mechanism tbc", "tbc: there is a mechanism of this name"},
        std::pair{"new mechanism Foo", "Foo: a name has small letters, digits and hyphens"},
        std::pair{"new mechanism ../foo", "../foo: a name has small letters, digits and hyphens"},
        std::pair{"new machine x --from tbc2012", "did you mean 'tbc2011'?"},
        std::pair{"new machine", "name is required"}}) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err.find(complaint), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  EXPECT_EQ(read_file(directory_ / "mine.yaml"), "precious");
  EXPECT_FALSE(fs::exists(directory_ / "foo/foo.cpp"));
  EXPECT_EQ(warpfold("new machine x --out /nonexistent").status, 1);
}

}  // namespace new_command_test
}  // namespace warpfold
