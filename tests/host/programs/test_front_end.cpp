// SPDX-License-Identifier: Apache-2.0
// What warpfold-cc makes of CUDA C++: the right PTX, and kernels that compute what their source says.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace front_end_test {

TEST(FrontEnd, TargetsOneArchitecture) {
  const std::string ptx = ptx_of("__global__ void k(int* p) { *p = 1; }");
  EXPECT_EQ(count(ptx, ".version 6.3"), 1u);
  EXPECT_EQ(count(ptx, ".target sm_70"), 1u);
  EXPECT_EQ(count(ptx, ".visible .entry _Z1kPi"), 1u);
}

TEST(FrontEnd, LdgTakesTheTexturePath) {
  const std::string ptx = ptx_of(
      "__global__ void k(const float* a, const int4* b, float* c) {\n"
      "  c[0] = __ldg(a) + __ldg(b).y;\n}");
  EXPECT_EQ(count(ptx, "ld.global.nc.f32"), 1u);
  EXPECT_EQ(count(ptx, "ld.global.nc.v4.u32") + count(ptx, "ld.global.nc.u32"), 1u);
}

TEST(FrontEnd, WarpSizeIsThatOfArchitecturalWarps) {
  const std::string ptx = ptx_of("__global__ void k(int* p) { p[threadIdx.x / warpSize] = warpSize - 1; }");
  KernelRunner runner(ptx);
  const Address p = runner.upload(std::vector<int>(2));
  runner.run("_Z1kPi", {1}, {64}, 0, p);
  EXPECT_EQ(runner.download<int>(p, 2), (std::vector<int>{31, 31}));
}

TEST(FrontEnd, AtomicsOfEveryTypeAndSpace) {
  const std::string ptx = ptx_of(R"(
__global__ void k(int* i, unsigned* u, unsigned long long* l, float* f) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 2);
  __syncthreads();
  if (threadIdx.x == 0) i[0] = s;
  atomicAdd(&i[1], 3); atomicSub(&i[2], 1); atomicMax(&i[3], (int)threadIdx.x); atomicMin(&i[4], -(int)threadIdx.x);
  atomicOr(&u[0], 1u << (threadIdx.x % 32)); atomicAnd(&u[1], ~(1u << (threadIdx.x % 32))); atomicXor(&u[2], 1u);
  atomicInc(&u[3], 9u); atomicCAS(&u[4], 0u, 77u); atomicExch(&u[5], 5u); atomicDec(&u[6], 3u);
  atomicAdd(l, 1ull << 33);
  atomicAdd(f, 0.5f);
})");
  for (const char* opcode :
       {"atom.shared.add.u32", "atom.global.add.u32", "atom.global.max.s32", "atom.global.min.s32",
        "atom.global.or.b32", "atom.global.and.b32", "atom.global.xor.b32", "atom.inc.u32", "atom.dec.u32",
        "atom.global.cas.b32", "atom.global.exch.b32", "atom.global.add.u64", "atom.global.add.f32"}) {
    EXPECT_GE(count(ptx, opcode), 1u) << opcode;
  }
  KernelRunner runner(ptx);
  const Address i = runner.upload(std::vector<int>(5)), u = runner.upload(std::vector<unsigned>{0, ~0u, 0, 0, 0, 0, 0}),
                l = runner.upload(std::vector<unsigned long long>(1)), f = runner.upload(std::vector<float>(1));
  runner.run("_Z1kPiPjPyPf", {1}, {64}, 0, i, u, l, f);
  EXPECT_EQ(runner.download<int>(i, 5), (std::vector<int>{128, 192, -64, 63, -63}));
  EXPECT_EQ(runner.download<unsigned>(u, 7), (std::vector<unsigned>{~0u, 0, 0, 4, 77, 5, 0}));
  EXPECT_EQ(runner.download<unsigned long long>(l, 1)[0], 64ull << 33);
  EXPECT_EQ(runner.download<float>(f, 1)[0], 32.0f);
}

