// SPDX-License-Identifier: Apache-2.0
// What is built when, and what is said of RTL that cannot be.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace build_test {

class BuildTest : public RtlTest {
 protected:
  // One line, and the log that it names exists and has Verilator's words.
  static void expect_logged(const std::string& said, const std::string& words) {
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    const std::size_t mark = said.find("Verilator's log: ");
    ASSERT_NE(mark, std::string::npos) << said;
    EXPECT_NE(read_text(said.substr(mark + 17)).value_or("").find(words), std::string::npos) << said;
  }
  // Libraries in a cache directory.
  static unsigned libraries(const std::filesystem::path& cache) {
    const std::filesystem::directory_iterator files(cache);
    return static_cast<unsigned>(std::count_if(begin(files), end(files), [](const auto& entry) {
      const std::string name = entry.path().filename();
      return name.starts_with("counter-") && name.ends_with(".so");
    }));
  }
};

TEST_F(BuildTest, WhatIsBuiltIsFoundAgain) {
  const std::string library = build_rtl(counter());
  const auto made = std::filesystem::last_write_time(library);
  EXPECT_EQ(build_rtl(counter()), library);
  EXPECT_EQ(std::filesystem::last_write_time(library), made);
  RtlSource waves = counter(), coverage = counter();
  waves.waves = true;
  coverage.coverage = true;
  EXPECT_NE(build_rtl(waves), library);
  EXPECT_NE(build_rtl(coverage), library);
  EXPECT_NE(build_rtl(counter(kCounter, 16)), library);
}

// A file that the user did not name and that is read all the same counts too, and going back costs nothing.
TEST_F(BuildTest, AnyChangedSourceIsBuiltAnew) {
  const RtlSource source = changed("~short_i", "{13{`BIT}} ^ short_i");
  const auto include = [&](const std::string& bit) {
    write("bits.svh", "`define BIT 1'b" + bit + "\n");
    std::string text = *read_text(source.files[0]);
    if (!text.starts_with("`include")) write("counter.sv", "`include \"bits.svh\"\n" + text);
    RtlModel model(source, "count", 1);
    model.pin("short_i").set(1);
    model.eval();
    EXPECT_EQ(model.pin("short_o").get(), bit == "0" ? 1U : 0x1ffeU);
    return build_rtl(source);
  };
  const std::string ones = include("1"), zeros = include("0");
  EXPECT_NE(ones, zeros);
  const auto made = std::filesystem::last_write_time(ones);
  EXPECT_EQ(include("1"), ones);
  EXPECT_EQ(std::filesystem::last_write_time(ones), made);
}

// Submodules are found beside the user's file.
TEST_F(BuildTest, WhatItInstantiatesIsLookedUp) {
  write("inverter.sv",
        "module inverter(input wire [59:0] in, output wire [59:0] out);\nassign out = ~in;\nendmodule\n");
  RtlModel model(changed("assign quad_o = ~quad_i;", "inverter u_inverter(.in(quad_i), .out(quad_o));"), "count", 1);
  model.pin("quad_i").set(0xfff'ffff'ffff'fff0);
  model.eval();
  EXPECT_EQ(model.pin("quad_o").get(), 0xfU);
}

TEST_F(BuildTest, ManyBuildersAtOnce) {
  const RtlSource source = changed("~short_i", "short_i");
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    RtlModel model(source, "count", 1);
    model.pin("short_i").set(5);
    model.eval();
    _exit(model.pin("short_o").get() == 5 ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::filesystem::path cache = WARPFOLD_TEST_CACHE;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    const std::string name = entry.path().filename();  // digits of a number alone may be a key's, too
    EXPECT_EQ(name.find(fmt::format(".{}-", children[0])), std::string::npos) << name << " is left behind";
  }
}

TEST_F(BuildTest, ACacheThatCannotBeWritten) {
  const std::string file = write("file", "");
  setenv("WARPFOLD_CACHE", (file + "/cache").c_str(), 1);
  EXPECT_EQ(
      complaint([] { build_rtl(counter()); }),
      file + "/cache: cannot keep what is compiled in this directory: Not a directory; set WARPFOLD_CACHE to another");
  setenv("WARPFOLD_CACHE", "/proc/self", 1);  // nobody may write there, not even root
  EXPECT_TRUE(complaint([] { build_rtl(counter()); }).starts_with("/proc/self: cannot keep what is compiled in this"));
}

TEST_F(BuildTest, ASyntaxError) {
  const RtlSource source = changed("assign short_o = ~short_i;", "assign short_o = = ~short_i;");
  const std::string said = complaint([&] { build_rtl(source); });
  EXPECT_TRUE(said.starts_with("counter: " + source.files[0] + ":26:20: syntax error, unexpected '=',")) << said;
  expect_logged(said, "Exiting due to 1 error");
}

TEST_F(BuildTest, AModuleThatIsNotThere) {
  RtlSource source = counter();
  source.top = "count";
  const std::string said = complaint([&] { build_rtl(source); });
  EXPECT_TRUE(said.starts_with("counter: " + kCounter + ": ")) << said;
  EXPECT_NE(said.find("'count' was not found in design"), std::string::npos) << said;
  expect_logged(said, "was not found");
}

TEST_F(BuildTest, AParameterThatIsNotThere) {
  RtlSource source = counter();
  source.parameters = {{"Wdith", 8}};
  const std::string said = complaint([&] { build_rtl(source); });
  EXPECT_NE(said.find("Wdith"), std::string::npos) << said;
  expect_logged(said, "Wdith");
}

TEST_F(BuildTest, PortsThatAreNotTheBlocks) {
  RtlSource missing = counter(), width = counter(), direction = counter(), undriven = counter(), more = counter();
  missing.ports.push_back({"flush_i"});
  EXPECT_EQ(complaint([&] { build_rtl(missing); }),
            "counter: " + kCounter + ": module counter has no port flush_i, which should be an input of 1 bit");
  width.ports[2].bits = 9;
  EXPECT_EQ(
      complaint([&] { build_rtl(width); }),
      "counter: " + kCounter +
          ": port step_i of module counter is an input of 8 bits, where an input of 9 bits is expected with Width=8");
  direction.ports[2].output = true;
  EXPECT_EQ(
      complaint([&] { build_rtl(direction); }),
      "counter: " + kCounter +
          ": port step_i of module counter is an input of 8 bits, where an output of 8 bits is expected with Width=8");
  undriven.ports.erase(undriven.ports.begin() + 2);
  EXPECT_EQ(complaint([&] { build_rtl(undriven); }),
            "counter: " + kCounter +
                ": module counter has a port step_i that nothing drives: counter blocks have none of that name");
  more.ports.pop_back();
  EXPECT_EQ(complaint([&] { build_rtl(more); }), "") << "an output that nobody looks at";
}

TEST_F(BuildTest, ToolsThatAreNotThere) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", directory.c_str(), 1);
  EXPECT_EQ(complaint([] { build_rtl(counter(kCounter, 61)); }),  // which nobody has built
            "verilator: cannot run it: No such file or directory; scripts/setup rtl installs what RTL needs");
  setenv("PATH", path.c_str(), 1);
}

}  // namespace build_test
}  // namespace warpfold::cosim
