// SPDX-License-Identifier: Apache-2.0
// rtl/token_stack.sv against the token stacks of the model's warps, operation by operation.
#include "tb/cosim/stacks/token_stack_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_token_stack_test {

using divergence::StackSpills;
using divergence::WarpTokens;
using isa::Pc;
using Tokens = TokenStackShadow::Tokens;

// The stacks of a core's warps.
struct Stacks {
  Stacks(unsigned warps, const Tokens& tokens)
      : group(registry.group("core")),
        spills(tokens.entries, tokens.chunk, warps, nullptr,
               {group.counter("spills", "events", ""), group.counter("reloads", "events", "")}) {
    for (unsigned slot = 0; slot < warps; ++slot) all.emplace_back(spills, slot);
  }
  StatRegistry registry;
  StatGroup& group;
  StackSpills spills;
  std::vector<WarpTokens> all;
};

// Warps that do whatever a stack allows, in turn: regions begin, their threads part, meet again, and exit.
class RandomWarps {
 public:
  RandomWarps(std::vector<WarpTokens>& warps, unsigned lanes, unsigned seed)
      : warps_(warps), deep_(warps.size()), lanes_(lanes), random_(seed) {}

  void step() {
    const std::size_t slot = draw(warps_.size());
    WarpTokens& warp = warps_[slot];
    if (warp.active() == 0) {
      deep_[slot] = draw(8) == 0;  // ever new regions, until the RTL has no room
      warp.start(low_bits(lanes_) & (sparse_or_dense(random_, draw(6)) | 1), 8);
    } else if (draw(deep_[slot] ? 2048 : 24) == 0) {
      warp.exit(warp.active() & (draw(3) != 0 ? random_() : ~isa::LaneMask{0}), draw(kPcs));
    } else if (draw(3) == 0 && !warp.tokens().empty() && (!deep_[slot] || draw(16) == 0)) {
      warp.pop();
    } else if (draw(2) == 0) {
      warp.ssy({draw(kPcs), draw(kPcs)}, draw(kPcs));
    } else {
      warp.branch({draw(kPcs), low_bits(lanes_) & sparse_or_dense(random_, draw(6)), draw(kPcs)});
    }
  }

 private:
  static constexpr Pc kPcs = 65'000;

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }

  std::vector<WarpTokens>& warps_;
  std::vector<bool> deep_;
  unsigned lanes_;
  std::mt19937_64 random_;
};

struct Size {
  unsigned lanes, warps, operations;
  Tokens tokens;
};

class TokenStackLockStep : public ShadowTest {
 protected:
  TokenStackLockStep() : ShadowTest("token-stack") {}

  void run(Session& session, const Size& size) {
    TokenStackShadow shadow(session, clock, 0, size.lanes, size.warps, size.tokens.entries);
    Stacks stacks(size.warps, size.tokens);
    for (unsigned slot = 0; slot < size.warps; ++slot) stacks.all[slot].observe(shadow.of_warp(slot));
    RandomWarps warps(stacks.all, size.lanes, size.lanes);
    while (operations(session) < size.operations) warps.step();
  }
};

class TokenStackSizes : public TokenStackLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(TokenStackSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  // Random operations do not pop each number of tokens at once.
  for (const std::string& never : session.record("token-stack").coverage.not_exercised())
    EXPECT_TRUE(never.starts_with("tokens_that_pop ")) << never;
  EXPECT_GT(session.record("token-stack").overflows, 0U);
  report(operations(session), "token-stack");
}

// A size without powers of two, and one of which all that is on the core goes to memory.
INSTANTIATE_TEST_SUITE_P(Sizes, TokenStackSizes,
                         ::testing::Values(Size{4, 3, 100'000, {5, 3}}, Size{32, 8, 100'000, {16, 4}},
                                           Size{64, 2, 50'000, {2, 2}}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.warps);
                         });

TEST_F(TokenStackLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("token_stack"));
  expect_caught(complaint([&] {
                  run(session, {4, 3, 10'000, {5, 3}});
                }),
                "core0.token-stack", "branch: tokens on the core");
}

TEST_F(TokenStackLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {32, 4, 40'000, {4, 2}}); }), "");
  expect_coverage(directory / "token-stack.reset.dat", directory / "token-stack.dat", 100, 99);
}

}  // namespace lockstep_token_stack_test
}  // namespace warpfold::cosim