TEST(FrontEnd, SharedMemoryStaticDynamicAndBarriers) {
  KernelRunner runner(ptx_of(R"(
extern __shared__ int dynamic[];
__global__ void reverse(const int* in, int* out) {
  __shared__ int fixed[64];
  fixed[threadIdx.x] = in[threadIdx.x];
  dynamic[threadIdx.x] = in[threadIdx.x] * 10;
  __syncthreads();
  out[threadIdx.x] = fixed[63 - threadIdx.x] + dynamic[63 - threadIdx.x];
})"));
  std::vector<int> in(64), expected(64);
  std::iota(in.begin(), in.end(), 0);
  for (int i = 0; i < 64; ++i) expected[i] = 11 * (63 - i);
  const Address from = runner.upload(in), to = runner.upload(std::vector<int>(64));
  runner.run("_Z7reversePKiPi", {1}, {64}, 256, from, to);
  EXPECT_EQ(runner.download<int>(to, 64), expected);
}

// The compiler must not believe that a barrier leaves such a variable as it was.
TEST(FrontEnd, BarriersKeepSharedVariablesInOrder) {
  KernelRunner runner(ptx_of(R"(
__global__ void k(int* out) {
  __shared__ int value;
  if (threadIdx.x == 40) value = 1;
  __syncthreads();
  out[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 3) value = 1234;
  __syncthreads();
  out[threadIdx.x] += value;
})"));
  const Address out = runner.upload(std::vector<int>(64));
  runner.run("_Z1kPi", {1}, {64}, 0, out);
  EXPECT_EQ(runner.download<int>(out, 64), std::vector<int>(64, 1235));
}

TEST(FrontEnd, StructsAndVectorsAsParameters) {
  KernelRunner runner(ptx_of(R"(
struct Settings { float4 scale; short offset; char tag; double weight; };
__global__ void k(Settings s, char c, float* out, uchar3 t) {
  out[0] = s.scale.z; out[1] = s.offset; out[2] = s.tag; out[3] = (float)s.weight; out[4] = c; out[5] = t.y;
})"));
  struct alignas(16) Settings {
    float scale[4];
    short offset;
    char tag;
    double weight;
  } settings{{1, 2, 3, 4}, -5, 6, 7.5};
  const unsigned char three[3] = {1, 9, 3};
  const char c = 8;
  const Address out = runner.upload(std::vector<float>(6));
  runner.run("_Z1k8SettingscPf6uchar3", {1}, {1}, 0, settings, c, out, three);
  EXPECT_EQ(runner.download<float>(out, 6), (std::vector<float>{3, -5, 6, 7.5f, 8, 9}));
}

TEST(FrontEnd, DeviceFunctionsTemplatesAndLambdasAreInlined) {
  const std::string ptx = ptx_of(R"(
template <class T> struct Square { __device__ T operator()(T x) const { return x * x; } };
template <class T, class F> __device__ T twice(T x, F f) { return f(f(x)); }
__device__ int helper(int x) { return x + 1; }
template <class T> __global__ void k(T* p) { p[threadIdx.x] = twice(p[threadIdx.x], Square<T>()) + helper(1); }
template __global__ void k<int>(int*);
)");
  EXPECT_EQ(count(entry_text(ptx, "_Z1kIiEvPT_"), "call"), 0u);
  KernelRunner runner(ptx);
  const Address p = runner.upload(std::vector<int>{2, 3});
  runner.run("_Z1kIiEvPT_", {1}, {2}, 0, p);
  EXPECT_EQ(runner.download<int>(p, 2), (std::vector<int>{18, 83}));
}

// clang 14 makes the first a multiplication by -2^31.
TEST(FrontEnd, ShiftsIntoTheHighWordKeepTheirSign) {
  const std::string ptx = ptx_of(R"(
__global__ void k(long long* out, const int* in, const short* halves) {
  const int x = in[threadIdx.x] - 5;
  const short h = halves[threadIdx.x] - (short)5;
  long long* const row = out + threadIdx.x * 8;
  row[0] = (long long)x << 31;
  row[1] = (long long)x * -2147483648ll;
  row[2] = (long long)x << 30;
  row[3] = (long long)x << 32;
  row[4] = (unsigned long long)(unsigned)x << 31;
  row[5] = (int)h << 15;
  row[6] = (int)h * -32768;
  asm("mul.wide.s32 %0, %1, -2147483648;" : "=l"(row[7]) : "r"(x));
}
)");
  KernelRunner runner(ptx);
  const std::vector<int> values{0, 1, 5, 6, 2147483647, -2147483643};
  const Address in = runner.upload(values), halves = runner.upload(std::vector<short>{0, 1, 5, 6, 32767, -32763});
  const Address out = runner.upload(std::vector<long long>(8 * values.size()));
  runner.run("_Z1kPxPKiPKs", {1}, {static_cast<unsigned>(values.size())}, 0, out, in, halves);
  const std::vector<long long> found = runner.download<long long>(out, 8 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long long x = values[i] - 5LL, h = runner.download<short>(halves, values.size())[i] - 5, two = 1LL << 31;
    const std::vector<long long> expected{x * two, -x * two, x * (two / 2), x * two * 2, (x & 0xffffffff) * two,
                                          h << 15, -h << 15, -x * two};
    EXPECT_EQ(std::vector(found.begin() + 8 * i, found.begin() + 8 * i + 8), expected) << values[i];
  }
}

// clang 14 takes it for 1 there, where it is no comparison's outcome.
TEST(FrontEnd, ATruthThatIsASignedNumberIsMinusOne) {
  const std::string ptx = ptx_of(R"(
__global__ void k(double* out, const int* in) {
  const int x = in[threadIdx.x];
  const bool p = __any_sync(0xffffffff, x > 3), q = __all_sync(0xffffffff, x > 3);
  double* const row = out + threadIdx.x * 5;
  row[0] = (signed char)((signed char)p - 1);
  row[1] = (float)(short)((short)q - 1);
  row[2] = (double)(int)p;
  row[3] = (float)-(int)(p != q);
  row[4] = (int)p;
}
)");
  KernelRunner runner(ptx);
  const std::vector<int> values{5, 0, 7, 0};
  const Address in = runner.upload(values), out = runner.upload(std::vector<double>(5 * values.size()));
  runner.run("_Z1kPdPKi", {1}, {static_cast<unsigned>(values.size())}, 0, out, in);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(runner.download<double>(out + 40 * i, 5), (std::vector<double>{0, -1, 1, -1, 1}));
  }
}

// clang 14 takes bits behind the sign for zeros.
TEST(FrontEnd, FieldsThatEndBehindTheSignHaveItsCopies) {
  const std::string ptx = ptx_of(R"(
__global__ void k(unsigned long long* out, const long long* in) {
  const long long x = in[threadIdx.x];
  const int y = (int)(x >> 32);
  unsigned long long* const row = out + threadIdx.x * 8;
  row[0] = (x >> 56) & 0xffff;
  row[1] = ((unsigned long long)x >> 56) & 0xffff;
  row[2] = (x >> 40) & 0xffffffff;
  row[3] = (unsigned)((y >> 24) & 0xffff);
  row[4] = (unsigned)((y >> 20) & 0xfff);
  row[5] = ((unsigned)y >> 24) & 0xffff;
  row[6] = (unsigned short)(x >> 60);
  asm("bfe.u64 %0, %1, 56, 16;" : "=l"(row[7]) : "l"(x));
}
)");
  KernelRunner runner(ptx);
  const std::vector<long long> values{0, 1, -1, 0x7edcba9876543210, -0x7edcba9876543210};
  const Address in = runner.upload(values), out = runner.upload(std::vector<std::uint64_t>(8 * values.size()));
  runner.run("_Z1kPyPKx", {1}, {static_cast<unsigned>(values.size())}, 0, out, in);
  const std::vector<std::uint64_t> found = runner.download<std::uint64_t>(out, 8 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t x = values[i], y = x >> 32;
    const std::uint64_t bits = static_cast<std::uint64_t>(x), sign = x < 0 ? 0xff00 : 0;
    const std::vector<std::uint64_t> expected{sign | bits >> 56,
                                              bits >> 56,
                                              static_cast<std::uint64_t>(x >> 40) & 0xffffffff,
                                              sign | bits >> 56,
                                              static_cast<std::uint64_t>(y >> 20) & 0xfff,
                                              bits >> 56,
                                              static_cast<std::uint64_t>(x >> 60) & 0xffff,
                                              bits >> 56};
    EXPECT_EQ(std::vector(found.begin() + 8 * i, found.begin() + 8 * i + 8), expected) << values[i];
  }
}

// clang 14's back end for GPUs has no code for them.
TEST(FrontEnd, QuotientsAndConversionsOf128Bits) {
  __extension__ typedef __int128 Wide;
  __extension__ typedef unsigned __int128 Unsigned;
  const std::string ptx = ptx_of(R"(
__constant__ int million = 1000003;
__global__ void k(const __int128* in, __int128* out, double* doubles, float* floats) {
  const __int128 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  __int128* const row = out + 7 * threadIdx.x;
  row[0] = a / b; row[1] = a % b;
  row[2] = (unsigned __int128)a / (unsigned __int128)b; row[3] = (unsigned __int128)a % (unsigned __int128)b;
  row[4] = a / million;
  doubles[2 * threadIdx.x] = (double)a; doubles[2 * threadIdx.x + 1] = (double)(unsigned __int128)a;
  floats[threadIdx.x] = (float)a;
  row[5] = (__int128)((double)b * 3.25);
  row[6] = (unsigned __int128)((float)(a < 0 ? -a : a) / 3);
})");
  EXPECT_EQ(count(ptx, ".func"), 0u);
  EXPECT_EQ(count(ptx, "million"), 2u);
  KernelRunner runner(ptx);
  const Wide big = static_cast<Wide>(0x0123456789abcdef) << 60 | 12345;
  const std::vector<Wide> values{big,
                                 7,
                                 -big,
                                 1000000007,
                                 5,
                                 big,
                                 ~static_cast<Wide>(0),
                                 static_cast<Wide>(1) << 100,
                                 static_cast<Wide>(1) << 126,
                                 -1,
                                 (static_cast<Wide>(1) << 93) + (1 << 16) + 1,
                                 1 << 20,
                                 static_cast<Wide>(1) << 64,
                                 -(static_cast<Wide>(3) << 70),
                                 99,
                                 -10};
  const unsigned pairs = values.size() / 2;
  const Address in = runner.upload(values), out = runner.upload(std::vector<Wide>(7 * pairs));
  const Address doubles = runner.upload(std::vector<double>(2 * pairs)),
                floats = runner.upload(std::vector<float>(pairs));
  runner.run("_Z1kPKnPnPdPf", {1}, {pairs}, 0, in, out, doubles, floats);
  const std::vector<Wide> found = runner.download<Wide>(out, 7 * pairs);
  const std::vector<double> as_double = runner.download<double>(doubles, 2 * pairs);
  const std::vector<float> as_float = runner.download<float>(floats, pairs);
  for (unsigned i = 0; i < pairs; ++i) {
    const Wide a = values[2 * i], b = values[2 * i + 1];
    const Unsigned ua = a, ub = b;
    const std::vector<Wide> wanted{a / b,
                                   a % b,
                                   static_cast<Wide>(ua / ub),
                                   static_cast<Wide>(ua % ub),
                                   a / 1000003,
                                   static_cast<Wide>(static_cast<double>(b) * 3.25),
                                   static_cast<Wide>(static_cast<Unsigned>(static_cast<float>(a < 0 ? -a : a) / 3))};
    for (unsigned j = 0; j < 7; ++j) EXPECT_TRUE(found[7 * i + j] == wanted[j]) << i << " " << j;
    EXPECT_EQ(as_double[2 * i], static_cast<double>(a)) << i;
    EXPECT_EQ(as_double[2 * i + 1], static_cast<double>(ua)) << i;
    EXPECT_EQ(as_float[i], static_cast<float>(a)) << i;
  }
}

TEST(FrontEnd, ConstantAndGlobalVariables) {
  const std::string ptx = ptx_of(R"(
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__global__ void k(int* out, int i) { out[0] = table[i] + counter; counter = 6; }
)");
  EXPECT_EQ(count(ptx, "ld.const.u32"), 1u);
  KernelRunner runner(ptx);
  const Address out = runner.upload(std::vector<int>(1));
  runner.run("_Z1kPii", {1}, {1}, 0, out, 2);
  EXPECT_EQ(runner.download<int>(out, 1)[0], 8);
  runner.run("_Z1kPii", {1}, {1}, 0, out, 3);
  EXPECT_EQ(runner.download<int>(out, 1)[0], 10);
}

// The source ends where its last copied byte does.
TEST(FrontEnd, PipelinesCopyAndFillWithZeros) {
  KernelRunner runner(ptx_of(R"(
#include <cuda_pipeline.h>
__global__ void k(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned s[3][4];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 12; ++i) s[i / 4][i % 4] = 7;
    __pipeline_memcpy_async(s[0], in, 16, 6);
    __pipeline_memcpy_async(s[1], in, 8);
    __pipeline_memcpy_async(s[2], in + 2, 4, 4);
    __pipeline_memcpy_async(&s[2][1], in + 2, 4, 2);
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  if (threadIdx.x < 12) out[threadIdx.x] = s[threadIdx.x / 4][threadIdx.x % 4];
})"));
  const Address in = runner.upload(std::vector<unsigned>{0x01020304, 0x05060708, 0x090a0b0c});
  const Address out = runner.upload(std::vector<unsigned>(12));
  runner.run("_Z1kPKjPj", {1}, {32}, 0, in, out);
  EXPECT_EQ(runner.download<unsigned>(out, 12),
            (std::vector<unsigned>{0x01020304, 0x05060708, 0x0b0c, 0, 0x01020304, 0x05060708, 7, 7, 0, 0x0b0c, 7, 7}));
}

TEST(FrontEnd, WarpVotesAndShuffles) {
  KernelRunner runner(ptx_of(R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* out) {
  const int lane = threadIdx.x;
  int sum = lane;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  const unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int part = lane;
  for (int step = 4; step > 0; step /= 2) part += tile.shfl_down(part, step);
  block.sync();
  if (lane == 8) {
    out[0] = sum; out[1] = __popc(odd); out[2] = part; out[3] = tile.thread_rank(); out[4] = block.size();
  }
  if (__any_sync(0xffffffffu, lane == 31) && __all_sync(0xffffffffu, lane < 32) && lane == 0) out[5] = 1;
})"));
  const Address out = runner.upload(std::vector<int>(6));
  runner.run("_Z1kPi", {1}, {32}, 0, out);
  EXPECT_EQ(runner.download<int>(out, 6), (std::vector<int>{496, 16, 8 * 8 + 28, 0, 32, 1}));
}

// clang's own: shuffles of unsigned long long call themselves for ever, matches have a destination that is too wide.
TEST(FrontEnd, ShufflesAndMatchesOfSixtyFourBits) {
  KernelRunner runner(ptx_of(R"(
__global__ void k(unsigned long long* out) {
  const unsigned lane = threadIdx.x, all = 0xffffffffu;
  const unsigned long long x = lane * 0x100000001ull, half = (unsigned long long)(lane & 1) << 40;
  int same = 5;
  const unsigned whole = __match_all_sync(all, half, &same), any = __match_any_sync(all, half);
  int alike = 5;
  const unsigned alike_lanes = __match_all_sync(all, 1ull << 40, &alike);
  const unsigned long long across = __shfl_xor_sync(all, x, 3), up = __shfl_up_sync(all, x, 2, 16),
                           down = __shfl_down_sync(all, (unsigned long)x, 1), first = __shfl_sync(all, x, 40),
                           old = __shfl(x, 7);
  if (lane != 17) return;
  out[0] = across; out[1] = up; out[2] = down; out[3] = first; out[4] = old;
  out[5] = any; out[6] = whole; out[7] = same; out[8] = alike_lanes; out[9] = alike;
})"));
  const Address out = runner.upload(std::vector<unsigned long long>(10));
  runner.run("_Z1kPy", {1}, {32}, 0, out);
  EXPECT_EQ(runner.download<unsigned long long>(out, 10),
            (std::vector<unsigned long long>{18 * 0x100000001ull, 17 * 0x100000001ull, 18 * 0x100000001ull,
                                             8 * 0x100000001ull, 7 * 0x100000001ull, 0xaaaaaaaa, 0, 0, 0xffffffff, 1}));
}

TEST(FrontEnd, MissingDeviceFunctionsAreNamed) {
  const ScratchFolder folder;
  folder.write("t.cu", "__device__ int elsewhere(int);\n__global__ void k(int* p) { *p = elsewhere(*p); }\n");
  const CommandResult result = folder.compile("--ptx t.cu");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output.find("warpfold-cc: error: t.cu: device code calls what is defined nowhere: _Z9elsewherei"),
            std::string::npos)
      << result.output;
}

TEST(FrontEnd, HabitsOfNvccAreCured) {
  const ScratchFolder folder;
  folder.write("t.cu",
               "__global__ void k(int* p) { __device__ __shared__ int s; s = 1; *p = s; }\n"
               "int main() { k << < 1, 32 >> > (nullptr); }\n"
               "int wrong = undeclared;\n");
  const CommandResult result = folder.compile("-c t.cu");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output.find("t.cu:3:13: error"), std::string::npos) << result.output;
  EXPECT_EQ(count(result.output, "error:"), 2u) << result.output;  // the one in the source, and warpfold-cc's last word
}

// Where no pointer is before it, the word says nothing, as for nvcc; elsewhere it stays.
TEST(FrontEnd, MisplacedRestrictIsIgnored) {
  const ScratchFolder folder;
  folder.write("t.h", "template <class T> struct Pair { const __restrict__ T *a; T __restrict__ *b; };\n");
  folder.write(
      "t.cu",
      "#include \"t.h\"\n#define RESTRICT __restrict__\ntypedef float* Row;\n"
      "__global__ void k(const __restrict__ int* a, __restrict__ const float4 *b, int const __restrict__ n,\n"
      "                  unsigned __restrict__\n * c, const RESTRICT float* d) {}\n"
      "__global__ void right(float* __restrict__ a, float* const __restrict b, Row __restrict__ c,\n"
      "                      const float*RESTRICT d, float (&__restrict__ e)[4], const __restrict__ Row f) {}\n");
  const CommandResult result = folder.compile("-c t.cu");
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string text = folder.compile("-E t.cu").output;
  const std::string kernels = text.substr(text.find("typedef float* Row"));
  EXPECT_EQ(count(kernels, "__restrict"), 6u) << kernels;
}

// clang 14 would have constexpr variables on the device, where addresses of the host are none.
TEST(FrontEnd, ConstantsMayHoldAddressesOfTheHost) {
  const ScratchFolder folder;
  folder.write(
      "t.h",
      "static const char* words[] = {\"none\", \"one\"};\n"
      "template <class T> struct Words { static constexpr auto all = words; static constexpr int count = 2; };\n");
  folder.write("t.cu",
               "#include \"t.h\"\nint limit = 3;\nstruct Setting { const char* name; int* value; };\n"
               "constexpr Setting settings[] = {{\"limit\", &limit}}; constexpr int& also = limit;\n"
               "inline constexpr auto first = words; constexpr int sizes[] = {5, 6};\n"
               "template <class T> constexpr auto of = words;\n"
               "__global__ void k(int* p) { *p = sizes[*p] + Words<int>::count; }\n"
               "int main() {\n  int *p, h = 0; cudaMalloc(&p, 4);\n"
               "  cudaMemset(p, 0, 4); k<<<1, 1>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n"
               "  return Words<int>::all[1][0] == 'o' && Words<char>::all == first && of<int> == first &&\n"
               "         *settings[0].value == also ? h : 0;\n}\n");
  const CommandResult built = folder.compile("t.cu -o t");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(built.output, "");
  EXPECT_EQ(run_command(folder.path("t")).status, 7);
}

TEST(FrontEnd, HeadersThatNvccBringsAreThere) {
  const ScratchFolder folder;
  folder.write("t.cu",
               "__global__ void k(uint32_t* p) { register uint8_t x = 3; for (int m : {1, 2}) p[m] = x; assert(p); }\n"
               "int main() {\n  register int sum = 0;\n  for (auto size : {31, 33}) sum += size;\n"
               "  std::pair<int64_t, int> both(sum, 0);\n  printf(\"%d\\n\", (int)both.first);\n}\n");
  const CommandResult built = folder.compile("t.cu -o t");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(run_command(folder.path("t")).output, "64\n");
}

TEST(FrontEnd, HostCodeSeesMinAndMaxAndTheApi) {
  const ScratchFolder folder;
  folder.write(
      "t.cu",
      "#include <cstdio>\n__constant__ float c[4];\n__global__ void k() {}\n"
      "int main() { float h[4]; float* d; cudaMalloc(&d, 16); cudaMemcpyToSymbol(c, h, 16);\n"
      "cudaMemcpyToSymbol(\"c\", h, 16, 0, cudaMemcpyHostToDevice); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n"
      "dim3 g(2, 3); k<<<g, dim3(32)>>>(); cudaStream_t s; cudaStreamCreate(&s); k<<<g, 32, 64, s>>>();\n"
      "cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1); return max(p.warpSize, 3) + min(1.0f, 2.0f); }\n");
  const CommandResult result = folder.compile("-c -Wall t.cu");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

}  // namespace front_end_test
}  // namespace warpfold::host
