// SPDX-License-Identifier: Apache-2.0
// A run's file of token-stack costs: what the mechanism token-stack counts, by loop, whatever mechanism ran.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/gpu/contract/kernel_generator.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/gpu/record/token_recorder.h"

namespace warpfold {
namespace token_recorder_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Ran {
  Json loops;
  StatValues statistics;
  double sum(const char* what) const {
    double all = 0;
    for (const Json& loop : loops) all += loop[what].get<double>();
    return all;
  }
  double deepest() const {
    double most = 0;
    for (const Json& loop : loops) most = std::max(most, loop["deepest"].get<double>());
    return most;
  }
};

class TokenFile : public testing::Test {
 protected:
  TokenFile() : folder_(fs::path(testing::TempDir()) / fmt::format("warpfold_tokens_{}", getpid())) {}
  ~TokenFile() override { fs::remove_all(folder_); }

  RunOptions options(const std::string& mechanism, Timing timing, std::vector<std::string> sets = {}) const {
    sets.insert(sets.begin(), {"cores=2", "core.max_threads=256"});
    RunOptions options = RunOptions::resolve("tbc2011", mechanism, sets);
    options.timing = timing;
    options.out = folder_;
    options.token_stack = true;
    return options;
  }

  Ran run(const std::string& ptx, const RunOptions& options, unsigned threads, unsigned launches = 1) const {
    KernelMachine<> machine(ptx, options);
    const Address in = machine.upload(noise(512)), out = machine.upload(std::vector<std::uint32_t>(1024));
    for (unsigned n = 0; n < launches; ++n) machine.run("k", {3}, {threads}, out, in);
    const StatValues total = machine.device.results().total();
    machine.device.finish();
    std::ifstream file(folder_ / kTokenFile);
    return {Json::parse(file)["loops"], total};
  }
  const fs::path folder_;
};

void expect_counted(const Ran& predicted, const StatValues& counted) {
  EXPECT_EQ(predicted.sum("sync_pushes"), counted.at("token_sync_pushes"));
  EXPECT_EQ(predicted.sum("div_pushes"), counted.at("token_div_pushes"));
  EXPECT_EQ(predicted.sum("pops"), counted.at("token_pops"));
  EXPECT_EQ(predicted.sum("spills"), counted.at("token_spills"));
  EXPECT_EQ(predicted.sum("reloads"), counted.at("token_reloads"));
  EXPECT_EQ(predicted.deepest(), counted.at("max_stack_entries"));
}

TEST_F(TokenFile, GeneratedKernelsAsTheMechanismCounts) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::string ptx = generate_kernel(seed).ptx();
    const unsigned threads = 33 + seed % 60;
    const Ran own = run(ptx, options("token-stack", Timing::kFunctional), threads);
    expect_counted(own, own.statistics);
    const Ran other = run(ptx, options("pdom", seed % 4 == 0 ? Timing::kCycle : Timing::kFunctional), threads);
    EXPECT_EQ(other.loops, own.loops);
    if (HasFailure()) break;
  }
}

const std::string kTwoLoops = ptx_kernel(R"(
and.b32 %r10, %r1, 31;
LOOP:
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, %r10;
@%p1 bra LOOP;
mov.u32 %r11, 0;
OTHER:
add.u32 %r11, %r11, 1;
setp.lt.u32 %p1, %r11, 9;
@%p1 bra OTHER;
)");

TEST_F(TokenFile, SaysWhichLoop) {
  const Ran ran = run(kTwoLoops, options("token-stack", Timing::kFunctional), 32, 2);
  ASSERT_EQ(ran.loops.size(), 3U);
  EXPECT_EQ(ran.loops[0]["depth"], 0);
  EXPECT_EQ(ran.loops[0]["pops"], 0);
  // Rounds 1, 1, 2, ... 31 of 32 threads; six warps in all.
  const Json& loop = ran.loops[1];
  EXPECT_EQ(loop["kernel"], "k");
  EXPECT_EQ(loop["ptx_line"], 25);
  EXPECT_EQ(loop["depth"], 1);
  EXPECT_EQ(loop["iterations"], 6 * 31);
  EXPECT_EQ(loop["sync_pushes"], 6);
  EXPECT_EQ(loop["div_pushes"], 6 * 30);
  EXPECT_EQ(loop["deepest"], 31);
  EXPECT_EQ(loop["spills"], 6 * 4);
  EXPECT_EQ(loop["cycles"]["kepler"], 6 * (31 * 32 + 4 * 84 + 1));
  EXPECT_EQ(loop["cycles"]["maxwell"], 6 * (31 * 26 + 4 * 176 + 1));
  EXPECT_EQ(ran.loops[2]["iterations"], 6 * 9);
  EXPECT_EQ(ran.loops[2]["div_pushes"], 0);
  const Ran small = run(kTwoLoops, options("token-stack", Timing::kFunctional, {"mechanism.on_chip_tokens=8"}), 32);
  EXPECT_EQ(small.loops[1]["spills"], 3 * 6) << "31 tokens, eight on chip, four at a time";
}

TEST_F(TokenFile, IsThereOnlyWhereItIsAskedFor) {
  RunOptions quiet = options("token-stack", Timing::kFunctional);
  quiet.token_stack = false;
  KernelMachine<> machine(kTwoLoops, quiet);
  const Address in = machine.upload(noise(64)), out = machine.upload(std::vector<std::uint32_t>(64));
  machine.run("k", {1}, {32}, out, in);
  machine.device.finish();
  EXPECT_TRUE(fs::exists(folder_ / "run.json"));
  EXPECT_FALSE(fs::exists(folder_ / kTokenFile));
}

}  // namespace token_recorder_test
}  // namespace warpfold
