// SPDX-License-Identifier: Apache-2.0
// Whole programs: compiled and linked by warpfold-cc, run on the modelled GPU.
#include <gtest/gtest.h>

#include "tests/host/front_end.h"

namespace warpfold::host {
namespace programs_test {

class Programs : public ::testing::Test {
 protected:
  // Builds `sources` (already written) into ./prog and runs it.
  CommandResult build_and_run(const std::string& sources, const std::string& arguments = "") {
    const CommandResult built = folder.compile(sources + " -o prog");
    EXPECT_EQ(built.status, 0) << built.output;
    return run_command("cd '" + folder.path("") + "' && ./prog " + arguments);
  }
  ScratchFolder folder;
};

TEST_F(Programs, AnOrdinaryOne) {
  folder.write("add.cu", R"(
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char** argv) {
  const int n = atoi(argv[1]);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc, ms;
  cudaMalloc((void**)&da, n * 4); cudaMalloc((void**)&db, n * 4); cudaMalloc(&dc, n * 4);
  cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaEventRecord(start, 0);
  add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  cudaEventRecord(stop, 0); cudaEventSynchronize(stop);
  cudaEventElapsedTime(&ms, start, stop);
  cudaMemcpy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != 3.0f * i;
  const char* error = cudaGetErrorString(cudaGetLastError());
  printf("wrong %d, time %s, error %s\n", wrong, ms > 0 && ms < 1 ? "plausible" : "odd", error);
}
)");
  const CommandResult result = build_and_run("-O2 add.cu", "5000");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "wrong 0, time plausible, error no error\n");
}

TEST_F(Programs, SeveralSourcesAndLaunchesOutsideMain) {
  folder.write("shared.h", "int from_b();\nint plain(int);\n");
  folder.write("a.cu", R"(
#include <cstdio>
#include <thread>
#include "shared.h"
__device__ int counter;
static __constant__ int step[1] = {1};
__global__ void bump() { atomicAdd(&counter, step[0]); }
struct Early { Early() { bump<<<1, 32>>>(); } } early;
struct Late { ~Late() { int v; cudaMemcpyFromSymbol(&v, counter, 4); printf("late %d\n", v); } } late;
int main() {
  int two = 2;
  cudaMemcpyToSymbol("step", &two, sizeof two);
  std::thread other([] { bump<<<2, 32>>>(); });
  other.join();
  int v; cudaMemcpyFromSymbol(&v, counter, sizeof v);
  printf("main %d, b %d, plain %d\n", v, from_b(), plain(4));
  bump<<<1, 1>>>();
}
)");
  folder.write("b.cu", R"(
#include "shared.h"
static __global__ void bump(int* p) { *p = 77; }  // the name of another file's kernel
int from_b() {
  int *p, v;
  cudaMalloc(&p, 4); bump<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
  return v;
}
)");
  folder.write("c.cpp", "#include \"shared.h\"\nint plain(int x) { return x * x; }\n");
  ASSERT_EQ(folder.compile("-c b.cu").status, 0);
  const CommandResult result = build_and_run("a.cu b.o c.cpp -lpthread -lcudart");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "main 160, b 77, plain 16\nlate 162\n");
}

// The thread sanitizer keeps the addresses that the host and the machine share for itself.
#ifdef __SANITIZE_THREAD__
constexpr bool kSharedAddresses = false;
#else
constexpr bool kSharedAddresses = true;
#endif

