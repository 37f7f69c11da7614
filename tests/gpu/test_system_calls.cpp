// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc, new and free in kernels under every mechanism, timed and not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace system_calls_test {

using Words = std::vector<std::uint32_t>;

constexpr unsigned kBlock = 72, kBlocks = 3, kThreads = kBlock * kBlocks;

constexpr const char* kSource = R"(
#include <cassert>
#include <cstdio>
typedef unsigned u32;
__device__ u32 mix(u32 x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__device__ u32 index() { return blockIdx.x * blockDim.x + threadIdx.x; }
struct Node { u32 value; Node* next; };
__device__ Node* lists[216];
extern "C" {
// Several lines of some threads, each from another turn of a loop, and in a function that threads call apart.
__device__ __noinline__ u32 tell(u32 t, u32 turn) { return printf("thread %u turn %u of %s\n", t, turn, "many"); }
__global__ void print(u32* out) {
  const u32 t = index();
  u32 arguments = 0;
  for (u32 i = 0; i < mix(t) % 4; ++i) arguments += (mix(t + i) & 1) ? tell(t, i) : printf("%u|%5.1f\n", t, 0.5 * i);
  out[t] = arguments;
}
// Lists of other lengths for every thread, half of which goes again at once.
__global__ void grow(u32* out) {
  const u32 t = index();
  u32 failed = 0;
  for (u32 i = 0; i < mix(t) % 9; ++i) {
    Node* node = (Node*)malloc(sizeof(Node) + mix(t + i) % 50);
    failed += node == nullptr;
    if (node == nullptr) continue;
    node->value = mix(t * 16 + i);
    node->next = lists[t];
    lists[t] = node;
    if (mix(i) & 1) { Node* gone = new Node; gone->value = i; delete gone; }
  }
  out[t] = failed;
}
__global__ void gather(u32* out) {
  const u32 t = index();
  u32 sum = 0;
  while (Node* node = lists[t]) {
    sum += node->value;
    lists[t] = node->next;
    free(node);
  }
  out[t] = sum;
}
__global__ void fail(u32* out) {
  assert(mix(index()) % 100 != 0 || out == nullptr);
  out[index()] = 1;
}
}
)";

std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

struct Printed {
  std::vector<std::string> lines;  // sorted
  Words arguments;                 // by thread
};

Printed expected_lines() {
  Printed expected;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    std::uint32_t arguments = 0;
    for (std::uint32_t i = 0; i < mix(t) % 4; ++i) {
      const bool tells = (mix(t + i) & 1) != 0;
      arguments += tells ? 3 : 2;
      expected.lines.push_back(tells ? fmt::format("thread {} turn {} of many", t, i)
                                     : fmt::format("{}|{:5.1f}", t, 0.5 * i));
    }
    expected.arguments.push_back(arguments);
  }
  std::sort(expected.lines.begin(), expected.lines.end());
  return expected;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Place {
  const char* machine;
  Timing timing;
};
constexpr Place kPlaces[] = {{"tbc2011", Timing::kCycle},           {"tstbc2016", Timing::kCycle},
                             {"ivb2013", Timing::kFunctional},      {"harp2013", Timing::kFunctional},
                             {"volta", Timing::kFunctional},        {"gt200", Timing::kFunctional},
                             {"maxwell-token", Timing::kFunctional}};

class SystemCalls : public testing::TestWithParam<MechanismVariant> {
 protected:
  static void SetUpTestSuite() { ptx_ = host::ptx_of(kSource); }

  struct Machine : KernelMachine<> {
    explicit Machine(const Place& place, const std::string& mechanism)
        : KernelMachine<>(ptx_, options_for(place, mechanism)), out(upload(Words(kThreads), "out")) {}
    static RunOptions options_for(const Place& place, const std::string& mechanism) {
      std::vector<std::string> sets = sets_on(place.machine, mechanism);
      sets.push_back("cores=1");
      RunOptions options = RunOptions::resolve(place.machine, mechanism, sets);
      options.timing = place.timing;
      return options;
    }
    Words launch(const char* kernel) {
      isa::Launch launch = launch_of(program, kernel, device.figures().row_lanes, {{kBlocks}, {kBlock}, 0}, out);
      launch.services = &services;
      device.launch(launch);
      return download<std::uint32_t>(out, kThreads);
    }
    Address out;
  };

  template <class Check>
  void on_every_place(Check check) {
    for (const Place& place : kPlaces) {
      SCOPED_TRACE(std::string(place.machine) + " under " + GetParam().name());
      Machine machine(place, GetParam().mechanism);
      check(machine);
    }
  }

 private:
  static inline std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Every, SystemCalls, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(SystemCalls, EveryThreadsLinesArePrinted) {
  const Printed expected = expected_lines();
  ASSERT_GT(expected.lines.size(), 200U);
  on_every_place([&](Machine& machine) {
    EXPECT_EQ(machine.launch("print"), expected.arguments);
    testing::internal::CaptureStdout();
    machine.services.show();
    std::fflush(stdout);
    EXPECT_EQ(sorted_lines(testing::internal::GetCapturedStdout()), expected.lines);
  });
}

TEST_P(SystemCalls, ListsOfBlocksOutliveTheirKernel) {
  Words expected(kThreads);
  unsigned nodes = 0;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    for (std::uint32_t i = 0; i < mix(t) % 9; ++i, ++nodes) expected[t] += mix(t * 16 + i);
  }
  on_every_place([&](Machine& machine) {
    EXPECT_EQ(machine.launch("grow"), Words(kThreads));
    EXPECT_EQ(machine.services.heap.blocks(), nodes);
    EXPECT_EQ(machine.launch("gather"), expected);
    EXPECT_EQ(machine.services.heap.blocks(), 0U);
  });
}

// A launch takes what a full heap has; the rest gets null, whoever it is.
TEST_P(SystemCalls, AFullHeap) {
  on_every_place([&](Machine& machine) {
    machine.services.heap.set_bytes(8192);
    const Words failed = machine.launch("grow");
    EXPECT_GT(std::count_if(failed.begin(), failed.end(), [](std::uint32_t n) { return n > 0; }), 10);
    machine.launch("gather");
    EXPECT_EQ(machine.services.heap.blocks(), 0U);
  });
}

TEST_P(SystemCalls, AssertionsName) {
  unsigned failing = 0;
  for (std::uint32_t t = 0; t < kThreads; ++t) failing += mix(t) % 100 == 0 ? 1 : 0;
  ASSERT_GT(failing, 0U);
  on_every_place([&](Machine& machine) {
    EXPECT_THROW(machine.launch("fail"), isa::AssertionFailure);
    testing::internal::CaptureStderr();
    machine.services.show();
    const std::string said = testing::internal::GetCapturedStderr();
    unsigned line = 0, block = 0, thread = 0;
    ASSERT_EQ(std::sscanf(said.c_str(),
                          "test.cu:%u: void fail(u32 *): block: [%u,0,0], thread: [%u,0,0] Assertion "
                          "`mix(index()) %% 100 != 0 || out == nullptr` failed.",
                          &line, &block, &thread),
              3)
        << said;
    EXPECT_EQ(line, 47U);
    EXPECT_EQ(mix(block * kBlock + thread) % 100, 0U);
  });
}

}  // namespace system_calls_test
}  // namespace warpfold
