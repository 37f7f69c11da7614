// SPDX-License-Identifier: Apache-2.0
// Matrix fragments of CUDA's mma.h, mma from shared memory and the copies that feed it, under every mechanism. Products
// are chosen so that sums are exact in whatever order, and compared with those of plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace matrix_test {

constexpr unsigned kWarps = 4, kBlocks = 2, kTiles = kWarps * kBlocks;

constexpr const char* kSource = R"(
#include <mma.h>
using namespace nvcuda::wmma;
typedef unsigned u32;
__device__ u32 mix(u32 x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}
// Divergent: another number of rounds for every thread. Zero, which no compiler can know.
__device__ u32 detour() {
  u32 v = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 rounds = mix(v) % 13;
  for (u32 i = 0; i < rounds; ++i) v = mix(v + i) | 1;
  return v == 0x1234567 ? 1 : 0;
}
__device__ u32 tile() { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }
template <int m, int n, int k, class T, class Element, class D, class LayoutA, class LayoutB>
__device__ void product(const Element* a, const Element* b, D* c, layout_t layout) {
  fragment<matrix_a, m, n, k, T, LayoutA> fa;
  fragment<matrix_b, m, n, k, T, LayoutB> fb;
  fragment<accumulator, m, n, k, D> fc;
  const u32 at = tile() + detour();
  load_matrix_sync(fa, a + at * m * k, __is_same(LayoutA, row_major) ? k : m);
  load_matrix_sync(fb, b + at * n * k, __is_same(LayoutB, row_major) ? n : k);
  load_matrix_sync(fc, c + at * m * n, layout == mem_row_major ? n : m, layout);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c + at * m * n, fc, layout == mem_row_major ? n : m, layout);
}
#define KERNEL(name, m, n, k, T, Element, D, A, B, layout) \
  __global__ void name(const Element* a, const Element* b, D* c) { product<m, n, k, T, Element, D, A, B>(a, b, c, layout); }
extern "C" {
KERNEL(half_rows, 16, 16, 16, __half, __half, float, row_major, row_major, mem_row_major)
KERNEL(half_columns, 16, 16, 16, __half, __half, __half, col_major, col_major, mem_col_major)
KERNEL(half_tall, 32, 8, 16, __half, __half, float, row_major, col_major, mem_col_major)
KERNEL(half_wide, 8, 32, 16, __half, __half, __half, col_major, row_major, mem_row_major)
KERNEL(brain, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, col_major, mem_row_major)
KERNEL(tf32, 16, 16, 8, precision::tf32, float, float, row_major, row_major, mem_col_major)
KERNEL(doubles, 8, 8, 4, double, double, double, col_major, row_major, mem_row_major)
KERNEL(bytes, 16, 16, 16, signed char, signed char, int, row_major, col_major, mem_row_major)
KERNEL(bytes_tall, 32, 8, 16, unsigned char, unsigned char, int, col_major, row_major, mem_row_major)
KERNEL(bytes_wide, 8, 32, 16, signed char, signed char, int, col_major, row_major, mem_col_major)
// m16n8k16 of shared memory: copied asynchronously, a part of it filled up with zeros, loaded by ldmatrix, B transposed, there or by movmatrix.
__global__ void staged(const unsigned short* a, const unsigned short* b, float* c) {
  __shared__ __align__(16) unsigned short sa[4][16 * 16], sb[4][16 * 8];
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = tile() + detour();
  const u32 pa = static_cast<u32>(__cvta_generic_to_shared(sa[warp])), pb = static_cast<u32>(__cvta_generic_to_shared(sb[warp]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(pa + 16 * lane), "l"(a + at * 256 + 8 * lane) : "memory");
  if (lane < 16) {
    const u32 bytes = lane == 15 ? 6 : 16;  // of the last row
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(pb + 16 * lane), "l"(b + at * 128 + 8 * lane), "r"(bytes) : "memory");
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncwarp();
  u32 fa[4], fb[2];
  const u32 row = pa + (lane % 16) * 32 + lane / 16 * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(row));
  if (blockIdx.x % 2 == 0) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(pb + (lane % 16) * 16));
  } else {  // the same in two steps
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(pb + (lane % 16) * 16));
    for (int k = 0; k < 2; ++k) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(fb[k]));
  }
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  float* const to = c + at * 128 + lane / 4 * 8 + lane % 4 * 2;
  to[0] = d[0], to[1] = d[1], to[64] = d[2], to[65] = d[3];
}
// A phase of the mbarrier ends when all threads of the block have arrived; the token says which it was.
__global__ void phases(u32* out) {
  __shared__ unsigned long long barrier;
  __shared__ u32 box[128];
  const u32 t = threadIdx.x, at = static_cast<u32>(__cvta_generic_to_shared(&barrier));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  __syncthreads();
  u32 v = blockIdx.x * blockDim.x + t;
  for (u32 phase = 0; phase < 3; ++phase) {
    box[t] = mix(v + detour());
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    u32 done = 0, over = 0;
    while (!done) {
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(token) : "memory");
    }
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "r"(phase & 1) : "memory");
    v = box[t ^ 77] + over - 1;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = v;
}
}
)";

