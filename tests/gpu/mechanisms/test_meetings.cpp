// SPDX-License-Identifier: Apache-2.0
// CAPRI whose warps bypass every branch and meet nobody is PDOM, to the cycle.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"
#include "tests/gpu/mechanisms/divergent_walk.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace meetings_test {

const std::string kSource = kWalkSource + R"(
extern "C" __global__ void walks(const u32* in, u32* out) {
  __shared__ u32 box[128];
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 v = walk(in[t]);
  for (u32 i = threadIdx.x % 5; i < 4; ++i) {
    if (v % 3 == i) v += walk(v); else v ^= in[v % 512];
  }
  box[threadIdx.x] = v;
  __syncthreads();
  out[t] = v % 2 ? walk(box[127 - threadIdx.x]) : box[v % 128];
}
)";

struct Ran {
  double cycles;
  std::vector<std::uint32_t> words;
};

Ran run(const std::string& machine, const std::string& mechanism, std::vector<std::string> sets) {
  static const std::string ptx = host::ptx_of(kSource);
  for (const char* set : {"cores=2", "core.warp_policy=LRR"}) sets.emplace_back(set);
  KernelMachine<> gpu(ptx, RunOptions::resolve(machine, mechanism, sets));
  const Address in = gpu.upload(noise(512), "in"), out = gpu.upload(std::vector<std::uint32_t>(512), "out");
  gpu.run("walks", {4}, {128}, in, out);
  return {gpu.device.results().last_launch().at("cycles"), gpu.template download<std::uint32_t>(out, 512)};
}

TEST(Meetings, WarpsThatBypassAndMeetNobodyTakePdomsCycles) {
  for (const char* machine : {"tbc2011", "tstbc2016", "gtx480"}) {
    for (const std::string kind : {"simple", "per_register", "per_thread"}) {
      const std::string scoreboard = "core.scoreboard=" + kind;
      const Ran pdom = run(machine, "pdom", {scoreboard});
      const Ran free = run(machine, "capri", {"mechanism.meeting=warp", "mechanism.prediction=bypass", scoreboard});
      EXPECT_EQ(free.cycles, pdom.cycles) << machine << ' ' << kind;
      EXPECT_EQ(free.words, pdom.words) << machine << ' ' << kind;
      EXPECT_NE(run(machine, "capri", {"mechanism.prediction=bypass", scoreboard}).cycles, pdom.cycles)
          << machine << ' ' << kind;
    }
  }
}

}  // namespace meetings_test
}  // namespace warpfold
