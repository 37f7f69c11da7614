// SPDX-License-Identifier: Apache-2.0
// CUDA C++ on the host, as the Programming Guide and the PTX manual describe it.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

// Redefines words of CUDA, so last.
#include "tests/cuda_fuzz/twin/cuda.h"
// Uses those.
#include "tests/cuda_fuzz/matrix.h"

namespace twin_test {

// What each thread of one block computes, by its index.
template <class T, class Body>
std::vector<T> of_threads(dim3 block, const Body& body) {
  std::vector<T> results(block.x * block.y * block.z);
  cuda_twin::launch(1, block, 0, [&] {
    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    results[t] = static_cast<T>(body(t));
  });
  return results;
}

class Twin : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { cuda_twin::run_backwards(GetParam()); }
  void TearDown() override { cuda_twin::run_backwards(false); }
};
INSTANTIATE_TEST_SUITE_P(Order, Twin, testing::Bool());

TEST_P(Twin, IndicesOfGridAndBlock) {
  std::vector<unsigned> seen(2 * 3 * 24);
  cuda_twin::launch(dim3(2, 3), dim3(2, 3, 4), 0, [&] {
    const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    seen[block * 24 + (threadIdx.z * 3 + threadIdx.y) * 2 + threadIdx.x] += 1 + blockDim.z * 10 + gridDim.y * 100;
  });
  EXPECT_EQ(seen, std::vector<unsigned>(2 * 3 * 24, 341));
}

TEST_P(Twin, BarriersHandOver) {
  unsigned places[100] = {};
  const auto right = of_threads<unsigned>(100, [&](unsigned t) {
    for (unsigned turn = 0; turn < 3; ++turn) {
      places[t] = t + turn * 1000;
      __syncthreads();
      if (places[(t + 37) % 100] != (t + 37) % 100 + turn * 1000) return 0;
      __syncthreads();
    }
    return 1;
  });
  EXPECT_EQ(right, std::vector<unsigned>(100, 1));
}

// Of the last warp, which is short, eight threads have ended.
TEST_P(Twin, BarriersOfTeamsOfWarps) {
  unsigned places[120] = {};
  const auto right = of_threads<unsigned>(120, [&](unsigned t) {
    if (t >= 112) return 1u;
    const unsigned team = t / 64, threads = team == 0 ? 64 : 48;
    for (unsigned turn = 0; turn < 3; ++turn) {
      places[t] = t + turn * 1000;
      bar_sync(1 + team, 64);
      if (places[team * 64 + (t + 37) % threads] != team * 64 + (t + 37) % threads + turn * 1000) return 0u;
      if (bar_count(1 + team, 64, t % 2 == 0) != threads / 2) return 0u;
    }
    bar_sync(3);
    return places[111 - t] == 111 - t + 2000 ? 1u : 0u;
  });
  EXPECT_EQ(right, std::vector<unsigned>(120, 1));
}

TEST_P(Twin, ThoseWhoArriveDoNotWait) {
  unsigned places[64] = {};
  const auto seen = of_threads<unsigned>(64, [&](unsigned t) {
    if (t >= 32) {
      places[t] = t;
      bar_arrive(2, 64);
      return 0u;
    }
    bar_sync(2, 64);
    return places[63 - t];
  });
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(seen[t], 63 - t);
}

// Lanes 24 to 31 have ended.
TEST_P(Twin, Tiles) {
  namespace cg = cooperative_groups;
  const auto lanes = of_threads<unsigned>(64, [](unsigned t) {
    const auto tile = cg::tiled_partition<8>(cg::tiled_partition<32>(cg::this_thread_block()));
    if (t % 32 >= 24) return 0u;
    tile.sync();
    return tile.meta_group_rank() * 10000000 + cg::reduce(tile, t, cg::greater<unsigned>()) * 100000 +
           cg::exclusive_scan(tile, 1u) * 10000 + tile.ballot(t % 8 < 3) * 1000 + tile.match_any(t % 8 == 1) % 8 * 100 +
           tile.shfl(t, 2);
  });
  EXPECT_EQ(lanes[9], 10000000u + 15 * 100000 + 10000 + 7000 + 200 + 10);
  EXPECT_EQ(lanes[50], 20000000u + 55 * 100000 + 20000 + 7000 + 500 + 50);
}

