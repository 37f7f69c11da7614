// SPDX-License-Identifier: Apache-2.0
// Arguments and results in registers, constants among them.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/decode/calls/register_arguments.h"

namespace warpfold::isa {
namespace register_arguments_test {

// Functions begin on line 5; the kernel's code is on line 17, and it stores %r1.
std::string text_of(const std::string& body) {
  return with_header(R"(.visible .global .align 4 .u32 out;
.func (.reg .b32 r) twice (.reg .b32 a) { add.u32 r, a, a; }
.func (.reg .b32 r) by_memory (.param .b32 a) { ld.param.u32 r, [a]; add.u32 r, r, 1; ret; }
.func (.param .b32 r) to_memory (.reg .b32 a) { add.u32 a, a, 2; st.param.b32 [r], a; ret; }
.func (.reg .b32 sum) triangle (.reg .b32 n) { NEXT: add.u32 sum, sum, n; .reg .pred p; sub.u32 n, n, 1;
setp.ne.u32 p, n, 0; @p bra NEXT; }
.func (.reg .b32 r) factorial (.reg .b32 n) { .reg .pred p; mov.u32 r, 1; setp.lt.u32 p, n, 2; @p ret; .reg .b32 m;
sub.u32 m, n, 1; call (r), factorial, (m); mul.lo.u32 r, r, n; ret; }
.func (.reg .pred no, .reg .v2 .b32 w) swap (.reg .pred yes, .reg .v2 .b32 v, .reg .f64 d, .reg .b16 h) { not.pred no, yes;
mov.b32 w.x, v.y; cvt.rzi.u32.f64 w.y, d; cvt.u32.u16 v.x, h; add.u32 w.y, w.y, v.x; ret; }
.func (.reg .b32 r) last (.param .b32 n, .param .align 8 .b8 list[]) { ld.param.u32 r, [n]; ret; }
.func (.reg .b32 r) later (.reg .b64 wide);
.visible .entry k() { .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .v2 .b32 %v; .param .b32 box;
)" + body + "\nst.global.u32 [out], %r1; ret; }\n");
}

unsigned result(const std::string& body) {
  PtxFixture fixture(text_of(body));
  fixture.run(1);
  return fixture.read<std::uint32_t>("out");
}

TEST(RegisterArguments, RegistersVariablesAndConstantsStandForEachOther) {
  EXPECT_EQ(result("mov.u32 %r2, 21; call (%r1), twice, (%r2);"), 42U);
  EXPECT_EQ(result("call (%r1), twice, (2*8+1);"), 34U);
  EXPECT_EQ(result("call (%r1), by_memory, (5);"), 6U);
  EXPECT_EQ(result("st.param.b32 [box], 7; call (%r1), twice, (box);"), 14U);
  EXPECT_EQ(result("call (%r1), to_memory, (-1);"), 1U);
  EXPECT_EQ(result("call (box), to_memory, (4); ld.param.u32 %r1, [box];"), 6U);
  EXPECT_EQ(result("mov.u32 %r1, 9; call (_), twice, (4);"), 9U);
  EXPECT_EQ(result("call (%r1), last, (7, box);"), 7U);
}

TEST(RegisterArguments, LoopsDoNotReadThemAgain) { EXPECT_EQ(result("call (%r1), triangle, (4);"), 10U); }

TEST(RegisterArguments, OfRecursiveFunctions) {
  EXPECT_EQ(result("mov.u32 %r1, 5; call (%r1), factorial, (%r1);"), 120U);
}

TEST(RegisterArguments, PredicatesVectorsAndOtherWidths) {
  EXPECT_EQ(result("mov.u32 %v.x, 1; mov.u32 %v.y, 20; setp.eq.u32 %p1, %r2, 1;\n"
                   "call (%p1, %v), swap, (%p1, %v, 3.5, 300); @%p1 add.u32 %r1, %v.x, %v.y;"),
            323U);
}

TEST(RegisterArguments, AGuardKeepsResultsToo) {
  EXPECT_EQ(result("mov.u32 %r1, 3; setp.eq.u32 %p1, %r1, 4; @%p1 call (%r1), twice, (8);"), 3U);
  EXPECT_EQ(result("mov.u32 %r1, 3; setp.eq.u32 %p1, %r1, 4; @!%p1 call (%r1), twice, (8);"), 16U);
}

TEST(RegisterArguments, ThroughPointers) {
  EXPECT_EQ(result("form: .callprototype (.reg .b32 _) _ (.reg .b32 _); mov.u64 %rd1, twice; mov.u32 %r2, 4;\n"
                   "call (%r1), %rd1, (%r2), form;"),
            8U);
  EXPECT_EQ(result("form: .callprototype (.reg .b32 _) _ (.reg .b32 _); mov.u64 %rd1, twice;\n"
                   "call (_), %rd1, (3), form; call (%r1), %rd1, (5), form;"),
            10U);
}

TEST(RegisterArguments, SaysWhatIsWrong) {
  const struct {
    const char* body;
    const char* reason;
  } cases[] = {
      {"call (%r1), twice, (1, 2);", "'twice' takes another number of parameters"},
      {"call (%r1, %r2), twice, (1);", "'twice' takes another number of parameters"},
      {"call (%r1), twice, (%rd1);", "'%rd1' has 8 bytes, the parameter 'a' 4"},
      {"call (%rd1), twice, (1);", "'%rd1' has 8 bytes, the parameter 'r' 4"},
      {"call (%r1), twice, (%tid.x);", "arguments are .param variables, registers and constants, results no constants"},
      {"call (1), twice, (1);", "arguments are .param variables, registers and constants, results no constants"},
      {"call (%r1), twice, (out);", "arguments are .param variables, registers and constants, results no constants"},
      {"call (%r1), %rd1, (1);", "a constant, whose type only the function knows, passed to what is not known here"},
      {"form: .callprototype (.reg .b32 _) _ (.reg .b64 _); call (%r1), %rd1, (%r2), form;",
       "'%r2' has 4 bytes, the parameter '_' 8"},
      {"form: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %rd1, (1, 2), form;",
       "'%rd1' takes another number of parameters"},
      {"call (%r1), later, (1);", "'later' has no body in this module"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(decode_error(text_of(c.body)),
              std::string("kernel 'k': t.ptx:17: unsupported instruction 'call' (") + c.reason + ")")
        << c.body;
  }
}

}  // namespace register_arguments_test
}  // namespace warpfold::isa
