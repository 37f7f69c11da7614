// SPDX-License-Identifier: Apache-2.0
// Barriers that a program names or counts (PTX ISA §9.7.13.1) under every mechanism: pairs of warps that meet by
// themselves, warps that take different roles, arrivals that do not wait.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/gpu/mechanisms/divergent_walk.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace named_barriers_test {

using Words = std::vector<std::uint32_t>;

constexpr unsigned kBlock = 128, kBlocks = 3, kRounds = 6;

constexpr const char* kSource = R"(
__device__ void sync(u32 barrier, u32 threads) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }
__device__ void arrive(u32 barrier, u32 threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
extern "C" {
// Two warps have a barrier of their own, and read what the other one has written.
__global__ void pairs(u32* out) {
  __shared__ u32 box[128];
  const u32 t = threadIdx.x, index = blockIdx.x * 128 + t;
  u32 v = index;
  for (int round = 0; round < 3; ++round) {
    box[t] = walk(v);
    sync(1 + t / 64, 64);
    v = box[t ^ 37];
    sync(1 + t / 64, 64);
  }
  out[index] = v;
}
// The last warp has eight threads, all of which arrive as a warp.
__global__ void short_block(u32* out) {
  __shared__ u32 box[64];
  const u32 t = threadIdx.x, index = blockIdx.x * 40 + t;
  box[t] = walk(index);
  sync(7, 64);
  out[index] = box[39 - t];
  asm volatile("barrier.sync 9;" ::: "memory");
  box[t] = t;
}
// Warps 0 and 1 fill two buffers in turn, 2 and 3 add up what is in them.
__global__ void roles(u32* out) {
  __shared__ u32 buffer[2][64];
  const u32 t = threadIdx.x, lane = t % 64;
  u32 sum = 0;
  if (t < 64) {
    for (u32 i = 0; i < 6; ++i) {
      if (i >= 2) sync(3 + i % 2, 128);
      buffer[i % 2][lane] = walk(blockIdx.x * 1000 + i * 64 + lane);
      __threadfence_block();
      arrive(1 + i % 2, 128);
      sum += i;
    }
  } else {
    for (u32 i = 0; i < 6; ++i) {
      sync(1 + i % 2, 128);
      sum = mix(sum + buffer[i % 2][63 - lane]);
      if (i + 2 < 6) arrive(3 + i % 2, 128);
    }
  }
  out[blockIdx.x * 128 + t] = sum;
}
// Of a pair of warps, how many threads hold, whether all do, whether one does.
__global__ void reduce(u32* out) {
  const u32 t = threadIdx.x, index = blockIdx.x * 128 + t, v = walk(index);
  u32 some, every, any;
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, %2, 64, p; }"
               : "=r"(some) : "r"(v & 1), "r"(4 + t / 64));
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.and.pred q, %2, 64, p; selp.u32 %0, 1, 0, q; }"
               : "=r"(every) : "r"(t < 64), "r"(4 + t / 64));
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, %2, 64, !p; selp.u32 %0, 1, 0, q; }"
               : "=r"(any) : "r"(t < 127), "r"(4 + t / 64));
  out[index] = some * 4 + every * 2 + any;
}
}
)";

Words expected_pairs() {
  Words now(kBlock * kBlocks);
  for (unsigned i = 0; i < now.size(); ++i) now[i] = i;
  for (int round = 0; round < 3; ++round) {
    Words box;
    for (const std::uint32_t v : now) box.push_back(walk(v));
    for (unsigned i = 0; i < now.size(); ++i) now[i] = box[i ^ 37];
  }
  return now;
}

Words expected_short_block() {
  Words words;
  for (unsigned i = 0; i < 40 * kBlocks; ++i) words.push_back(walk(i - i % 40 + 39 - i % 40));
  return words;
}

Words expected_roles() {
  Words words;
  for (unsigned index = 0; index < kBlock * kBlocks; ++index) {
    const unsigned block = index / kBlock, lane = index % 64;
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < kRounds; ++i) {
      sum = index % kBlock < 64 ? sum + i : mix(sum + walk(block * 1000 + i * 64 + 63 - lane));
    }
    words.push_back(sum);
  }
  return words;
}

Words expected_reduce() {
  Words words;
  for (unsigned index = 0; index < kBlock * kBlocks; ++index) {
    const unsigned first = index - index % 64;
    std::uint32_t some = 0;
    for (unsigned u = first; u < first + 64; ++u) some += walk(u) & 1;
    const bool upper = index % kBlock >= 64;
    words.push_back(some * 4 + (upper ? 0 : 2) + (upper ? 1 : 0));
  }
  return words;
}

class NamedBarriersUnder : public testing::TestWithParam<MechanismVariant> {
 protected:
  static void SetUpTestSuite() { ptx_ = host::ptx_of(kWalkSource + kSource); }

