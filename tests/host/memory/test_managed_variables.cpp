// SPDX-License-Identifier: Apache-2.0
// __managed__ variables: one memory for the program and its kernels.
#include <gtest/gtest.h>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace managed_variables_test {

constexpr const char* kProgram = R"(
#include <cstdio>
__device__ __managed__ int total = 5;
static __managed__ float table[100];
__managed__ struct Node { int value; Node* next; } head = {1, nullptr};
__device__ int plain = 7;
__global__ void add(int n) {
  if (threadIdx.x < n) { atomicAdd(&total, 1); table[threadIdx.x] += threadIdx.x; }
  if (threadIdx.x == 0) head.value += plain;
}
__global__ void through(float* p, int* t) { p[threadIdx.x] *= 2; if (threadIdx.x == 0) *t += 100; }
int main() {
  printf("%d %d\n", total, head.value);
  total = 10;
  for (float& x : table) x = 1;
  add<<<1, 64>>>(50);
  cudaDeviceSynchronize();
  printf("%d %g %g %d\n", total, table[49], table[50], head.value);
  through<<<1, 64>>>(table, &total);
  cudaMemPrefetchAsync(table, sizeof table, 0);
  printf("%d %g %g\n", total, table[49], table[64]);
  cudaMemset(table + 1, 0, sizeof table - 4);
  float first, seven = 7;
  cudaMemcpy(&first, table, 4, cudaMemcpyDeviceToHost);
  cudaMemcpyToSymbol(table, &seven, 4, 8);
  printf("%g %g %g %s\n", first, table[1], table[2], cudaGetErrorString(cudaGetLastError()));
}
)";

TEST(ManagedVariables, AreTheProgramsAndItsKernels) {
  const ScratchFolder folder;
  folder.write("m.cu", kProgram);
  for (const char* options : {"-O2", "-rdc=true -O0"}) {
    const CommandResult built = folder.compile(std::string(options) + " m.cu -o prog");
    ASSERT_EQ(built.status, 0) << built.output;
    const std::string output = run_command("cd '" + folder.path("") + "' && ./prog").output;
    // What -rdc=true puts together is loaded when the device is first used.
    const std::string first = options[1] == 'O' ? "5 1\n" : "0 0\n";
    EXPECT_EQ(output, first + "60 50 1 8\n160 100 1\n2 0 7 no error\n") << options;
  }
}

}  // namespace managed_variables_test
}  // namespace warpfold::host