TEST_F(Programs, MemoryThatBothSidesSee) {
  if (!kSharedAddresses) GTEST_SKIP();
  folder.write("u.cu", R"(
#include <cstdio>
#include <cstdlib>
__global__ void twice(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
__constant__ int three = 3;
__global__ void either(int* data, int n) {  // lanes of one load read the constant and what is the host's
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int* from = i % 2 == 0 ? &three : data + i;
  data[i] = *from;
}
int check(const char* what, int* host, int* device, int n) {
  for (int i = 0; i < n; ++i) host[i] = i;
  twice<<<(n + 63) / 64, 64>>>(device, n);
  either<<<(n + 63) / 64, 64>>>(device, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != (i % 2 == 0 ? 3 : 2 * i);
  if (wrong) printf("%s: %d wrong\n", what, wrong);
  return wrong;
}
int main() {
  const int n = 5000;
  int *managed, *pinned, *pinned_there, *registered_there, *registered = (int*)malloc(n * sizeof(int));
  cudaMallocManaged(&managed, n * sizeof(int));
  cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&pinned_there, pinned, 0);
  cudaHostRegister(registered, n * sizeof(int), cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&registered_there, registered, 0);
  int wrong = check("managed", managed, managed, n) + check("pinned", pinned, pinned_there, n) +
              check("registered", registered, registered_there, n);
  printf("wrong %d, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
)");
  const CommandResult built = folder.compile("u.cu -o prog");
  ASSERT_EQ(built.status, 0) << built.output;
  for (const std::string timing : {"cycle", "functional"}) {
    const CommandResult result = run_command("cd '" + folder.path("") + "' && '" WARPFOLD_PROGRAM "' run --timing " +
                                             timing + " --set cores=2 --out out -- ./prog | head -1");
    EXPECT_EQ(result.output, "wrong 0, no error\n") << timing;
  }
}

TEST_F(Programs, CopiesTakeTheTimeOfTheBus) {
  if (!kSharedAddresses) GTEST_SKIP();
  folder.write("b.cu", R"(
#include <cstdio>
int main() {
  const size_t bytes = 24 << 20;
  char *device, *host;
  cudaMalloc(&device, bytes); cudaMallocHost(&host, bytes);
  cudaEvent_t start, stop; float ms;
  cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaEventRecord(start); cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice); cudaEventRecord(stop);
  cudaEventSynchronize(stop); cudaEventElapsedTime(&ms, start, stop);
  printf("%.2f GB/s\n", bytes / ms * 1e-6);
}
)");
  EXPECT_EQ(build_and_run("b.cu").output, "11.94 GB/s\n");
}

TEST_F(Programs, AFaultIsToldAtOnceAndByEveryCallAfterIt) {
  folder.write("f.cu", R"(
#include <cstdio>
__global__ void wild(int* p) { p[threadIdx.x + 1000] = 1; }
int main() {
  int* p; cudaMalloc(&p, 400);
  printf("before\n");
  wild<<<1, 32>>>(p);
  printf("after: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return cudaGetLastError() != cudaSuccess ? 5 : 0;
}
)");
  const CommandResult result = build_and_run("f.cu");
  EXPECT_EQ(result.status, 5);
  EXPECT_EQ(result.output.substr(0, 25), "before\nwarpfold: error: k") << result.output;
  EXPECT_NE(result.output.find("wild"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("cudaMalloc #1"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\nafter: cudaErrorIllegalAddress\n"), std::string::npos) << result.output;
  EXPECT_EQ(count(result.output, "\n"), 3u) << result.output;
}

TEST_F(Programs, ALaunchThatDoesNotFitIsAnError) {
  folder.write("s.cu",
               "__global__ void k() { extern __shared__ int s[]; s[threadIdx.x] = 0; }\n"
               "int main(int n, char**) { if (n > 1) k<<<1, 32, 1 << 20>>>(); else k<<<1, 2048>>>();\n"
               "  int error = cudaGetLastError(); k<<<1, 32, 128>>>(); return cudaGetLastError() != cudaSuccess ? 99 : "
               "error; }\n");
  const CommandResult threads = build_and_run("s.cu"), shared = build_and_run("s.cu", "x");
  EXPECT_EQ(threads.status, 9);  // cudaErrorInvalidConfiguration
  EXPECT_EQ(shared.status, 1);   // cudaErrorInvalidValue
  for (const CommandResult& result : {threads, shared}) {
    EXPECT_EQ(count(result.output, "warpfold: warning: "), 1u) << result.output;
    EXPECT_EQ(count(result.output, "\n"), 1u) << result.output;
  }
}

// CUB asks how many blocks fit, and launches none.
TEST_F(Programs, AnEmptyLaunchOfWhatDoesNotFitSaysSo) {
  folder.write("s.cu",
               "__global__ void k() { extern __shared__ int s[]; s[threadIdx.x] = 0; }\n"
               "int main() { k<<<0, 32, 20000>>>(); return cudaGetLastError(); }\n");
  const CommandResult result = build_and_run("s.cu");
  EXPECT_EQ(result.status, 9);
  EXPECT_NE(result.output.find("skipped: empty, and a block needs 20000 bytes of shared memory: a core has 16384 "
                               "(--machine gtx480 has 49152)\n"),
            std::string::npos)
      << result.output;
}

// As C++ programs may write it: by a function, pointers to it and void*, with and without the last arguments.
TEST_F(Programs, KernelsAreNamedInManyWays) {
  folder.write("n.cu", R"(
#include <cstdio>
__global__ void add(int* p, int n) { *p += n; }
template <class T> __global__ void twice(T* p, T n) { *p += 2 * n; }
__constant__ int start;
int main() {
  int *p, h = 0, n = 1, from = 0;
  cudaMalloc(&p, 4); cudaMemset(p, 0, 4);
  cudaMemcpyToSymbolAsync(start, &n, 4);
  cudaMemcpyFromSymbolAsync(&from, start, 4);
  void *arguments[] = {&p, &n}, *address = (void*)add;
  const void* constant = (const void*)twice<int>;
  auto* pointer = twice<int>;
  cudaError_t e[] = {
      cudaLaunchKernel(address, 1, 1, arguments), cudaLaunchKernel(address, 1, 1, arguments, 0, 0),
      cudaLaunchKernel(constant, 1, 1, arguments), cudaLaunchKernel(pointer, 1, 1, arguments, 16),
      cudaLaunchKernel(twice<int>, 1, 1, arguments), cudaLaunchKernel(&add, 1, 1, arguments),
      cudaLaunchCooperativeKernel(address, 1, 1, arguments), cudaLaunchCooperativeKernel(add, 1, 1, arguments, 0),
      cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, 64),
      cudaFuncSetAttribute(twice<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64),
      cudaFuncSetCacheConfig(address, cudaFuncCachePreferL1), cudaFuncSetCacheConfig(pointer, cudaFuncCachePreferL1)};
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  for (cudaError_t one : e) h += one;
  printf("%d %d\n", h, from);
}
)");
  EXPECT_EQ(build_and_run("n.cu").output, "11 1\n");
}

// Kernels print when they have ended, between what the program prints, piped or not.
TEST_F(Programs, KernelsPrintBetweenTheProgramsLines) {
  folder.write("p.cu", R"(
#include <cassert>
#include <cstdio>
#include <iostream>
struct Node { int value; Node* next; };
__device__ Node* head;
__global__ void hello(const char* who) { if (threadIdx.x < 2) printf("  block %d thread %d\n", blockIdx.x, threadIdx.x); }
__global__ void push(int n) { for (int i = 0; i < n; ++i) head = new Node{i, head}; }
__global__ void pop(int* out) { while (Node* node = head) { *out += node->value; head = node->next; delete node; } }
__global__ void give(int** out) { *out = (int*)malloc(4); }
__global__ void check(int n) { printf("checks\n"); assert(n < 3 && "small"); }
int main() {
  printf("one\n");
  hello<<<1, 32>>>("x");
  printf("two\n");
  hello<<<1, 1>>>("y");
  std::cout << "three" << std::endl;
  int *sum, **given, total, *block;
  cudaMalloc(&sum, 4); cudaMalloc(&given, 8); cudaMemset(sum, 0, 4);
  push<<<1, 1>>>(100); pop<<<1, 1>>>(sum);
  cudaMemcpy(&total, sum, 4, cudaMemcpyDeviceToHost);
  give<<<1, 1>>>(given);
  cudaMemcpy(&block, given, 8, cudaMemcpyDeviceToHost);
  printf("%d, %d %d\n", total, cudaFree(block) == cudaSuccess, cudaFree(sum) == cudaSuccess);
  check<<<1, 1>>>(2);
  check<<<dim3(2, 2), 1>>>(3);
}
)");
  const CommandResult result = build_and_run("p.cu");
  const std::string expected = "one\n  block 0 thread 0\n  block 0 thread 1\ntwo\n  block 0 thread 0\nthree\n";
  EXPECT_EQ(result.output.substr(0, expected.size()), expected) << result.output;
  EXPECT_NE(result.output.find("\n4950, 0 1\nchecks\nchecks\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\np.cu:11: void check(int): block: ["), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("], thread: [0,0,0] Assertion `n < 3 && \"small\"` failed.\n"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("an assertion of thread (0,0,0) of block ("), std::string::npos) << result.output;
}

TEST_F(Programs, FastMathRuns) {
  folder.write("m.cu", R"(
#include <cmath>
#include <cstdio>
__global__ void k(float* p) {
  float x = p[threadIdx.x];
  p[threadIdx.x] = sinf(x) / (1.0f + expf(x)) + sqrtf(x) + logf(x + 1.0f) + powf(x, 1.5f);
}
int main() {
  float h[64], *d; int wrong = 0;
  for (int i = 0; i < 64; ++i) h[i] = 0.05f * i;
  cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) {
    float x = 0.05f * i;
    wrong += !(fabs(h[i] - (sin(x) / (1 + exp(x)) + sqrt(x) + log(x + 1) + pow(x, 1.5))) < 1e-4);
  }
  printf("wrong %d\n", wrong);
}
)");
  const CommandResult result = build_and_run("--use_fast_math m.cu");
  EXPECT_EQ(result.output, "wrong 0\n");
}

}  // namespace programs_test
}  // namespace warpfold::host
