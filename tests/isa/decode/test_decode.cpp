// SPDX-License-Identifier: Apache-2.0
// PTX instructions to micro-ops: operands, memory accesses, control, immediates.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {
namespace decode_test {

// The first micro-op of `body` behind `skip` others.
MicroOp first_op(const std::string& body, unsigned skip = 0) {
  PtxFixture fixture(kernel_text(body + " ret;"));
  return fixture.kernel().ops.at(skip);
}

// The 64-bit or 32-bit value of the constant that is source k of the first instruction.
std::uint64_t constant_of(const std::string& body, unsigned k) {
  PtxFixture fixture(kernel_text(body + " ret;"));
  const Kernel& kernel = fixture.kernel();
  const MicroOp& op = kernel.ops[0];
  check(op.s[k] >= kConstant && op.s[k] != kNoWord, "an immediate is a constant");
  const unsigned at = op.s[k] - kConstant;
  const std::uint64_t high = op.s_wide >> k & 1 ? kernel.constants.at(at + 1) : 0;
  return high << 32 | kernel.constants.at(at);
}

TEST(Decode, OneMicroOpPerInstruction) {
  PtxFixture fixture(kernel_text("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 1;\nst.shared.u32 [box], %r2;\nret;"));
  const Kernel& kernel = fixture.kernel();
  ASSERT_EQ(kernel.ops.size(), 4U);
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.file, "t.ptx");
  EXPECT_EQ(kernel.ops[1].line, 14U);
  EXPECT_EQ(kernel.opcodes[kernel.ops[1].text], "add.s32");
  EXPECT_EQ(kernel.specials, std::vector<Special>{Special::kTidX});
  EXPECT_EQ(kernel.ops[0].s[0], kernel.specials_begin());
  EXPECT_EQ(kernel.ops[0].compute, find_op("mov", std::vector<std::string>{"u32"})->compute);
  EXPECT_EQ(kernel.ops[3].kind, Kind::kExit);
}

TEST(Decode, ReadsAndWritesHoldRegistersOnly) {
  PtxFixture fixture(kernel_text("@%p1 mad.wide.u32 %rd1, %r1, 5, %rd2;\nst.shared.u64 [%rd1], %rd2;\nret;"));
  const Kernel& kernel = fixture.kernel();
  const MicroOp& mad = kernel.ops[0];
  EXPECT_EQ(mad.writes, (std::vector<Word>{mad.d[0], static_cast<Word>(mad.d[0] + 1)}));
  std::vector<Word> reads{mad.s[0], mad.s[2], static_cast<Word>(mad.s[2] + 1), mad.guard};
  std::sort(reads.begin(), reads.end());
  EXPECT_EQ(mad.reads, reads);
  EXPECT_EQ(mad.d_wide, 1);
  EXPECT_EQ(mad.s_wide, 0b100);
  EXPECT_GE(mad.guard, kernel.registers);
}

TEST(Decode, BitsAreThoseOfTheWidestValue) {
  const std::pair<const char*, unsigned> expected[] = {
      {"add.s32 %r1, %r2, 1;", 32},    {"add.s64 %rd1, %rd2, 1;", 64},      {"mul.wide.u32 %rd1, %r1, %r2;", 64},
      {"add.s16 %rs1, %rs2, 1;", 16},  {"add.f64 %fd1, %fd2, %fd3;", 64},   {"cvt.rn.f32.f64 %f1, %fd1;", 64},
      {"cvt.u32.u16 %r1, %rs1;", 32},  {"setp.eq.s64 %p1, %rd1, 0;", 64},   {"setp.eq.s32 %p1, %r1, 0;", 32},
      {"and.pred %p1, %p2, %p3;", 32}, {"ld.global.u64 %rd1, [%rd2];", 32}, {"st.shared.u16 [box], %rs1;", 32},
      {"shl.b64 %rd1, %rd2, %r1;", 64}};
  for (const auto& [text, bits] : expected) EXPECT_EQ(first_op(text).bits, bits) << text;
}

