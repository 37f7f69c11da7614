// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for one another, which the test device does not have: on the modelled GPU, under mechanisms of each
// kind.
#include <gtest/gtest.h>

#include <string>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace grid_groups_test {

TEST(GridGroups, BlocksSeeWhatOthersWroteBeforeTheBarrier) {
  const ScratchFolder folder;
  folder.write("grid.cu", R"(
#include <cooperative_groups.h>
#include <cstdio>
__global__ void phases(volatile int* a, volatile int* b, int rounds) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int n = (int)grid.size(), i = (int)grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    volatile int *from = r % 2 ? b : a, *to = r % 2 ? a : b;
    to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
    grid.sync();
  }
}
int main() {
  const int blocks = 4, threads = 64, n = blocks * threads, rounds = 6;
  int *a, *b, h[n], e[n], t[n];
  for (int i = 0; i < n; ++i) h[i] = e[i] = i * i % 17;
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < n; ++i) t[i] = e[(i + 1) % n] + e[(i + n - 1) % n];
    for (int i = 0; i < n; ++i) e[i] = t[i];
  }
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
  phases<<<blocks, threads>>>(a, b, rounds);
  phases<<<blocks, threads>>>(a, b, 0);
  cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += h[i] != e[i];
  printf("wrong %d\n", wrong);
}
)");
  const CommandResult built = folder.compile("grid.cu -o prog");
  ASSERT_EQ(built.status, 0) << built.output;
  const std::string compiler = WARPFOLD_CC, warpfold = compiler.substr(0, compiler.rfind("-cc"));
  for (const std::string mechanism : {"pdom", "dwf", "tbc", "lwm", "its"}) {
    const CommandResult run = run_command("cd '" + folder.path("") + "' && timeout 60 '" + warpfold +
                                          "' run --mechanism " + mechanism + " --out out_" + mechanism + " ./prog");
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.output.find("wrong 0\n"), std::string::npos) << mechanism << ": " << run.output;
  }
}

}  // namespace grid_groups_test
}  // namespace warpfold::host
