// SPDX-License-Identifier: Apache-2.0
// Modules: where variables lie, what calls become, and what is refused in which words.
#include <gtest/gtest.h>

#include <string>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/isa/program.h"

namespace warpfold::isa {
namespace program_test {

TEST(Program, ParametersAreAligned) {
  PtxFixture fixture(
      with_header(".entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[12], .param .f64 d)\n"
                  "{ .reg .f64 %fd<2>; ld.param.f64 %fd1, [d]; ret; }\n"));
  const Kernel& kernel = fixture.kernel();
  ASSERT_EQ(kernel.parameters.size(), 4U);
  EXPECT_EQ(kernel.parameters[1].offset, 8U);
  EXPECT_EQ(kernel.parameters[2].offset, 16U);
  EXPECT_EQ(kernel.parameters[2].bytes, 12U);
  EXPECT_EQ(kernel.parameters[3].offset, 32U);
  EXPECT_EQ(kernel.parameter_bytes, 40U);
  EXPECT_EQ(kernel.ops[0].offset, 32);
  EXPECT_EQ(kernel.ops[0].base, kNoWord);
}

TEST(Program, SharedMemoryByReachability) {
  PtxFixture fixture(
      with_header(".shared .align 4 .b8 unused[100];\n.shared .align 4 .b8 used[20];\n"
                  ".extern .shared .align 16 .b8 dynamic[];\n"
                  ".entry k()\n{ .reg .b64 %rd<4>; .reg .b32 %r<4>; .shared .align 8 .b8 own[8];\n"
                  "mov.u64 %rd1, used; mov.u64 %rd2, own; mov.u64 %rd3, dynamic;\n"
                  "st.shared.u32 [own+4], %r1; st.u32 [used+8], %r1; ret; }\n"
                  ".entry other() { ret; }\n"));
  const Kernel& kernel = fixture.kernel();
  const auto address = [&](unsigned pc) { return kernel.constants.at(kernel.ops[pc].s[0] - kConstant); };
  EXPECT_EQ(address(0), 0U);
  EXPECT_EQ(address(1), 24U);
  EXPECT_EQ(address(2), 32U);
  EXPECT_EQ(kernel.static_shared_bytes, 32U);
  EXPECT_EQ(kernel.dynamic_shared_offset, 32U);
  EXPECT_EQ(kernel.ops[3].offset, 28);
  EXPECT_EQ(kernel.ops[4].space, Space::kShared);
  EXPECT_EQ(kernel.ops[4].offset, 8);
  EXPECT_EQ(fixture.kernel("other").static_shared_bytes, 0U);
}

TEST(Program, LocalMemoryAndThreadLimit) {
  PtxFixture fixture(
      with_header(".entry k()\n.maxntid 64, 2, 1\n{ .local .align 8 .b8 a[12]; .local .align 8 .b8 b[8];\n"
                  ".reg .b64 %rd<2>; mov.u64 %rd1, b; ret; }\n"));
  EXPECT_EQ(fixture.kernel().local_bytes, 24U);
  EXPECT_EQ(fixture.kernel().max_threads, 128U);
  EXPECT_EQ(fixture.kernel().constants.at(0), 16U);
}

TEST(Program, InitialisedVariables) {
  PtxFixture fixture(
      with_header(".global .align 4 .u32 table[4] = {1, 2, 3};\n"
                  ".const .align 8 .f64 pi = 0d400921FB54442D18;\n.const .align 4 .u32 tail[2] = {7, 8};\n"
                  ".global .align 8 .u64 places[3] = {table+4, generic(tail), 5};\n"
                  ".entry k() { ret; }\n"));
  EXPECT_EQ(fixture.read<std::uint32_t>("table", 1), 2U);
  EXPECT_EQ(fixture.read<std::uint32_t>("table", 3), 0U);
  const Symbol& table = *fixture.program.symbol("table");
  EXPECT_EQ(table.space, SymbolSpace::kGlobal);
  EXPECT_EQ(table.bytes, 16U);
  EXPECT_EQ(fixture.read<std::uint64_t>("places", 0), table.address + 4);
  EXPECT_EQ(fixture.program.symbol("tail")->space, SymbolSpace::kConst);
  EXPECT_EQ(fixture.program.symbol("tail")->address, 8U);
  EXPECT_EQ(fixture.read<std::uint64_t>("places", 1), kConstWindow + 8);
  EXPECT_EQ(fixture.read<std::uint64_t>("places", 2), 5U);
  ASSERT_EQ(fixture.program.const_bank().size(), 16U);
  EXPECT_EQ(fixture.program.const_bank()[12], std::byte{8});
  EXPECT_EQ(fixture.program.const_bank()[7], std::byte{0x40});
  EXPECT_EQ(fixture.program.symbol("nothing"), nullptr);
}

std::string refusal_of(const std::string& text) {
  try {
    PtxFixture(with_header(text)).kernel();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// No sum of sizes is taken modulo anything: what lies beyond the memory that there can be is named with its line.
// Each name its own memory: of two kernels, of a scope within, and of a function the same in each of its calls.
TEST(Program, VariablesOfBodiesThatOutliveACall) {
  const std::string text = with_header(R"(.visible .global .u32 out[6];
.func (.param .u32 r) count (.param .u32 step) { .global .u32 calls = 100; .shared .u32 sum; .reg .u32 a, b;
ld.param.u32 a, [step]; ld.global.u32 b, [calls]; add.u32 b, b, 1; st.global.u32 [calls], b;
ld.shared.u32 b, [sum]; add.u32 b, b, a; st.shared.u32 [sum], b; ld.global.u32 a, [calls]; mad.lo.u32 a, a, 1000, b;
st.param.u32 [r], a; ret; }
.visible .entry other() { .const .u32 from[4] = {5, 6, 7, 8}; .reg .u32 a; ld.const.u32 a, [from+4];
st.global.u32 [out], a; ret; }
.visible .entry k() { .global .u32 from[4] = {1, 2, 3, 4}; .reg .u32 a; .reg .u64 p;
ld.global.u32 a, [from+4]; st.global.u32 [out], a;
{ .const .u32 from = 9; .global .u64 to = generic(from); ld.const.u32 a, [from]; st.global.u32 [out+4], a;
ld.global.u64 p, [to]; ld.u32 a, [p]; st.global.u32 [out+8], a; }
ld.global.u32 a, [from+12]; st.global.u32 [out+12], a;
.param .u32 step; .param .u32 r; st.param.u32 [step], 3; call (r), count, (step); call (r), count, (step);
ld.param.u32 a, [r]; st.global.u32 [out+16], a; ret; }
)");
  PtxFixture fixture(text);
  fixture.run(1);
  const unsigned expected[] = {2, 9, 9, 4, 102006};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(fixture.read<std::uint32_t>("out", i), expected[i]) << i;
  EXPECT_EQ(fixture.kernel().static_shared_bytes, 4U);
  EXPECT_EQ(fixture.kernel("other").static_shared_bytes, 0U);
}

TEST(Program, VariablesThatFillMoreThanThereCanBe) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {".entry k() { .shared .b8 a[4294967360]; ret; }",
       "kernel 'k': t.ptx:4: 'a' of 4294967360 bytes lies beyond the 16777216 bytes of .shared memory that there can "
       "be"},
      {".entry k() { .shared .b8 a[16777216];\n.shared .b8 b[1]; ret; }",
       "kernel 'k': t.ptx:5: 'b' of 1 bytes lies beyond the 16777216 bytes of .shared memory that there can be"},
      {".entry k() { .shared .b8 a[8];\n.shared .b8 b[1099511627770]; ret; }",
       "kernel 'k': t.ptx:5: 'b' of 1099511627770 bytes lies beyond the 16777216 bytes of .shared memory that there "
       "can "
       "be"},
      {".entry k() { .local .b8 a[524272]; .local .align 16 .b8 b[16]; ret; }", "accepted"},
      {".entry k() { .local .b8 a[524281];\n.local .align 16 .b8 b[1]; ret; }",
       "kernel 'k': t.ptx:5: 'b' of 1 bytes lies beyond the 524288 bytes of .local memory that there can be"},
      {".entry k(.param .b8 a[32764]) { ret; }", "accepted"},
      {".entry k(.param .b8 a[32000],\n.param .b8 b[4294967297]) { ret; }",
       "kernel 'k': t.ptx:5: 'b' of 4294967297 bytes lies beyond the 32764 bytes of a kernel's parameters that there "
       "can be"},
      {".const .b8 a[65536];\n.entry k() { ret; }", "accepted"},
      {".const .b8 a[65536];\n.const .u32 b;\n.entry k() { ret; }",
       "t.ptx:5: 'b' of 4 bytes lies beyond the 65536 bytes of .const memory that a module can have"},
      {".const .b8 a[1099511627776];\n.entry k() { ret; }",
       "t.ptx:4: 'a' of 1099511627776 bytes lies beyond the 65536 bytes of .const memory that a module can have"},
      {".global .b8 a[1099511627776];\n.entry k() { ret; }",
       "t.ptx:4: no room for variable 'a' (1099511627776 bytes, 1048576 free); enlarge the device memory"},
      {".global .align 512 .b8 a[8];\n.entry k() { ret; }",
       "t.ptx:4: 'a' is to lie at a multiple of 512 bytes, where global memory is dealt out in multiples of 256"},
  };
  for (const auto& expected : cases) EXPECT_EQ(refusal_of(expected.text), expected.error) << expected.text;
}

// A file whose addresses have 32 bits: variables of every kind, generic addresses, and an address in memory.
TEST(Program, AddressesOf32Bits) {
  const std::string text =
      ".version 2.3\n.target sm_20\n.address_size 32\n.global .u32 counts[4] = {5, 6, 7, 8};\n"
      ".const .u32 table[2] = {10, 20};\n.global .u32 where = counts;\n.global .u32 out[4];\n"
      ".entry k() {\n.reg .u32 %r<12>;\n.local .u32 mine[2];\nmov.u32 %r2, counts;\nld.global.u32 %r3, [%r2+8];\n"
      "mov.u32 %r4, table;\nld.const.u32 %r5, [%r4+4];\ncvta.global.u32 %r6, %r2;\nld.u32 %r7, [%r6];\n"
      "mov.u32 %r8, mine;\nst.local.u32 [%r8+4], 9;\ncvta.local.u32 %r9, %r8;\nld.u32 %r10, [%r9+4];\n"
      "ld.global.u32 %r11, [where];\nld.global.u32 %r11, [%r11+12];\nst.global.u32 [out], %r3;\n"
      "add.u32 %r5, %r5, %r7;\nst.global.u32 [out+4], %r5;\nst.global.u32 [out+8], %r10;\n"
      "cvta.to.local.u32 %r9, %r9;\nsub.u32 %r9, %r9, %r8;\nadd.u32 %r11, %r11, %r9;\nst.global.u32 [out+12], %r11;\n}";
  PtxFixture fixture(text, {.address_bits = 32});
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 0), 7U);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 1), 25U);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 2), 9U);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 3), 8U);
  try {
    PtxFixture elsewhere(text);
    FAIL() << "a machine whose addresses have 64 bits";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).find("t.ptx: its addresses have 32 bits: take a machine"), 0U) << error.what();
  }
}

