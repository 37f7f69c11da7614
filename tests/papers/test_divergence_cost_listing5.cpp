// SPDX-License-Identifier: Apache-2.0
// The single loop with the clock read in every round (divergence-cost paper, §IV-A, Listing 5): in the time stamps of
// thread 0, which goes through all rounds, costs fall where the emulator says.
#include "tests/papers/divergence_cost.h"
#include "warpfold/divergence/parts/warp/token_stack_params.h"

namespace warpfold {
namespace divergence_cost_listing5_test {

constexpr unsigned kStamps = 34;  // before the loop, in 32 rounds, behind the barrier

// timer[k * 32 + tid] is the k-th stamp of a thread.
const std::string kTimedLoop = R"(
st.global.u32 [%rd3], %r8;
mov.u64 %rd5, %rd3;
mov.u32 %r4, 0;
setp.lt.s32 %p1, %r2, 1;
@%p1 bra DONE;
LOOP:
add.s32 %r4, %r4, 1;
add.f32 %f1, %f1, 0f3FAAA993;
add.s64 %rd5, %rd5, 128;
mov.u32 %r5, %clock;
st.global.u32 [%rd5], %r5;
setp.lt.s32 %p1, %r4, %r2;
@%p1 bra LOOP;
DONE:
bar.sync 0;
mov.u32 %r5, %clock;
st.global.u32 [%rd3+4224], %r5;
add.s64 %rd3, %rd3, 8192;
)";

class TimedLoop : public DivergenceCost {
 protected:
  // Of thread 0, from the first on.
  static std::vector<std::vector<Cycle>> stamps() {
    KernelMachine<> machine(kernel(kTimedLoop),
                            RunOptions::resolve(GetParam().machine, "token-stack", GetParam().sets));
    const Address out = machine.upload(std::vector<float>(32));
    const Address timer = machine.upload(std::vector<std::uint32_t>(4096));
    std::vector<std::vector<Cycle>> all;
    for (unsigned n = 0; n <= kLast; ++n) {
      const Address limits = machine.upload(token_emulator::limits(n));
      machine.run("k", {1}, {32}, limits, out, timer);
      const auto words = machine.download<std::uint32_t>(timer, kStamps * 32);
      std::vector<Cycle>& of_n = all.emplace_back();
      for (unsigned k = 0; k < kStamps; ++k) of_n.push_back(words[k * 32] - words[0]);
    }
    return all;
  }
  static divergence::StackCycles cycles() {
    return divergence::TokenStackParams().measured(GetParam().name == "Kepler" ? divergence::Generation::kKepler
                                                                               : divergence::Generation::kMaxwell);
  }
};
INSTANTIATE_TEST_SUITE_P(On, TimedLoop, testing::ValuesIn(architectures()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(TimedLoop, EveryStampIsWhereTheEmulatorHasIt) {
  const std::vector<std::vector<Cycle>> measured = stamps();
  const std::vector<std::uint64_t> base = token_emulator::single_loop_stamps(0, cycles());
  ASSERT_EQ(base.size(), kStamps);
  for (unsigned n = 1; n <= kLast; ++n) {
    const std::vector<std::uint64_t> predicted = token_emulator::single_loop_stamps(n, cycles());
    for (unsigned k = 0; k < kStamps; ++k) {
      EXPECT_EQ(measured[n][k] - measured[0][k], predicted[k] - base[k]) << "n = " << n << ", stamp " << k;
    }
  }
}

// "When there were no spills the total cost was last code segment: the unwinding of the stack"; else the branch took
// around 40 cycles longer and unwinding around 42, together 84 (Kepler).
TEST_P(TimedLoop, TheBranchIsFreeUntilItSpills) {
  const std::vector<std::vector<Cycle>> measured = stamps();
  const auto loop = [&](unsigned n) { return measured[n][kStamps - 2]; };
  const auto unwinding = [&](unsigned n) { return measured[n][kStamps - 1] - loop(n); };
  for (unsigned n = 1; n <= 15; ++n) {
    EXPECT_EQ(loop(n), loop(0));
    EXPECT_EQ(unwinding(n), unwinding(0) + n * GetParam().per_branch);
  }
  const Cycle spill = loop(16) - loop(0), reload = unwinding(16) - unwinding(0) - 16 * GetParam().per_branch;
  EXPECT_EQ(spill + reload, GetParam().per_spill);
  EXPECT_NEAR(static_cast<double>(spill), static_cast<double>(reload), 4);
}

}  // namespace divergence_cost_listing5_test
}  // namespace warpfold
