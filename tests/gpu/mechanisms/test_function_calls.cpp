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

class EveryMechanismCalls : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(FunctionCalls, EveryMechanismCalls, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(EveryMechanismCalls, CallsComeBackToTheirCallers) {
  expect_right("tbc2011", GetParam(), Timing::kFunctional);
  if (GetParam().mechanism != "oracle") expect_right("tbc2011", GetParam(), Timing::kCycle);
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
