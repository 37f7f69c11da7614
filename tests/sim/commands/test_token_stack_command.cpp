// SPDX-License-Identifier: Apache-2.0
// `warpfold token-stack`: what it prints, leaves and refuses.
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"
#include "tests/sim/ptx_program.h"

namespace warpfold {
namespace token_stack_command_test {

class TokenStackCommand : public CommandLineTest {
 protected:
  TokenStackCommand() {
    write_file("loop.ptx", kLoopPtx);
    write_file("launch.yaml", kLoopLaunch);
  }
};

// Two warps of 32 limits: 31 threads leave before the last.
TEST_F(TokenStackCommand, PrintsEachLoop) {
  const Result r = warpfold("token-stack --out here --ptx loop.ptx launch.yaml");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("\nloop: tokens of each loop, results in here\n\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\nloop, PTX line 12      1          64     2   62       32       8"), std::string::npos)
      << r.out;
  const auto json = nlohmann::json::parse(read_file(directory_ / "here/token_stack.json"));
  EXPECT_EQ(json["loops"][1]["cycles"]["kepler"], 2 * (32 * 32 + 4 * 84 + 1));
  const std::string total =
      std::to_string(2 * (32 * 32 + 4 * 84 + 1)) + "            " + std::to_string(2 * (32 * 26 + 4 * 176 + 1)) + "\n";
  EXPECT_TRUE(r.out.ends_with(total)) << r.out;
}

TEST_F(TokenStackCommand, TakesTheStacksParameters) {
  const Result r = warpfold(
      "token-stack --set mechanism.on_chip_tokens=32 --set mechanism.kepler.pop_cycles=2 --out here "
      "--ptx loop.ptx launch.yaml");
  EXPECT_EQ(r.status, 0) << r.err;
  const auto json = nlohmann::json::parse(read_file(directory_ / "here/token_stack.json"));
  EXPECT_EQ(json["loops"][1]["spills"], 0);
  EXPECT_EQ(json["loops"][1]["cycles"]["kepler"], 2 * (32 * 2 + 1));
}

// Under the same name, in a directory that a run of something else left a file in.
TEST_F(TokenStackCommand, OldFilesAreNotTakenForNew) {
  ASSERT_EQ(warpfold("token-stack --out here --ptx loop.ptx launch.yaml").status, 0);
  EXPECT_EQ(warpfold("run --out here --ptx loop.ptx launch.yaml").status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "here/token_stack.json"));
}

TEST_F(TokenStackCommand, Mistakes) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"token-stack", "no program given"},
      {"token-stack --mechanism tbc -- x", "--mechanism: no such option; did you mean '--machine'?"},
      {"token-stack --set mechanism.on_chip_token=8 -- x",
       "on_chip_token: unknown key; did you mean 'on_chip_tokens'?"},
      {"token-stack --set mechanism.on_chip_tokens=2 -- x", "spill_tokens = 4: only 2 tokens are on chip"},
      {"token-stack -- ./nothing", "./nothing: neither a bundled workload nor an executable file"}};
  for (const auto& [arguments, message] : mistakes) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_TRUE(r.err.starts_with("warpfold: error: ") && r.err.find(message) != std::string::npos) << r.err;
    EXPECT_EQ(r.out, "");
  }
}

}  // namespace token_stack_command_test
}  // namespace warpfold
