// SPDX-License-Identifier: Apache-2.0
// Recursion, function pointers and virtual calls are right under every mechanism, in divergent code too.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/gpu/mechanisms/recursive_code.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace function_calls_test {

using Words = std::vector<u32>;

constexpr unsigned kBlock = 104, kBlocks = 3;  // the last warp of a block has eight threads
constexpr unsigned kThreads = kBlock * kBlocks;

const std::string& ptx() {
  static const std::string text = host::ptx_of(
      fmt::format("typedef unsigned u32;\n#define DEVICE __device__ __noinline__\n{}\n{}", kDeviceFunctions, R"(
__device__ u32 index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__constant__ Stepper steps[5] = {halve, triple, ping, pong, ackermann};
__device__ Stepper chosen = triple;
struct Counted {
  u32 own, *log;
  __device__ Counted(u32 n, u32* at) : own(n), log(at) {}
  __device__ virtual ~Counted() { *log += own; }
  __device__ virtual u32 value(u32) const { return own; }
};
struct Doubled : Counted {
  __device__ Doubled(u32 n, u32* at) : Counted(n, at) {}
  __device__ ~Doubled() override { *log += 1000; }
  __device__ u32 value(u32 x) const override { return 2 * own + x; }
};
extern "C" {
__global__ void fib(u32* out) { out[index()] = fibonacci(scramble(index()) % 9); }
__global__ void ack(u32* out) { out[index()] = ackermann(scramble(index()) % 3, scramble(index() + 1) % 4); }
__global__ void mutual(u32* out) {
  const u32 t = index();
  out[t] = t % 3 == 0 ? ping(scramble(t) % 12, t) : pong(scramble(t) % 9, t);
}
__global__ void arrays(u32* out) {
  u32 top[5] = {1, 2, 3, 4, 5};
  const u32 sum = descend(scramble(index()) % 8, index(), top);
  out[index()] = sum + top[0] * 3 + top[1] + top[2] * 5 + top[3] + top[4];
}
__global__ void sort(u32* out) { out[index()] = sorted(scramble(index())); }
__global__ void structs(u32* out) { out[index()] = squared(scramble(index())); }
__global__ void objects(u32* out) { out[index()] = tree(index()); }
__global__ void pointers(u32* out, Stepper given) {
  const u32 t = index(), n = scramble(t) % 6;
  u32 sum = steps[t % 4](n, t) + given(n, t) * 3;
  if (t % 5 != 0) sum += chosen(t, sum);
  out[t] = sum + repeat(steps[scramble(t) % 4], n, t);
}
__global__ void owned(u32* out) {
  const u32 t = index();
  out[t] = 0;
  Counted* const object = t % 3 == 0 ? new Counted(t, out + t) : new Doubled(t, out + t);
  const u32 value = object->value(5);
  delete object;
  out[t] += value * 10000;
}
__global__ void take(Stepper* out) { *out = pong; }
// The same function before and behind a barrier that no thread may miss, and in a loop between.
__global__ void barriers(u32* out) {
  __shared__ u32 box[128];
  const u32 t = index();
  u32 sum = t;
  if (scramble(t) % 3 == 0) sum += fibonacci(scramble(t) % 7);
  box[threadIdx.x] = sum;
  __syncthreads();
  sum = box[(threadIdx.x + 1) % blockDim.x];
  for (u32 i = 0; i < scramble(t) % 4; ++i) sum += ping(i, sum);
  __syncthreads();
  box[threadIdx.x] = sum;
  __syncthreads();
  out[t] = box[(threadIdx.x + 7) % blockDim.x] + fibonacci(sum % 5);
}
}
)"),
      "-I.");
  return text;
}

// What every thread writes, thread by thread.
Words expected_of(const std::string& kernel) {
  using namespace both;
  const Stepper steps[] = {halve, triple, ping, pong};
  Words words;
  for (u32 t = 0; t < kThreads; ++t) {
    const u32 n = scramble(t) % 6;
    if (kernel == "fib") words.push_back(fibonacci(scramble(t) % 9));
    if (kernel == "ack") words.push_back(ackermann(scramble(t) % 3, scramble(t + 1) % 4));
    if (kernel == "mutual") words.push_back(t % 3 == 0 ? ping(scramble(t) % 12, t) : pong(scramble(t) % 9, t));
    if (kernel == "sort") words.push_back(sorted(scramble(t)));
    if (kernel == "structs") words.push_back(squared(scramble(t)));
    if (kernel == "objects") words.push_back(tree(t));
    if (kernel == "owned") words.push_back(t % 3 == 0 ? 10001 * t : 10000 * (2 * t + 5) + 1000 + t);
    if (kernel == "arrays") {
      u32 top[5] = {1, 2, 3, 4, 5};
      const u32 sum = descend(scramble(t) % 8, t, top);
      words.push_back(sum + top[0] * 3 + top[1] + top[2] * 5 + top[3] + top[4]);
    }
    if (kernel == "pointers") {
      u32 sum = steps[t % 4](n, t) + pong(n, t) * 3;
      if (t % 5 != 0) sum += triple(t, sum);
      words.push_back(sum + repeat(steps[scramble(t) % 4], n, t));
    }
  }
  return words;
}

