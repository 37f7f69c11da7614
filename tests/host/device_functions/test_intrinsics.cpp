// SPDX-License-Identifier: Apache-2.0
// Intrinsics of device code: bytes and halfwords at once, dot products, reductions of a warp, 16-bit atomics, loads and
// stores with a cache operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace intrinsics_test {

struct Parts {
  const char* name;
  bool is_signed;
  std::function<int(int, int, int, int)> part;  // of x and y, with the least and the largest number of a part
};

int clamp(int x, int low, int high) { return std::min(std::max(x, low), high); }

const std::vector<Parts>& parts() {
  static const std::vector<Parts> all = {
      {"__vadd", false, [](int x, int y, int, int) { return x + y; }},
      {"__vsub", false, [](int x, int y, int, int) { return x - y; }},
      {"__vaddss", true, [](int x, int y, int low, int high) { return clamp(x + y, low, high); }},
      {"__vaddus", false, [](int x, int y, int low, int high) { return clamp(x + y, low, high); }},
      {"__vsubss", true, [](int x, int y, int low, int high) { return clamp(x - y, low, high); }},
      {"__vsubus", false, [](int x, int y, int low, int high) { return clamp(x - y, low, high); }},
      {"__vabsdiffs", true, [](int x, int y, int, int) { return std::abs(x - y); }},
      {"__vabsdiffu", false, [](int x, int y, int, int) { return std::abs(x - y); }},
      {"__vavgu", false, [](int x, int y, int, int) { return (x + y + 1) / 2; }},
      {"__vhaddu", false, [](int x, int y, int, int) { return (x + y) / 2; }},
      {"__vmaxs", true, [](int x, int y, int, int) { return std::max(x, y); }},
      {"__vmaxu", false, [](int x, int y, int, int) { return std::max(x, y); }},
      {"__vmins", true, [](int x, int y, int, int) { return std::min(x, y); }},
      {"__vminu", false, [](int x, int y, int, int) { return std::min(x, y); }},
      {"__vcmpeq", false, [](int x, int y, int, int) { return x == y ? -1 : 0; }},
      {"__vcmpne", false, [](int x, int y, int, int) { return x != y ? -1 : 0; }},
      {"__vcmpges", true, [](int x, int y, int, int) { return x >= y ? -1 : 0; }},
      {"__vcmpgtu", false, [](int x, int y, int, int) { return x > y ? -1 : 0; }},
      {"__vcmpleu", false, [](int x, int y, int, int) { return x <= y ? -1 : 0; }},
      {"__vcmplts", true, [](int x, int y, int, int) { return x < y ? -1 : 0; }},
      {"__vseteq", false, [](int x, int y, int, int) { return x == y ? 1 : 0; }},
      {"__vsetgts", true, [](int x, int y, int, int) { return x > y ? 1 : 0; }},
      {"__vsetltu", false, [](int x, int y, int, int) { return x < y ? 1 : 0; }},
  };
  return all;
}

unsigned by_parts(const Parts& test, unsigned a, unsigned b, unsigned bits) {
  const unsigned mask = (1u << bits) - 1;
  const int top = 1 << (bits - 1), low = test.is_signed ? -top : 0, high = test.is_signed ? top - 1 : 2 * top - 1;
  const auto number = [&](unsigned word, unsigned at) {
    const int value = static_cast<int>(word >> at & mask);
    return test.is_signed && value >= top ? value - 2 * top : value;
  };
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += bits) {
    result |= (static_cast<unsigned>(test.part(number(a, at), number(b, at), low, high)) & mask) << at;
  }
  return result;
}

