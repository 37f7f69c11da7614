// SPDX-License-Identifier: Apache-2.0
// The load/store unit alone, between a stub issue stage, stub caches and a stub write-back.
#include <algorithm>

#include "tests/core/load_store_fixture.h"
#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {
namespace load_store_unit_test {

using Cycles = std::vector<Cycle>;

TEST_F(LoadStoreUnitTest, ALoadThatHits) {
  issue_at(0, {.address = stride(0)});
  run(12);
  EXPECT_EQ(hold, 4u) << "32 lanes through 8";
  EXPECT_TRUE(data.seen.empty()) << "on its way until cycle 12";
  EXPECT_FALSE(unit.idle());
  run(1);
  ASSERT_EQ(accesses(data), (Cycles{12}));
  EXPECT_EQ(data.seen[0].payload.kind, CacheAccess::Kind::kLoad);
  EXPECT_EQ(data.seen[0].payload.line, 0u);
  expect_done(0, 0, 12 + 24);
  EXPECT_EQ(done.seen[0].payload.outcome, nullptr);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(stat("load_instructions"), 1u);
  EXPECT_EQ(stat("line_accesses"), 1u);
}

TEST_F(LoadStoreUnitTest, OperandConflictsDelayTheArrival) {
  issue_at(0, {.address = stride(0), .operand_cycles = 3});
  run(20);
  EXPECT_EQ(accesses(data), (Cycles{15}));
}

TEST_F(LoadStoreUnitTest, ALoadThatMissesIsDoneACycleAfterItsResponse) {
  default_answer = Answer::kPending;
  issue_at(0, {.address = stride(0)});
  respond_at(100, data, 0);
  run(100);
  EXPECT_TRUE(done.seen.empty());
  EXPECT_FALSE(unit.idle());
  run(1);
  expect_done(0, 0, 101);
  EXPECT_EQ(done.seen[0].at, 100u);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(unit.last_retired(), 100u);
}

TEST_F(LoadStoreUnitTest, LinesOfAWarpGoOnePerCycleAndTheLastDatumCounts) {
  // 32 × 8 bytes: four lines. The third misses, the others hit.
  answers = {Answer::kHit, Answer::kHit, Answer::kPending, Answer::kHit};
  issue_at(0, {.address = stride(8)});
  respond_at(50, data, 2);
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 13, 14, 15}));
  expect_done(0, 0, 51);
  EXPECT_EQ(stat("line_accesses"), 4u);
  EXPECT_EQ(stat("stall_coalescing"), 3u);
}

// The same lines: two hit, two miss. Whose data are there is told once the last line has been asked for, and again
// whenever others' come; the last come with the whole.
TEST_F(LoadStoreUnitTest, LanesWithDataAreToldOfBeforeTheOthers) {
  unit.tell_of_parts();
  answers = {Answer::kHit, Answer::kPending, Answer::kPending, Answer::kHit};
  issue_at(0, {.address = stride(8), .executed = kAll & ~LaneMask{0x100}});
  respond_at(50, data, 2);
  respond_at(60, data, 1);
  run(70);
  ASSERT_EQ(done.seen.size(), 3u);
  EXPECT_EQ(done.seen[0].at, 15u);
  EXPECT_EQ(done.seen[0].payload.executed, 0xff0001ffu) << "and a lane that does not load";
  expect_done(0, 0, 15 + 24);
  EXPECT_EQ(done.seen[1].payload.executed, 0xffff01ffu);
  expect_done(1, 0, 51);
  for (unsigned part : {0U, 1U}) {
    EXPECT_TRUE(done.seen[part].payload.partly && done.seen[part].payload.gone_on) << "it commits nothing";
  }
  EXPECT_FALSE(done.seen[2].payload.partly);
  EXPECT_EQ(done.seen[2].payload.executed, kAll & ~LaneMask{0x100});
  expect_done(2, 0, 61);
}

