// SPDX-License-Identifier: Apache-2.0
// TBC Fig. 11 on a compiled program: with its loop's exits kept apart (warpfold-cc --keep-loop-exits), threads that
// stay in the loop meet at the likely-convergence point before those that broke out of it have come to its end.
#include <gtest/gtest.h>

#include <map>

#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"

namespace warpfold {
namespace tbc_fig11_test {

// The loop of Example 2 in CUDA C++; what its blocks compute is ours.
constexpr const char* kLoop = R"(
extern "C" __global__ void k(unsigned* out, const unsigned* in, int turns) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned word = in[thread], sum = 0;
  for (int turn = 0; turn < turns; ++turn) {  // A
    const unsigned what = word & 15;
    if (what < 7) {
      sum = sum * 5 + 100;  // B
    } else {
      sum ^= what;       // C
      if (what == 15) {  // D
        sum += 7000;
        break;
      }
    }
    sum += turn * 3;  // E
    word = word * 1664525 + 1013904223;
    word = word >> 4 | word << 28;
    sum = (sum << 7 | sum >> 25) + word;
  }
  out[thread] = sum + 1;  // F
}
)";

constexpr unsigned kThreads = 512;
constexpr int kTurns = 24;

std::uint32_t expected_of(std::uint32_t word) {
  std::uint32_t sum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::uint32_t what = word & 15;
    sum = what < 7 ? sum * 5 + 100 : sum ^ what;
    if (what == 15) return sum + 7001;
    sum += static_cast<std::uint32_t>(turn * 3);
    word = word * 1664525 + 1013904223;
    word = word >> 4 | word << 28;
    sum = (sum << 7 | sum >> 25) + word;
  }
  return sum + 1;
}

// One block a core, as few warps as make a mechanism's choices count.
StatValues run(const std::string& ptx, const std::string& mechanism) {
  KernelMachine<> machine(ptx, RunOptions::resolve("tbc2011", mechanism, {"cores=1"}));
  const std::vector<std::uint32_t> words = noise(kThreads);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t word : words) expected.push_back(expected_of(word));
  const Address in = machine.upload(words), out = machine.upload(std::vector<std::uint32_t>(kThreads));
  machine.run("k", {1}, {kThreads}, out, in, kTurns);
  EXPECT_EQ(machine.download<std::uint32_t>(out, kThreads), expected) << mechanism;
  return machine.device.results().total();
}

TEST(Figure11, LikelyConvergencePointsSaveInstructionsAndTime) {
  const std::string ptx = host::ptx_of(kLoop, "--keep-loop-exits");
  for (const std::string mechanism : {"pdom", "tbc"}) {
    const StatValues without = run(ptx, mechanism), with = run(ptx, mechanism + "-lcp");
    EXPECT_LT(with.at("warp_instructions"), without.at("warp_instructions")) << mechanism;
    EXPECT_EQ(with.at("thread_instructions"), without.at("thread_instructions")) << mechanism;
    EXPECT_LT(with.at("cycles"), without.at("cycles")) << mechanism;
  }
}

TEST(Figure11, ClangLeadsALoopsExitsThroughOneTest) {
  const std::string ptx = host::ptx_of(kLoop);
  for (const std::string mechanism : {"pdom", "tbc"}) {
    EXPECT_EQ(run(ptx, mechanism + "-lcp"), run(ptx, mechanism)) << mechanism << ": no point differs";
  }
}

}  // namespace tbc_fig11_test
}  // namespace warpfold