Words expected_of_barriers() {
  using namespace both;
  Words words, box(kThreads), next(kThreads);
  const auto neighbour = [](u32 t, u32 distance) { return t - t % kBlock + (t % kBlock + distance) % kBlock; };
  for (u32 t = 0; t < kThreads; ++t) box[t] = t + (scramble(t) % 3 == 0 ? fibonacci(scramble(t) % 7) : 0);
  for (u32 t = 0; t < kThreads; ++t) {
    next[t] = box[neighbour(t, 1)];
    for (u32 i = 0; i < scramble(t) % 4; ++i) next[t] += ping(i, next[t]);
  }
  for (u32 t = 0; t < kThreads; ++t) words.push_back(next[neighbour(t, 7)] + fibonacci(next[t] % 5));
  return words;
}

void expect_right(const RunOptions& options) {
  KernelMachine<> gpu(ptx(), options);
  const Address out = gpu.upload(Words(kThreads), "out"), pointer = gpu.upload(Words(2), "pointer");
  const auto words = [&] { return gpu.download<u32>(out, kThreads); };
  for (const char* const kernel : {"fib", "ack", "mutual", "arrays", "sort", "structs", "objects", "owned"}) {
    gpu.run(kernel, {kBlocks}, {kBlock}, out);
    EXPECT_EQ(words(), expected_of(kernel)) << kernel;
  }
  gpu.run("take", {1}, {1}, pointer);
  gpu.run("pointers", {kBlocks}, {kBlock}, out, gpu.download<std::uint64_t>(pointer, 1)[0]);
  EXPECT_EQ(words(), expected_of("pointers"));
  gpu.run("barriers", {kBlocks}, {kBlock}, out);
  EXPECT_EQ(words(), expected_of_barriers());
}

void expect_right(const std::string& machine, const MechanismVariant& variant, Timing timing) {
  std::vector<std::string> sets = variant.sets;
  sets.emplace_back("cores=2");
  RunOptions options = RunOptions::resolve(machine, variant.mechanism, sets);
  options.timing = timing;
  expect_right(options);
}

// Each thread takes one of three ways to call functions whose arguments and results are registers, or none.
const char* const kRegisterArguments = R"(.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 r, .reg .pred odd) halve (.reg .b32 n) { shr.u32 r, n, 1; and.b32 n, n, 1; setp.ne.u32 odd, n, 0; }
.func (.reg .b32 r) fibonacci (.reg .b32 n) { .reg .pred p; .reg .b32 m; mov.u32 r, n; setp.lt.u32 p, n, 2; @p ret;
sub.u32 m, n, 1; call (r), fibonacci, (m); sub.u32 m, n, 2; call (m), fibonacci, (m); add.u32 r, r, m; ret; }
.visible .entry registers(.param .u64 out) { .reg .pred odd, two; .reg .b32 n, way, r; .reg .b64 to, at;
mov.u32 n, %ctaid.x; mov.u32 r, %ntid.x; mov.u32 way, %tid.x; mad.lo.u32 n, n, r, way; rem.u32 way, n, 4; mov.u32 r, 1;
setp.eq.u32 two, way, 2; @two call (r), fibonacci, (9); setp.eq.u32 two, way, 0; @!two bra OTHER;
call (r, odd), halve, (n); @odd add.u32 r, r, 100; bra STORE;
OTHER: setp.eq.u32 two, way, 3; @!two bra STORE; and.b32 r, n, 7; call (r), fibonacci, (r);
STORE: ld.param.u64 to, [out]; mul.wide.u32 at, n, 4; add.s64 to, to, at; st.global.u32 [to], r; ret; }
)";

Words expected_of_registers() {
  using namespace both;
  Words words;
  for (u32 t = 0; t < kThreads; ++t) {
    const u32 ways[] = {t / 2, 1, fibonacci(9), fibonacci(t % 8)};
    words.push_back(ways[t % 4]);
  }
  return words;
}

class EveryMechanismCalls : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(FunctionCalls, EveryMechanismCalls, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(EveryMechanismCalls, CallsComeBackToTheirCallers) {
  expect_right("tbc2011", GetParam(), Timing::kFunctional);
  if (GetParam().mechanism != "oracle") expect_right("tbc2011", GetParam(), Timing::kCycle);
}

TEST_P(EveryMechanismCalls, ArgumentsMayBeRegisters) {
  for (const Timing timing : {Timing::kFunctional, Timing::kCycle}) {
    if (GetParam().mechanism == "oracle" && timing == Timing::kCycle) continue;
    RunOptions options = RunOptions::resolve("tbc2011", GetParam().mechanism, GetParam().sets);
    options.timing = timing;
    KernelMachine<> gpu(kRegisterArguments, options);
    const Address out = gpu.upload(Words(kThreads), "out");
    gpu.run("registers", {kBlocks}, {kBlock}, out);
    EXPECT_EQ(gpu.download<u32>(out, kThreads), expected_of_registers());
  }
}

TEST(FunctionCalls, OnOtherMachines) {
  for (const char* const machine : {"volta", "gtx480"}) {
    SCOPED_TRACE(machine);
    expect_right(machine, {"pdom", {}}, Timing::kCycle);
    expect_right(machine, {"its", {}}, Timing::kFunctional);
  }
}

}  // namespace function_calls_test
}  // namespace warpfold