TEST(Program, MoreConstantsThanOperandsCanName) {
  std::string text = ".entry k() { .reg .b32 %r<2>;\n";
  for (unsigned i = 0; i < 32767; ++i) text += fmt::format("mov.u32 %r1, {};\n", i);
  EXPECT_EQ(refusal_of(text + "ret; }"),
            "kernel 'k': t.ptx: needs 1 words for registers and 32767 for constants, of which there can be 32766 each");
}

// Every function calls the next one twice.
TEST(Program, CallsThatDoubleWithEveryLevelEnd) {
  std::string text = ".func f0() { ret; }\n";
  for (unsigned level = 1; level <= 40; ++level) {
    text += fmt::format(".func f{}() {{ call f{}, (); call f{}, (); ret; }}\n", level, level - 1, level - 1);
  }
  EXPECT_EQ(
      refusal_of(text + ".entry k() { call f40, (); ret; }"),
      "kernel 'k': t.ptx:29: unsupported instruction 'call' (with the functions that it calls the kernel has more "
      "than 262144 instructions or 262144 registers)");
}

// clang's way of calling: parameters through .param variables in a scope of their own.
constexpr const char* kCall =
    ".global .align 4 .u32 out[8];\n"
    ".func (.param .b32 result) scaled(.param .b32 a, .param .b32 times)\n"
    "{ .reg .b32 %r<6>; .reg .pred %p<2>;\n"
    "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [times]; mov.u32 %r3, 0;\n"
    "AGAIN: setp.eq.s32 %p1, %r2, 0; @%p1 bra DONE; add.s32 %r3, %r3, %r1; add.s32 %r2, %r2, -1; bra.uni AGAIN;\n"
    "DONE: st.param.b32 [result+0], %r3; ret; }\n"
    ".func (.param .b32 result) twice(.param .b32 a)\n"
    "{ .reg .b32 %r<4>; ld.param.u32 %r1, [a];\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 param1; st.param.b32 [param1+0], 2; .param .b32 "
    "retval0;\n"
    "call.uni (retval0), scaled, (param0, param1); ld.param.b32 %r2, [retval0+0]; }\n"
    "st.param.b32 [result+0], %r2; ret; }\n"
    ".entry k()\n{ .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "mov.u32 %r1, %tid.x;\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 param1; st.param.b32 [param1+0], %r1; .param .b32 "
    "retval0;\n"
    "call.uni (retval0), scaled, (param0, param1); ld.param.b32 %r2, [retval0+0]; }\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b32 retval0;\n"
    "call.uni (retval0), twice, (param0); ld.param.b32 %r3, [retval0+0]; }\n"
    "mov.u64 %rd1, out; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r3; ret; }\n";