TEST(Decode, RegisterAccessesLeavePredicatesOut) {
  const MicroOp mad = first_op("@%p1 mad.wide.u32 %rd1, %r1, 5, %rd2;");
  EXPECT_EQ(mad.register_reads, 1 + 2);
  EXPECT_EQ(mad.register_writes, 2);
  const MicroOp setp = first_op("setp.eq.s32 %p1, %r1, 0;");
  EXPECT_EQ(setp.register_reads, 1);
  EXPECT_EQ(setp.register_writes, 0);
  const MicroOp store = first_op("st.global.u32 [%rd1], %r1;");
  EXPECT_EQ(store.register_reads, 2 + 1);
}

TEST(Decode, NegatedGuard) {
  EXPECT_TRUE(first_op("@!%p1 mov.u32 %r1, 1;").guard_negated);
  EXPECT_FALSE(first_op("@%p1 mov.u32 %r1, 1;").guard_negated);
  EXPECT_EQ(first_op("mov.u32 %r1, 1;").guard, kNoWord);
}

TEST(Decode, IntegerImmediatesAreTruncatedToTheType) {
  EXPECT_EQ(constant_of("add.s32 %r1, %r2, -1;", 1), 0xffffffffU);
  EXPECT_EQ(constant_of("add.s64 %rd1, %rd2, -1;", 1), ~std::uint64_t{0});
  EXPECT_EQ(constant_of("add.s16 %rs1, %rs2, -1;", 1), 0xffffU);
  EXPECT_EQ(constant_of("and.b64 %rd1, %rd2, 0xf00000000;", 1), 0xf00000000U);
  EXPECT_EQ(constant_of("mov.pred %p1, -1;", 0), 1U);
}

TEST(Decode, FloatImmediatesTakeTheOperandsWidth) {
  EXPECT_EQ(constant_of("add.f32 %f1, %f2, 0f3FC00000;", 1), 0x3fc00000U);
  EXPECT_EQ(constant_of("add.f32 %f1, %f2, 1.5;", 1), 0x3fc00000U);
  EXPECT_EQ(constant_of("add.f64 %fd1, %fd2, 1.5;", 1), 0x3ff8000000000000U);
  EXPECT_EQ(constant_of("add.f64 %fd1, %fd2, 0d3FF8000000000000;", 1), 0x3ff8000000000000U);
  EXPECT_EQ(constant_of("mov.b32 %r1, 0f3FC00000;", 0), 0x3fc00000U);
}

TEST(Decode, EqualConstantsShareAWord) {
  PtxFixture fixture(kernel_text("add.s32 %r1, %r2, 7; add.s32 %r1, %r1, 7; st.shared.u32 [box], %r1; ret;"));
  EXPECT_EQ(fixture.kernel().constants.size(), 1U);
}

TEST(Decode, ComparisonWithTwoResultsAndNegatedPredicate) {
  const MicroOp two = first_op("setp.lt.s32 %p1|%p2, %r1, %r2;");
  EXPECT_EQ(two.d_count, 2);
  EXPECT_NE(two.d[1], kNoWord);
  EXPECT_EQ(first_op("setp.lt.s32 %p1, %r1, %r2;").d_count, 1);
  const MicroOp negated = first_op("setp.lt.and.s32 %p1, %r1, %r2, !%p3;");
  const std::vector<std::string> modifiers{"lt", "and", "s32", "negated"};
  EXPECT_EQ(negated.compute, find_op("setp", modifiers)->compute);
  EXPECT_EQ(negated.s_count, 3);
}

