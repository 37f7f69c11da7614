// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves: what each activation has of its own, and where the stack ends.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace recursion_test {

// A kernel on lines 5 and on that stores what `body` makes of its thread's number, in %r9, to out: it is to be in %r1.
std::string text_of(const std::string& functions, const std::string& body) {
  return with_header(".visible .global .align 4 .u32 out[32];\n" + functions +
                     "\n.visible .entry k()\n{ .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<8>;\n"
                     "mov.u32 %r9, %tid.x; mov.u32 %r1, 0;\n" +
                     body +
                     "\nmul.wide.u32 %rd7, %r9, 4; mov.u64 %rd6, out; add.s64 %rd6, %rd6, %rd7;\n"
                     "st.global.u32 [%rd6], %r1; ret; }\n");
}

std::vector<unsigned> results(PtxFixture& fixture, unsigned threads) {
  fixture.run(threads);
  std::vector<unsigned> values;
  for (unsigned t = 0; t < threads; ++t) values.push_back(fixture.read<std::uint32_t>("out", t));
  return values;
}

std::vector<unsigned> results(const std::string& functions, const std::string& body, unsigned threads = 8,
                              std::uint64_t stack_bytes = 4096) {
  DecodeOptions options;
  options.stack_bytes = stack_bytes;
  PtxFixture fixture(text_of(functions, body), options);
  return results(fixture, threads);
}

template <class F>
std::vector<unsigned> each(F value, unsigned threads = 8) {
  std::vector<unsigned> values;
  for (unsigned t = 0; t < threads; ++t) values.push_back(value(t));
  return values;
}

const std::string kCallWithThread =
    "{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v; call (v), f, (a); ld.param.b32 %r1, [v]; }";

constexpr const char* kOfManyKinds = R"(
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p<3>; .reg .b16 %rs<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f64 %fd<4>;
ld.param.u32 %r1, [n];
setp.eq.u32 %p1, %r1, 0;
mov.u32 %r5, 7; st.param.b32 [r], %r5;
@%p1 ret;
and.b32 %r2, %r1, 1; setp.ne.u32 %p2, %r2, 0;
mul.wide.u32 %rd1, %r1, 65536; shl.b64 %rd1, %rd1, 20;
cvt.rn.f64.u32 %fd1, %r1; add.f64 %fd1, %fd1, 0d3FE0000000000000;
cvt.u16.u32 %rs1, %r1;
sub.u32 %r3, %r1, 1;
{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 v; call (v), f, (a); ld.param.b32 %r4, [v]; }
@%p2 add.u32 %r4, %r4, 1000;
shr.u64 %rd2, %rd1, 36; cvt.u32.u64 %r6, %rd2; add.u32 %r4, %r4, %r6;
cvt.rzi.u32.f64 %r7, %fd1; add.u32 %r4, %r4, %r7;
cvt.u32.u16 %r7, %rs1; add.u32 %r4, %r4, %r7;
ld.param.u32 %r7, [n]; add.u32 %r4, %r4, %r7;
st.param.b32 [r], %r4;
ret; })";
unsigned of_many_kinds(unsigned n) {
  unsigned value = 7;
  for (unsigned i = 1; i <= n; ++i) value += i % 2 * 1000 + 4 * i;
  return value;
}

TEST(Recursion, RegistersOfAnyKindSurviveTheCall) {
  EXPECT_EQ(results(kOfManyKinds, kCallWithThread), each(of_many_kinds));
}

TEST(Recursion, HoweverTheCodeIsLaidOut) {
  for (const bool placed : {false, true}) {
    for (const unsigned address_bits : {32U, 64U}) {
      DecodeOptions options;
      options.block_placement = placed;
      options.uniformity_analysis = placed;
      options.address_bits = address_bits;
      PtxFixture fixture(text_of(kOfManyKinds, kCallWithThread), options);
      EXPECT_EQ(results(fixture, 8), each(of_many_kinds)) << placed << address_bits;
    }
  }
}

// What is spilled has one place for all activations, which each leaves as it finds it.
TEST(Recursion, SpilledRegistersSurviveToo) {
  std::uint32_t spilled = 0;
  for (const unsigned registers : {8U, 9U, 10U, 12U}) {
    DecodeOptions options;
    options.registers.per_thread = registers;
    PtxFixture fixture(text_of(kOfManyKinds, kCallWithThread), options);
    EXPECT_EQ(results(fixture, 8), each(of_many_kinds)) << registers;
    spilled += fixture.kernel().spill_bytes;
  }
  EXPECT_GT(spilled, 0U);
}

// f(n) = n: what it returns is written before it calls itself.
TEST(Recursion, AResultThatIsWrittenEarlyStays) {
  const std::string f = R"(
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<3>;
ld.param.u32 %r1, [n]; st.param.b32 [r], %r1;
setp.eq.u32 %p1, %r1, 0; @%p1 ret;
sub.u32 %r2, %r1, 1;
{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call (v), f, (a); }
ret; })";
  EXPECT_EQ(results(f, kCallWithThread), each([](unsigned n) { return n; }));
}

