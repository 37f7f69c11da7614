// SPDX-License-Identifier: Apache-2.0
// `warpfold new`: machines that load as they stand, a mechanism's three files, and nothing that is overwritten. What
// the mechanism does is tested where the others' tests are (tests/divergence/CMakeLists.txt).
#include <algorithm>

#include "tests/common/command_line.h"

namespace warpfold {
namespace new_command_test {

namespace fs = std::filesystem;

class NewCommand : public CommandLineTest {
 protected:
  // As much of the sources as the command looks for.
  void make_tree() const {
    for (const char* folder : {"models/divergence/mechanisms", "configs/mechanisms", "tests/divergence/mechanisms"}) {
      fs::create_directories(directory_ / folder);
    }
    fs::create_directories(directory_ / "docs");
    fs::copy(fs::path(WARPFOLD_DOCS) / "samples", directory_ / "docs/samples");
  }
};

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

TEST_F(NewCommand, AMechanismIsThreeFiles) {
  make_tree();
  const Result r = warpfold("new mechanism warp-split");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string source = read_file(directory_ / "models/divergence/mechanisms/warp_split.cpp");
  EXPECT_NE(source.find("registration(\"warp-split\","), std::string::npos) << source;
  EXPECT_NE(source.find("class WarpSplit final : public Mechanism {"), std::string::npos) << source;
  EXPECT_NE(read_file(directory_ / "tests/divergence/mechanisms/test_warp_split.cpp").find("TEST(WarpSplit, "),
            std::string::npos);
  EXPECT_NE(read_file(directory_ / "configs/mechanisms/warp-split.yaml").find("branch_order: "), std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
    const bool sample = entry.path().string().find("docs/samples") != std::string::npos;
    if (!entry.is_regular_file() || sample) continue;
    EXPECT_EQ(read_file(entry.path()).find('@'), std::string::npos) << entry.path() << ": a name is missing";
  }
  EXPECT_NE(r.out.find("--target warpfold test_divergence_warp_split\n"), std::string::npos) << r.out;
}

TEST_F(NewCommand, NothingIsOverwrittenAndMistakesAreOneLine) {
  make_tree();
  write_file("mine.yaml", "precious");
  write_file("tests/divergence/mechanisms/test_foo.cpp", "precious");
  for (const auto& [arguments, complaint] :
       {std::pair{"new machine mine", "mine.yaml: is there already; nothing was written"},
        std::pair{"new mechanism foo", "test_foo.cpp: is there already; nothing was written"},
        std::pair{"new mechanism tbc", "tbc: there is a mechanism of this name"},
        std::pair{"new mechanism Foo", "Foo: a name has small letters, digits and hyphens"},
        std::pair{"new mechanism ../foo", "../foo: a name has small letters, digits and hyphens"},
        std::pair{"new machine x --from tbc2012", "did you mean 'tbc2011'?"},
        std::pair{"new mechanism foo --out docs", "docs: these are not the sources of Warpfold"},
        std::pair{"new machine", "name is required"}}) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err.find(complaint), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  EXPECT_EQ(read_file(directory_ / "mine.yaml"), "precious");
  EXPECT_FALSE(fs::exists(directory_ / "models/divergence/mechanisms/foo.cpp"));
  EXPECT_EQ(warpfold("new machine x --out /nonexistent").status, 1);
}

}  // namespace new_command_test
}  // namespace warpfold