TEST(Decode, PackedMoves) {
  const MicroOp pack = first_op("mov.b64 %rd1, {%r1, %r2};");
  EXPECT_EQ(pack.compute, find_op("pack", std::vector<std::string>{"b64", "b32"})->compute);
  EXPECT_EQ(pack.s_count, 2);
  EXPECT_EQ(pack.d_wide, 1);
  const MicroOp unpack = first_op("mov.b32 {%rs1, %rs2}, %r1;");
  EXPECT_EQ(unpack.compute, find_op("unpack", std::vector<std::string>{"b32", "b16"})->compute);
  EXPECT_EQ(unpack.d_count, 2);
}

struct AccessCase {
  const char* text;
  Space space;
  unsigned bytes, elements;
  bool sign_extend;
};

TEST(Decode, Loads) {
  const AccessCase cases[] = {
      {"ld.global.f32 %f1, [%rd1];", Space::kGlobal, 4, 1, false},
      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", Space::kGlobal, 4, 4, false},
      {"ld.global.v2.f64 {%fd1, %fd2}, [%rd1];", Space::kGlobal, 8, 2, false},
      {"ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1];", Space::kGlobal, 1, 4, false},
      {"ld.global.s8 %rs1, [%rd1];", Space::kGlobal, 1, 1, true},
      {"ld.global.s16 %r1, [%rd1];", Space::kGlobal, 2, 1, true},
      {"ld.global.nc.v2.u32 {%r1, %r2}, [%rd1];", Space::kTexture, 4, 2, false},
      {"ld.global.cg.u32 %r1, [%rd1];", Space::kGlobal, 4, 1, false},
      {"ld.volatile.shared.u32 %r1, [%rd1];", Space::kShared, 4, 1, false},
      {"ld.relaxed.gpu.global.u64 %rd2, [%rd1];", Space::kGlobal, 8, 1, false},
      {"ld.acquire.sys.u32 %r1, [%rd1];", Space::kGeneric, 4, 1, false},
      {"ld.const.u8 %rs1, [%rd1];", Space::kConst, 1, 1, false},
      {"ld.local.b64 %rd2, [%rd1];", Space::kLocal, 8, 1, false},
      {"ld.param.u32 %r1, [%rd1];", Space::kParam, 4, 1, false},
      {"ld.u32 %r1, [%rd1];", Space::kGeneric, 4, 1, false},
      {"ldu.global.u32 %r1, [%rd1];", Space::kGlobal, 4, 1, false},
  };
  for (const AccessCase& expected : cases) {
    const MicroOp op = first_op(expected.text);
    EXPECT_EQ(op.kind, Kind::kLoad) << expected.text;
    EXPECT_EQ(op.unit, Unit::kMemory) << expected.text;
    EXPECT_EQ(op.space, expected.space) << expected.text;
    EXPECT_EQ(op.element_bytes, expected.bytes) << expected.text;
    EXPECT_EQ(op.d_count, expected.elements) << expected.text;
    EXPECT_EQ(op.sign_extend, expected.sign_extend) << expected.text;
    EXPECT_EQ(op.d_wide, expected.bytes == 8 ? (1 << expected.elements) - 1 : 0) << expected.text;
  }
}

TEST(Decode, LoadIntoAWiderRegisterFillsIt) {
  const MicroOp op = first_op("ld.global.s32 %rd2, [%rd1+-4];");
  EXPECT_EQ(op.d_wide, 1);
  EXPECT_EQ(op.element_bytes, 4);
  EXPECT_TRUE(op.sign_extend);
  EXPECT_EQ(op.offset, -4);
}

TEST(Decode, DroppedElementOfAVector) {
  const MicroOp op = first_op("ld.global.v2.u32 {_, %r1}, [%rd1];");
  EXPECT_EQ(op.d[0], kNoWord);
  EXPECT_NE(op.d[1], kNoWord);
}