std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

// A small whole number or half of one, for which all of the types have room.
int number(std::uint32_t seed, bool is_signed) { return static_cast<int>(mix(seed) % 9) - (is_signed ? 4 : 0); }

// Elements as each type has them.
struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};
void encode(double value, F16& to) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  to.bits = static_cast<std::uint16_t>(
      value == 0 ? 0 : ((exponent + 14) << 10) + static_cast<int>(fraction * 2048) - 1024 + (value < 0 ? 0x8000 : 0));
}
void encode(double value, Bf16& to) {
  const auto number = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, 4);
  to.bits = static_cast<std::uint16_t>(bits >> 16);
}
template <class T>
void encode(double value, T& to) {
  to = static_cast<T>(value);
}
bool same(const F16& a, const F16& b) { return a.bits == b.bits; }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

struct Order {
  bool a_rows, b_rows, c_rows;
};

class Matrices : public testing::TestWithParam<MechanismVariant> {
 protected:
  static void SetUpTestSuite() { ptx_ = host::ptx_of(kSource); }

  static RunOptions options(const std::string& machine, Timing timing) {
    std::vector<std::string> sets = sets_on(machine, GetParam().mechanism);
    sets.push_back("cores=1");
    RunOptions options = RunOptions::resolve(machine, GetParam().mechanism, sets);
    options.timing = timing;
    return options;
  }