TEST_F(LoadStoreUnitTest, NobodyWaitsForPartsOfOtherAccesses) {
  unit.tell_of_parts();
  answers = {Answer::kHit, Answer::kPending, Answer::kHit, Answer::kPending};
  issue_at(0, {.kind = Kind::kAtomic});
  issue_at(4, {.space = Space::kConst, .address = [](unsigned lane) { return lane < 16 ? 0 : 64; }});
  respond_at(80, data, 1);
  respond_at(90, constant, 1);
  run(100);
  ASSERT_EQ(done.seen.size(), 2u);
  EXPECT_FALSE(done.seen[0].payload.partly || done.seen[1].payload.partly);
}

// Words of local memory lie a row of words apart: lane 0 has to wait for its second one.
TEST_F(LoadStoreUnitTest, ALaneWaitsForAllOfItsLines) {
  unit.tell_of_parts();
  answers = {Answer::kHit, Answer::kPending};
  issue_at(0, {.space = Space::kLocal, .executed = 1, .bytes = 8});
  respond_at(50, data, 1);
  run(60);
  ASSERT_EQ(done.seen.size(), 2u);
  EXPECT_EQ(done.seen[0].payload.executed, kAll & ~LaneMask{1}) << "those that do not load";
}

TEST_F(LoadStoreUnitTest, AHitThatComesAfterTheMissedLineDecides) {
  answers = {Answer::kPending, Answer::kHit};
  issue_at(0, {.address = stride(4)});
  respond_at(13, data, 0);  // before the second line is sent in that cycle
  run(60);
  expect_done(0, 0, 13 + 24);
}

TEST_F(LoadStoreUnitTest, ResponsesNameOperationsSoTheyMayComeInAnyOrder) {
  default_answer = Answer::kPending;
  params.lsu_queue_entries = 4;
  issue_at(0, {.address = stride(0)}, 7);
  issue_at(4, {.address = stride(0)}, 9);
  respond_at(60, data, 1);
  respond_at(80, data, 0);
  run(100);
  EXPECT_NE(data.seen[0].payload.token, data.seen[1].payload.token);
  expect_done(0, 9, 61);
  expect_done(1, 7, 81);
}

TEST_F(LoadStoreUnitTest, AStoreIsDoneWhenTakenAndLivesUntilAcknowledged) {
  default_answer = Answer::kPending;
  issue_at(0, {.kind = Kind::kStore});  // two lines: 12 and 13
  respond_at(90, data, 0);
  respond_at(95, data, 1);
  run(13);
  EXPECT_TRUE(done.seen.empty()) << "its second line is not out";
  run(1);
  expect_done(0, 0, 14);
  EXPECT_EQ(data.seen[0].payload.kind, CacheAccess::Kind::kStore);
  EXPECT_EQ(data.seen[0].payload.bytes, 64u);
  run(81);
  EXPECT_FALSE(unit.idle()) << "cycle 94: one acknowledgement to come";
  run(1);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(unit.last_retired(), 95u);
  EXPECT_EQ(done.seen.size(), 1u);
  EXPECT_EQ(stat("store_instructions"), 1u);
}

TEST_F(LoadStoreUnitTest, AccessesSayWhichBytesTheyAreFor) {
  issue_at(0, {.kind = Kind::kStore});  // two lines, all of both
  run(20);
  ASSERT_EQ(data.seen.size(), 2u);
  EXPECT_EQ(data.seen[1].payload.mask, byte_range(0, 64));
  EXPECT_FALSE(data.seen[1].payload.local);
}

// A line that keeps the store answers at once: there is no acknowledgement to wait for.
TEST_F(LoadStoreUnitTest, AStoreThatItsLineKeepsIsDoneAtOnce) {
  issue_at(0, {.kind = Kind::kStore});
  run(14);
  expect_done(0, 0, 14);
  EXPECT_TRUE(unit.idle());
}

TEST_F(LoadStoreUnitTest, AnAtomicIsDoneWithItsLastAnswer) {
  default_answer = Answer::kPending;
  issue_at(0, {.kind = Kind::kAtomic});
  respond_at(90, data, 1);
  respond_at(95, data, 0);
  run(95);
  EXPECT_TRUE(done.seen.empty());
  run(1);
  expect_done(0, 0, 96);
  EXPECT_EQ(data.seen[0].payload.kind, CacheAccess::Kind::kAtomic);
  EXPECT_EQ(stat("atomic_instructions"), 1u);
}

