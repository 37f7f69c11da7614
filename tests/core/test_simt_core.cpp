// SPDX-License-Identifier: Apache-2.0
// A whole core with PTX kernels: cycles by hand, values, blocks coming and going.
#include "tests/core/simt_core_fixture.h"

namespace warpfold {
namespace simt_core_test {

// out[tid] = tid
const std::string kStoreTid = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
ret;
})";

// Of 64 threads: odd ones of each warp loop tid times, even ones exit at once if tid is a multiple of 4; all others
// pass their count through shared memory and a barrier to their neighbour (tid xor 2).
const std::string kDivergent = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r2, 100;
and.b32 %r3, %r1, 1;
setp.eq.u32 %p1, %r3, 0;
@%p1 bra EVEN;
mov.u32 %r2, 0;
LOOP:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p2, %r2, %r1;
@%p2 bra LOOP;
bra JOIN;
EVEN:
add.u32 %r2, %r2, %r1;
JOIN:
mov.u32 %r4, box;
shl.b32 %r5, %r1, 2;
add.u32 %r4, %r4, %r5;
st.shared.u32 [%r4], %r2;
and.b32 %r3, %r1, 3;
setp.eq.u32 %p3, %r3, 0;
@%p3 exit;
bar.sync 0;
xor.b32 %r5, %r5, 8;
mov.u32 %r6, box;
add.u32 %r6, %r6, %r5;
ld.shared.u32 %r7, [%r6];
mul.wide.u32 %rd2, %r1, 4;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd4, %r3, 256;
add.s64 %rd3, %rd1, %rd2;
add.s64 %rd3, %rd3, %rd4;
st.global.u32 [%rd3], %r7;
ret;
})";

std::uint32_t passed_on(unsigned tid) { return tid % 2 == 0 ? 100 + tid : tid; }

TEST_F(SimtCoreTest, AWarpsInstructionsFollowEachOtherByTheirLatencies) {
  start(kStoreTid, 32, 1);
  dispatch_at(0, 0);
  run(1000);
  // ld.param: address generation 12, shared memory 24. ALU: 21 + 3 for the last of four groups of lanes.
  // st.global: two lines at 108 + 12 and + 13, written back a cycle later, at 122. ret: 24.
  using Issues = std::vector<std::pair<Cycle, isa::Pc>>;
  EXPECT_EQ(listener.issues, (Issues{{0, 0}, {36, 1}, {60, 2}, {84, 3}, {108, 4}, {122, 5}}));
  ASSERT_EQ(dispatcher.called.size(), 1u);
  EXPECT_EQ(dispatcher.called[0].at, 146u);
  EXPECT_EQ(dispatcher.called[0].phase, tlm::BEGIN_RESP);
  for (unsigned tid = 0; tid < 32; ++tid) EXPECT_EQ(result(tid), tid);
}

TEST_F(SimtCoreTest, AKernelEndsWithItsLastAcknowledgedStore) {
  start(kStoreTid, 32, 1);
  dispatch_at(0, 0);
  run(200);
  ASSERT_EQ(memory.seen.size(), 2u);
  EXPECT_EQ(memory.seen[0].address, out);
  EXPECT_EQ(memory.seen[1].address, out + 64);
  EXPECT_EQ(memory.seen[0].bytes, 64u);
  EXPECT_TRUE(memory.seen[0].write);
  EXPECT_EQ(memory.seen[0].extension.core, 3u);
  EXPECT_EQ(dispatcher.called.size(), 1u) << "the block is over";
  EXPECT_FALSE(core->idle()) << "its stores are not";
  run(400);
  EXPECT_TRUE(core->idle());
  EXPECT_EQ(core->last_activity(), memory.seen[1].at + 300 + 1) << "taken in the cycle after it came";
  EXPECT_EQ(core->requests_out(), 0u);
  EXPECT_EQ(core->issued(), 6u);
  core->settle();
  EXPECT_EQ(stat("thread_instructions"), 6u * 32);
  EXPECT_EQ(stat("issue_w29_32"), 6u * 4);
  expect_all_cycles_charged();
  EXPECT_EQ(stat("w0_mem"), 122u - 108 - 4) << "while the store was on its way to the cache";
}