// ld may extend to a wider register, from a parameter too.
TEST(Program, ParametersOfCallsAreExtended) {
  PtxFixture fixture(
      with_header(".global .align 8 .u64 out[2];\n"
                  ".func f(.param .b32 a)\n{ .reg .b64 %rd<4>;\n"
                  "ld.param.s32 %rd1, [a]; ld.param.u32 %rd2, [a]; mov.u64 %rd3, out;\n"
                  "st.global.u64 [%rd3], %rd1; st.global.u64 [%rd3+8], %rd2; ret; }\n"
                  ".entry k()\n{ .reg .b32 %r<2>;\nmov.u32 %r1, -5;\n"
                  "{ .param .b32 param0; st.param.b32 [param0+0], %r1; call.uni f, (param0); }\nret; }\n"));
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 0), 0xfffffffffffffffbU);
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 1), 0xfffffffbU);
}

TEST(Program, CallsAreInlined) {
  PtxFixture fixture(with_header(kCall));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.local_bytes, 0U) << "scalar parameters need no memory";
  EXPECT_EQ(kernel.ops[3].kind, Kind::kBranch);
  EXPECT_EQ(kernel.opcodes[kernel.ops[3].text], "call.uni");
  EXPECT_EQ(kernel.ops[1].kind, Kind::kCompute);
  fixture.run(6);
  for (unsigned thread = 0; thread < 6; ++thread)
    EXPECT_EQ(fixture.read<std::uint32_t>("out", thread), 2 * thread * thread);
}

