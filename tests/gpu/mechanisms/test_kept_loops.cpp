// SPDX-License-Identifier: Apache-2.0
// Locks that are safe where a warp waits for its threads at the end of a loop: the section under the lock and its
// release stand inside the loop, and threads leave it through its test. They end where compiled code leaves them there.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace kept_loops_test {

constexpr unsigned kThreads = 48, kBlocks = 2, kAll = kThreads * kBlocks;
constexpr unsigned kLocks = 8, kWords = 16, kHeads = 8;  // words: counts, and at kHeads a list for each lock

// Every kernel has the locks, `words`, and `next`, a list element for each thread, counted from 1.
constexpr const char* kSource = R"(
#define KERNEL(name) extern "C" __global__ void name(int* lock, volatile int* words, volatile int* next)
__device__ bool take(int* lock) { return atomicCAS(lock, 0, 1) == 0; }
__device__ void give(int* lock) { __threadfence(); atomicExch(lock, 0); }
__device__ __noinline__ int one_more(volatile int* word) { return *word + 1; }
struct Guard {
  int* lock;
  template <class Section> __device__ void operator()(Section section) const {
    bool leave = false;
    do {
      if (take(lock)) { section(); give(lock); leave = true; }
    } while (!leave);
  }
};

KERNEL(flag) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) { *words = *words + 1; __threadfence(); atomicExch(lock, 0); done = true; }
  }
}
KERNEL(plain_store) {
  int leave = 0;
  do {
    if (atomicExch(lock, 1) == 0) { *words = *words + 1; __threadfence(); *(volatile int*)lock = 0; leave = 1; }
  } while (leave == 0);
}
KERNEL(retry) {
  bool done = false;
again:
  if (take(lock)) { *words = *words + 1; give(lock); done = true; }
  if (!done) goto again;
}
KERNEL(volatile_flag) {
  volatile bool done = false;
  while (!done) {
    if (take(lock)) { *words = *words + 1; give(lock); done = true; }
  }
}
KERNEL(result) {
  bool done = false;
  while (!done) {
    done = take(lock);
    if (done) { *words = *words + 1; give(lock); }
  }
}
KERNEL(two_locks) {
  bool done = false;
  while (!done) {
    if (take(lock)) {
      if (take(lock + 1)) { *words = *words + 1; give(lock + 1); done = true; }
      give(lock);
    }
  }
}
KERNEL(inner_loop) {
  bool done = false;
  while (!done) {
    if (take(lock)) {
      bool inside = false;
      while (!inside) {
        if (take(lock + 1)) { *words = *words + 1; give(lock + 1); inside = true; }
      }
      give(lock);
      done = true;
    }
  }
}
KERNEL(branches_and_calls) {
  bool done = false;
  while (!done) {
    if (take(lock)) {
      if (threadIdx.x % 2 == 1) words[1] = one_more(words + 1);
      else if (threadIdx.x % 4 == 2) words[2] = words[2] + 1;
      for (int i = 0; i < 3; ++i) words[3] = words[3] + i;
      *words = one_more(words);
      give(lock);
      done = true;
    }
  }
}
KERNEL(back_off) {
  bool done = false;
  int wait = 1;
  while (!done) {
    if (take(lock)) {
      *words = *words + 1; give(lock); done = true;
    } else {
      for (int i = 0; i < wait; ++i) next[blockIdx.x * blockDim.x + threadIdx.x] += i;
      wait = min(2 * wait, 16);
    }
  }
}
KERNEL(tickets) {
  const int mine = atomicAdd(lock, 1);
  bool done = false;
  while (!done) {
    if (atomicAdd(lock + 1, 0) == mine) { *words = *words + 1; __threadfence(); atomicAdd(lock + 1, 1); done = true; }
  }
}
KERNEL(unrolled) {
  bool done = false;
#pragma unroll 4
  for (int i = 0; i < 1000000 && !done; ++i) {
    if (take(lock)) { *words = *words + 1; give(lock); done = true; }
  }
}
KERNEL(lambda) {
  Guard{lock}([&] { *words = *words + 1; });
}
KERNEL(buckets) {
  const int element = blockIdx.x * blockDim.x + threadIdx.x + 1, bucket = element * 5 % 8;
  bool done = false;
  while (!done) {
    if (take(lock + bucket)) {
      next[element - 1] = words[8 + bucket];
      words[8 + bucket] = element;
      give(lock + bucket);
      done = true;
    }
  }
  atomicAdd((int*)words, 1);
}
)";

struct Outcome {
  std::vector<std::uint32_t> words, next;
};

Outcome run(const std::string& kernel, const std::string& mechanism) {
  static const std::string ptx = host::ptx_of(kSource);
  KernelMachine<> gpu(ptx, RunOptions::resolve("tbc2011", mechanism, {"cores=1"}));
  const Address locks = gpu.upload(std::vector<std::uint32_t>(kLocks), "locks");
  const Address words = gpu.upload(std::vector<std::uint32_t>(kWords), "words");
  const Address next = gpu.upload(std::vector<std::uint32_t>(kAll), "next");
  gpu.run(kernel, {kBlocks}, {kThreads}, locks, words, next);
  return {gpu.template download<std::uint32_t>(words, kWords), gpu.template download<std::uint32_t>(next, kAll)};
}

class KeptLoops : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(EveryMechanism, KeptLoops, testing::ValuesIn(timed_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(KeptLoops, ALockPassesFromTurnToTurn) {
  const std::string& mechanism = GetParam().mechanism;
  for (const char* kernel : {"flag", "plain_store", "retry", "volatile_flag", "result", "two_locks", "inner_loop",
                             "branches_and_calls", "back_off", "tickets", "unrolled", "lambda"}) {
    // Whether the one who has the lock comes among the majority is the kernel's luck.
    if (mechanism.starts_with("dwf") && kernel != std::string("flag")) continue;
    SCOPED_TRACE(kernel);
    const Outcome outcome = run(kernel, mechanism);
    EXPECT_EQ(outcome.words[0], kAll);
    if (kernel == std::string("branches_and_calls")) {
      EXPECT_EQ(outcome.words[1], kAll / 2);
      EXPECT_EQ(outcome.words[2], kAll / 4);
      EXPECT_EQ(outcome.words[3], kAll * 3);
    }
  }
}

TEST_P(KeptLoops, ListsGrowUnderBucketLocks) {
  const Outcome outcome = run("buckets", GetParam().mechanism);
  EXPECT_EQ(outcome.words[0], kAll);
  for (unsigned bucket = 0; bucket < kLocks; ++bucket) {
    std::vector<unsigned> found, expected;
    for (unsigned at = outcome.words[kHeads + bucket]; at != 0 && found.size() <= kAll; at = outcome.next[at - 1]) {
      found.push_back(at);
    }
    for (unsigned element = 1; element <= kAll; ++element) {
      if (element * 5 % kLocks == bucket) expected.push_back(element);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << "bucket " << bucket;
  }
}

}  // namespace kept_loops_test
}  // namespace warpfold
