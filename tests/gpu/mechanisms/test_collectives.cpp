// SPDX-License-Identifier: Apache-2.0
// Warp-synchronous CUDA is right under every mechanism and on every machine: collectives are of 32 consecutive threads,
// whatever warps carry them (PTX ISA §9.7.12).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/gpu/mechanisms/divergent_walk.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace collectives_test {

using Words = std::vector<std::uint32_t>;

constexpr unsigned kBlock = 200, kBlocks = 3;  // the last warp of a block has eight threads
constexpr unsigned kThreads = kBlock * kBlocks;

constexpr const char* kSource = R"(
__device__ u32 index() { return blockIdx.x * blockDim.x + threadIdx.x; }
extern "C" {
__global__ void sum(u32* out) {
  u32 v = walk(index());
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  out[index()] = v;
}
__global__ void ballot(u32* out) { out[index()] = __ballot_sync(~0u, walk(index()) & 1); }
__global__ void leader(u32* out) {
  const u32 t = index(), v = walk(t);
  const bool p = mix(t) % 3 == 0;
  const u32 m = __ballot_sync(~0u, p);
  out[t] = 0;
  if (p) out[t] = __shfl_sync(m, v, __ffs(m) - 1);
}
__global__ void hand_over(u32* out) {
  __shared__ u32 box[256];
  box[threadIdx.x] = walk(index());
  __syncwarp();
  out[index()] = box[threadIdx.x ^ 5];
}
// Nothing parts or keeps anybody but the fences of warps; partners are eight lanes or more apart where there are enough.
__global__ void partners(u32* out) {
  __shared__ u32 box[256];
  const u32 t = threadIdx.x, partner = t ^ (t < 192 ? 25 : 5);
  u32 v = index();
  for (u32 i = 0; i < 3; ++i) {
    box[t] = v;
    __syncwarp();
    v = box[partner];
    __syncwarp();
  }
  out[index()] = v;
}
__global__ void aggregate(u32* out) {
  if (mix(index()) % 3 != 0) return;
  const u32 m = __activemask(), first = __ffs(m) - 1;
  u32 lane, base = 0;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane == first) base = atomicAdd(out + 600, __popc(m));
  base = __shfl_sync(m, base, first);
  atomicAdd(out + base + __popc(m & ((1u << lane) - 1)), 1u);
}
// In a loop that threads leave at different times, with those that are still in it; without a mask as before Volta.
__global__ void loop(u32* out) {
  const u32 t = index(), trips = mix(t) % 7;
  u32 sum = 0, left = __ballot_sync(~0u, trips > 0);
  for (u32 i = 0; i < trips; ++i) {
    sum += mix(__shfl_sync(left, t + i, __ffs(left) - 1)) & 255;
    left = __ballot_sync(left, i + 1 < trips);
  }
  out[t] = sum;
}
__global__ void match_and_reduce(u32* out) {
  const u32 t = index(), v = walk(t) % 3;
  const u32 m = __match_any_sync(~0u, v);
  int all;
  u32 sum, low, elected, mine;
  float farthest;
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(sum) : "r"(t), "r"(m));
  asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(low) : "r"(300 - t), "r"(m));
  asm volatile("redux.sync.max.abs.f32 %0, %1, %2;" : "=f"(farthest) : "f"(100.0f - t), "r"(m));
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(elected), "=r"(mine) : "r"(m));
  const u32 same = __match_all_sync(m, v, &all);
  out[t] = mix(m) + mix(sum) + mix(low + 7) + mix(__float_as_int(farthest)) + mix(elected + 100 * mine + 3) + mix(same + all);
}
__global__ void of_block(u32* out) {
  const u32 t = index(), v = walk(t);
  const int some = __syncthreads_count(v & 1), every = __syncthreads_and(v != 12345), any = __syncthreads_or(v == 12345);
  out[t] = some * 4 + every * 2 + any;
}
}
)";