TEST(Decode, Stores) {
  const MicroOp vector = first_op("st.global.v2.f64 [%rd1+8], {%fd1, %fd2};");
  EXPECT_EQ(vector.kind, Kind::kStore);
  EXPECT_EQ(vector.s_count, 2);
  EXPECT_EQ(vector.s_wide, 0b11);
  EXPECT_EQ(vector.offset, 8);
  const MicroOp narrow = first_op("st.shared.u8 [%r1], %rs1;");
  EXPECT_EQ(narrow.element_bytes, 1);
  EXPECT_FALSE(narrow.base_wide);
  const MicroOp constant = first_op("st.volatile.global.u32 [%rd1], 5;");
  EXPECT_GE(constant.s[0], kConstant);
  const MicroOp part = first_op("st.global.u32 [%rd1], %rd2;");
  EXPECT_EQ(part.s_wide, 0);
}

TEST(Decode, Atomics) {
  const MicroOp add = first_op("atom.global.add.u32 %r1, [%rd1], 3;");
  EXPECT_EQ(add.kind, Kind::kAtomic);
  EXPECT_EQ(add.atomic, Atomic::kAdd);
  EXPECT_EQ(add.element_type, 'u');
  EXPECT_EQ(add.d_count, 1);
  const MicroOp cas = first_op("atom.acq_rel.gpu.shared.cas.b64 %rd3, [%rd1], %rd2, 9;");
  EXPECT_EQ(cas.atomic, Atomic::kCas);
  EXPECT_EQ(cas.space, Space::kShared);
  EXPECT_EQ(cas.s_count, 2);
  EXPECT_EQ(cas.s_wide, 0b11);
  EXPECT_EQ(cas.d_wide, 1);
  const MicroOp red = first_op("red.global.max.s32 [%rd1], %r1;");
  EXPECT_EQ(red.atomic, Atomic::kMax);
  EXPECT_EQ(red.element_type, 's');
  EXPECT_EQ(red.d_count, 0);
  EXPECT_TRUE(red.writes.empty());
  EXPECT_EQ(first_op("atom.add.f64 %fd1, [%rd1], %fd2;").space, Space::kGeneric);
}

TEST(Decode, BarriersAndFences) {
  for (const char* text :
       {"bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;", "barrier.cta.sync.aligned 0;"}) {
    EXPECT_EQ(first_op(text).kind, Kind::kBarrier) << text;
  }
  for (const char* text : {"membar.gl;", "fence.acq_rel.gpu;", "bar.warp.sync -1;"}) {
    EXPECT_EQ(first_op(text).kind, Kind::kFence) << text;
  }
  const MicroOp sync = first_op("bar.warp.sync %r2;");
  EXPECT_TRUE(sync.collective);
  EXPECT_EQ(sync.s_count, 1);
  EXPECT_FALSE(first_op("membar.gl;").collective);
  EXPECT_EQ(first_op("trap;").kind, Kind::kTrap);
  EXPECT_EQ(first_op("exit;").kind, Kind::kExit);
}

TEST(Decode, BarriersThatReduce) {
  const MicroOp count = first_op("bar.red.popc.u32 %r1, 0, !%p1;");
  EXPECT_EQ(count.kind, Kind::kBarrier);
  EXPECT_EQ(count.element_type, 'p');
  EXPECT_EQ(count.offset, 1);
  EXPECT_EQ(count.s_count, 1);
  EXPECT_EQ(count.d_count, 1);
  EXPECT_EQ(first_op("barrier.cta.red.aligned.and.pred %p1, 0, %p2;").element_type, 'a');
  EXPECT_EQ(first_op("bar.red.or.pred %p1, 0, %p2;").element_type, 'o');
  EXPECT_EQ(first_op("bar.sync 0;").d_count, 0);
}