TEST(Program, ParametersThatAreAddressedLieInLocalMemory) {
  PtxFixture fixture(with_header(
      ".global .align 4 .u32 out[8];\n"
      ".func (.param .b32 result) pick(.param .align 4 .b8 a[8], .param .b32 which)\n"
      "{ .reg .b32 %r<4>; .reg .b64 %rd<6>; mov.b64 %rd1, a; ld.param.u32 %r1, [which]; mul.wide.u32 %rd2, %r1, 4;\n"
      "add.s64 %rd3, %rd1, %rd2; ld.param.u32 %r2, [%rd3]; ld.param.u32 %r3, [a+4]; add.s32 %r2, %r2, %r3;\n"
      "st.param.b32 [result+0], %r2; ret; }\n"
      ".entry k()\n{ .reg .b32 %r<8>; .reg .b64 %rd<4>; mov.u32 %r1, %tid.x; and.b32 %r4, %r1, 1; add.s32 %r5, %r1, "
      "100;\n"
      "{ .param .align 4 .b8 param0[8]; st.param.b32 [param0+0], %r1; st.param.b32 [param0+4], %r5;\n"
      ".param .b32 param1; st.param.b32 [param1+0], %r4; .param .b32 retval0;\n"
      "call.uni (retval0), pick, (param0, param1); ld.param.b32 %r3, [retval0+0]; }\n"
      "mov.u64 %rd1, out; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r3; ret; }\n"));
  EXPECT_EQ(fixture.kernel().local_bytes, 8U);
  fixture.run(4);
  for (unsigned thread = 0; thread < 4; ++thread) {
    const unsigned picked = thread % 2 == 0 ? thread : thread + 100;
    EXPECT_EQ(fixture.read<std::uint32_t>("out", thread), picked + thread + 100);
  }
}