// The threads of an architectural warp that `holds` is true of.
struct Warp {
  unsigned first, threads;
  explicit Warp(unsigned t) : first(t - t % kBlock % 32), threads(std::min(32U, kBlock - first % kBlock)) {}
  template <class Holds>
  std::uint32_t where(Holds holds) const {
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < threads; ++lane) mask |= std::uint32_t{holds(first + lane)} << lane;
    return mask;
  }
  template <class Visit>
  void each(std::uint32_t mask, Visit visit) const {
    for (; mask != 0; mask &= mask - 1) visit(first + static_cast<unsigned>(std::countr_zero(mask)));
  }
};

template <class Value>
Words words_of(Value value) {
  Words words;
  for (unsigned t = 0; t < kThreads; ++t) words.push_back(value(t));
  return words;
}

std::uint32_t expected_leader(unsigned t) {
  if (mix(t) % 3 != 0) return 0;
  const Warp warp(t);
  return walk(warp.first +
              static_cast<unsigned>(std::countr_zero(warp.where([](unsigned u) { return mix(u) % 3 == 0; }))));
}

std::uint32_t expected_loop(unsigned t) {
  const Warp warp(t);
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < mix(t) % 7; ++i) {
    const std::uint32_t left = warp.where([&](unsigned u) { return i < mix(u) % 7; });
    sum += mix(warp.first + static_cast<unsigned>(std::countr_zero(left)) + i) & 255;
  }
  return sum;
}

std::uint32_t expected_match(unsigned t) {
  const Warp warp(t);
  const std::uint32_t m = warp.where([&](unsigned u) { return walk(u) % 3 == walk(t) % 3; });
  const auto lowest = static_cast<std::uint32_t>(std::countr_zero(m));
  std::uint32_t sum = 0;
  std::int32_t low = 1 << 30;
  float farthest = 0;
  warp.each(m, [&](unsigned u) {
    sum += u;
    farthest = std::max(farthest, std::fabs(100.0F - static_cast<float>(u)));
    low = std::min(low, 300 - static_cast<std::int32_t>(u));
  });
  const std::uint32_t mine = warp.first + lowest == t ? 1 : 0;
  return mix(m) + mix(sum) + mix(static_cast<std::uint32_t>(low) + 7) + mix(std::bit_cast<std::uint32_t>(farthest)) +
         mix(lowest + 100 * mine + 3) + mix(m + 1);
}

// A warp of 32 has all of a shuffle's sources; the last one's missing lanes give a thread its own value.
Words expected_sum() {
  Words now = words_of(walk);
  for (unsigned d = 16; d > 0; d >>= 1) {
    const Words before = now;
    for (unsigned t = 0; t < kThreads; ++t) {
      const Warp warp(t);
      const unsigned other = (t - warp.first) ^ d;
      now[t] = before[t] + before[other < warp.threads ? warp.first + other : t];
    }
  }
  return now;
}

std::uint32_t odd_in_block(unsigned t) {
  std::uint32_t odd = 0;
  for (unsigned u = t - t % kBlock; u < t - t % kBlock + kBlock; ++u) odd += walk(u) & 1;
  return odd;
}

struct Kernel {
  const char* name;
  Words expected;
};

std::vector<Kernel> kernels() {
  unsigned takers = 0;
  for (unsigned t = 0; t < kThreads; ++t) takers += mix(t) % 3 == 0 ? 1 : 0;
  return {
      {"sum", expected_sum()},
      {"ballot", words_of([](unsigned t) { return Warp(t).where([](unsigned u) { return walk(u) % 2 == 1; }); })},
      {"leader", words_of(expected_leader)},
      {"hand_over", words_of([](unsigned t) { return walk(t - t % kBlock + (t % kBlock ^ 5)); })},
      {"partners", words_of([](unsigned t) { return t - t % kBlock + (t % kBlock ^ (t % kBlock < 192 ? 25 : 5)); })},
      {"aggregate", words_of([&](unsigned t) { return t < takers ? 1U : 0U; })},
      {"loop", words_of(expected_loop)},
      {"match_and_reduce", words_of(expected_match)},
      {"of_block", words_of([](unsigned t) { return odd_in_block(t) * 4 + 2; })}};
}

class Collectives : public testing::TestWithParam<MechanismVariant> {
 protected:
  static void SetUpTestSuite() { ptx_ = host::ptx_of(kWalkSource + kSource); }

