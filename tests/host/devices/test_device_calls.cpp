// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc, new and delete in device code as warpfold-cc compiles them.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace device_calls_test {

// What a kernel without arguments prints.
std::string printed_by(const std::string& source, isa::Dim3 block = {1}, const std::string& options = "") {
  KernelRunner runner(ptx_of(source, options));
  testing::internal::CaptureStdout();
  runner.run("_Z1kv", {1}, block, 0);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(DeviceCalls, ArgumentsOfEveryType) {
  EXPECT_EQ(printed_by(R"(
#include <cstdint>
#include <cstdio>
enum Color { kRed, kGreen };
__device__ const char* name(int i) { return i ? "odd" : "even"; }
__global__ void k() {
  char c = 'x'; signed char sc = -3; unsigned char uc = 250; short s = -300; unsigned short us = 65000;
  bool b = true; float f = 0.1f; double d = 1e100; long l = -1L << 40; unsigned long long u = ~0ull; size_t z = 12;
  printf("%c %hhd %hhu %hd %hu %d|", c, sc, uc, s, us, b);
  printf("%f %.3e %ld %llx %zu %d\n", f, d, l, u, z, kGreen);
  printf("[%-6s] [%6.2s] %s %%|%*d|%.*f|%p\n", name(0), name(1), "", 5, -7, 1, 2.25, (void*)0x1f0);
  printf("%d %s %d\n", 1, "two", 3);
})"),
            "x -3 250 -300 65000 1|0.100000 1.000e+100 -1099511627776 ffffffffffffffff 12 1\n"
            "[even  ] [    od]  %|   -7|2.2|0x1f0\n"
            "1 two 3\n");
}

TEST(DeviceCalls, ThreadsPrintInTheOrderOfLanes) {
  const std::string source =
      "#include <stdio.h>\n"
      "__global__ void k() { if (threadIdx.x % 8 == 3) printf(\"%d \", threadIdx.x); else if (threadIdx.x == 0)\n"
      "printf(\"zero \"); }\n";
  const std::string text = printed_by(source, {64});
  EXPECT_TRUE(text == "zero 3 11 19 27 35 43 51 59 " || text == "3 11 19 27 zero 35 43 51 59 ") << text;
}

TEST(DeviceCalls, ResultsOfPrint) {
  KernelRunner runner(ptx_of(R"(
#include <cstdio>
__global__ void k(int* out) {
  out[0] = printf("");
  out[1] = printf("%%");
  out[2] = printf("%d%s%f", 1, "", 0.0);
  out[3] = printf(nullptr);
})"));
  const Address out = runner.upload(std::vector<int>(4, 77));
  testing::internal::CaptureStdout();
  runner.run("_Z1kPi", {1}, {1}, 0, out);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "%10.000000");
  EXPECT_EQ(runner.download<int>(out, 4), (std::vector<int>{0, 0, 3, -1}));
}

constexpr const char* kHeapSource = R"(
#include <cstdlib>
#include <new>
#include <vector>
struct Shape {
  int* alive;
  __device__ Shape(int* counter) : alive(counter) { atomicAdd(alive, 1); }
  __device__ ~Shape() { atomicSub(alive, 1); }
};
__host__ __device__ int* both() { int* p = new int; *p = 4; int v = *p; delete p; return v == 4 ? nullptr : p; }
extern "C" __global__ void objects(int* counter, Shape** kept) {
  Shape* many = new Shape[3]{counter, counter, counter};
  kept[threadIdx.x] = new Shape(counter);
  counter[1 + threadIdx.x] = *counter;
  delete[] many;
  alignas(Shape) char place[sizeof(Shape)];
  (new (place) Shape(counter))->~Shape();
  void* bytes = std::malloc(5);
  std::free(bytes);
  if (both()) *counter = 1000;
}
extern "C" __global__ void end(Shape** kept) { delete kept[threadIdx.x]; }
int main() { std::vector<int> host(3); int* p = new int[3]; delete[] p; return both() != nullptr; }
)";

TEST(DeviceCalls, NewAndDelete) {
  for (const char* standard : {"c++11", "c++14", "c++17", "c++20"}) {
    KernelRunner runner(ptx_of(kHeapSource, std::string("-std=") + standard));
    const Address counter = runner.upload(std::vector<int>(33)), kept = runner.upload(std::vector<Address>(32));
    runner.run("objects", {1}, {32}, 0, counter, kept);
    EXPECT_EQ(runner.download<int>(counter, 1)[0], 32) << standard;
    const auto places = runner.download<Address>(kept, 32);
    EXPECT_EQ(std::set<Address>(places.begin(), places.end()).size(), 32U);
    for (const Address place : places) EXPECT_EQ(place % 16, 0U);
    runner.run("end", {1}, {32}, 0, kept);
    EXPECT_EQ(runner.download<int>(counter, 1)[0], 0) << standard;
  }
}

TEST(DeviceCalls, AssertOnlyWithoutNdebug) {
  const std::string source = "#include <cassert>\n__global__ void k(int* p) { assert(p[0] == 1); p[0] = 2; }\n";
  KernelRunner checked(ptx_of(source)), unchecked(ptx_of(source, "-DNDEBUG"));
  const Address good = checked.upload(std::vector<int>{1}), bad = checked.upload(std::vector<int>{3});
  checked.run("_Z1kPi", {1}, {1}, 0, good);
  EXPECT_EQ(checked.download<int>(good, 1)[0], 2);
  testing::internal::CaptureStderr();
  EXPECT_THROW(checked.run("_Z1kPi", {1}, {1}, 0, bad), isa::AssertionFailure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "test.cu:2: void k(int *): block: [0,0,0], thread: [0,0,0] Assertion `p[0] == 1` failed.\n");
  const Address other = unchecked.upload(std::vector<int>{3});
  unchecked.run("_Z1kPi", {1}, {1}, 0, other);
  EXPECT_EQ(unchecked.download<int>(other, 1)[0], 2);
}

}  // namespace device_calls_test
}  // namespace warpfold::host