TEST(Decode, WarpWideInstructions) {
  const MicroOp ballot = first_op("vote.sync.ballot.b32 %r1, !%p1, -1;");
  EXPECT_EQ(ballot.kind, Kind::kVote);
  EXPECT_EQ(ballot.element_type, 'b');
  EXPECT_EQ(ballot.offset, 1);
  EXPECT_EQ(ballot.s_count, 2);
  EXPECT_TRUE(ballot.collective);
  EXPECT_FALSE(first_op("vote.all.pred %p1, %p2;").collective);
  EXPECT_EQ(first_op("activemask.b32 %r1;").element_type, 'm');
  const MicroOp match = first_op("match.all.sync.b64 %r1|%p1, %rd1, -1;");
  EXPECT_EQ(match.element_type, 'q');
  EXPECT_EQ(match.d_count, 2);
  EXPECT_EQ(match.s_wide, 1);
  const MicroOp shuffle = first_op("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;");
  EXPECT_EQ(shuffle.kind, Kind::kShuffle);
  EXPECT_EQ(shuffle.element_type, 'b');
  EXPECT_EQ(shuffle.s_count, 4);
  EXPECT_EQ(shuffle.d_count, 2);
  EXPECT_TRUE(shuffle.collective);
  const MicroOp least = first_op("redux.sync.min.s32 %r1, %r2, -1;");
  EXPECT_EQ(least.element_type, 'r');
  EXPECT_EQ(least.atomic, Atomic::kMin);
  EXPECT_TRUE(least.sign_extend && least.collective);
  EXPECT_EQ(first_op("redux.sync.xor.b32 %r1, %r2, -1;").atomic, Atomic::kXor);
  const MicroOp elected = first_op("elect.sync %r1|%p1, -1;");
  EXPECT_EQ(elected.element_type, 'l');
  EXPECT_EQ(elected.d_count, 2);
}

TEST(Decode, OperationsByTypeAndOpcode) {
  const std::pair<const char*, Operation> expected[] = {
      {"sub.s32 %r1, %r2, 1;", Operation::kIntAdd},
      {"add.s64 %rd1, %rd2, 1;", Operation::kIntAdd},
      {"min.u32 %r1, %r2, %r3;", Operation::kIntMax},
      {"mul.wide.u32 %rd1, %r1, %r2;", Operation::kIntMul},
      {"mad.lo.s32 %r1, %r2, %r3, %r4;", Operation::kIntMad},
      {"rem.u32 %r1, %r2, %r3;", Operation::kIntDiv},
      {"sub.f32 %f1, %f2, %f3;", Operation::kFpAdd},
      {"max.f32 %f1, %f2, %f3;", Operation::kFpMax},
      {"mul.rn.f32 %f1, %f2, %f3;", Operation::kFpMul},
      {"fma.rn.f32 %f1, %f2, %f3, %f1;", Operation::kFpMad},
      {"div.rn.f32 %f1, %f2, %f3;", Operation::kFpDiv},
      {"add.f64 %fd1, %fd2, %fd3;", Operation::kDpAdd},
      {"fma.rn.f64 %fd1, %fd2, %fd3, %fd1;", Operation::kDpMad},
      {"div.rn.f64 %fd1, %fd2, %fd3;", Operation::kDpDiv},
      {"fma.rn.f16x2 %r1, %r2, %r3, %r4;", Operation::kHpMad},
      {"add.f16 %rs1, %rs2, %rs3;", Operation::kHpAdd},
      {"sqrt.rn.f32 %f1, %f2;", Operation::kSpecial},
      {"rcp.rn.f64 %fd1, %fd2;", Operation::kSpecial},
      {"ex2.approx.f32 %f1, %f2;", Operation::kSpecial},
      {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", Operation::kShuffle},
      {"bar.sync 0;", Operation::kControl},
      {"ret;", Operation::kControl},
      {"mov.u32 %r1, %r2;", Operation::kOther},
      {"setp.lt.f32 %p1, %f1, %f2;", Operation::kOther},
      {"cvt.rn.f32.s32 %f1, %r1;", Operation::kOther},
      {"vote.sync.ballot.b32 %r1, %p1, -1;", Operation::kOther},
  };
  for (const auto& [text, operation] : expected) EXPECT_EQ(first_op(text).operation, operation) << text;
}

TEST(Decode, Clocks) {
  EXPECT_EQ(first_op("mov.u32 %r1, %clock;").kind, Kind::kClock);
  const MicroOp wide = first_op("mov.u64 %rd1, %clock64;");
  EXPECT_EQ(wide.kind, Kind::kClock);
  EXPECT_EQ(wide.d_wide, 1);
}

constexpr const char* kLoop =
    "mov.u32 %r1, 0;\nmov.u32 %r2, %ntid.x;\nL: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n"
    "@%p1 bra L;\nmov.u32 %r3, %tid.x;\nsetp.lt.s32 %p2, %r3, 4;\n@%p2 bra.uni M;\nst.shared.u32 [box], %r1;\nM: ret;";

TEST(Decode, Branches) {
  PtxFixture fixture(kernel_text(kLoop));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.ops[4].kind, Kind::kBranch);
  EXPECT_EQ(kernel.ops[4].target, 2U);
  EXPECT_EQ(kernel.ops[4].reconvergence, 5U);
  EXPECT_EQ(kernel.ops[4].likely, kNoPc);
  EXPECT_FALSE(kernel.ops[4].may_diverge);
  EXPECT_EQ(kernel.ops[7].target, 9U);
  EXPECT_TRUE(kernel.ops[7].may_diverge) << "bra.uni is no proof";
}

