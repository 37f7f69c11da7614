// SPDX-License-Identifier: Apache-2.0
// `warpfold run --mask-trace` and `warpfold masks`: a run's trace says what its statistics say, and what others wrote
// is read, or refused in one line.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"
#include "tests/sim/ptx_program.h"

namespace warpfold {
namespace masks_command_test {

class MasksCommand : public CommandLineTest {
 protected:
  MasksCommand() {
    write_file("loop.ptx", kLoopPtx);
    write_file("launch.yaml", kLoopLaunch);
    // Fig. 8's 0xf0f0 in two kernels, and a trace without divergence.
    write_file("divergent.masks", "warpfold-masks 1 width=16 lanes=4\nkernel a\nf0f0 10\nkernel _Z1bv\n0f0f 10\n");
    write_file("coherent.masks", "warpfold-masks 1 width=16 lanes=4\nffff 100\n");
  }
};

TEST_F(MasksCommand, OfARunIsWhatItsStatisticsSay) {
  const Result ran = warpfold(
      "run --timing functional --simd bcc --mask-trace x/loop.masks --out here --ptx loop.ptx "
      "launch.yaml");
  EXPECT_EQ(ran.status, 1) << "there is no folder x yet: " << ran.out;
  EXPECT_NE(ran.err.find("x/loop.masks"), std::string::npos) << ran.err;
  std::filesystem::create_directory(directory_ / "x");
  const Result again = warpfold(
      "run --timing functional --simd bcc --mask-trace x/loop.masks --out here --ptx loop.ptx "
      "launch.yaml");
  ASSERT_EQ(again.status, 0) << again.err;
  const auto total = nlohmann::json::parse(read_file(directory_ / "here/stats.json"))["total"];
  const Result r = warpfold("masks --json x/loop.masks");
  ASSERT_EQ(r.status, 0) << r.err;
  const auto row = nlohmann::json::parse(r.out)[0];
  EXPECT_EQ(row["trace"], "loop");
  for (const char* const name : {"warp_instructions", "simd_efficiency", "simd_cycles_none", "simd_cycles_ivb",
                                 "simd_cycles_bcc", "simd_cycles_scc", "bcc_saving", "scc_saving"}) {
    EXPECT_EQ(row[name], total[name]) << name;
  }
  EXPECT_EQ(row["divergent"], true);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "x/loop.masks.part"));
}

TEST_F(MasksCommand, PrintsTracesTheirMaximumAndTheirMean) {
  const Result r = warpfold("masks divergent.masks coherent.masks");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(
      r.out,
      "mask trace                    warp instr.  SIMD eff.  EU none  EU ivb  EU bcc  EU scc  bcc saves  scc saves\n"
      "divergent                              20      50.0%       80      80      40      40      50.0%      50.0%\n"
      "coherent                              100     100.0%      400     400     400     400       0.0%       0.0%\n"
      "maximum of all                                                                             50.0%      50.0%\n"
      "mean of all                                                                                25.0%      25.0%\n"
      "maximum of divergent (< 95%)                                                               50.0%      50.0%\n"
      "mean of divergent (< 95%)                                                                  50.0%      50.0%\n");
}

TEST_F(MasksCommand, KernelsPipesAndOtherForms) {
  const Result kernels = warpfold("masks --kernels divergent.masks");
  EXPECT_NE(kernels.out.find("\ndivergent a "), std::string::npos) << kernels.out;
  EXPECT_NE(kernels.out.find("\ndivergent b "), std::string::npos) << kernels.out;
  const Result csv = warpfold("masks --kernels --csv --out t.csv divergent.masks");
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(read_file(directory_ / "t.csv"),
            "trace,kernel,warp_instructions,simd_efficiency,simd_cycles_none,simd_cycles_ivb,simd_cycles_bcc,"
            "simd_cycles_scc,bcc_saving,scc_saving,active_lanes,divergent\n"
            "divergent,a,10,0.5,40,40,20,20,0.5,0.5,80,true\ndivergent,_Z1bv,10,0.5,40,40,20,20,0.5,0.5,80,true\n");
  const Result pipe = warpfold("masks --json - < divergent.masks");
  EXPECT_EQ(pipe.status, 0) << pipe.err;
  const auto json = nlohmann::json::parse(pipe.out);
  EXPECT_EQ(json[0]["trace"], "standard input");
  EXPECT_EQ(json[0]["utilisation"][0]["instructions_by_filled_cycles"], (std::vector<int>{0, 0, 20, 0, 0}));
  write_file("empty.masks", "warpfold-masks 1 width=16 lanes=4\n");
  const Result empty = warpfold("masks empty.masks");
  EXPECT_EQ(empty.status, 0) << empty.err;
  EXPECT_NE(empty.out.find("\nempty "), std::string::npos) << empty.out;
}

// A trace as long as a tool without counts would write it, twice.
TEST_F(MasksCommand, ReadsALineAtATime) {
  constexpr unsigned kLines = 200'000;
  std::string text = "warpfold-masks 1 width=32 lanes=8\n";
  for (unsigned n = 0; n < kLines; ++n) text += n % 2 == 0 ? "ffffffff\n" : "0000000f\n";
  write_file("long.masks", text);
  const Result r = warpfold("masks --json long.masks");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(nlohmann::json::parse(r.out)[0]["simd_cycles_bcc"], kLines / 2 * 5);
}

TEST_F(MasksCommand, Mistakes) {
  write_file("bad.masks", "warpfold-masks 1 width=16 lanes=4\nffff 1\nffff many\n");
  write_file("large.masks", "warpfold-masks 1 width=16 lanes=4\nffff 18446744073709551615\n");
  const std::pair<const char*, const char*> mistakes[] = {
      {"masks", "traces is required"},
      {"masks none.masks", "none.masks: cannot read this mask trace: No such file or directory"},
      {"masks .", ".: cannot read this mask trace: it is a directory"},
      {"masks coherent.masks bad.masks", "bad.masks:3: many: the number of instructions must be in [1, 2^64)"},
      {"masks large.masks", "large.masks:2: the trace's instructions no longer fit 64 bits"},
      {"masks loop.ptx", "loop.ptx:1: no mask trace"},
      {"masks --json --csv coherent.masks", "--json and --csv: give one of them"},
      {"masks --kernel coherent.masks", "--kernel: no such option; did you mean '--kernels'?"},
      {"run --mask-trace . -- " PRETEND_PROGRAM, "--mask-trace .: this is a directory"}};
  for (const auto& [arguments, message] : mistakes) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_TRUE(r.err.starts_with("warpfold: error: ") && r.err.find(message) != std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
  }
}

}  // namespace masks_command_test
}  // namespace warpfold
