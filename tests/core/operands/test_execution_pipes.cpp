// SPDX-License-Identifier: Apache-2.0
// Which pipe of an execution unit takes an instruction, and when (Intra-warp §2.2).
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/core/operands/execution_pipes.h"

namespace warpfold {
namespace execution_pipes_test {

PipeUse use_of(const std::string& instruction) {
  isa::PtxFixture ptx(isa::kernel_text(instruction + "\nEND:\nret;"));
  return pipe_use(ptx.kernel().ops.at(0));
}

TEST(ExecutionPipes, IntegersMovesConversionsAndBranchesAreTheFpus) {
  for (const char* text :
       {"add.s32 %r1, %r2, %r3;", "mad.lo.u32 %r1, %r2, %r3, %r4;", "mov.f32 %f1, %f2;", "setp.lt.u32 %p1, %r1, %r2;",
        "selp.b32 %r1, %r2, %r3, %p1;", "cvt.rn.f32.s32 %f1, %r1;", "@%p1 bra END;\nst.global.u32 [%rd1], %r1;"}) {
    EXPECT_EQ(use_of(text), PipeUse::kFpu) << text;
  }
}

TEST(ExecutionPipes, SinglePrecisionArithmeticMayGoToEither) {
  for (const char* text : {"add.f32 %f1, %f2, %f3;", "mul.rn.f32 %f1, %f2, %f3;", "fma.rn.f32 %f1, %f2, %f3, %f4;",
                           "max.f32 %f1, %f2, %f3;", "neg.f32 %f1, %f2;", "setp.lt.f32 %p1, %f1, %f2;"}) {
    EXPECT_EQ(use_of(text), PipeUse::kFpuOrEm) << text;
  }
}

TEST(ExecutionPipes, ExtendedMathAndDoublePrecisionAreEms) {
  for (const char* text :
       {"div.rn.f32 %f1, %f2, %f3;", "sqrt.rn.f32 %f1, %f2;", "sin.approx.f32 %f1, %f2;", "cos.approx.f32 %f1, %f2;",
        "lg2.approx.f32 %f1, %f2;", "ex2.approx.f32 %f1, %f2;", "div.s32 %r1, %r2, %r3;", "rem.u32 %r1, %r2, %r3;",
        "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", "setp.lt.f64 %p1, %fd1, %fd2;"}) {
    EXPECT_EQ(use_of(text), PipeUse::kEm) << text;
  }
}

TEST(ExecutionPipes, MemoryBarriersFencesAndTheEndAreSends) {
  for (const char* text : {"ld.global.u32 %r1, [%rd1];", "st.shared.u32 [box], %r1;",
                           "atom.global.add.u32 %r1, [%rd1], %r2;", "bar.sync 0;", "membar.gl;", "ret;"}) {
    EXPECT_EQ(use_of(text), PipeUse::kSend) << text;
  }
}

TEST(ExecutionPipes, WhatBothTakeGoesToTheOneThatIsFreeFirst) {
  ExecutionPipes pipes;
  pipes.start(100);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpuOrEm, 100), Pipe::kEm) << "a tie";
  pipes.hold(Pipe::kEm, 104);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpuOrEm, 100), Pipe::kFpu);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpuOrEm, 103), Pipe::kFpu);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpuOrEm, 104), Pipe::kEm) << "both are free: a tie again";
  pipes.hold(Pipe::kFpu, 108);
  pipes.hold(Pipe::kEm, 107);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpuOrEm, 104), Pipe::kEm);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kFpu, 104), Pipe::kFpu) << "the only one, busy or not";
  EXPECT_EQ(pipes.pipe_for(PipeUse::kEm, 104), Pipe::kEm);
  EXPECT_EQ(pipes.pipe_for(PipeUse::kSend, 104), Pipe::kSend);
}

TEST(ExecutionPipes, LanesEnterWhenThePipeIsFree) {
  ExecutionPipes pipes;
  pipes.start(10);
  EXPECT_EQ(pipes.starts_at(Pipe::kFpu, 12), 12u);
  pipes.hold(Pipe::kFpu, 16);
  EXPECT_EQ(pipes.starts_at(Pipe::kFpu, 12), 16u);
  EXPECT_EQ(pipes.starts_at(Pipe::kEm, 12), 12u);
  EXPECT_EQ(pipes.starts_at(Pipe::kFpu, 17), 17u);
}

}  // namespace execution_pipes_test
}  // namespace warpfold
