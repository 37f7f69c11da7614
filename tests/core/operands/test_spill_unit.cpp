// SPDX-License-Identifier: Apache-2.0
// The spill unit alone: a source of parts, a scripted memory.
#include "tests/core/core_fixture.h"
#include "tests/memory/scripted.h"
#include "warpfold/core/operands/spill_unit.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {
namespace spill_unit_test {

using divergence::Spill;
using Way = Spill::Way;

// Core 1 of 2, four owners, lines of 64 bytes.
class SpillUnitTest : public CoreTest {
 protected:
  SpillUnitTest() {
    source.socket.bind(unit.request_socket);
    unit.memory_socket.bind(memory.socket);
    memory.delay = 100;
    source.on_call = [this] { told.push_back(clock.current()); };
  }
  void ask(Cycle at, Way way, unsigned owner, std::uint64_t offset, unsigned bytes) {
    script.at(at, [=, this] {
      SpillRequest request{{way, owner, offset, bytes}};
      at_once.push_back(source.send(request) == tlm::TLM_COMPLETED);
      owners = request.owners;
    });
  }
  static Address place(unsigned owner, std::uint64_t line) {
    return isa::kSpillBacking + ((line * 4 + owner) * 2 + 1) * 64;
  }

  PayloadPool pool;
  SpillUnit unit{"unit", {2, 64, 4}, {pool, 1, 3}, clock, 1};
  Script script{"script", clock, 2};
  Source<SpillProtocol> source{"source", clock};
  test::ScriptedTarget memory{"memory", clock, 100};
  std::vector<Cycle> told;    // when the source was called back
  std::vector<bool> at_once;  // the answers
  unsigned owners = 0;        // that wait, as the last answer had it
};

TEST_F(SpillUnitTest, AWriteIsDoneWhenThePortHasIt) {
  ask(5, Way::kOut, 2, 32, 32);
  run(300);
  EXPECT_EQ(at_once, std::vector<bool>{true});
  EXPECT_TRUE(told.empty());
  ASSERT_EQ(memory.seen.size(), 1u);
  EXPECT_TRUE(memory.seen[0].write);
  EXPECT_EQ(memory.seen[0].at, 5u);
  EXPECT_EQ(memory.seen[0].address, place(2, 0));
  EXPECT_EQ(memory.seen[0].extension.mask, byte_range(32, 32));
  EXPECT_EQ(memory.seen[0].extension.client, 3u);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_GE(unit.last_answered(), 105u);
}

TEST_F(SpillUnitTest, AReadIsDoneWhenItsLastLineIsThere) {
  memory.more_for_the_next = 20;
  ask(5, Way::kIn, 0, 48, 96);  // the end of line 0, line 1 and the beginning of line 2
  run(50);
  EXPECT_EQ(at_once, std::vector<bool>{false});
  EXPECT_EQ(owners, 1u);
  EXPECT_FALSE(unit.idle());
  run(250);
  ASSERT_EQ(memory.seen.size(), 3u);
  for (unsigned line = 0; line < 3; ++line) {
    EXPECT_FALSE(memory.seen[line].write);
    EXPECT_EQ(memory.seen[line].address, place(0, line));
  }
  EXPECT_EQ(memory.seen[0].extension.mask, byte_range(48, 16));
  EXPECT_EQ(memory.seen[1].extension.mask, byte_range(0, 64));
  EXPECT_EQ(memory.seen[2].extension.mask, byte_range(0, 16));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_GE(told[0], memory.seen[2].at + 140);
  EXPECT_TRUE(unit.idle());
}

// What is written is written before it is read; the second read begins when the first is there.
TEST_F(SpillUnitTest, PartsOfAnOwnerWaitForEachOther) {
  ask(5, Way::kIn, 1, 0, 64);
  ask(5, Way::kOut, 1, 64, 64);
  ask(5, Way::kIn, 1, 64, 64);
  run(500);
  ASSERT_EQ(memory.seen.size(), 3u);
  EXPECT_GE(memory.seen[1].at, memory.seen[0].at + 100);
  EXPECT_TRUE(memory.seen[1].write);
  EXPECT_FALSE(memory.seen[2].write);
  EXPECT_EQ(memory.seen[2].address, place(1, 1));
  EXPECT_EQ(told.size(), 1u) << "one answer when all is done";
}

TEST_F(SpillUnitTest, OwnersTakeTurnsAtThePort) {
  memory.capacity = 1;  // END_REQ comes with the answer
  for (const unsigned owner : {3u, 0u, 1u}) ask(5, Way::kOut, owner, 0, 128);
  run(1000);
  ASSERT_EQ(memory.seen.size(), 6u);
  const auto owner_of = [&](unsigned n) { return memory.seen[n].extension.token; };
  EXPECT_EQ(owner_of(0), 3u);
  EXPECT_EQ(owner_of(1), 0u);
  EXPECT_EQ(owner_of(2), 1u);
  EXPECT_EQ(owner_of(3), 3u);
  EXPECT_EQ(at_once, (std::vector<bool>{false, false, false})) << "the port is full";
  EXPECT_EQ(told.size(), 3u);
}

// Who is told may ask again at once, as a mechanism does that goes on.
TEST_F(SpillUnitTest, WhoIsToldMayAskAgain) {
  bool again = true;
  source.on_call = [&] {
    told.push_back(clock.current());
    if (!std::exchange(again, false)) return;
    SpillRequest out{{Way::kOut, 0, 0, 32}}, in{{Way::kIn, 0, 0, 32}};
    EXPECT_EQ(source.send(out), tlm::TLM_COMPLETED);
    EXPECT_EQ(source.send(in), tlm::TLM_ACCEPTED);
  };
  ask(5, Way::kIn, 0, 0, 32);
  run(500);
  EXPECT_EQ(memory.seen.size(), 3u);
  EXPECT_EQ(told.size(), 2u);
  EXPECT_TRUE(unit.idle());
}

}  // namespace spill_unit_test
}  // namespace warpfold