class SimtCoreMechanisms : public SimtCoreTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, SimtCoreMechanisms, testing::Values("pdom", "tbc"));

TEST_P(SimtCoreMechanisms, DivergenceSharedMemoryBarriersAndExits) {
  start(kDivergent, 64, 2, GetParam());
  for (std::uint64_t id = 0; id < 2; ++id) dispatch_at(id, id);
  std::uint64_t next = 2;
  dispatcher.on_call = [&] {
    if (next < 4) dispatch_at(clock.current() + 1, next++);
  };
  run(100'000);
  ASSERT_EQ(dispatcher.called.size(), 4u) << "four blocks through two slots";
  for (unsigned id = 0; id < 4; ++id) {
    for (unsigned tid = 0; tid < 64; ++tid) {
      EXPECT_EQ(result(id * 64 + tid), tid % 4 == 0 ? 0 : passed_on(tid ^ 2)) << "block " << id << " thread " << tid;
    }
  }
  EXPECT_EQ(stat("barriers"), 4u);
  EXPECT_GT(stat("divergent_branches"), 0u);
  EXPECT_TRUE(core->report().empty());
  expect_all_cycles_charged();
}

TEST_P(SimtCoreMechanisms, PerRegisterScoreboardAndTwoSchedulersLeaveTheSameMemory) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  params.schedulers = 2;
  start(kDivergent, 64, 2, GetParam());
  dispatch_at(0, 0);
  dispatch_at(0, 1);
  run(100'000);
  ASSERT_EQ(dispatcher.called.size(), 2u);
  for (unsigned tid = 0; tid < 128; ++tid) EXPECT_EQ(result(tid), tid % 4 == 0 ? 0 : passed_on(tid % 64 ^ 2));
}

TEST_F(SimtCoreTest, AnotherKernelFindsTheFirstLevelCachesEmpty) {
  start(kHeader + "ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1];\nret;\n}", 32, 1);
  dispatch_at(0, 0);
  run(1000);
  EXPECT_EQ(memory.seen.size(), 1u) << "the second load hits";
  EXPECT_EQ(stat("l1d_hits"), 1u);
  core->kernel_ended(1000);
  core->kernel_started(launch, ptx->memory, 1, 1, 1000);
  dispatch_at(1000, 0);
  run(1000);
  EXPECT_EQ(memory.seen.size(), 2u);
  EXPECT_EQ(stat("l1d_hits"), 2u);
}

TEST_F(SimtCoreTest, SaysWhatItsWarpsWaitFor) {
  // The second warp comes to the barrier once memory answers.
  memory.delay = 100'000;
  start(kHeader + R"(ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 bra WAIT;
ld.global.u32 %r2, [%rd1];
WAIT:
bar.sync 0;
ret;
})",
        64, 1);
  dispatch_at(0, 7);
  run(5000);
  EXPECT_TRUE(dispatcher.called.empty());
  const std::vector<std::string> report = core->report();
  ASSERT_EQ(report.size(), 3u);
  EXPECT_NE(report[0].find("core 3 block 7 warp 0 (32 threads at t.ptx:"), std::string::npos) << report[0];
  EXPECT_NE(report[0].find("a barrier that 32 of 64 live threads have reached"), std::string::npos) << report[0];
  EXPECT_NE(report[1].find("an instruction in flight"), std::string::npos) << report[1];
  EXPECT_NE(core->load().runnable, 0U);
}

TEST_F(SimtCoreTest, AWarpThatOnlySpinsIsSeen) {
  start(kHeader +
            "ld.param.u64 %rd1, [out];\nAGAIN:\nld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra "
            "AGAIN;\nret;\n}",
        32, 1);
  dispatch_at(0, 0);
  run(1000);
  EXPECT_FALSE(core->only_spins()) << "nobody watches";
  core->watch_spinning(true);
  EXPECT_FALSE(core->only_spins());
  const std::uint64_t changes = core->memory_changes();
  run(2000);
  EXPECT_NE(core->load().runnable, 0U);
  EXPECT_TRUE(core->only_spins());
  EXPECT_EQ(core->memory_changes(), changes);
}

}  // namespace simt_core_test
}  // namespace warpfold