TEST_F(LoadStoreUnitTest, AnAtomicsResultMayComeLaterThanItsAnswer) {
  params.lsu.atomic_latency_cycles = 32;
  default_answer = Answer::kPending;
  issue_at(0, {.kind = Kind::kAtomic, .address = stride(0)});
  issue_at(1, {.address = stride(0)});
  respond_at(90, data, 0);
  respond_at(90, data, 1);
  run(95);
  expect_done(0, 0, 91 + 32);
  expect_done(1, 0, 91);
}

TEST_F(LoadStoreUnitTest, NobodyWaitsForAPrefetch) {
  default_answer = Answer::kPending;
  issue_at(0, {.address = stride(0), .bytes = 1, .cache = {.past_l1 = true, .prefetch = true}});
  run(20);
  expect_done(0, 0, 13);
  EXPECT_TRUE(data.seen[0].payload.use.past_l1);
  EXPECT_FALSE(unit.idle());
  respond_at(90, data, 0);
  run(80);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(done.seen.size(), 1u);
}

TEST_F(LoadStoreUnitTest, ABlockedAccessWaitsForTheCachesWordAndIsCharged) {
  answers = {Answer::kBlockedMshr, Answer::kBlockedQueue};
  issue_at(0, {.address = stride(0)});
  unblock_at(20, data);
  unblock_at(25, data);
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 20, 25})) << "tried again when told, in the same cycle, and not before";
  EXPECT_EQ(stat("stall_mshr"), 8u);        // 12 to 20
  EXPECT_EQ(stat("stall_miss_queue"), 5u);  // 20 to 25
  EXPECT_EQ(stat("line_accesses"), 1u);
  expect_done(0, 0, 25 + 24);
}

TEST_F(LoadStoreUnitTest, ABlockedLineHoldsUpWhatIsBehindIt) {
  answers = {Answer::kHit, Answer::kBlockedMshr, Answer::kHit};
  params.lsu_queue_entries = 4;
  issue_at(0, {}, 1);
  issue_at(4, {.space = Space::kShared}, 2);
  unblock_at(30, data);
  run(100);
  EXPECT_EQ(accesses(data), (Cycles{12, 13, 30}));
  expect_done(0, 1, 30 + 24);
  expect_done(1, 2, 31 + 1 + 24);  // two passes from cycle 31
}

TEST_F(LoadStoreUnitTest, SharedMemoryTakesItsPassesAndItsLatency) {
  params.lsu_queue_entries = 4;
  issue_at(0, {.space = Space::kShared}, 1);                         // 2 passes: 12, 13
  issue_at(1, {.space = Space::kShared, .address = stride(64)}, 2);  // 32 passes: 14 to 45
  issue_at(2, {.space = Space::kShared, .address = stride(0)}, 3);   // 2 passes: 46, 47
  run(100);
  expect_done(0, 1, 13 + 24);
  expect_done(1, 2, 45 + 24);
  expect_done(2, 3, 47 + 24);
  EXPECT_EQ(done.seen[1].at, 14u);
  EXPECT_EQ(done.seen[2].at, 46u);
  EXPECT_EQ(stat("stall_shared_bank"), 30u);
  EXPECT_EQ(stat("shared_instructions"), 3u);
  EXPECT_EQ(stat("line_accesses"), 0u);
  EXPECT_TRUE(data.seen.empty());
  EXPECT_TRUE(unit.idle());
}

TEST_F(LoadStoreUnitTest, SharedAtomicsTakeTurns) {
  issue_at(0, {.kind = Kind::kAtomic, .space = Space::kShared, .address = stride(0)});
  run(60);
  expect_done(0, 0, 12 + 31 + 24);
}

TEST_F(LoadStoreUnitTest, ParametersAreOnePassOfSharedMemory) {
  params.lsu_queue_entries = 4;
  issue_at(0, {.space = Space::kParam, .address = stride(0)}, 1);
  issue_at(0, {.space = Space::kParam, .address = stride(0)}, 2);
  run(60);
  expect_done(0, 1, 12 + 24);
  expect_done(1, 2, 13 + 24);
  EXPECT_EQ(stat("stall_shared_bank"), 0u);
}