TEST(Intrinsics, BytesAndHalfwordsAtOnce) {
  std::string calls;
  for (std::size_t k = 0; k < parts().size(); ++k) {
    const std::string name = parts()[k].name, at = std::to_string(2 * k);
    calls += "r[" + at + "] = " + name + "4(x, y); r[" + at + " + 1] = " + name + "2(x, y);\n";
  }
  const unsigned results = static_cast<unsigned>(2 * parts().size()) + 6;
  calls += "r += " + std::to_string(2 * parts().size()) + ";\n" +
           "r[0] = __vsadu4(x, y); r[1] = __vsads2(x, y); r[2] = __vabsss4(x); r[3] = __vneg2(x); r[4] = __vnegss4(x);"
           "r[5] = __vavgs4(x, y);";
  KernelRunner runner(
      ptx_of("extern \"C\" __global__ void k(const unsigned* a, const unsigned* b, unsigned* r) {\n"
             "const unsigned x = a[threadIdx.x], y = b[threadIdx.x];\nr += threadIdx.x * " +
             std::to_string(results) + ";\n" + calls + "}"));
  std::vector<unsigned> a = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80007fff, 0x12345678}, b;
  std::mt19937 random(3);
  while (a.size() < 128) a.push_back(random());
  for (std::size_t i = 0; i < a.size(); ++i) b.push_back(i % 4 == 1 ? a[i] ^ (random() & 0x00ff0001) : random());
  const Address out = runner.upload(std::vector<unsigned>(results * a.size()));
  runner.run("k", {1}, {128}, 0, runner.upload(a), runner.upload(b), out);
  const std::vector<unsigned> r = runner.download<unsigned>(out, results * a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const unsigned* const mine = &r[results * i];
    for (std::size_t k = 0; k < parts().size(); ++k) {
      ASSERT_EQ(mine[2 * k], by_parts(parts()[k], a[i], b[i], 8)) << parts()[k].name << "4 " << a[i] << " " << b[i];
      ASSERT_EQ(mine[2 * k + 1], by_parts(parts()[k], a[i], b[i], 16)) << parts()[k].name << "2";
    }
    unsigned bytes = 0, halves = 0;
    for (unsigned at = 0; at < 32; at += 8) {
      bytes += static_cast<unsigned>(std::abs(static_cast<int>(a[i] >> at & 255) - static_cast<int>(b[i] >> at & 255)));
    }
    for (unsigned at = 0; at < 32; at += 16) {
      halves += static_cast<unsigned>(std::abs(static_cast<short>(a[i] >> at) - static_cast<short>(b[i] >> at)));
    }
    const Parts magnitude = {"", true, [](int x, int, int, int high) { return std::min(std::abs(x), high); }},
                negative = {"", true, [](int x, int, int, int) { return -x; }},
                saturated = {"", true, [](int x, int, int, int high) { return std::min(-x, high); }},
                average = {"", true, [](int x, int y, int, int) {
                             const int sum = x + y;  // a half goes away from zero
                             return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2);
                           }};
    const unsigned* const rest = mine + 2 * parts().size();
    EXPECT_EQ(rest[0], bytes);
    EXPECT_EQ(rest[1], halves);
    EXPECT_EQ(rest[2], by_parts(magnitude, a[i], 0, 8));
    EXPECT_EQ(rest[3], by_parts(negative, a[i], 0, 16));
    EXPECT_EQ(rest[4], by_parts(saturated, a[i], 0, 8));
    EXPECT_EQ(rest[5], by_parts(average, a[i], b[i], 8));
  }
}

