// SPDX-License-Identifier: Apache-2.0
// The warp unit alone: what goes through its sockets. What warps do is test_warps.cpp's.
#include <optional>

#include "tests/core/core_fixture.h"
#include "tests/core/warps_fixture.h"
#include "warpfold/core/warps/warp_unit.h"

namespace warpfold {
namespace warp_unit_test {

using Kind = WarpUpdate::Kind;

class WarpUnitTest : public CoreTest {
 protected:
  explicit WarpUnitTest(bool spills = false) : spills_(spills) {
    commit.socket.bind(unit.commit_socket);
    unit.warp_socket.bind(updates.socket);
    unit.compact_socket.bind(compactor.socket);
    compacted.socket.bind(unit.compacted_socket);
    if (spills) unit.spill_socket->bind(memory.emplace("memory", clock).socket);
    unit.on_block_finished = [this](const divergence::Block& block) { finished.push_back(block.id); };
    run(1);
  }
  divergence::Configured recorded() {
    divergence::Configured configured;
    configured.spills = spills_;
    configured.make = [this](const divergence::Geometry&, divergence::Core& core) {
      auto made = std::make_unique<Recorder>(core);
      recorder = made.get();
      return made;
    };
    return configured;
  }
  std::vector<std::pair<Kind, WarpId>> news() const {
    std::vector<std::pair<Kind, WarpId>> list;
    for (const auto& seen : updates.seen) list.emplace_back(seen.payload.kind, seen.payload.id);
    return list;
  }

  const bool spills_;
  CoreContext context;
  Recorder* recorder = nullptr;
  WarpUnit unit{"unit", params, context, recorded(), clock, stats};
  Source<InstructionProtocol> commit{"commit", clock};
  Source<TypedProtocol<CompactedWarp>> compacted{"compacted", clock};
  Sink<WarpProtocol> updates{"updates", clock};
  Sink<TypedProtocol<divergence::CompactionRequest>> compactor{"compactor", clock};
  std::optional<Sink<SpillProtocol>> memory;  // where parts of structures go
  std::vector<std::uint64_t> finished;
};

TEST_F(WarpUnitTest, CommitsWhatIsWrittenBackAndTellsTheIssueStage) {
  unit.warps().start_block({0, 40, 0, 0, {kAll}});
  isa::MicroOp op;
  Instruction instruction = instruction_of(op, 0, 0);
  commit.send(instruction);
  EXPECT_EQ(unit.warps().warp(0).pc, 1u);
  unit.warps().hold(0, 5);
  EXPECT_EQ(updates.seen.back().payload.cycles, 5u);
  op.kind = isa::Kind::kExit;
  commit.send(instruction);
  EXPECT_EQ(
      news(),
      (std::vector<std::pair<Kind, WarpId>>{
          {Kind::kEntered, 0}, {Kind::kGoesOn, 0}, {Kind::kHeld, 0}, {Kind::kLeft, 0}, {Kind::kBlockFinished, 0}}));
  EXPECT_EQ(finished, std::vector<std::uint64_t>{40});
}

TEST_F(WarpUnitTest, CompactionGoesThroughTheCompactorAndBack) {
  unit.warps().compact({.pc = 12, .threads = {0xf0}, .tag = 3});
  ASSERT_EQ(compactor.seen.size(), 1u);
  EXPECT_EQ(compactor.seen[0].payload.pc, 12u);
  CompactedWarp back{0, divergence::Warp::of_row(12, 0, 0xf0), true, 3};
  compacted.send(back);
  EXPECT_EQ(recorder->calls.back(), "compacted slot 0 tag 3 f0 true");
}

class SpillingWarpUnit : public WarpUnitTest {
 protected:
  SpillingWarpUnit() : WarpUnitTest(true) {}
};

TEST_F(SpillingWarpUnit, PartsOfStructuresGoThroughTheSpillUnitAndBack) {
  using divergence::Spill;
  EXPECT_TRUE(unit.warps().spill({Spill::Way::kOut, 3, 0, 32})) << "done at once";
  EXPECT_TRUE(updates.seen.empty());
  memory->answer = [](SpillRequest& asked, tlm::tlm_phase&) {
    asked.owners = 1;
    return tlm::TLM_ACCEPTED;
  };
  EXPECT_FALSE(unit.warps().spill({Spill::Way::kIn, 3, 0, 32}));
  ASSERT_EQ(updates.seen.size(), 1u);
  EXPECT_EQ(updates.seen[0].payload.kind, Kind::kSpilling);
  EXPECT_EQ(updates.seen[0].payload.owners, 1u);
  SpillRequest done{{Spill::Way::kIn, 3, 0, 32}};
  memory->send_back(done, tlm::BEGIN_RESP);
  EXPECT_EQ(updates.seen.back().payload.owners, 0u);
  EXPECT_EQ(recorder->calls.back(), "spilled 3");
  EXPECT_EQ(stat("spilled_bytes"), 32u);
  EXPECT_EQ(stat("reloaded_bytes"), 32u);
}

}  // namespace warp_unit_test
}  // namespace warpfold