TEST_F(LoadStoreUnitTest, WithoutLanesItPassesThroughAndTouchesNothing) {
  params.lsu_queue_entries = 8;
  const std::vector<Kind> kinds{Kind::kLoad, Kind::kStore, Kind::kAtomic};
  const std::vector<Space> spaces{Space::kGlobal, Space::kShared, Space::kConst};
  for (unsigned i = 0; i < 3; ++i) issue_at(i, {.kind = kinds[i], .space = spaces[i], .executed = 0}, i);
  run(60);
  for (unsigned i = 0; i < 3; ++i) expect_done(i, i, 12 + i + 24);
  EXPECT_TRUE(data.seen.empty() && texture.seen.empty() && constant.seen.empty());
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(stat("stall_constant"), 0u);
  EXPECT_EQ(stat("stall_coalescing"), 0u);
}

TEST_F(LoadStoreUnitTest, EachSpaceHasItsCache) {
  params.lsu_queue_entries = 8;
  issue_at(0, {.space = Space::kTexture, .address = stride(0)});
  issue_at(1, {.space = Space::kConst, .address = [](unsigned lane) { return 256 + lane % 3 * 4; }});
  issue_at(2, {.space = Space::kLocal, .address = stride(4), .bytes = 8});
  run(60);
  EXPECT_EQ(texture.seen.size(), 1u);
  ASSERT_EQ(accesses(constant), (Cycles{13, 14, 15})) << "three addresses, one per cycle, though in one line";
  EXPECT_EQ(constant.seen[0].payload.line, isa::kConstBacking + 256);
  EXPECT_EQ(constant.seen[2].payload.line, isa::kConstBacking + 256);
  EXPECT_EQ(stat("stall_constant"), 2u);
  EXPECT_EQ(accesses(data), (Cycles{16, 17, 18, 19})) << "two words of 32 lanes, in two lines each";
}

TEST_F(LoadStoreUnitTest, ReadOnlyLoadsMayShareTheDataCache) {
  params.lsu.texture = TexturePath::kL1d;
  issue_at(0, {.space = Space::kTexture, .address = stride(0)});
  run(60);
  EXPECT_EQ(data.seen.size(), 1u);
  EXPECT_TRUE(texture.seen.empty());
}

TEST_F(LoadStoreUnitTest, WideSharedAccessesMayTakeLanesInTurn) {
  params.shared_banks = 32;
  params.lsu.wide_shared = WideShared::kLanes;
  issue_at(0, {.space = Space::kShared, .address = stride(16), .bytes = 16});
  run(60);
  expect_done(0, 0, 12 + 3 + 24);
}

TEST_F(LoadStoreUnitTest, TheQueueFillsAndSaysWhenItHasRoom) {
  params.lsu_queue_entries = 2;
  answers = {Answer::kBlockedMshr};
  issue_at(0, {.address = stride(0)}, 1);
  issue_at(4, {.address = stride(0)}, 2);
  unblock_at(30, data);
  run(30);
  ASSERT_EQ(accepted, (std::vector{tlm::TLM_UPDATED, tlm::TLM_ACCEPTED})) << "the second of two places: END_REQ later";
  EXPECT_TRUE(issue.called.empty());
  run(1);
  ASSERT_EQ(issue.called.size(), 1u) << "the first has left";
  EXPECT_EQ(issue.called[0].at, 30u);
  EXPECT_EQ(issue.called[0].phase, tlm::END_REQ);
  issue_at(31, {.address = stride(0)}, 3);
  run(40);
  EXPECT_EQ(accepted.size(), 3u);
  EXPECT_EQ(accepted[2], tlm::TLM_UPDATED) << "the second left at 31 as well";
  EXPECT_EQ(issue.called.size(), 1u) << "said once";
  EXPECT_EQ(accesses(data), (Cycles{12, 30, 31, 43}));
}