// Where C++ would call it an overflow, compilers may conclude that it does not happen.
TEST(Intrinsics, TheLeastNumberIsItsOwnNegative) {
  KernelRunner runner(ptx_of(R"(
extern "C" __global__ void k(int* r, long long* w) {
  const int bit = r[0] << 31;
  const long long wide = w[0] << 63;
  w[0] = __ffsll(wide); w[1] = llabs(wide);
  r[0] = __ffs(bit); r[1] = abs(bit); r[2] = abs(bit) < 0; r[3] = __dp2a_lo(0x7fff7fff, 0x7f7f, r[4]);
  r[4] = atomicSub(r + 5, bit);
})"));
  const Address r = runner.upload(std::vector<int>{1, 0, 0, 0, 0x7fffffff, 5}),
                w = runner.upload(std::vector<std::int64_t>{1, 0});
  runner.run("k", {1}, {1}, 0, r, w);
  const int least = std::numeric_limits<int>::min();
  EXPECT_EQ(runner.download<int>(r, 6), (std::vector<int>{32, least, 1, least + 0x7fff * 0x7f * 2 - 1, 5, least + 5}));
  EXPECT_EQ(runner.download<std::int64_t>(w, 2),
            (std::vector<std::int64_t>{64, std::numeric_limits<std::int64_t>::min()}));
}

TEST(Intrinsics, DotProductsReductionsAtomicsAndCachedAccesses) {
  const std::string ptx = ptx_of(R"(
struct Pair { double a; int b, c; };
extern "C" __global__ void k(int* r, unsigned short* h, double* d, char* c, float4* v) {
  __shared__ int shared;
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  const int sum = __reduce_add_sync(all, lane - 40), least = __reduce_min_sync(all, 5 - lane);
  const unsigned most = __reduce_max_sync(all, lane * 3u), bits = __reduce_or_sync(all, 1u << (lane & 7)),
                 odd = __reduce_xor_sync(all, lane & 4 ? 0u : lane * 16u);
  // A lock of 16 bits whose neighbour others count in.
  unsigned short seen = h[0], before;
  do { before = seen; seen = atomicCAS(h, before, (unsigned short)(before + 1)); __nanosleep(20); } while (seen != before);
  atomicCAS(h + 1, (unsigned short)7, (unsigned short)lane);
  if (lane != 3) return;
  shared = lane;
  r[0] = sum; r[1] = least; r[2] = most; r[3] = bits; r[4] = odd;
  r[5] = __dp4a(0x01ff7f80, 0x02030405, 10); r[6] = (int)__dp4a(0x01ff7f80u, 0x02030405u, 10u);
  r[7] = __dp2a_lo((int)0xfffe0003, 0x0504ff02, 1); r[8] = __dp2a_hi(0xfffe0003u, 0x0504ff02u, 1u);
  r[9] = __isShared(&shared) * 8 + __isGlobal(&shared) * 4 + __isShared(r) * 2 + __isGlobal(r);
  r[10] = __ldcg(r + 20) + __ldcs(r + 21) + __ldcv(r + 22) + __ldca(r + 23) + __ldlu(r + 24);
  __stwb(d, __ldcg(d + 1) * 2); __stcg(c, __ldca(c + 1)); __stwt(h + 2, (unsigned short)99);
  const float4 w = __ldcs(v);
  __stcs(v + 1, make_float4(w.w, w.z, w.y, w.x));
})");
  EXPECT_GE(count(ptx, "ld.global.cg"), 2u);
  EXPECT_GE(count(ptx, "st.global.wt"), 1u);
  KernelRunner runner(ptx);
  std::vector<int> ints(25);
  for (int i = 20; i < 25; ++i) ints[static_cast<std::size_t>(i)] = 1 << (i - 20);
  const Address r = runner.upload(ints), h = runner.upload(std::vector<unsigned short>{0xfff0, 7, 0, 0}),
                d = runner.upload(std::vector<double>{0, 1.5}), c = runner.upload(std::vector<char>{0, 'x'}),
                v = runner.upload(std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0});
  runner.run("k", {1}, {32}, 0, r, h, d, c, v);
  // 0x80, 0x7f, 0xff, 0x01 by 5, 4, 3, 2: signed −640 + 508 − 3 + 2, unsigned 640 + 508 + 765 + 2.
  EXPECT_EQ(runner.download<int>(r, 11), (std::vector<int>{496 - 32 * 40, -26, 93, 255, 0, -123, 1925, 3 * 2 + 2 + 1,
                                                           3 * 4 + 0xfffe * 5 + 1, 9, 31}));
  const std::vector<unsigned short> halves = runner.download<unsigned short>(h, 4);
  EXPECT_EQ(halves[0], 0x0010);  // counted through 0xffff, without a carry into the neighbour
  EXPECT_LT(halves[1], 32);
  EXPECT_EQ(halves[2], 99);
  EXPECT_EQ(runner.download<double>(d, 1)[0], 3.0);
  EXPECT_EQ(runner.download<char>(c, 1)[0], 'x');
  EXPECT_EQ(runner.download<float>(v, 8), (std::vector<float>{1, 2, 3, 4, 4, 3, 2, 1}));
}

}  // namespace intrinsics_test
}  // namespace warpfold::host
