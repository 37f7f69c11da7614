// SPDX-License-Identifier: Apache-2.0
// Forms of PTX that only some programs have, in a whole kernel: atomics on vectors, special registers, spaces.
#include <gtest/gtest.h>

#include <bit>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace ptx_forms_test {

constexpr unsigned kThreads = 64;

std::vector<std::uint32_t> run(const std::string& body, Timing timing, std::vector<std::uint32_t> out) {
  RunOptions options = RunOptions::resolve("tbc2011", "tbc", {"cores=1"});
  options.timing = timing;
  KernelMachine<> machine(ptx_kernel(body), options);
  const Address to = machine.upload(out), in = machine.upload(noise(kThreads));
  machine.run("k", {1}, {kThreads}, to, in);
  return machine.download<std::uint32_t>(to, out.size());
}

class PtxForms : public testing::TestWithParam<Timing> {
 protected:
  // What each thread leaves in %r6.
  static std::vector<std::uint32_t> words(const std::string& body) {
    return run(body, GetParam(), std::vector<std::uint32_t>(kThreads));
  }
};

TEST_P(PtxForms, AtomicsOnVectorsAreOneForEachElement) {
  const auto out =
      run("add.u64 %rd6, %rd1, 256;\n.reg .f32 %f<4>;\nmov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f40000000;\n"
          "red.global.add.v2.f32 [%rd6], {%f1, %f2};\n"
          "red.relaxed.gpu.global.add.v4.f32 [%rd6+16], {%f1, %f2, %f2, %f1};",
          GetParam(), std::vector<std::uint32_t>(kThreads + 8));
  const float each[] = {1, 2, 0, 0, 1, 2, 2, 1};
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(std::bit_cast<float>(out[kThreads + k]), each[k] * kThreads) << k;
}

TEST_P(PtxForms, AtomicsOnVectorsGiveWhatWasThere) {
  // A result lies where an address was.
  const auto out = words(
      "mov.u64 %rd6, box;\n.reg .f32 %f<6>;\ncvt.rn.f32.u32 %f1, %r4;\nadd.u64 %rd7, %rd4, 0;\n"
      "atom.global.add.v2.f32 {%f2, %f3}, [%rd7], {%f1, %f1};\nmov.b32 %r6, %f2;");
  for (unsigned t = 0; t < kThreads; ++t) EXPECT_TRUE(out[t] == 0 || t > 0) << t;
  const auto sums =
      run("add.u64 %rd6, %rd1, 256;\n.reg .f32 %f<6>;\nmov.f32 %f1, 0f3f800000;\n"
          "atom.global.add.v2.f32 {%f2, %f3}, [%rd6], {%f1, %f1};\ncvt.rzi.u32.f32 %r6, %f3;",
          GetParam(), std::vector<std::uint32_t>(kThreads + 2));
  std::vector<bool> seen(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    ASSERT_LT(sums[t], kThreads);
    EXPECT_FALSE(seen[sums[t]]);
    seen[sums[t]] = true;
  }
}

TEST_P(PtxForms, SpecialRegistersOfOtherWidthsAndOfClusters) {
  const auto out = words(
      "mov.u64 %rd6, %gridid;\ncvt.u32.u64 %r6, %rd6;\nmov.u32 %r7, %clusterid.x;\nadd.u32 %r6, %r6, %r7;\n"
      "mov.u32 %r7, %cluster_nctarank;\nadd.u32 %r6, %r6, %r7;\nmov.u32 %r7, %cluster_ctaid.y;\nadd.u32 %r6, %r6, "
      "%r7;\n"
      "mov.u32 %r7, %aggr_smem_size;\nadd.u32 %r6, %r6, %r7;\nmov.u32 %r7, %reserved_smem_offset_1;\n"
      "add.u32 %r6, %r6, %r7;\nmov.u32 %r7, %tid.w;\nadd.u32 %r6, %r6, %r7;\nmov.pred %p1, %is_explicit_cluster;\n"
      "@%p1 add.u32 %r6, %r6, 7;");
  for (const std::uint32_t word : out) EXPECT_EQ(word, 1 + 4096U);  // a cluster of one block, and `box`
}

TEST_P(PtxForms, SpacesOfAClusterAreThoseOfItsBlock) {
  const auto out = words(
      "cvta.shared.u64 %rd6, 8;\nisspacep.shared::cta %p1, %rd6;\nisspacep.shared::cluster %p2, %rd6;\n"
      "isspacep.shared::cta %p3, %rd1;\n@%p1 add.u32 %r6, %r6, 1;\n@%p2 add.u32 %r6, %r6, 2;\n@%p3 add.u32 %r6, %r6, "
      "4;");
  for (const std::uint32_t word : out) EXPECT_EQ(word, 3U);
}

INSTANTIATE_TEST_SUITE_P(Timings, PtxForms, testing::Values(Timing::kCycle, Timing::kFunctional));

}  // namespace ptx_forms_test
}  // namespace warpfold