TEST_P(Twin, ThreadsThatHaveEndedAreNotWaitedFor) {
  const auto counts = of_threads<int>(70, [&](unsigned t) {
    if (t % 3 == 0) return -1;
    const int odd = __syncthreads_count(t & 1);
    return odd * 100 + __syncthreads_and(t < 70) * 10 + __syncthreads_or(t == 3) +
           __popc(__ballot_sync(~0u, 1)) * 10000;
  });
  for (unsigned t = 0; t < 70; ++t) {
    const int live = t < 32 ? 21 : t < 64 ? 21 : 4;  // of the warp
    EXPECT_EQ(counts[t], t % 3 == 0 ? -1 : live * 10000 + 23 * 100 + 10) << t;
  }
}

TEST_P(Twin, Votes) {
  const auto lanes = of_threads<unsigned>(64, [](unsigned t) {
    const unsigned threes = __ballot_sync(0xffffffffu, t % 3 == 0);
    if (t % 3 != 0) return threes;
    return __ballot_sync(threes, t & 1) + (__all_sync(threes, t % 3 == 0) != 0) + 2 * (__any_sync(threes, t == 1) != 0);
  });
  EXPECT_EQ(lanes[1], 0x49249249u);
  EXPECT_EQ(lanes[0], 0x08208208u + 1);
  EXPECT_EQ(lanes[33], 0x41041041u * 2 % 0x100000000u + 1);  // lanes 1, 7, 13, …
}

TEST_P(Twin, Shuffles) {
  const auto at = [](auto shuffle) {
    return of_threads<int>(32, [shuffle](unsigned t) { return shuffle(static_cast<int>(t)); });
  };
  const auto index = at([](int t) { return __shfl_sync(~0u, t, t * 5, 8); });
  const auto up = at([](int t) { return __shfl_up_sync(~0u, t, 3u, 16); });
  const auto down = at([](int t) { return __shfl_down_sync(~0u, t, 3u, 16); });
  const auto across = at([](int t) { return __shfl_xor_sync(~0u, t, 9, 8); });
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(index[t], t / 8 * 8 + t * 5 % 8);
    EXPECT_EQ(up[t], t % 16 >= 3 ? t - 3 : t);
    EXPECT_EQ(down[t], t % 16 + 3 < 16 ? t + 3 : t);
    EXPECT_EQ(across[t], (t ^ 9) / 8 <= t / 8 ? t ^ 9 : t);  // of an earlier group, not of a later one
  }
}

TEST_P(Twin, Matches) {
  const auto any = of_threads<unsigned>(32, [](unsigned t) { return __match_any_sync(~0u, 1ull << 40 << t % 2); });
  EXPECT_EQ(any[4], 0x55555555u);
  EXPECT_EQ(any[5], 0xaaaaaaaau);
  int all = 7;
  const auto differ = of_threads<unsigned>(20, [&](unsigned t) { return __match_all_sync(~0u, t / 19, &all); });
  EXPECT_EQ(differ[3], 0u);
  EXPECT_EQ(all, 0);
  const auto same = of_threads<unsigned>(20, [&](unsigned) { return __match_all_sync(~0u, 2.5f, &all); });
  EXPECT_EQ(same[3], 0xfffffu);
  EXPECT_EQ(all, 1);
}

TEST_P(Twin, Atomics) {
  unsigned tickets = 0, wrapped = 0, down = 0, drawn = 0;
  of_threads<int>(40, [&](unsigned) {
    drawn |= 1u << atomicAdd(&tickets, 1u) % 32;
    atomicInc(&wrapped, 6);
    atomicDec(&down, 4);
    return 0;
  });
  EXPECT_EQ(tickets, 40u);
  EXPECT_EQ(drawn, ~0u);
  EXPECT_EQ(wrapped, 40u % 7);
  EXPECT_EQ(down, (5 - 40 % 5) % 5u);
  int least = std::numeric_limits<int>::max();
  EXPECT_EQ(atomicAdd(&least, 1), std::numeric_limits<int>::max());
  EXPECT_EQ(least, std::numeric_limits<int>::min());
  unsigned long long place = 5;
  EXPECT_EQ(atomicCAS(&place, 4ull, 9ull), 5u);
  EXPECT_EQ(atomicCAS(&place, 5ull, 9ull), 5u);
  EXPECT_EQ(place, 9u);
}