TEST_F(LoadStoreUnitTest, OnePlaceIsFullAtOnce) {
  params.lsu_queue_entries = 1;
  issue_at(0, {.address = stride(0)});
  run(12);
  EXPECT_EQ(accepted[0], tlm::TLM_ACCEPTED);
  EXPECT_TRUE(issue.called.empty());
  run(1);
  EXPECT_EQ(issue.called.size(), 1u);
}

TEST_F(LoadStoreUnitTest, AnInstructionTooManyIsAnInternalError) {
  params.lsu_queue_entries = 1;
  issue_at(0, {});
  issue_at(1, {});
  EXPECT_THROW(run(3), InternalError);
}

// 32 × 8 bytes: four lines in four banks; two a cycle, of one instruction or of two.
TEST_F(LoadStoreUnitTest, TwoLinesPerCycle) {
  params.lsu_lines_per_cycle = 2;
  params.lsu_queue_entries = 4;
  issue_at(0, {.address = stride(8)}, 1);
  issue_at(0, {.address = stride(0)}, 2);
  issue_at(0, {.address = [](unsigned) { return 64; }}, 3);
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 12, 13, 13, 14, 14}));
  expect_done(0, 1, 13 + 24);
  expect_done(1, 2, 14 + 24);
  expect_done(2, 3, 14 + 24);
  EXPECT_EQ(stat("stall_coalescing"), 1u) << "the first instruction takes a second cycle";
  EXPECT_EQ(stat("stall_cache_bank"), 0u);
}

TEST_F(LoadStoreUnitTest, LinesOfACycleMoveNoMoreBytesThanThereIsRoomFor) {
  params.lsu_lines_per_cycle = 4;
  params.lsu.bytes_per_cycle = 64;
  params.lsu_queue_entries = 4;
  issue_at(0, {.address = stride(8), .bytes = 8}, 1);  // four whole lines
  issue_at(0, {.address = [](unsigned lane) { return lane % 4 * 64; }, .executed = 0xf},
           2);  // four words of lines each
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 13, 14, 15, 16, 16, 16, 16}));
}

TEST_F(LoadStoreUnitTest, LinesOfOneBankTakeTurns) {
  params.lsu_lines_per_cycle = 2;
  issue_at(0, {.address = [](unsigned lane) { return lane % 4 * 256; }});  // four lines in bank 0
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 13, 14, 15}));
  EXPECT_EQ(stat("stall_cache_bank"), 3u);
}

TEST_F(LoadStoreUnitTest, OfAConflictOnlyTheSecondWaits) {
  params.lsu_lines_per_cycle = 2;
  const std::vector<Address> lines{0, 64, 320, 128};  // banks 0, 1, 1, 2
  issue_at(0, {.address = [lines](unsigned lane) { return lines[lane % 4]; }});
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 12, 13, 13}));
  EXPECT_EQ(stat("stall_cache_bank"), 0u);
}

TEST_F(LoadStoreUnitTest, ALineOfTheNextInstructionThatIsNotThereYetComesLater) {
  params.lsu_lines_per_cycle = 2;
  params.lsu_queue_entries = 4;
  issue_at(0, {.address = stride(0)});
  issue_at(1, {.address = [](unsigned) { return 64; }});
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 13}));
}

TEST_F(LoadStoreUnitTest, SharedMemoryDoesNotShareACycleWithLines) {
  params.lsu_lines_per_cycle = 2;
  params.lsu_queue_entries = 4;
  issue_at(0, {.address = stride(0)}, 1);
  issue_at(0, {.space = Space::kShared, .address = stride(0)}, 2);  // two groups of 16 lanes: 13, 14
  issue_at(0, {.address = stride(0)}, 3);
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 15}));
  expect_done(1, 2, 14 + 24);
}

TEST_F(LoadStoreUnitTest, ACacheThatBlocksTheSecondLineIsAskedAgainForThatLine) {
  params.lsu_lines_per_cycle = 2;
  answers = {Answer::kHit, Answer::kBlockedMshr};
  issue_at(0, {});  // two lines
  unblock_at(20, data);
  run(60);
  EXPECT_EQ(accesses(data), (Cycles{12, 12, 20}));
  EXPECT_EQ(data.seen[2].payload.line, 64u);
  EXPECT_EQ(stat("line_accesses"), 2u);
  expect_done(0, 0, 20 + 24);
}

