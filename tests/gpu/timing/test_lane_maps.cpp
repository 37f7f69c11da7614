// SPDX-License-Identifier: Apache-2.0
// What another lane map buys: threads in the same place of their warps can be compacted (SLP, ISCA 2013).
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace lane_maps_test {

constexpr int kBody = 10;  // instructions of the threads in the first `first` places of their warps

// Warp instructions of four warps of four threads under TBC.
double warp_instructions(const std::string& map, unsigned first) {
  std::string body = fmt::format("and.b32 %r7, %r1, 3;\nsetp.ge.u32 %p1, %r7, {};\n@%p1 bra DONE;\n", first);
  for (int n = 0; n < kBody; ++n) body += "add.u32 %r6, %r6, 1;\n";
  const std::vector<std::string> sets{"cores=1", "core.warp_size=4", "core.simd_width=4", "core.sfu_width=2",
                                      "core.lane_map=" + map};
  RunOptions options = RunOptions::resolve("tbc2011", "tbc", sets);
  options.timing = Timing::kFunctional;
  KernelMachine<> gpu(ptx_kernel(body), options);
  const Address in = gpu.upload(noise(16), "in"), out = gpu.upload(std::vector<std::uint32_t>(16), "out");
  gpu.run("k", {1}, {16}, out, in);
  const auto got = gpu.download<std::uint32_t>(out, 16);
  for (unsigned t = 0; t < 16; ++t) EXPECT_EQ(got[t], t % 4 < first ? kBody : 0) << map << ", thread " << t;
  return gpu.device.results().total().at("warp_instructions");
}

TEST(LaneMapsUnderTbc, FourThreadsOfOnePlaceNeedOneWarpInsteadOfFour) {
  const double identity = warp_instructions("identity", 1);
  EXPECT_EQ(identity - warp_instructions("xor", 1), 3 * kBody);
  EXPECT_EQ(identity - warp_instructions("xor_rev", 1), 3 * kBody);
  EXPECT_EQ(identity - warp_instructions("mirror_odd", 1), 2 * kBody) << "two lanes for four rows";
}

TEST(LaneMapsUnderTbc, EightThreadsOfTwoPlacesNeedTwoWarps) {
  const double identity = warp_instructions("identity", 2);
  EXPECT_EQ(identity - warp_instructions("xor", 2), 2 * kBody);
  EXPECT_EQ(identity - warp_instructions("mirror_odd", 2), 2 * kBody);
}

}  // namespace lane_maps_test
}  // namespace warpfold