// One address for all lanes, but a place of its own for each thread.
TEST(Program, LocalVariableReadByAllLanesAtOnce) {
  PtxFixture fixture(
      with_header(".entry k() { .reg .b32 %r<4>; .local .align 4 .b8 mine[4];\n"
                  "mov.u32 %r1, %tid.x; st.local.u32 [mine], %r1; ld.local.u32 %r2, [mine]; ret; }\n"));
  const Kernel& kernel = fixture.kernel();
  Launch launch;
  launch.kernel = &kernel;
  launch.block = {32, 1, 1};
  launch.const_bank = &fixture.program.const_bank();
  ThreadStore store(launch, 1, 32, 0, 1);
  BlockState block;
  const LaneMask all = store.start_row(0, block, 0);
  Executor executor(launch, store, fixture.memory);
  const std::array<std::uint16_t, kMaxLanes> rows{};
  Outcome outcome;
  for (Pc pc = 0; pc < 3; ++pc) executor.execute(pc, {rows.data(), all, 32, true}, 0, outcome);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(store.words(0, kernel.ops[2].d[0])[lane], lane);
}

TEST(Program, KernelsAreDecodedOnFirstUse) {
  PtxFixture fixture(
      with_header(".entry good() { ret; }\n.entry bad()\n{ .reg .b32 %r<2>;\nbfi.b128 %r1, %r1;\nret; }\n"
                  ".func helper() { ret; }\n"));
  EXPECT_EQ(fixture.program.kernel_names(), (std::vector<std::string>{"good", "bad"}));
  EXPECT_TRUE(fixture.program.has_kernel("bad"));
  EXPECT_FALSE(fixture.program.has_kernel("helper"));
  EXPECT_EQ(&fixture.kernel("good"), &fixture.kernel("good"));
  const std::string text = "kernel 'bad': t.ptx:7: unsupported instruction 'bfi.b128'";
  EXPECT_EQ(error_of([&] { fixture.kernel("bad"); }), text);
  EXPECT_EQ(error_of([&] { fixture.program.decode_all(); }), text);
  EXPECT_EQ(error_of([&] { fixture.kernel("none"); }), "t.ptx: there is no kernel 'none'");
}