TEST_F(LoadStoreUnitTest, ConstantReadsStayOnePerCycle) {
  params.lsu_lines_per_cycle = 2;
  issue_at(0, {.space = Space::kConst, .address = [](unsigned lane) { return lane % 3 * 4; }});
  run(60);
  EXPECT_EQ(accesses(constant), (Cycles{12, 13, 14})) << "its cache has one bank";
}

// Four instructions of one line: each takes width / lsu_width cycles, or one, whoever made the warps.
TEST_F(LoadStoreUnitTest, LanesComeLsuWidthACycle) {
  params.lsu_queue_entries = 8;
  params.lsu_width = 16;
  for (unsigned i = 0; i < 4; ++i) issue_at(0, {.address = stride(0), .executed = 1, .width = 32});
  for (unsigned i = 0; i < 4; ++i) issue_at(100, {.address = stride(0), .width = 16});
  for (unsigned i = 0; i < 4; ++i) issue_at(200, {.address = stride(0), .width = 64});
  run(300);
  EXPECT_EQ(accesses(data), (Cycles{13, 15, 17, 19, 112, 113, 114, 115, 215, 219, 223, 227}));
  expect_done(0, 0, 13 + kHit);
}

TEST_F(LoadStoreUnitTest, LinesComeWhileLanesDo) {
  params.lsu_width = 8;
  issue_at(0, {.address = stride(4)});    // two lines: the first at once, the last with the last of four passes
  issue_at(50, {.address = stride(16)});  // eight lines take longer than the lanes
  issue_at(100, {.address = stride(16)});
  issue_at(100, {.address = stride(0)});
  run(200);
  EXPECT_EQ(accesses(data),
            (Cycles{12, 15, 62, 63, 64, 65, 66, 67, 68, 69, 112, 113, 114, 115, 116, 117, 118, 119, 123}));
}

TEST_F(LoadStoreUnitTest, SharedMemoryTakesTheLongerOfPassesAndLanes) {
  params.lsu_queue_entries = 4;
  params.lsu_width = 8;
  issue_at(0, {.space = Space::kShared});                         // two passes, four times eight lanes
  issue_at(0, {.space = Space::kShared, .address = stride(64)});  // one bank: 32 passes
  issue_at(0, {.space = Space::kParam, .address = stride(0)});
  run(100);
  expect_done(0, 0, 12 + 3 + 24);
  expect_done(1, 0, 16 + 31 + 24);
  expect_done(2, 0, 48 + 3 + 24);
}

// Two instructions of 16 lanes fit a cycle of 32; one of 32 and one of 16 do not.
TEST_F(LoadStoreUnitTest, InstructionsShareACyclesLanes) {
  params.lsu_lines_per_cycle = 4;
  params.lsu_queue_entries = 8;
  params.lsu_width = 32;
  const auto line = [](Address n) { return [n](unsigned) { return n * 64; }; };
  for (Address n = 0; n < 4; ++n) issue_at(0, {.address = line(n), .width = 16});
  issue_at(100, {.address = line(0), .width = 32});
  issue_at(100, {.address = line(1), .width = 16});
  run(200);
  EXPECT_EQ(accesses(data), (Cycles{12, 12, 13, 13, 112, 113}));
}

TEST_F(LoadStoreUnitTest, OperationsAreUsedAgain) {
  params.lsu_queue_entries = 4;
  for (unsigned i = 0; i < 100; ++i) issue_at(4 * i, {.address = stride(0)}, i);
  run(500);
  ASSERT_EQ(done.seen.size(), 100u);
  std::uint32_t most = 0;
  for (const auto& seen : data.seen) most = std::max(most, seen.payload.token);
  EXPECT_LE(most, 3u) << "as many as were ever in flight together";
}

TEST_F(LoadStoreUnitTest, AResponseThatNobodyWaitsForIsAnInternalError) {
  issue_at(0, {.address = stride(0)});
  respond_at(20, data, 0);
  EXPECT_THROW(run(30), InternalError);
}

}  // namespace load_store_unit_test
}  // namespace warpfold