// Arguments of one call that are written before another one; calls without a word between them; guarded ones.
TEST(Recursion, CallsAreKeptApart) {
  const std::string f = R"(
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p<3>; .reg .b32 %r<8>;
ld.param.u32 %r1, [n];
mov.u32 %r4, 1; mov.u32 %r5, 0;
setp.lt.u32 %p1, %r1, 2; setp.ge.u32 %p2, %r1, 4;
@%p1 bra DONE;
sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;
{ .param .b32 a; .param .b32 b; .param .b32 c; .param .b32 v; .param .b32 w; .param .b32 x;
st.param.b32 [a], %r2; st.param.b32 [b], %r3; st.param.b32 [c], 3; st.param.b32 [x], 100;
call (w), f, (b);
call (v), f, (a);
@%p2 call (x), f, (c);
ld.param.b32 %r4, [v]; ld.param.b32 %r5, [w]; ld.param.b32 %r6, [x]; }
mad.lo.u32 %r4, %r4, 3, %r5;
add.u32 %r4, %r4, %r6;
DONE: st.param.b32 [r], %r4;
ret; })";
  struct F {
    static unsigned of(unsigned n) {
      if (n < 2) return 1;
      const unsigned w = of(n - 2), v = of(n - 1);
      return v * 3 + w + (n >= 4 ? of(3) : 100);
    }
  };
  const std::string guarded =
      "setp.gt.u32 %p1, %r9, 2;\n{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r9; st.param.b32 [v], 55;\n"
      "@%p1 call (v), f, (a);\nld.param.b32 %r1, [v]; }";
  EXPECT_EQ(results(f, kCallWithThread), each(F::of));
  EXPECT_EQ(results(f, guarded), each([](unsigned t) { return t > 2 ? F::of(t) : 55; }));
}

// Variables by name, by 32-bit, 64-bit and generic address; parameters that are read as vectors, which lie in memory.
TEST(Recursion, EachActivationHasItsOwnVariables) {
  const std::string f = R"(
.func (.param .align 8 .b8 r[8]) f (.param .align 8 .b8 n[12]) {
.reg .pred %p1; .reg .b32 %r<12>; .reg .b64 %rd<4>; .local .align 8 .b8 box[20];
ld.param.v2.u32 {%r1, %r2}, [n]; ld.param.u32 %r8, [n+8];
st.local.u32 [box], %r1;
mov.u32 %r3, box; st.local.u32 [%r3+4], %r2;
mov.u64 %rd1, box; st.local.u32 [%rd1+8], %r8;
cvta.local.u64 %rd2, box; add.s64 %rd2, %rd2, 12; st.u32 [%rd2], %r1;
mov.u32 %r4, %r2; mov.u32 %r5, %r8;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
sub.u32 %r6, %r1, 1; add.u32 %r7, %r2, %r1; mul.lo.u32 %r9, %r8, 3;
{ .param .align 8 .b8 a[12]; .param .align 8 .b8 v[8];
st.param.v2.b32 [a], {%r6, %r7}; st.param.b32 [a+8], %r9;
call (v), f, (a);
ld.param.v2.b32 {%r4, %r5}, [v]; }
DONE:
ld.local.u32 %r6, [box+12]; add.u32 %r4, %r4, %r6;
ld.u32 %r6, [%rd2+-4]; add.u32 %r5, %r5, %r6;
ld.local.u32 %r6, [%rd1+4]; xor.b32 %r5, %r5, %r6;
mov.b64 %rd3, n; ld.param.u32 %r6, [%rd3+8]; add.u32 %r4, %r4, %r6;
st.param.v2.b32 [r], {%r4, %r5};
ret; })";
  struct Pair {
    unsigned first, second;
    static Pair of(unsigned a, unsigned b, unsigned c) {
      Pair pair{b, c};
      if (a != 0) pair = of(a - 1, b + a, c * 3);
      return {pair.first + a + c, (pair.second + c) ^ b};
    }
  };
  const std::string body =
      "{ .param .align 8 .b8 a[12]; .param .align 8 .b8 v[8];\nst.param.v2.b32 [a], {%r9, 5}; st.param.b32 [a+8], 11;\n"
      "call (v), f, (a);\nld.param.v2.b32 {%r1, %r2}, [v]; mad.lo.u32 %r1, %r1, 1000, %r2; }";
  EXPECT_EQ(results(f, body), each([](unsigned t) {
              const Pair pair = Pair::of(t, 5, 11);
              return pair.first * 1000 + pair.second;
            }));
}