  Words run(const char* kernel, unsigned threads, const std::string& machine, Timing timing) {
    std::vector<std::string> sets = sets_on(machine, GetParam().mechanism);
    sets.emplace_back("cores=1");
    RunOptions options = RunOptions::resolve(machine, GetParam().mechanism, sets);
    options.timing = timing;
    KernelMachine<> gpu(ptx_, options);
    const Address out = gpu.upload(Words(threads * kBlocks), "out");
    gpu.run(kernel, {kBlocks}, {threads}, out);
    return gpu.download<std::uint32_t>(out, threads * kBlocks);
  }
  // The first few places that differ.
  static std::string wrong(const Words& got, const Words& expected) {
    std::string text;
    for (std::size_t i = 0; i < got.size() && text.size() < 200; ++i) {
      if (got[i] != expected[i]) text += std::to_string(i) + " ";
    }
    return text;
  }
  template <class Check>
  void everywhere(Check check) {
    check("tbc2011", Timing::kCycle);
    for (const char* machine : {"ivb2013", "harp2013"}) check(machine, Timing::kFunctional);
  }

 private:
  static inline std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Every, NamedBarriersUnder, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(NamedBarriersUnder, PartsOfABlockMeetByThemselves) {
  everywhere([this](const char* machine, Timing timing) {
    EXPECT_EQ(run("pairs", kBlock, machine, timing), expected_pairs()) << machine;
    EXPECT_EQ(run("short_block", 40, machine, timing), expected_short_block()) << machine;
    EXPECT_EQ(run("reduce", kBlock, machine, timing), expected_reduce()) << machine;
  });
}

TEST_P(NamedBarriersUnder, WarpsTakeRolesOrAreRefused) {
  everywhere([this](const char* machine, Timing timing) {
    std::string said;
    try {
      EXPECT_EQ(wrong(run("roles", kBlock, machine, timing), expected_roles()), "") << machine;
    } catch (const UserError& error) {
      said = error.what();
    }
    if (lets_warps_take_roles(GetParam().mechanism)) {
      EXPECT_EQ(said, "") << machine;
      return;
    }
    EXPECT_NE(said.find("kernel 'roles', test.ptx:"), std::string::npos) << machine << said;
    EXPECT_NE(said.find("that the mechanism's stack keeps back until these have gone on"), std::string::npos) << said;
  });
}

std::string error_of(const std::string& body) {
  KernelMachine<> gpu(ptx_kernel(body), RunOptions::resolve("tbc2011", "pdom", {"cores=1"}));
  const Address in = gpu.upload(noise(64), "in"), out = gpu.upload(Words(64), "out");
  try {
    gpu.run("k", {1}, {64}, out, in);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(NamedBarriers, WhatCannotBeIsNamed) {
  EXPECT_EQ(
      error_of("bar.sync 3, 48;"),
      "kernel 'k', test.ptx:22: barrier 3 of 48 threads: a block has barriers 0 to 15, of a multiple of 32 threads");
  EXPECT_EQ(
      error_of("bar.sync %r3;"),
      "kernel 'k', test.ptx:22: barrier 64 of 0 threads: a block has barriers 0 to 15, of a multiple of 32 threads");
  EXPECT_EQ(error_of("setp.lt.u32 %p1, %r1, 32;\nselp.u32 %r7, 64, 96, %p1;\nbar.sync 3, %r7;"),
            "kernel 'k', test.ptx:24: barrier 3 of 96 threads (0: all of the block), at which others wait for 64");
}

// Odd threads leave before the barrier, and the last thing that the compiler has made of all ways out is within the
// loop.
TEST_P(NamedBarriersUnder, OneOfAllOpensWithoutThoseWhoLeave) {
  const std::string ptx = ptx_kernel(R"(
and.b32 %r7, %r1, 1;
setp.eq.u32 %p1, %r7, 1;
AGAIN:
@%p1 bra LATCH;
bar.sync 3;
add.u32 %r6, %r6, 1;
LATCH:
setp.lt.u32 %p2, %r6, 2;
not.pred %p3, %p1;
and.pred %p2, %p2, %p3;
@%p2 bra AGAIN;
)");
  for (const Timing timing : {Timing::kCycle, Timing::kFunctional}) {
    RunOptions options = RunOptions::resolve("tbc2011", GetParam().mechanism, {"cores=1"});
    options.timing = timing;
    KernelMachine<> gpu(ptx, options);
    const Address in = gpu.upload(noise(64), "in"), out = gpu.upload(Words(64), "out");
    gpu.run("k", {1}, {64}, out, in);
    const Words values = gpu.download<std::uint32_t>(out, 64);
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(values[t], t % 2 != 0 ? 0u : 2u) << t;
  }
}

TEST(NamedBarriers, OneThatNeverFillsIsReported) {
  const std::string said = error_of("bar.sync 3, 96;");
  EXPECT_NE(said.find("waits for a barrier that has a name or a count"), std::string::npos) << said;
}

}  // namespace named_barriers_test
}  // namespace warpfold
