// SPDX-License-Identifier: Apache-2.0
// The tokens of one warp operation by operation: what is pushed and popped, who is parked, and what goes to memory.
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/warp/warp_tokens.h"

namespace warpfold::divergence {
namespace warp_tokens_test {

// Room for three tokens on the core, of which two go to memory at a time.
class TokensOfFourThreads : public testing::Test {
 protected:
  TokensOfFourThreads() { tokens.start(0b1111, 5); }
  // At 10, these lanes go back to 7.
  WarpTokens::Done loop(LaneMask taken) { return tokens.branch({10, taken, 7}); }
  void expect_parked(LaneMask inactive, LaneMask reconverging) {
    EXPECT_EQ(tokens.inactive(), inactive);
    EXPECT_EQ(tokens.reconverging(), reconverging);
  }

  StatRegistry registry;
  StatGroup& group = registry.group("core");
  Counter &spilled = group.counter("spills", "events", "of a test"),
          &reloaded = group.counter("reloads", "events", "of a test");
  StackSpills spills{3, 2, 1, nullptr, {spilled, reloaded}};
  WarpTokens tokens{spills, 0};
};

// Divergence cost Fig. 3: threads leave a loop one after the other, and pop at 11 what lies there.
TEST_F(TokensOfFourThreads, LeaveALoopOneAfterTheOther) {
  EXPECT_EQ(tokens.ssy({12, 0}, 1).pc, 1U);
  EXPECT_EQ(loop(0b0111).pc, 7U);
  EXPECT_EQ(loop(0b0011).pc, 7U);
  EXPECT_EQ(tokens.active(), 0b0011U);
  expect_parked(0b1100, 0);
  EXPECT_EQ(loop(0).pc, 11U) << "all leave: no token";
  EXPECT_EQ(tokens.tokens().size(), 3U);
  WarpTokens::Done done = tokens.pop();
  EXPECT_EQ(done.pc, 11U);
  EXPECT_EQ(done.pops, 1U);
  EXPECT_FALSE(done.sync);
  EXPECT_EQ(tokens.active(), 0b0100U);
  expect_parked(0b1000, 0b0011);
  tokens.pop();
  done = tokens.pop();
  EXPECT_EQ(done.pc, 12U);
  EXPECT_TRUE(done.sync);
  EXPECT_EQ(tokens.active(), 0b1111U);
  expect_parked(0, 0);
  EXPECT_EQ(spilled.value(), 0U);
}

TEST_F(TokensOfFourThreads, RegionsLieInEachOther) {
  EXPECT_EQ(tokens.region().number, SyncPlacement::kNoRegion);
  tokens.ssy({12, 4}, 1);
  tokens.ssy({9, 6}, 2);
  EXPECT_EQ(tokens.region().number, 6U);
  EXPECT_EQ(tokens.region().point, 9U);
  tokens.pop();
  EXPECT_EQ(tokens.region().number, 4U);
  tokens.pop();
  EXPECT_EQ(tokens.region().number, SyncPlacement::kNoRegion);
}

TEST_F(TokensOfFourThreads, AnExitPopsUntilSomebodyIsLeft) {
  tokens.ssy({12, 0}, 1);
  loop(0b0011);
  WarpTokens::Done done = tokens.exit(0b0001, 8);
  EXPECT_EQ(done.pc, 8U);
  EXPECT_EQ(done.pops, 0U);
  EXPECT_EQ(tokens.active(), 0b0010U);
  done = tokens.exit(0b0010, 9);
  EXPECT_EQ(done.pc, 11U);
  EXPECT_EQ(done.pops, 1U);
  expect_parked(0, 0);
  EXPECT_EQ(tokens.tokens().back().mask, 0b1100U) << "those that exited are in no token";
  done = tokens.exit(0b1100, 12);
  EXPECT_EQ(done.pops, 1U);
  EXPECT_EQ(tokens.active(), 0U);
  EXPECT_TRUE(tokens.tokens().empty());
}

TEST_F(TokensOfFourThreads, TheLowestTokensGoToMemoryAndComeBack) {
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(tokens.ssy({20 + i, i}, 1).spills, 0U);
  EXPECT_EQ(tokens.in_memory(), 0U);
  EXPECT_EQ(tokens.ssy({23, 3}, 1).spills, 1U);
  EXPECT_EQ(tokens.in_memory(), 2U);
  for (unsigned i = 4; i-- > 2;) EXPECT_EQ(tokens.pop().reloads, 0U);
  const WarpTokens::Done done = tokens.pop();
  EXPECT_EQ(done.reloads, 1U);
  EXPECT_EQ(done.pc, 21U);
  EXPECT_EQ(tokens.in_memory(), 0U);
  tokens.exit(0b1111, 2);
  tokens.start(0b0001, 5);
  EXPECT_EQ(tokens.in_memory(), 0U);
}

// What an observer is told, and that it is told afterwards.
class Told final : public TokenStackObserver {
 public:
  void started(const WarpTokens& after, LaneMask /*threads*/) override { tell("start", after, {}); }
  void synced(const WarpTokens& after, Pc /*point*/, const Done& done) override { tell("ssy", after, done); }
  void branched(const WarpTokens& after, const Branch& /*branch*/, const Done& done) override {
    tell("branch", after, done);
  }
  void popped(const WarpTokens& after, const Done& done) override { tell("pop", after, done); }
  void exited(const WarpTokens& after, LaneMask /*lanes*/, Pc /*next*/, const Done& done) override {
    tell("exit", after, done);
  }
  std::string text;

 private:
  void tell(const char* what, const WarpTokens& after, const Done& done) {
    text += fmt::format("{} {} {:b} {}; ", what, done.pc, after.active(), after.tokens().size());
  }
};

TEST_F(TokensOfFourThreads, ObserversAreToldOfEveryOperation) {
  Told told;
  tokens.observe(&told);
  tokens.start(0b0111, 5);
  tokens.ssy({12, 0}, 1);
  loop(0b0001);
  tokens.pop();
  tokens.exit(0b0110, 12);
  EXPECT_EQ(told.text, "start 0 111 0; ssy 1 111 1; branch 7 1 2; pop 11 110 1; exit 12 1 0; ");
}

}  // namespace warp_tokens_test
}  // namespace warpfold::divergence
