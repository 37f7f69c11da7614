// SPDX-License-Identifier: Apache-2.0
// How long an operation takes and how many an SM does in a cycle: chains of operations that each need the result of the
// one before, of one warp and of a full block.
#include <cuda_fp16.h>
#include <mma.h>

#include "micro.h"

namespace micro {
namespace {

using workload::DeviceBuffer;

constexpr int kUnrolled = 256;  // operations of a round: what the loop itself takes is less than a fiftieth
constexpr int kPasses = 2;      // the first brings the instructions to where they are fetched from

// Multiply-adds count up: x + 1 * 1.
struct Fp32 {
  using Value = float;
  static constexpr Value kStart = 0, kOne = 1;
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x) : "f"(a), "f"(b));
  }
  static bool is_right(Value end, int steps) { return end == static_cast<float>(steps); }
};

struct Int32 {
  using Value = int;
  static constexpr Value kStart = 0, kOne = 1;
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("mad.lo.s32 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
  }
  static bool is_right(Value end, int steps) { return end == steps; }
};

struct Fp64 {
  using Value = double;
  static constexpr Value kStart = 0, kOne = 1;
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f64 %0, %1, %2, %0;" : "+d"(x) : "d"(a), "d"(b));
  }
  static bool is_right(Value end, int steps) { return end == steps; }
};

// Two of half precision in a register.
struct Fp16 {
  using Value = unsigned;
  static constexpr Value kStart = 0, kOne = 0x3c003c00;
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
  }
  static bool is_right(Value end, int steps) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(end & 0xffff))) == static_cast<float>(steps) &&
           end >> 16 == (end & 0xffff);
  }
};

struct SquareRoot {
  using Value = float;
  static constexpr Value kStart = 4, kOne = 1;
  static __device__ void step(Value& x, Value, Value) { asm volatile("sqrt.approx.ftz.f32 %0, %0;" : "+f"(x)); }
  static bool is_right(Value end, int) { return std::fabs(end - 1) < 1e-3f; }
};

// The chip's row says square root; what was measured under that name is the fast sine, a multiplication before the
// special function unit.
struct Sine {
  using Value = float;
  static constexpr Value kStart = 1, kOne = 1;
  static __device__ void step(Value& x, Value, Value) { asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x)); }
  // sin(sin(… sin(1))) tends to the square root of 3 / n.
  static bool is_right(Value end, int steps) {
    return std::fabs(end / std::sqrt(3.0f / static_cast<float>(steps)) - 1) < 0.1f;
  }
};

template <class Op>
__global__ void chain(const typename Op::Value* inputs, int rounds, typename Op::Value* ends, long long* cycles) {
  typename Op::Value x = inputs[0];
  const typename Op::Value a = inputs[1], b = inputs[2];
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i) Op::step(x, a, b);
    }
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0) cycles[0] = end - start;
  }
  ends[threadIdx.x] = x;
}

template <class Op>
double cycles_of(const Launch& launch, int steps) {
  using Value = typename Op::Value;
  const DeviceBuffer<Value> inputs(std::vector<Value>{Op::kStart, Op::kOne, Op::kOne});
  const DeviceBuffer<Value> ends(launch.threads);
  const Clocks clocks(launch);
  chain<Op><<<launch.blocks, launch.threads>>>(inputs.get(), steps / kUnrolled, ends.get(), clocks.get());
  workload::check_launch("chain");
  for (const Value end : ends.download()) expect(Op::is_right(end, kPasses * steps), "a chain's end");
  return clocks.longest();
}

template <class Op>
double latency() {
  return cycles_of<Op>(one_warp(), 1024) / 1024;
}

template <class Op>
double throughput(int counted, int steps) {
  const Launch launch = one_block();
  return static_cast<double>(launch.threads) * steps * counted / cycles_of<Op>(launch, steps);
}

// Each product adds one to every element.
namespace wmma = nvcuda::wmma;
constexpr int kSide = 16;
constexpr int kProducts = 16;  // of a round

__global__ void products(const __half* ones, const __half* sixteenths, int rounds, float* ends, long long* cycles) {
  wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sums;
  wmma::load_matrix_sync(a, ones, kSide);
  wmma::load_matrix_sync(b, sixteenths, kSide);
  wmma::fill_fragment(sums, 0.0f);
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int i = 0; i < kProducts; ++i) wmma::mma_sync(sums, a, b, sums);
    }
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0) cycles[0] = end - start;
  }
  wmma::store_matrix_sync(ends + threadIdx.x / 32 * kSide * kSide, sums, kSide, wmma::mem_row_major);
}

double product_cycles(const Launch& launch, int rounds) {
  const DeviceBuffer<__half> ones(std::vector<__half>(kSide * kSide, __float2half(1.0f)));
  const DeviceBuffer<__half> sixteenths(std::vector<__half>(kSide * kSide, __float2half(1.0f / kSide)));
  const DeviceBuffer<float> ends(launch.threads / 32 * kSide * kSide);
  const Clocks clocks(launch);
  products<<<launch.blocks, launch.threads>>>(ones.get(), sixteenths.get(), rounds, ends.get(), clocks.get());
  workload::check_launch("products");
  for (const float end : ends.download()) expect(end == kPasses * rounds * kProducts, "a product");
  return clocks.longest();
}

double product_latency() { return product_cycles(one_warp(), 16) / (16 * kProducts); }

double products_per_cycle() {
  const Launch launch = one_block();
  const double each = kSide * kSide * kSide;
  return launch.threads / 32 * 8 * kProducts * each / product_cycles(launch, 8);
}

}  // namespace

std::vector<Row> arithmetic_rows() {
  // What compute capability 7.0 makes of one product: four steps for each of four parts of the inner dimension.
  constexpr int kSteps = 16;
  return {
      {"fp32 multiply-add latency", "cycles", latency<Fp32>},
      {"int32 multiply-add latency", "cycles", latency<Int32>},
      {"fp64 multiply-add latency", "cycles", latency<Fp64>},
      {"fp16 multiply-add latency", "cycles", latency<Fp16>},
      {"special function (fast square root) latency", "cycles", latency<Sine>},
      {"wmma latency", "cycles", product_latency},
      {"hmma latency", "cycles", [] { return product_latency() / kSteps; }},
      {"fp32 throughput", "flop/clk/SM", [] { return throughput<Fp32>(2, 1024); }},
      {"int32 throughput", "op/clk/SM", [] { return throughput<Int32>(2, 1024); }},
      {"fp64 throughput", "flop/clk/SM", [] { return throughput<Fp64>(2, 1024); }},
      {"fp16 throughput", "flop/clk/SM", [] { return throughput<Fp16>(4, 1024); }},
      {"special function throughput", "op/clk/SM", [] { return throughput<SquareRoot>(1, 256); }},
      {"tensor throughput", "FMA/clk/SM", products_per_cycle},
  };
}

}  // namespace micro
