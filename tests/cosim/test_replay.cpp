// SPDX-License-Identifier: Apache-2.0
// What `--rtl-out` leaves, in the tools that it is for.
#include <regex>

#include "tests/cosim/in_machine.h"

namespace warpfold {
namespace replay_test {

class Replay : public InMachine {
 protected:
  // A command in a folder of what the run left: its exit status, and what it said.
  Result in(const std::string& folder, const std::string& command) const {
    const std::string said = directory_ / "said";
    const int status =
        std::system(("cd '" + (directory_ / folder).string() + "' && (" + command + ") >'" + said + "' 2>&1").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(said), ""};
  }
  static constexpr const char* kIcarus = "iverilog -g2012 -s replay -f files.f -o replay replay.sv && vvp -n replay";
  static constexpr const char* kVerilator =
      "verilator --binary --timing -Wno-lint -Wno-style --top-module replay -CFLAGS -O0 -f files.f replay.sv && "
      "obj_dir/Vreplay";
};

struct Recorded {
  const char *blocks, *run, *instance, *from, *to;
};
class EveryBlock : public Replay, public testing::WithParamInterface<Recorded> {};

// Icarus has four states: nothing that counts hangs on a register that was never set. A block that does something else
// fails.
TEST_P(EveryBlock, ReplaysInIcarus) {
  const auto& [blocks, run, instance, from, to] = GetParam();
  const Result r = warpfold(fmt::format("run --rtl-out out --rtl {} {} --size small", blocks, run));
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  const std::string folder = std::string("out/") + instance;
  const Result right = in(folder, kIcarus);
  EXPECT_EQ(right.status, 0) << right.out;
  expect_in(right.out, "PASS: ");
  EXPECT_GT(read_file(directory_ / folder / "vectors.csv").size(), 10'000U);
  if (from == nullptr) return;
  const fs::path list = directory_ / folder / "files.f";
  const std::string files = read_file(list);
  const auto end = files.find_last_of('\n', files.size() - 2);
  const std::string own = files.substr(end + 1, files.size() - end - 2);
  write_file("wrong.sv", replaced(read_file(own), from, to));
  write_file(folder + "/files.f", files.substr(0, end + 1) + (directory_ / "wrong.sv").string() + "\n");
  const Result wrong = in(folder, kIcarus);
  EXPECT_NE(wrong.status, 0);
  expect_in(wrong.out, "FAIL at clock ");
}
INSTANTIATE_TEST_SUITE_P(
    InMachine, EveryBlock,
    testing::Values(Recorded{"compactor", "--mechanism tbc bfs", "core0.compactor", "assign made_row = lane_row;",
                             "assign made_row = ~lane_row;"},
                    Recorded{"ready", "--machine harp2013 --mechanism harp nqueens-divergent", "core0.ready_scheduler0",
                             nullptr, nullptr},
                    Recorded{"warp-stack", "--mechanism pdom nqueens-divergent", "core0.warp-stack",
                             "assign replaced = top_q.rpc == op_q.rpc;", "assign replaced = 1'b0;"},
                    Recorded{"token-stack",
                             "--machine kepler-token --mechanism token-stack --set mechanism.on_chip_tokens=3 --set "
                             "mechanism.spill_tokens=2 nqueens-divergent",
                             "core0.token-stack", nullptr, nullptr}),
    [](const auto& parameter) {
      std::string name = parameter.param.blocks;
      std::erase(name, '-');
      return name;
    });

TEST_F(Replay, InVerilator) {
  ASSERT_EQ(warpfold("run --rtl-out out --rtl compactor --mechanism tbc bfs --size small").status, 0);
  const Result right = in("out/core0.compactor", kVerilator);
  EXPECT_EQ(right.status, 0) << right.out;
  expect_in(right.out, "PASS: ");
  const Result cut = in("out/core0.compactor", "head -c 3000 vectors.csv > cut.csv; obj_dir/Vreplay +vectors=cut.csv");
  EXPECT_NE(cut.status, 0);
  expect_in(cut.out, "has no whole line after clock");
}

// The lowest lane never has one below it: the bit does not toggle.
TEST_F(Replay, CountsLinesAndToggles) {
  ASSERT_EQ(warpfold("run --out run --rtl-out out --rtl compactor --mechanism tbc bfs --size small").status, 0);
  const nlohmann::json did = rtl("run")["compactor"];
  unsigned lines = 0;
  for (const auto& [state, times] : did["exercised"].items()) {
    if (state.starts_with("line ")) lines += times.get<std::uint64_t>() > 0 ? 1 : 0;
  }
  EXPECT_GT(lines, 5U) << did["exercised"];
  const std::string table = warpfold("coverage run").out;
  EXPECT_TRUE(std::regex_search(table, std::regex("toggle lane_priority.sv:\\d+ lower_o 0 +0 +0 +1 +never"))) << table;
  EXPECT_TRUE(std::regex_search(table, std::regex("toggle lane_priority.sv:\\d+ lower_o 1 +[1-9]"))) << table;
  EXPECT_EQ(
      std::system(("cd '" + directory_.string() + "' && verilator_coverage -write-info i out/compactor.dat").c_str()),
      0);
  expect_in(read_file(directory_ / "i"), "thread_compactor.sv");
}

TEST_F(Replay, WantsBlocks) {
  const Result r = warpfold("run --rtl-out out bfs --size small");
  EXPECT_EQ(r.status, 2);
  expect_in(r.err, "--rtl-out out: is of RTL blocks; name them with --rtl");
}

}  // namespace replay_test
}  // namespace warpfold
