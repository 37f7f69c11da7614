// SPDX-License-Identifier: Apache-2.0
// What the list of instructions says is there can be decoded.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/decode/instruction_table.h"

namespace warpfold::isa {
namespace instruction_table_test {

std::string kernel_with(std::string_view body) {
  return with_header(
      ".func (.param .b32 b) f(.param .b64 a) { st.param.b32 [b], 1; ret; }\n.visible .entry k()\n{\n"
      ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<8>;\n"
      ".reg .f64 %fd<8>;\n.shared .align 16 .b8 box[512];\n" +
      std::string(body) + "\nret;\n}\n");
}

TEST(InstructionTable, EveryExampleIsDecoded) {
  for (const InstructionForm& form : instruction_forms()) {
    EXPECT_EQ(decode_error(kernel_with(form.example)), "") << form.example;
  }
}

// Forms that compilers and public programs use, beyond the table's own examples.
TEST(InstructionTable, WhatCompilersEmitIsDecoded) {
  for (const char* text : {
           "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r1, %r1, 0; addc.u32 %r2, 0, 0;",
           "sub.cc.s64 %rd1, %rd2, %rd3; subc.s64 %rd4, %rd5, 0;",
           "mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.cc.u32 %r5, %r2, %r3, 0; madc.lo.u32 %r6, %r1, %r2, 0;",
           "setp.lt.f16 %p1, %rs1, %rs2; setp.geu.and.bf16 %p1, %rs1, %rs2, !%p2;",
           "setp.eq.f16x2 %p1|%p2, %r1, %r2; set.gt.f16x2.f16x2 %r1, %r2, %r3;",
           "min.f16 %rs1, %rs2, %rs3; max.NaN.bf16x2 %r1, %r2, %r3; fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;",
           "fma.rn.bf16 %rs1, %rs2, %rs3, %rs4; neg.bf16x2 %r1, %r2; abs.bf16 %rs1, %rs2;",
           "cvt.rn.bf16x2.f32 %r1, %f1, %f2; cvt.rz.relu.f16x2.f32 %r1, %f1, %f2; cvt.rn.bf16.f32 %rs1, %f1;",
           "cvt.f32.bf16 %f1, %rs1; cvt.rn.f16.s32 %rs1, %r1; cvt.rzi.u32.f16 %r1, %rs1; cvt.rna.tf32.f32 %r1, %f1;",
           "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4; cvt.pack.sat.s16.s32 %r1, %r2, %r3;",
           "ex2.approx.f16x2 %r1, %r2; ex2.approx.ftz.bf16 %rs1, %rs2; tanh.approx.f32 %f1, %f2;",
           "tanh.approx.bf16x2 %r1, %r2; dp2a.lo.s32.u32 %r1, %r2, %r3, %r4; dp4a.u32.u32 %r1, %r2, %r3, %r4;",
           "szext.clamp.s32 %r1, %r2, %r3; bmsk.wrap.b32 %r1, %r2, %r3; vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
           "vset2.s32.s32.gt %r1, %r2, %r3, %r4; vadd4.s32.s32.s32.sat %r1, %r2, %r3, %r4;",
           "copysign.f32 %f1, %f2, %f3; testp.subnormal.f64 %p1, %fd1; bfind.shiftamt.u32 %r1, %r2;",
           "ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
           "ld.relaxed.cta.shared::cta.u64 %rd1, [box]; st.volatile.shared.v2.u16 [box], {%rs1, %rs2};",
           "red.relaxed.gpu.global.or.b32 [%rd1], %r1; atom.or.b64 %rd1, [%rd2], %rd3;",
           ".pragma \"nounroll\"; @%p1 bra L; L: isspacep.shared %p1, %rd1;",
           "slct.f32.s32 %f1, %f2, %f3, %r1; sad.u16 %rs1, %rs2, %rs3, %rs4; cnot.b32 %r1, %r2;",
           "min.ftz.NaN.f32 %f1, %f2, %f3; fma.rz.ftz.f32 %f1, %f2, %f3, %f4; rcp.rp.f64 %fd1, %fd2;",
           "cvt.rn.relu.satfinite.e4m3x2.f32 %rs1, %f1, %f2; cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f1, %f2;",
           "cvt.rs.satfinite.relu.bf16x2.f32 %r1, %f1, %f2, %r3; cvt.relu.rs.f16x2.f32 %r1, %f1, %f2, %r3;",
           "fma.rn.oob.relu.f16x2 %r1, %r2, %r3, %r4; fma.rn.relu.oob.bf16 %rs1, %rs2, %rs3, %rs4;",
           "ld.global.v2.u32 {%r1, %r2}, [%rd1 + 8].unified; ld.u32 %r1, [%rd1] .unified; ldu.global.u32 %r1, "
           "[%rd1].unified;",
           "atom.global.cas.b32 %r1, [%rd1].unified, %r2, %r3; ld.global.L2::cache_hint.u32 %r1, [%rd1].unified, %rd2;",
           "mul24.hi.u32 %r1, %r2, %r3; mad24.lo.s32 %r1, %r2, %r3, %r4; lop3.b32 %r1, %r2, %r3, %r4, 0xe8;",
           "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1; mov.b64 %rd1, {%rs1, %rs2, %rs3, %rs4};",
           "min.xorsign.abs.f32 %f1, %f2, %f3; max.f32 %f1, %f2, 0f3F800000; add.rp.sat.f32 %f1, %f2, %f3;",
           "mov.u64 %rd1, %globaltimer; mov.u32 %r2, %dynamic_smem_size;",
           "cvt.rn.f16x2.f32 %r1, %f1, %f2; cvt.sat.f16.f16 %rs1, %rs2; cvt.f16.f16 %rs1, %rs2; cvt.rni.f16.f16 %rs1, "
           "%rs2;",
           "st.global.L1::evict_last.b8 [%rd1], %rs1; ld.global.s8 %rs1, [%rd1]; ld.weak.global.b64 %rd1, [%rd2];",
           "fence.proxy.async; fence.mbarrier_init.release.cluster;",
           "@!%p1 cp.async.ca.shared.global [box], [%rd1], 4; cp.async.commit_group; cp.async.wait_all;",
           "{ .reg .b32 q; mov.b32 q, %r1; } bar.sync 0; bar.sync 1; bar.arrive 15, 32;",
       }) {
    EXPECT_EQ(decode_error(kernel_with(text)), "") << text;
  }
}

TEST(InstructionTable, WhatIsNotThereIsRefusedByKernelLineAndName) {
  for (const char* text :
       {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
        "wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r1}, [%rd1];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%rd1], 16, [box];",
        "barrier.cluster.arrive;", "bar.sync 16;", "mapa.u16 %rs1, %rs2, 0;", "getctarank.u32 %r1;",
        "atom.global.v2.max.f32 {%f1, %f2}, [%rd1], {%f1, %f2};",
        "atom.global.v2.min.u32 {%r1, %r2}, [%rd1], {%r1, %r2};", "fma.rn.oob.f32 %f1, %f2, %f3, %f4;",
        "fma.rn.ftz.oob.f16 %rs1, %rs2, %rs3, %rs4;", "mbarrier.expect_tx.relaxed.cta.shared.b64 [box], 16;"}) {
    const std::string error = decode_error(kernel_with(text));
    const std::string name = std::string(text).substr(0, std::string(text).find_first_of(" ;"));
    EXPECT_NE(error.find("kernel 'k': t.ptx:14: unsupported instruction '" + name), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(InstructionTable, AnUnreachedFunctionMayUseWhatIsNotThere) {
  const std::string strange = ".func strange() { .reg .b32 %r<3>; barrier.cluster.arrive; ret; }\n";
  EXPECT_EQ(decode_error(with_header(strange + ".visible .entry k() { ret; }\n")), "");
  EXPECT_NE(decode_error(with_header(strange + ".visible .entry k() { call strange; ret; }\n"))
                .find("'barrier.cluster.arrive'"),
            std::string::npos);
}

TEST(InstructionTable, NamesAreSortedAndEachOnce) {
  const auto table = instruction_table();
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_GT(table.size(), 80U);
  for (const InstructionRow& row : table) EXPECT_FALSE(row.forms.empty()) << row.name;
}

}  // namespace instruction_table_test
}  // namespace warpfold::isa