TEST(TwinHalves, RoundOnce) {
  const auto half = [](double value) { return __double2half(value); };
  EXPECT_EQ(half(1.0).bits, 0x3c00u);
  EXPECT_EQ(half(-65504).bits, 0xfbffu);
  EXPECT_EQ(half(65519.99).bits, 0x7bffu);
  EXPECT_EQ(half(65520).bits, 0x7c00u);
  EXPECT_EQ(half(0x1p-24).bits, 1u);
  EXPECT_EQ(half(0x1p-25).bits, 0u);  // to even
  EXPECT_EQ(half(0x1.8p-24).bits, 2u);
  EXPECT_EQ(half(std::nan("")).bits, 0x7fffu);
  EXPECT_EQ(__float2half_ru(1e-30f).bits, 1u);
  EXPECT_EQ(__float2half_rz(1e30f).bits, 0x7bffu);
  EXPECT_EQ(__float2half_rd(-1e30f).bits, 0xfc00u);
  EXPECT_EQ(__ll2half_rn((1ll << 54) + 1).bits, 0x7c00u);
  EXPECT_EQ(__half2int_rn(half(2.5)), 2);
  EXPECT_EQ(__half2uint_ru(half(-1)), 0u);
  EXPECT_EQ(__hadd(half(2048), half(1)).bits, half(2048).bits);
  EXPECT_EQ(__hsub(half(1), half(1)).bits, 0u);
  // A product just above half of the sum's last bit, by less than a double shows.
  EXPECT_EQ(__hfma(half(0x1p-24), half(0x1p-24), half(1)).bits, half(1).bits);
  EXPECT_EQ(__hfma(half(32), half(1 + 0x1p-10), half(32768)).bits, half(32768 + 32).bits);
  EXPECT_EQ(__hadd2({half(1), half(2)}, {half(3), half(4)}).y.bits, half(6).bits);
}

TEST(TwinTextures, ReadTheNearestTexel) {
  unsigned texels[8];
  for (unsigned i = 0; i < 8; ++i) texels[i] = 10 + i;
  const cuda_twin::Texture clamped{texels, 4, 2, cudaAddressModeClamp, cudaAddressModeBorder, false};
  EXPECT_EQ(tex1Dfetch<unsigned>(&clamped, 3), 13u);
  EXPECT_EQ(tex2D<unsigned>(&clamped, 9.5f, 1.25f), 17u);
  EXPECT_EQ(tex2D<unsigned>(&clamped, -3.0f, 0.5f), 10u);
  EXPECT_EQ(tex2D<unsigned>(&clamped, 1.0f, 2.25f), 0u);
  const cuda_twin::Texture repeated{texels, 4, 2, cudaAddressModeWrap, cudaAddressModeMirror, true};
  EXPECT_EQ(tex2D<unsigned>(&repeated, 1.375f, 0.25f), 11u);
  EXPECT_EQ(tex2D<unsigned>(&repeated, -0.125f, 1.25f), 17u);
}

TEST_P(Twin, ProductsOfMatrices) {
  // A is 1 everywhere and B's column n is n: each sum is 16 n, or 4 n.
  const auto bytes = of_threads<int>(32, [](unsigned t) {
    const unsigned a[] = {0x01010101, 0x01010101};
    int d[4] = {1, 2, 3, 4};
    multiply_bytes(d, a, t / 4 * 0x01010101);
    return d[1] * 1000 + d[2];
  });
  const auto halves = of_threads<float>(32, [](unsigned t) {
    const unsigned a[] = {0x3c003c00, 0x3c003c00}, b[] = {__float2half_rn(static_cast<float>(t / 4)).bits * 0x10001u};
    float d[4] = {1, 2, 3, 4};
    multiply_halves(d, a, b);
    return d[1] * 1000 + d[2];
  });
  // Elements of A are their row.
  const auto doubles = of_threads<double>(32, [](unsigned t) {
    double d[2] = {0, 1};
    multiply_doubles(d, t / 4, t / 4);
    return d[1] * 1000 + d[0];
  });
  for (unsigned t = 0; t < 32; ++t) {
    const int even = static_cast<int>(t % 4 * 2), odd = even + 1, row = static_cast<int>(t / 4);
    EXPECT_EQ(bytes[t], (16 * odd + 2) * 1000 + 16 * even + 3);
    EXPECT_EQ(halves[t], static_cast<float>((8 * odd + 2) * 1000 + 8 * even + 3));
    EXPECT_EQ(doubles[t], (4 * row * odd + 1) * 1000 + 4 * row * even);
  }
}