// f and g call each other and themselves, by way of h, which does not; the kernel calls both.
TEST(Recursion, FunctionsThatCallEachOther) {
  const std::string functions = R"(
.func (.param .b32 r) g (.param .b32 n);
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<4>;
ld.param.u32 %r1, [n]; mov.u32 %r2, 2;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
sub.u32 %r3, %r1, 1;
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3; call (v), g, (a); ld.param.b32 %r2, [v]; }
mad.lo.u32 %r2, %r2, 5, %r1;
DONE: st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) h (.param .b32 n) {
.reg .b32 %r<4>; .local .b32 kept;
ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 9; st.local.u32 [kept], %r1; sub.u32 %r1, %r1, 9;
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; call (v), f, (a); ld.param.b32 %r2, [v]; }
ld.local.u32 %r3, [kept]; add.u32 %r2, %r2, %r3;
st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) g (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<6>;
ld.param.u32 %r1, [n]; mov.u32 %r2, 3;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
shr.u32 %r3, %r1, 1; sub.u32 %r4, %r1, 1;
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3; call (v), g, (a); ld.param.b32 %r2, [v]; }
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r4; call (v), h, (a); ld.param.b32 %r5, [v]; }
mad.lo.u32 %r2, %r2, 7, %r5;
DONE: st.param.b32 [r], %r2; ret; })";
  struct Functions {
    static unsigned f(unsigned n) { return n == 0 ? 2 : g(n - 1) * 5 + n; }
    static unsigned g(unsigned n) { return n == 0 ? 3 : g(n / 2) * 7 + f(n - 1) + n - 1 + 9; }
  };
  const std::string body = kCallWithThread +
                           "\n{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v; call (v), g, (a);\n"
                           "ld.param.b32 %r2, [v]; mad.lo.u32 %r1, %r1, 10, %r2; }";
  EXPECT_EQ(results(functions, body, 12), each([](unsigned t) { return Functions::f(t) * 10 + Functions::g(t); }, 12));
}

// One frame holds where f returns to and n: 16 bytes, in steps of 8.
constexpr const char* kDeep = R"(
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<4>;
ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
sub.u32 %r3, %r1, 1;
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3;
call (v), f, (a);
ld.param.b32 %r2, [v]; }
add.u32 %r2, %r2, %r1;
DONE: st.param.b32 [r], %r2; ret; })";

TEST(Recursion, TheStackEndsWhereItWasToldTo) {
  EXPECT_EQ(results(kDeep, kCallWithThread, 8, 64), each([](unsigned t) { return t * (t + 1) / 2; }));
  EXPECT_EQ(error_of([] { results(kDeep, kCallWithThread, 9, 64); }),
            "kernel 'k': t.ptx:12: call: thread (8,0,0) of block (0,0,0) needs more than the 64 bytes of its stack; "
            "give it more with cudaDeviceSetLimit(cudaLimitStackSize, …)");
}

TEST(Recursion, WhatReturnsGivesItsFrameBack) {
  const std::string body = "mov.u32 %r3, 0; mov.u32 %r4, 0;\nLOOP:\n" + kCallWithThread +
                           "\nadd.u32 %r4, %r4, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 50;\n"
                           "@%p1 bra LOOP; mov.u32 %r1, %r4;";
  EXPECT_EQ(results(kDeep, body, 8, 64), each([](unsigned t) { return 50 * t * (t + 1) / 2; }));
}

// The kernel's own variables lie in front of the stack, spilled registers behind it.
TEST(Recursion, LocalMemoryIsSharedWithVariables) {
  DecodeOptions options;
  options.stack_bytes = 640;
  PtxFixture fixture(text_of(kDeep, ".local .align 4 .b8 own[20]; st.local.u32 [own+16], %r9; " + kCallWithThread +
                                        " ld.local.u32 %r2, [own+16]; mad.lo.u32 %r1, %r2, 1000, %r1;"),
                     options);
  EXPECT_EQ(fixture.kernel().stack_begin, 24U);
  EXPECT_EQ(fixture.kernel().stack_bytes, 640U);
  EXPECT_EQ(fixture.kernel().local_bytes, 664U);
  fixture.run(5);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 4), 4010U);
}

// The device's own functions stay calls, whose arguments lie in registers.
TEST(Recursion, SystemCallsInRecursiveFunctions) {
  const std::string functions = R"(
.extern .func (.param .b64 r) malloc (.param .b64 n);
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd<3>;
ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
cvt.u64.u32 %rd1, %r1; sub.u32 %r3, %r1, 1;
{ .param .b64 a; .param .b64 v; st.param.b64 [a], %rd1; call (v), malloc, (a); ld.param.b64 %rd2, [v]; }
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3; call (v), f, (a); ld.param.b32 %r2, [v]; }
st.u8 [%rd2], %r2;
DONE: st.param.b32 [r], %r2; ret; })";
  PtxFixture fixture(text_of(functions, kCallWithThread));
  const std::vector<MicroOp>& ops = fixture.kernel().ops;
  EXPECT_EQ(std::count_if(ops.begin(), ops.end(), [](const MicroOp& op) { return op.kind == Kind::kSystemCall; }), 1);
}

TEST(Recursion, FunctionsThatCallNobodyBackHaveNoStack) {
  const std::string f =
      ".func (.param .b32 r) f (.param .b32 n) { .reg .b32 %r1; ld.param.u32 %r1, [n];\n"
      "add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }";
  PtxFixture fixture(text_of(f, kCallWithThread + kCallWithThread));
  EXPECT_EQ(fixture.kernel().local_bytes, 0U);
  EXPECT_EQ(fixture.kernel().stack_bytes, 0U);
}

}  // namespace recursion_test
}  // namespace warpfold::isa