  template <class Element, class D>
  void multiply(const char* kernel, unsigned m, unsigned n, unsigned k, Order order, const std::string& machine,
                Timing timing) {
    KernelMachine<> gpu(ptx_, options(machine, timing));
    const bool is_signed = !std::is_same_v<Element, unsigned char>;
    std::vector<Element> a(kTiles * m * k), b(kTiles * n * k);
    std::vector<D> c(kTiles * m * n), expected(c.size());
    const auto at_a = [&](unsigned t, unsigned i, unsigned p) {
      return t * m * k + (order.a_rows ? i * k + p : p * m + i);
    };
    const auto at_b = [&](unsigned t, unsigned p, unsigned j) {
      return t * n * k + (order.b_rows ? p * n + j : j * k + p);
    };
    const auto at_c = [&](unsigned t, unsigned i, unsigned j) {
      return t * m * n + (order.c_rows ? i * n + j : j * m + i);
    };
    for (unsigned x = 0; x < a.size(); ++x) encode(number(x + 1000, is_signed), a[x]);
    for (unsigned x = 0; x < b.size(); ++x) encode(number(x + 70000, is_signed), b[x]);
    for (unsigned x = 0; x < c.size(); ++x) encode(number(x + 300000, true), c[x]);
    for (unsigned t = 0; t < kTiles; ++t) {
      for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
          double sum = number(at_c(t, i, j) + 300000, true);
          for (unsigned p = 0; p < k; ++p) {
            sum += number(at_a(t, i, p) + 1000, is_signed) * number(at_b(t, p, j) + 70000, is_signed);
          }
          encode(sum, expected[at_c(t, i, j)]);
        }
      }
    }
    const Address in_a = gpu.upload(a, "a"), in_b = gpu.upload(b, "b"), out = gpu.upload(c, "c");
    gpu.run(kernel, {kBlocks}, {32 * kWarps}, in_a, in_b, out);
    const auto got = gpu.template download<D>(out, c.size());
    unsigned wrong = 0;
    for (std::size_t x = 0; x < c.size(); ++x) wrong += same(got[x], expected[x]) ? 0 : 1;
    EXPECT_EQ(wrong, 0U) << kernel << " on " << machine;
  }

  void all(const std::string& machine, Timing timing) {
    multiply<F16, float>("half_rows", 16, 16, 16, {true, true, true}, machine, timing);
    multiply<F16, F16>("half_columns", 16, 16, 16, {false, false, false}, machine, timing);
    multiply<F16, float>("half_tall", 32, 8, 16, {true, false, false}, machine, timing);
    multiply<F16, F16>("half_wide", 8, 32, 16, {false, true, true}, machine, timing);
    multiply<Bf16, float>("brain", 16, 16, 16, {true, false, true}, machine, timing);
    multiply<float, float>("tf32", 16, 16, 8, {true, true, false}, machine, timing);
    multiply<double, double>("doubles", 8, 8, 4, {false, true, true}, machine, timing);
    multiply<signed char, int>("bytes", 16, 16, 16, {true, false, true}, machine, timing);
    multiply<unsigned char, int>("bytes_tall", 32, 8, 16, {false, true, true}, machine, timing);
    multiply<signed char, int>("bytes_wide", 8, 32, 16, {false, true, false}, machine, timing);
  }

  static inline std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Every, Matrices, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Matrices, FragmentsAreMultiplied) {
  all("volta", Timing::kFunctional);
  multiply<unsigned char, int>("bytes_tall", 32, 8, 16, {false, true, true}, "ivb2013", Timing::kFunctional);
  multiply<double, double>("doubles", 8, 8, 4, {false, true, true}, "ivb2013", Timing::kFunctional);
  multiply<F16, float>("half_rows", 16, 16, 16, {true, true, true}, "volta", Timing::kCycle);
}

TEST_P(Matrices, FromSharedMemoryByAsynchronousCopies) {
  for (const char* machine : {"volta", "ivb2013"}) {
    KernelMachine<> gpu(ptx_, options(machine, Timing::kFunctional));
    std::vector<F16> a(kTiles * 256), b(kTiles * 128);
    for (unsigned x = 0; x < a.size(); ++x) encode(number(x, true), a[x]);
    for (unsigned x = 0; x < b.size(); ++x) encode(number(x + 5000, true), b[x]);
    std::vector<float> expected(kTiles * 128);
    for (unsigned t = 0; t < kTiles; ++t) {
      for (unsigned i = 0; i < 16; ++i) {
        for (unsigned j = 0; j < 8; ++j) {
          for (unsigned p = 0; p < 16; ++p) {
            const bool copied = p < 15 || j < 3;  // six bytes of the last row
            const int right = copied ? number(t * 128 + p * 8 + j + 5000, true) : 0;
            expected[t * 128 + i * 8 + j] += static_cast<float>(number(t * 256 + i * 16 + p, true) * right);
          }
        }
      }
    }
    const Address in_a = gpu.upload(a, "a"), in_b = gpu.upload(b, "b");
    const Address out = gpu.upload(std::vector<float>(expected.size()), "c");
    gpu.run("staged", {kBlocks}, {32 * kWarps}, in_a, in_b, out);
    EXPECT_EQ(gpu.download<float>(out, expected.size()), expected) << machine;
  }
}

TEST_P(Matrices, BarriersInMemory) {
  KernelMachine<> gpu(ptx_, options("volta", Timing::kFunctional));
  std::vector<std::uint32_t> expected(256);
  for (unsigned i = 0; i < 256; ++i) expected[i] = i;
  for (unsigned phase = 0; phase < 3; ++phase) {
    const std::vector<std::uint32_t> before = expected;
    for (unsigned i = 0; i < 256; ++i) expected[i] = mix(before[i ^ 77]);
  }
  const Address out = gpu.upload(std::vector<std::uint32_t>(256), "out");
  gpu.run("phases", {2}, {128}, out);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 256), expected);
}

}  // namespace matrix_test
}  // namespace warpfold
