// SPDX-License-Identifier: Apache-2.0
// Instruction fetch alone: whose turn it is, what one access brings, and what a warp that moves on leaves behind.
#include <memory>
#include <tuple>

#include "tests/core/core_fixture.h"
#include "warpfold/core/fetch/instruction_fetch.h"

namespace warpfold {
namespace instruction_fetch_test {

using Answer = CacheAccess::Answer;
using Kind = FetchRequest::Kind;

constexpr Address kCode = 0x1000;
constexpr unsigned kLine = 128;  // 16 instructions

class InstructionFetchTest : public CoreTest {
 protected:
  void start() {
    fetch = std::make_unique<InstructionFetch>("fetch", params, kLine, clock, 2, stats);
    issue.socket.bind(fetch->issue_socket);
    fetch->cache_socket.bind(cache.socket);
    fetch->kernel_started(kCode);
    cache.answer = [this](CacheAccess& access, tlm::tlm_phase&) {
      access.answer = answer;
      access.done_at = clock.current() + latency;
      return answer == Answer::kPending ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    };
  }
  // At the issue stage's turn of cycle `at`; whether the instruction was there goes to `there`.
  void ask(Cycle at, divergence::WarpId warp, isa::Pc pc, Kind kind = Kind::kNext) {
    script.at(at, [this, warp, pc, kind] {
      FetchRequest request{kind, warp, pc};
      there.push_back(issue.send(request) == tlm::TLM_COMPLETED);
    });
  }
  using Accesses = std::vector<std::tuple<Cycle, divergence::WarpId, Address>>;
  Accesses accesses() const {
    Accesses list;
    for (const auto& [at, access] : cache.seen) list.emplace_back(at, access.token, access.line - kCode);
    return list;
  }
  // Last cycles before those in which the instructions can issue.
  std::vector<Cycle> arrivals() const {
    std::vector<Cycle> list;
    for (const auto& call : issue.called) list.push_back(call.at);
    return list;
  }

  Answer answer = Answer::kHit;
  Cycle latency = 1;
  std::vector<bool> there;
  Script script{"script", clock, 1};
  Source<FetchProtocol> issue{"issue", clock};
  Sink<CacheProtocol> cache{"cache", clock};
  std::unique_ptr<InstructionFetch> fetch;
};

TEST_F(InstructionFetchTest, OneAccessBringsWhatTheBufferHolds) {
  start();
  for (isa::Pc pc = 0; pc < 4; ++pc) ask(10 + pc, 3, pc, pc == 0 ? Kind::kFirst : Kind::kNext);
  run(20);
  EXPECT_EQ(there, (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(accesses(), (Accesses{{10, 3, 0}, {12, 3, 0}}));
  EXPECT_EQ(arrivals(), (std::vector<Cycle>{10, 12}));
  EXPECT_EQ(stat("instruction_fetches"), 2u);
}

TEST_F(InstructionFetchTest, NotBeyondTheLine) {
  start();
  ask(10, 3, 15, Kind::kFirst);
  ask(11, 3, 16);
  run(20);
  EXPECT_EQ(there, (std::vector<bool>{false, false}));
  EXPECT_EQ(accesses(), (Accesses{{10, 3, 0}, {11, 3, kLine}}));
}

TEST_F(InstructionFetchTest, AHitTakesTheCachesLatency) {
  latency = 5;
  start();
  ask(10, 3, 0, Kind::kFirst);
  run(20);
  EXPECT_EQ(arrivals(), std::vector<Cycle>{14}) << "to issue at 15";
}

TEST_F(InstructionFetchTest, AMissComesWhenItsLineDoes) {
  answer = Answer::kPending;
  start();
  ask(10, 3, 0, Kind::kFirst);
  script.at(40, [this] {
    CacheAccess line{CacheAccess::Kind::kLoad, kCode, kLine, 3, Answer::kPending, 41};
    cache.send_back(line, tlm::BEGIN_RESP);
  });
  run(50);
  EXPECT_EQ(accesses().size(), 1u);
  EXPECT_EQ(arrivals(), std::vector<Cycle>{40});
}

TEST_F(InstructionFetchTest, WarpsTakeTurns) {
  start();
  for (const divergence::WarpId warp : {4, 9, 2}) ask(10, warp, 0, Kind::kFirst);
  ask(12, 2, 30);
  run(20);
  EXPECT_EQ(accesses(), (Accesses{{10, 2, 0}, {11, 4, 0}, {12, 9, 0}, {13, 2, kLine}}));
}

TEST_F(InstructionFetchTest, SeveralFetchInACycleWhereTheyMay) {
  params.fetch.fetches_per_cycle = 2;
  start();
  for (const divergence::WarpId warp : {4, 9, 2}) ask(10, warp, 0, Kind::kFirst);
  run(20);
  EXPECT_EQ(accesses(), (Accesses{{10, 2, 0}, {10, 4, 0}, {11, 9, 0}}));
}

TEST_F(InstructionFetchTest, WhoIsTurnedAwayLetsOthersFetch) {
  start();
  script.at(10, [this] { answer = Answer::kBlockedMshr; });
  ask(10, 3, 0, Kind::kFirst);
  script.at(11, [this] { answer = Answer::kHit; });
  ask(11, 5, 0, Kind::kFirst);
  script.at(30, [this] {
    CacheAccess nothing;
    cache.send_back(nothing, tlm::END_REQ);
  });
  run(40);
  EXPECT_EQ(accesses(), (Accesses{{10, 3, 0}, {11, 5, 0}, {30, 3, 0}}));
}

TEST_F(InstructionFetchTest, ABranchLeavesTheBufferBehind) {
  start();
  ask(10, 3, 0, Kind::kFirst);
  ask(11, 3, 40);  // instruction 1 was there
  ask(12, 3, 1);
  run(20);
  EXPECT_EQ(there, (std::vector<bool>{false, false, false}));
}

TEST_F(InstructionFetchTest, ALoopOfOneInstructionFetchesItAgain) {
  start();
  ask(10, 3, 0, Kind::kFirst);
  ask(11, 3, 0);
  run(20);
  EXPECT_EQ(accesses().size(), 2u);
}

TEST_F(InstructionFetchTest, ANewWarpOfASlotBeginsWithAnEmptyBuffer) {
  start();
  ask(10, 3, 0, Kind::kFirst);
  ask(12, 3, 0, Kind::kDrop);
  ask(12, 3, 1, Kind::kFirst);
  run(20);
  EXPECT_EQ(there, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(accesses().size(), 2u);
}

// The access on its way is the slot's: the new warp fetches when it has come.
TEST_F(InstructionFetchTest, AWarpThatIsGoneIsNotAnswered) {
  answer = Answer::kPending;
  start();
  ask(10, 3, 0, Kind::kFirst);
  ask(12, 3, 0, Kind::kDrop);
  ask(14, 3, 40, Kind::kFirst);
  script.at(30, [this] {
    answer = Answer::kHit;
    CacheAccess line{CacheAccess::Kind::kLoad, kCode, kLine, 3, Answer::kPending, 31};
    cache.send_back(line, tlm::BEGIN_RESP);
  });
  run(40);
  EXPECT_EQ(accesses(), (Accesses{{10, 3, 0}, {31, 3, 2 * kLine}}));
  EXPECT_EQ(arrivals(), std::vector<Cycle>{31});
}

}  // namespace instruction_fetch_test
}  // namespace warpfold
