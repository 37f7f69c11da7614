// SPDX-License-Identifier: Apache-2.0
// Calls through pointers and jumps through tables: where they lead, and what is said where they lead nowhere.
#include <gtest/gtest.h>

#include <set>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace indirect_jumps_test {

// Functions begin on line 5; the kernel has the number of its thread in %r9 and stores %r1 to out.
std::string text_of(const std::string& declarations, const std::string& body) {
  return with_header(".visible .global .align 4 .u32 out[32];\n" + declarations +
                     "\n.visible .entry k()\n{ .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<8>;\n"
                     "mov.u32 %r9, %tid.x; mov.u32 %r1, 0;\n" +
                     body +
                     "\nSTORE: mul.wide.u32 %rd7, %r9, 4; mov.u64 %rd6, out; add.s64 %rd6, %rd6, %rd7;\n"
                     "st.global.u32 [%rd6], %r1; ret; }\n");
}

std::vector<unsigned> results(const std::string& declarations, const std::string& body, unsigned threads) {
  PtxFixture fixture(text_of(declarations, body));
  fixture.run(threads);
  std::vector<unsigned> values;
  for (unsigned t = 0; t < threads; ++t) values.push_back(fixture.read<std::uint32_t>("out", t));
  return values;
}

// Functions of one parameter: n + 1, n * 2, n * n. Others that a call of these must not reach: of two parameters, of
// a wider one, without a result, without a body, and one whose address nobody takes.
const std::string kFunctions = R"(
.func (.param .b32 r) next (.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1;
st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) twice (.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, %r1;
st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) square (.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; mul.lo.u32 %r1, %r1, %r1;
st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) two (.param .b32 n, .param .b32 m) { trap; }
.func (.param .b32 r) wide (.param .b64 n) { trap; }
.func silent (.param .b32 n) { trap; }
.func (.param .b32 r) outside (.param .b32 n);
.func (.param .b32 r) never (.param .b32 n) { trap; }
.const .align 8 .u64 table[8] = {next, twice, generic(square), 0, two, wide, silent, outside};
.global .align 8 .u64 pointer = twice;
)";
const std::string kCall =
    "{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v;\n"
    "form : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (v), %rd1, (a), form;\n"
    "ld.param.b32 %r1, [v]; }";
const std::string kFromTable =
    "mul.wide.u32 %rd1, %r9, 8; mov.u64 %rd2, table; add.s64 %rd1, %rd1, %rd2; ld.const.u64 %rd1, [%rd1];\n";

TEST(IndirectJumps, CallsGoWhereThePointerSays) {
  EXPECT_EQ(results(kFunctions, kFromTable + kCall, 3), (std::vector<unsigned>{1, 2, 4}));
  EXPECT_EQ(results(kFunctions, "ld.global.u64 %rd1, [pointer];\n" + kCall, 4), (std::vector<unsigned>{0, 2, 4, 6}));
  EXPECT_EQ(results(kFunctions, "mov.u64 %rd1, square;\n" + kCall, 4), (std::vector<unsigned>{0, 1, 4, 9}));
}

TEST(IndirectJumps, AGuardedCallIsOfThoseItHoldsFor) {
  std::string guarded = kCall;
  guarded.insert(guarded.find("call ("), "st.param.b32 [v], 50; setp.ne.u32 %p1, %r9, 3;\n@%p1 ");
  EXPECT_EQ(results(kFunctions, kFromTable + guarded, 4), (std::vector<unsigned>{1, 2, 4, 50}));
  guarded.replace(guarded.find("@%p1"), 4, "@!%p1");
  EXPECT_EQ(results(kFunctions, "mov.u64 %rd1, next;\n" + guarded, 5), (std::vector<unsigned>{50, 50, 50, 4, 50}));
}

std::string fault_of(const std::string& declarations, const std::string& body, unsigned threads) {
  return error_of([&] { results(declarations, body, threads); });
}

TEST(IndirectJumps, CallsThatLeadNowhere) {
  EXPECT_EQ(
      fault_of(kFunctions, kFromTable + kCall, 4),
      "kernel 'k': t.ptx:26: call: thread (3,0,0) of block (0,0,0) calls address 0x0, where no function with such "
      "parameters is");
  for (const char* const name : {"two", "wide", "silent", "outside"}) {
    const std::string said = fault_of(kFunctions, fmt::format("mov.u64 %rd1, {};\n", name) + kCall, 1);
    EXPECT_TRUE(said.ends_with("where no function with such parameters is")) << name << ": " << said;
  }
  // Beside a function is none.
  const std::string said = fault_of(kFunctions, "mov.u64 %rd1, next; add.s64 %rd1, %rd1, 4;\n" + kCall, 1);
  EXPECT_TRUE(said.ends_with("where no function with such parameters is")) << said;
}