TEST(TwinMisuse, IsReported) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(of_threads<int>(32, [](unsigned t) { return __ballot_sync(t == 3 ? 1u : ~0u, 1); }),
              testing::ExitedWithCode(3), "__ballot_sync: a thread that its own mask does not name, thread 3 of block");
  EXPECT_EXIT(of_threads<int>(32, [](unsigned t) { return t < 16 ? __any_sync(0x1ffff, 1) : __any_sync(~0u, 1); }),
              testing::ExitedWithCode(3), "__any_sync: waits for ever, thread 0 of block");
}

TEST(TwinArithmetic, Bits) {
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__brev(0x80000001u), 0x80000001u);
  EXPECT_EQ(__brev(6u), 0x60000000u);
  EXPECT_EQ(__byte_perm(0x03020100, 0x07060504, 0x7250), 0x07020500u);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1, 33), 3u);
  EXPECT_EQ(__funnelshift_lc(7, 1, 33), 7u);
  EXPECT_EQ(__funnelshift_r(0, 3, 33), 0x80000000u);
  EXPECT_EQ(__funnelshift_rc(0, 3, 33), 3u);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(~0ull, 2), 1u);
  EXPECT_EQ(__mul24(0x00ffffff, 2), -2);
  EXPECT_EQ(__sad(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 1), 0u);
  EXPECT_EQ(__hadd(-3, 0), -2);
  EXPECT_EQ(__rhadd(-3, 0), -1);
  EXPECT_EQ(__urhadd(~0u, ~0u), ~0u);
}

TEST(TwinArithmetic, DirectedRounding) {
  EXPECT_EQ(__fadd_ru(1.0f, 1e-30f), 1.0f + std::numeric_limits<float>::epsilon());
  EXPECT_EQ(__fadd_rd(1.0f, 1e-30f), 1.0f);
  EXPECT_EQ(__fadd_rz(-1.0f, -1e-30f), -1.0f);
  EXPECT_EQ(__dmul_ru(0x1p-1074, 0.5), 0x1p-1074);
  EXPECT_EQ(__dmul_rn(0x1p-1074, 0.5), 0.0);
  EXPECT_EQ(__frcp_rd(3.0f), 0x1.555554p-2f);
  EXPECT_EQ(__frcp_ru(3.0f), 0x1.555556p-2f);
  EXPECT_EQ(__dsqrt_rd(2.0), 0x1.6a09e667f3bccp+0);
  EXPECT_EQ(__dsqrt_ru(2.0), 0x1.6a09e667f3bcdp+0);
  EXPECT_EQ(__fmaf_rz(0x1.000002p+0f, 0x1.000002p+0f, 0.0f), 0x1.000004p+0f);
  EXPECT_EQ(__ull2float_ru(0x8000000000000001u), 0x1.000002p+63f);
  EXPECT_EQ(__ull2double_rd(~0ull), 0x1.fffffffffffffp+63);
  EXPECT_EQ(__uint2float_rz(0xffffffffu), 0x1.fffffep+31f);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(TwinArithmetic, ConversionsToIntegers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_ru(-2.5f), -2);
  EXPECT_EQ(__float2int_rz(3e9f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2uint_rd(-0.5f), 0u);
  EXPECT_EQ(__double2ull_rz(1e30), ~0ull);
  EXPECT_EQ(__double2ll_rz(-0x1p63), std::numeric_limits<long long>::min());
  EXPECT_EQ(__float2int_rz(nan), 0);
  EXPECT_EQ(__float2ull_rz(nan), 1ull << 63);
  EXPECT_EQ(__double2int_rz(nan), std::numeric_limits<int>::min());
  EXPECT_EQ(__double2uint_rz(nan), 1u << 31);
  EXPECT_EQ(__saturatef(nan), 0.0f);
}

}  // namespace twin_test