  // How many threads get something else than CUDA promises, of all kernels.
  void run(const std::string& machine, Timing timing, const std::string& set = "cores=1") {
    std::vector<std::string> sets = sets_on(machine, GetParam().mechanism);
    sets.insert(sets.end(), {"cores=1", set});
    RunOptions options = RunOptions::resolve(machine, GetParam().mechanism, sets);
    options.timing = timing;
    for (const Kernel& kernel : kernels()) {
      KernelMachine<> gpu(ptx_, options);
      const Address out = gpu.upload(Words(kThreads + 1), "out");
      gpu.run(kernel.name, {kBlocks}, {kBlock}, out);
      const Words got = gpu.template download<std::uint32_t>(out, kThreads);
      unsigned wrong = 0;
      for (unsigned t = 0; t < kThreads; ++t) wrong += got[t] != kernel.expected[t] ? 1 : 0;
      EXPECT_EQ(wrong, 0U) << kernel.name << " under " << GetParam().name() << " on " << machine;
    }
  }

 private:
  static inline std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Every, Collectives, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

// Of 32 lanes, of 16, of SIMD units as narrow, with a scoreboard per register, with units of their own.
TEST_P(Collectives, AreRightOnEveryMachine) {
  for (const char* machine : {"tbc2011", "tstbc2016"}) run(machine, Timing::kCycle);
  for (const char* machine :
       {"ivb2013", "harp2013", "volta", "tbc2011-325mhz", "gt200", "kepler-token", "maxwell-token", "gtx480"}) {
    run(machine, Timing::kFunctional);
  }
}

TEST_P(Collectives, AreRightWhateverLaneRunsAThread) {
  for (const char* map : {"xor", "xor_rev", "mirror_odd"}) {
    for (const char* machine : {"tbc2011", "ivb2013"}) {
      run(machine, Timing::kFunctional, std::string("core.lane_map=") + map);
    }
  }
}

// Threads of a warp on both sides of a branch, `below` for its lanes 0 to 15 and `above` for the others; both from line
// 25 on, `above` first.
std::string two_sides(const std::string& below, const std::string& above) {
  return ptx_kernel("and.b32 %r7, %r1, 31;\nsetp.lt.u32 %p1, %r7, 16;\n@%p1 bra BELOW;\n" + above +
                    "\nbra.uni DONE;\nBELOW: " + below);
}

struct Outcome {
  std::string error;  // none where it ends
  double left_out = 0;
};

// Of 64 threads.
Outcome outcome(const std::string& ptx, const MechanismVariant& variant, const std::string& machine = "tbc2011",
                Timing timing = Timing::kCycle) {
  std::vector<std::string> sets = variant.sets;
  sets.emplace_back("cores=1");
  for (const std::string& set : sets_on(machine, variant.mechanism)) sets.push_back(set);
  RunOptions options = RunOptions::resolve(machine, variant.mechanism, sets);
  options.timing = timing;
  KernelMachine<> gpu(ptx, options);
  const Address in = gpu.upload(noise(64), "in"), out = gpu.upload(Words(64), "out");
  try {
    gpu.run("k", {1}, {64}, out, in);
  } catch (const UserError& error) {
    return {error.what()};
  }
  return {"", gpu.device.results().total().at("rendezvous_left_out")};
}

// Or these sides come, which are of whole slices of `vws` and `dwr`.
bool both_sides_come(const std::string& mechanism) {
  return mechanism == "vws" || mechanism == "dwr" || lets_the_other_side_come(mechanism);
}

class CollectivesOfBothSides : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, CollectivesOfBothSides, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(CollectivesOfBothSides, End) {
  const std::string& mechanism = GetParam().mechanism;
  for (const Timing timing : {Timing::kCycle, Timing::kFunctional}) {
    const Outcome ended =
        outcome(two_sides("bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff;"), GetParam(), "tbc2011", timing);
    EXPECT_EQ(ended.error, "");
    EXPECT_EQ(ended.left_out, both_sides_come(mechanism) ? 0 : 64);
  }
}

TEST(CollectivesThatCannotMeet, AreNamedWithBothPlaces) {
  const std::string ptx = two_sides("shfl.sync.down.b32 %r6, %r5, 1, 31, 0xffffffff;", "bar.warp.sync 0xffffffff;");
  const std::string said = outcome(ptx, {"dwf", {}}).error;
  for (const char* part : {"kernel 'k': lanes of warp 0 wait for each other at two collectives: ",
                           "16-31 at bar.warp.sync (membermask 0xffffffff) at test.ptx:25",
                           "0-15 at shfl.sync.down.b32 (membermask 0xffffffff) at test.ptx:27"}) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
}

// Half of the warp waits for the other, which waits at the barrier of the block for it.
TEST(CollectivesThatCannotMeet, AreReportedWhenNothingElseHappens) {
  const std::string ptx = two_sides("bar.warp.sync 0xffffffff;\nbar.sync 0;", "bar.sync 0;");
  for (const auto& [mechanism, machine] : {std::pair("dwf", "tbc2011"), {"pdom", "ivb2013"}}) {
    const std::string said = outcome(ptx, {mechanism, {}}, machine).error;
    EXPECT_NE(said.find("nothing can happen any more with 0 of 1 blocks finished"), std::string::npos) << said;
    EXPECT_NE(said.find("lanes 0-15 of warp 0 wait at bar.warp.sync (membermask 0xffffffff) at test.ptx:27 for lanes "
                        "16-31, the first of which is "),
              std::string::npos)
        << said;
  }
}

// Half of each warp comes to one barrier, the other half to another one. PTX has one barrier of a block, and threads
// that are free to come to it meet.
TEST_P(CollectivesOfBothSides, BarriersOfTheBlock) {
  const std::string& mechanism = GetParam().mechanism;
  const std::string said = outcome(two_sides("bar.sync 0;", "bar.sync 0;"), GetParam()).error;
  if (both_sides_come(mechanism)) {
    EXPECT_EQ(said, "");
    return;
  }
  EXPECT_TRUE(said.starts_with("kernel 'k', test.ptx:2")) << said;
  EXPECT_NE(said.find(": threads of block 0 come to a barrier after others have passed the one at test.ptx:2"),
            std::string::npos)
      << said;
}

// Threads that pass a barrier by and end are not waited for, although a stack holds them, or a barrier of their warp,
// until the others have gone on. Compilers merge returns, so that those who leave early meet the others at the end.
TEST_P(CollectivesOfBothSides, ABarrierThatSomePassBy) {
  for (const bool above : {false, true}) {
    const std::string ptx = above ? two_sides("", "bar.sync 0;") : two_sides("bar.sync 0;", "");
    EXPECT_EQ(outcome(ptx, GetParam()).error, "") << above;
  }
}

// Two warps carry the 32: even threads of one wait for those of the other, which is late, and odd ones come meanwhile
// to where they wait for the even ones, with a load in flight, as a scoreboard of registers lets them.
TEST_P(CollectivesOfBothSides, WhileTheOthersHaveALoadInFlight) {
  const std::string ptx = ptx_kernel(
      "and.b32 %r7, %r1, 31;\nsetp.lt.u32 %p1, %r7, 16;\n@%p1 bra HERE;\n"
      "ld.global.u32 %r8, [%rd1];\nand.b32 %r8, %r8, 0;\nadd.u32 %r7, %r7, %r8;\n"
      "HERE: and.b32 %r7, %r7, 1;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra EVEN;\n"
      "ld.global.u32 %r6, [%rd4];\nbra.uni DONE;\nEVEN: bar.warp.sync 0x55555555;");
  EXPECT_EQ(outcome(ptx, GetParam(), "ivb2013").error, "");
}

// Of two warps that carry the 32 one waits for the other, which is late at a branch on the other side. Where it waits
// there for its turn, it does not come any more.
TEST_P(CollectivesOfBothSides, WhileTheOthersRunToABranch) {
  std::string late;
  for (int i = 0; i < 30; ++i) late += "add.u32 %r7, %r7, 4;\n";
  const std::string ptx =
      two_sides("bar.warp.sync 0xffffffff;", late +
                                                 "and.b32 %r7, %r1, 3;\nsetp.eq.u32 %p1, %r7, 0;\n"
                                                 "@%p1 bra FEW;\nadd.u32 %r7, %r7, 1;\nFEW: add.u32 %r7, %r7, 2;");
  EXPECT_EQ(outcome(ptx, GetParam(), "ivb2013").error, "");
}

// if (lane < 16) { if (lane < 8) return; r7++; } __syncthreads(): as compilers merge the returns, with what all threads
// do before they return (`epilogue`) behind the barrier, both branches have the end as their post-dominator.
TEST_P(CollectivesOfBothSides, AReturnOnOneSideOfABranchBeforeABarrier) {
  for (const std::string epilogue : {"", "add.u32 %r7, %r7, 2;\n"}) {
    const std::string ptx = ptx_kernel(
        "and.b32 %r7, %r1, 31;\nsetp.ge.u32 %p1, %r7, 16;\n@%p1 bra JOIN;\nsetp.lt.u32 %p1, %r7, 8;\n"
        "@%p1 bra OUT;\nadd.u32 %r7, %r7, 1;\nJOIN: bar.sync 0;\nadd.u32 %r7, %r7, 3;\nOUT: " +
        epilogue);
    EXPECT_EQ(outcome(ptx, GetParam()).error, "") << epilogue;
  }
}

// if (lane < 16) { if (lane < 8) r7++; if (lane < 4) return; } __syncthreads(): threads part and meet inside of what
// the barrier ends, before some of them return.
TEST_P(CollectivesOfBothSides, ThreadsPartBeforeAnEarlyReturn) {
  const std::string ptx = ptx_kernel(
      "and.b32 %r7, %r1, 31;\nand.b32 %r8, %r1, 31;\nsetp.ge.u32 %p1, %r8, 16;\n@%p1 bra OTHERS;\n"
      "setp.ge.u32 %p1, %r8, 8;\n@%p1 bra FEW;\nadd.u32 %r7, %r7, 32;\nFEW: add.u32 %r7, %r7, 1;\n"
      "setp.lt.u32 %p1, %r8, 4;\n@%p1 bra OUT;\nadd.u32 %r7, %r7, 3;\nbra JOIN;\n"
      "OTHERS: add.u32 %r7, %r7, 5;\nJOIN: bar.sync 0;\n"
      "setp.lt.u32 %p1, %r8, 20;\n@%p1 bra LATE;\nadd.u32 %r7, %r7, 5;\nLATE: add.u32 %r7, %r7, 3;\n"
      "setp.lt.u32 %p1, %r8, 28;\n@%p1 bra LAST;\nadd.u32 %r7, %r7, 5;\nLAST: add.u32 %r7, %r7, 3;\n"
      "OUT: add.u32 %r7, %r7, 7;\n");
  EXPECT_EQ(outcome(ptx, GetParam()).error, "");
}

// if (lane < limit) { if (lane < 8) r7++; r7 += 2; return; } __syncthreads(): threads part again on their way out,
// whether some go to the barrier or none does.
TEST_P(CollectivesOfBothSides, ThreadsPartOnTheirWayToAnEarlyReturn) {
  for (const unsigned limit : {16U, 40U}) {
    const std::string ptx =
        ptx_kernel(fmt::format("and.b32 %r7, %r1, 31;\nsetp.lt.u32 %p1, %r7, {};\n@%p1 bra EARLY;\nbar.sync 0;\n"
                               "setp.lt.u32 %p1, %r7, 24;\n@%p1 bra LATE;\nadd.u32 %r7, %r7, 5;\n"
                               "LATE: add.u32 %r7, %r7, 3;\nbra OUT;\n"
                               "EARLY: setp.lt.u32 %p1, %r7, 8;\n@%p1 bra FEW;\nadd.u32 %r7, %r7, 1;\n"
                               "FEW: add.u32 %r7, %r7, 2;\nOUT: add.u32 %r7, %r7, 7;\n",
                               limit));
    EXPECT_EQ(outcome(ptx, GetParam()).error, "") << limit;
  }
}

}  // namespace collectives_test
}  // namespace warpfold