TEST(IndirectJumps, FunctionsHaveAddressesOfCode) {
  const auto addresses = [](const std::string& file) {
    DeviceMemory memory(1 << 20);
    const std::string text = with_header(kFunctions);
    Program program(ptx::parse(text, file), memory);
    std::vector<std::uint64_t> values(8);
    std::memcpy(values.data(), program.const_bank().data(), 64);
    std::uint64_t pointer = 0;
    EXPECT_TRUE(memory.read(program.symbol("pointer")->address, &pointer, 8));
    EXPECT_EQ(pointer, values[1]);
    return values;
  };
  std::vector<std::uint64_t> values = addresses("t.ptx");
  EXPECT_EQ(addresses("t.ptx"), values);
  EXPECT_NE(addresses("other.ptx")[0], values[0]);
  EXPECT_EQ(values[3], 0U);
  values.erase(values.begin() + 3);
  for (const std::uint64_t value : values) {
    EXPECT_GE(value, kCodeBacking);
    EXPECT_LT(value, kConstBacking);
  }
  EXPECT_EQ(std::set<std::uint64_t>(values.begin(), values.end()).size(), 7U);
}

TEST(IndirectJumps, RecursionThroughPointers) {
  const std::string functions = R"(
.func (.param .b32 r) down (.param .b32 n);
.global .align 8 .u64 chosen = down;
.func (.param .b32 r) down (.param .b32 n) {
.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>;
ld.param.u32 %r1, [n]; mov.u32 %r2, 1;
setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
sub.u32 %r3, %r1, 1;
ld.global.u64 %rd1, [chosen];
{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3;
form : .callprototype (.param .b32 _) _ (.param .b32 _);
call (v), %rd1, (a), form; ld.param.b32 %r2, [v]; }
mad.lo.u32 %r2, %r2, 3, %r1;
DONE: st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) leaf (.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; st.param.b32 [r], %r1; ret; }
.const .align 8 .u64 other = leaf;
)";
  EXPECT_EQ(results(functions, "ld.global.u64 %rd1, [chosen];\n" + kCall, 4), (std::vector<unsigned>{1, 4, 14, 45}));
  EXPECT_EQ(results(functions, "ld.const.u64 %rd1, [other];\n" + kCall, 4), (std::vector<unsigned>{0, 1, 2, 3}));
}

// As many entries as there may be, some of them the same place in a row and some not.
TEST(IndirectJumps, TablesOfEveryLength) {
  for (unsigned length = 1; length <= 9; ++length) {
    std::string labels, places;
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < length; ++i) {
      const unsigned place = i % 4 == 3 ? i - 1 : i;
      labels += fmt::format("{}L{}", i == 0 ? "" : ", ", place);
      places += fmt::format("L{}: mov.u32 %r1, {}; bra STORE;\n", i, 100 + i);
      expected.push_back(100 + place);
    }
    const std::string jump = "ways: .branchtargets " + labels + ";\nbrx.idx %r9, ways;\n" + places;
    EXPECT_EQ(results("", jump, length), expected) << length;
    EXPECT_EQ(fault_of("", jump, length + 1),
              fmt::format("kernel 'k': t.ptx:10: brx.idx: thread ({},0,0) of block (0,0,0) jumps through entry {} of a "
                          "table that has not so many",
                          length, length));
  }
}

TEST(IndirectJumps, TablesInFunctionsAndUnderGuards) {
  const std::string function = R"(
.func (.param .b32 r) f (.param .b32 n) {
.reg .pred %p1; .reg .b32 %r<3>;
ld.param.u32 %r1, [n];
ways: .branchtargets A, B, A, C;
setp.lt.u32 %p1, %r1, 4;
mov.u32 %r2, 9;
@%p1 brx.idx.uni %r1, ways;
bra C;
A: add.u32 %r2, %r2, 10;
B: add.u32 %r2, %r2, 20;
C: st.param.b32 [r], %r2; ret; })";
  const std::string call =
      "{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v; call (v), f, (a); ld.param.b32 %r2, [v]; "
      "mad.lo.u32 %r1, %r1, 100, %r2; }\n";
  EXPECT_EQ(results(function, call + call, 6), (std::vector<unsigned>{3939, 2929, 3939, 909, 909, 909}));
}

}  // namespace indirect_jumps_test
}  // namespace warpfold::isa