// Threads that meet at a `ret` may wait there for the others, unless these can still come to a barrier: then who goes
// there meets before it, and nobody waits for those that return.
TEST(Decode, OnlyABarrierAheadKeepsThreadsFromMeetingAtTheEnd) {
  const auto reconvergence = [](const std::string& body) {
    PtxFixture fixture(kernel_text(body));
    const auto& ops = fixture.kernel().ops;
    const auto branch =
        std::find_if(ops.begin(), ops.end(), [](const MicroOp& op) { return op.kind == Kind::kBranch; });
    return branch->reconvergence;
  };
  EXPECT_EQ(reconvergence("bar.sync 0;\n@%p1 bra OUT;\nadd.u32 %r1, %r1, 1;\nOUT: ret;"), 3U);
  EXPECT_EQ(reconvergence("@%p1 bra OUT;\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\nOUT: ret;"), 1U) << "the barrier";
  EXPECT_EQ(reconvergence("bar.sync 0;\n@%p1 bra OUT;\nbar.sync 0;\nOUT: ret;"), 2U) << "one of each";
  EXPECT_EQ(reconvergence("L: bar.sync 0;\n@%p1 bra OUT;\nadd.u32 %r1, %r1, 1;\n@%p2 bra L;\nOUT: ret;"), 2U)
      << "the loop leads back to it";
  // Who passes by the barrier is awaited behind: so nobody passes it by, and the branch is one that only seems to lead
  // there, as the choice among all functions that a pointer may mean.
  EXPECT_EQ(reconvergence("@%p1 bra OUT;\nbar.sync 0;\nOUT: bar.warp.sync -1;\nret;"), 2U);
}

TEST(Decode, WithoutTheAnalysisEveryConditionalBranchMayDiverge) {
  PtxFixture fixture(kernel_text(kLoop), {.uniformity_analysis = false});
  EXPECT_TRUE(fixture.kernel().ops[4].may_diverge);
}

TEST(Decode, EndOfTheBodyIsAnExit) {
  PtxFixture fixture(kernel_text("@%p1 bra END;\nmov.u32 %r1, 0;\nEND:"));
  const Kernel& kernel = fixture.kernel();
  ASSERT_EQ(kernel.ops.size(), 3U);
  EXPECT_EQ(kernel.ops[0].target, 2U);
  EXPECT_EQ(kernel.ops[2].kind, Kind::kExit);
}

}  // namespace decode_test
}  // namespace warpfold::isa
