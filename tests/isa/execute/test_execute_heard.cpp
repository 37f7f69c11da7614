// SPDX-License-Identifier: Apache-2.0
// Who listens to a run hears of its accesses as execute() tells them, and the run does what it does unheard.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "tests/isa/warp_fixture.h"
#include "warpfold/isa/execute/access/access_listener.h"

namespace warpfold::isa {
namespace execute_heard_test {

// What an access was, in the lanes that made it.
using Heard = std::tuple<Kind, Space, unsigned, LaneMask, std::vector<Address>>;

Heard heard(const MicroOp& op, const Outcome& outcome) {
  std::vector<Address> addresses;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (outcome.executed >> lane & 1) addresses.push_back(outcome.address[lane]);
  }
  return {op.kind, outcome.space, outcome.access_bytes, outcome.executed, addresses};
}

class Notes final : public AccessListener {
 public:
  void accessed(const MicroOp& op, const Outcome& outcome) override { all.push_back(heard(op, outcome)); }
  std::vector<Heard> all;
};

// Word 8 and 9 have an address in an allocation, 10 the same offset in shared memory.
void accesses(WarpFixture& warp) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.load("ld.u32", Space::kGeneric, 4, {1}, 8).guard = WarpFixture::kPredicate;
  warp.load("ld.shared.u32", Space::kShared, 4, {2}, 10);
  warp.compute("add.s32", {3}, {0, 1});
  warp.store("st.global.u32", Space::kGlobal, 4, {3}, 8);
}

struct Bench {
  Bench() : warp({64, 1, 1}, 2, 32) {
    warp.launch.shared_bytes = 4096;
    begin = warp.memory.allocate(4096, "box");
    accesses(warp);
    warp.start();
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.set_address(1, 8, lane, begin + 8 * lane);
      warp.at(1, 10, lane) = 4 * lane;
      warp.at(1, WarpFixture::kPredicate, lane) = lane % 3 == 0 ? 1 : 0;
    }
    std::vector<std::uint32_t> words(1024);
    for (std::size_t n = 0; n < words.size(); ++n) words[n] = static_cast<std::uint32_t>(7 * n + 1);
    EXPECT_TRUE(warp.memory.write(begin, words.data(), 4096));
  }
  void run_straight(AccessListener* listener) {
    std::array<std::uint16_t, kMaxLanes> rows;
    rows.fill(1);
    Executor::Run run;
    warp.executor->prepare_runs();
    warp.executor->tell_of_accesses(listener);
    warp.executor->run(0, warp.kernel.end(), {rows.data(), 0xffffffff, 32, true}, run);
  }
  std::vector<std::uint32_t> box() {
    std::vector<std::uint32_t> words(1024);
    EXPECT_TRUE(warp.memory.read(begin, words.data(), 4096));
    return words;
  }

  WarpFixture warp;
  Address begin = 0;
};

TEST(ExecuteHeard, AccessesBeyondTheCoreAreTold) {
  Bench one_by_one, in_a_run, unheard;
  std::vector<Heard> told;
  for (Pc pc = 0; pc < one_by_one.warp.kernel.end(); ++pc) {
    one_by_one.warp.run(pc, 1, 0xffffffff);
    const MicroOp& op = one_by_one.warp.kernel.ops[pc];
    const bool memory = op.kind == Kind::kLoad || op.kind == Kind::kStore;
    if (memory && op.space != Space::kShared) told.push_back(heard(op, one_by_one.warp.outcome));
  }
  Notes notes;
  in_a_run.run_straight(&notes);
  unheard.run_straight(nullptr);
  EXPECT_EQ(notes.all, told);
  EXPECT_EQ(notes.all.size(), 3U);
  EXPECT_EQ(in_a_run.box(), one_by_one.box());
  EXPECT_EQ(in_a_run.box(), unheard.box());
}

}  // namespace execute_heard_test
}  // namespace warpfold::isa