std::string refused(const std::string& instruction) { return decode_error(kernel_text("\n" + instruction + "\nret;")); }

TEST(Program, UnsupportedInstructionsNameKernelLineAndOpcode) {
  EXPECT_EQ(refused("bar.sync 16;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'bar.sync' (a block has barriers 0 to 15)");
  EXPECT_EQ(refused("bar.arrive 0;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'bar.arrive' (with this number of operands)");
  EXPECT_EQ(refused("atom.global.min.noftz.f16 %rs1, [%rd1], %rs2;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'atom.global.min.noftz.f16'");
  EXPECT_EQ(refused("atom.global.inc.u64 %rd1, [%rd1], %rd2;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'atom.global.inc.u64'");
  EXPECT_EQ(refused("ld.global.v8.f32 %f1, [%rd1];"),
            "kernel 'k': t.ptx:14: unsupported instruction 'ld.global.v8.f32'");
  EXPECT_EQ(refused("istypep.texref %p1, %rd1;"), "kernel 'k': t.ptx:14: unsupported instruction 'istypep.texref'");
}

TEST(Program, WrongOperandsAreRefusedRatherThanGuessed) {
  EXPECT_EQ(refused("add.s64 %rd1, %rd1, %r2;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'add.s64' (%r2 is 32 bits wide, the operand 64)");
  EXPECT_EQ(refused("add.s32 %r1, %r1, %rd2;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'add.s32' (%rd2 is 64 bits wide, the operand 32)");
  EXPECT_EQ(refused("add.s32 %r1, %r1, %p2;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'add.s32' (a predicate where a value is needed)");
  EXPECT_EQ(refused("add.s32 %r1, %r1;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'add.s32' (with this number of operands)");
  EXPECT_EQ(refused("ld.global.u32 %r1, [box];"),
            "kernel 'k': t.ptx:14: unsupported instruction 'ld.global.u32' ('box' lies in another space)");
  EXPECT_EQ(refused("ld.u64 %r1, [%rd1];"),
            "kernel 'k': t.ptx:14: unsupported instruction 'ld.u64' (%r1 is 32 bits wide, the operand 64)");
  EXPECT_EQ(refused("mov.u32 %r1, %smid_of_nothing;"), "t.ptx:14:14: undeclared register, near '%smid_of_nothing'");
  EXPECT_EQ(refused("mov.u64 %rd1, %clock;"),
            "kernel 'k': t.ptx:14: unsupported instruction 'mov.u64' (%clock has 32 bits)");
}

TEST(Program, CallsThatCannotBeInlined) {
  const std::string entry = ".entry k()\n{\ncall f;\nret; }\n";
  EXPECT_EQ(decode_error(with_header(".func f()\n;\n" + entry)),
            "kernel 'k': t.ptx:8: unsupported instruction 'call' ('f' has no body in this module)");
  EXPECT_EQ(decode_error(with_header(".func f(.param .b32 a) { ret; }\n" + entry)),
            "kernel 'k': t.ptx:7: unsupported instruction 'call' ('f' takes another number of parameters)");
}

TEST(Program, VariablesThatAreMissingOrTooLarge) {
  EXPECT_EQ(decode_error(with_header(".extern .global .u32 far;\n.entry k()\n{ .reg .b32 %r<2>;\n"
                                     "ld.global.u32 %r1, [far]; ret; }\n")),
            "kernel 'k': t.ptx:7: 'far' is declared but defined nowhere; define it in this module");
  const std::string large = with_header("\n.global .b8 large[2000000];\n.entry k() { ret; }\n");
  EXPECT_EQ(error_of([&] { PtxFixture fixture(large); }),
            "t.ptx:5: no room for variable 'large' (2000000 bytes, 1048576 free); enlarge the device memory");
}

}  // namespace program_test
}  // namespace warpfold::isa
