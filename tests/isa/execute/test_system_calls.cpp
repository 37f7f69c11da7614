// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc and free: values, order, faults, and where their accesses go.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "tests/isa/ptx_fixture.h"
#include "tests/isa/system_call_ptx.h"
#include "tests/isa/warp_fixture.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace system_calls_test {

std::string printed(SystemServices& services) {
  testing::internal::CaptureStdout();
  services.show();
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

// Entry 'k', in which %r1 is the thread and %rd2 the address of its 32 bytes of local memory `args`.
std::string module_text(const std::string& variables, const std::string& body) {
  return with_header(
      kSystemFunctions + ".visible .global .align 8 .b8 out[512];\n" + variables +
      ".entry k()\n{ .local .align 8 .b8 args[32]; .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<16>;\n"
      "mov.u32 %r1, %tid.x; mov.u64 %rd1, args; cvta.local.u64 %rd2, %rd1; mul.wide.u32 %rd4, %r1, 8;\n"
      "mov.u64 %rd3, out; add.u64 %rd3, %rd3, %rd4;\n" +
      body + "ret;\n}\n");
}

// "%d %s\n" and "hey".
constexpr const char* kTexts =
    ".global .align 1 .b8 format[7] = {37, 100, 32, 37, 115, 10, 0};\n.global .align 1 .b8 hey[4] = {104, 101, 121, "
    "0};\n";

std::string print_text(const std::string& format = "%rd5") {
  return call_text("vprintf", "b32 %r2", {"b64 " + format, "b64 %rd2"}) + "st.global.u32 [%rd3], %r2;\n";
}

TEST(SystemCalls, PrintReadsTheThreadsOwnArguments) {
  PtxFixture fixture(module_text(
      kTexts, "st.local.u32 [%rd1], %r1; mov.u64 %rd6, hey; st.local.u64 [%rd1+8], %rd6; mov.u64 %rd5, format;\n" +
                  print_text()));
  fixture.run(3);
  EXPECT_EQ(printed(fixture.services), "0 hey\n1 hey\n2 hey\n");
  EXPECT_EQ(fixture.read<int>("out", 4), 2);
}

// A format and a string in the thread's stack.
TEST(SystemCalls, PrintOfTextInLocalMemory) {
  PtxFixture fixture(module_text(
      "",
      "st.local.u64 [%rd1], %rd2; st.local.u32 [%rd1+16], 0x7325;\n"  // "%s", whose argument is the buffer itself
      "st.local.u32 [%rd1+8], 0x6f6c; add.u64 %rd5, %rd2, 8; st.local.u64 [%rd1], %rd5; add.u64 %rd5, %rd2, 16;\n" +
          print_text()));
  fixture.run(1);
  EXPECT_EQ(printed(fixture.services), "lo");
}

TEST(SystemCalls, PrintOfNoFormat) {
  PtxFixture fixture(module_text("", "mov.u64 %rd5, 0;\n" + print_text()));
  fixture.run(1);
  EXPECT_EQ(fixture.read<int>("out"), -1);
  EXPECT_EQ(printed(fixture.services), "");
}

TEST(SystemCalls, PrintOfWhatCannotBeRead) {
  const std::string said = error_of([] { PtxFixture(module_text("", "mov.u64 %rd5, 4096;\n" + print_text())).run(2); });
  EXPECT_NE(said.find("call vprintf: thread (0,0,0) of block (0,0,0) reads 1 bytes at 0x1000, outside"),
            std::string::npos)
      << said;
}

TEST(SystemCalls, AnAssertionEndsTheLaunch) {
  PtxFixture fixture(module_text(
      ".global .b8 what[2] = {120, 0};\n.global .b8 file[5] = {97, 46, 99, 117, 0};\n.global .b8 where[2] = {102, "
      "0};\n",
      "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra DONE;\nmov.u64 %rd5, what; mov.u64 %rd6, file; mov.u64 %rd7, where;\n" +
          call_text("__assertfail", "", {"b64 %rd5", "b64 %rd6", "b32 17", "b64 %rd7", "b64 1"}) + "DONE:\n"));
  EXPECT_NO_THROW(fixture.run(2));
  try {
    fixture.run(4);
    FAIL();
  } catch (const AssertionFailure& failure) {
    EXPECT_STREQ(failure.what(),
                 "kernel 'k': t.ptx:19: call __assertfail: an assertion of thread (2,0,0) of block (0,0,0) failed");
  }
  testing::internal::CaptureStderr();
  fixture.services.show();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "a.cu:17: f: block: [0,0,0], thread: [2,0,0] Assertion `x` failed.\n");
}

TEST(SystemCalls, BlocksOfTheHeapAreMemory) {
  PtxFixture fixture(module_text("", call_text("malloc", "b64 %rd5", {"b64 24"}) +
                                         "st.u64 [%rd5+16], 7; ld.u64 %rd6, [%rd5+16]; st.global.u64 [%rd3], %rd5;\n"
                                         "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra DONE;\n" +
                                         call_text("free", "", {"b64 %rd5"}) + call_text("free", "", {"b64 0"}) +
                                         "DONE:\n"));
  fixture.services.heap.set_bytes(1 << 14);
  fixture.run(4);
  std::set<std::uint64_t> blocks;
  for (unsigned t = 0; t < 4; ++t) blocks.insert(fixture.read<std::uint64_t>("out", t));
  EXPECT_EQ(blocks.size(), 3U);  // the one that was free again went to the next thread
  EXPECT_EQ(fixture.services.heap.blocks(), 3U);
  fixture.run(32);
  fixture.run(32);
  fixture.run(32);
  EXPECT_EQ(fixture.services.heap.blocks(), 3U + 3 * 31);
}

TEST(SystemCalls, AFullHeapGivesNull) {
  PtxFixture fixture(module_text("", call_text("malloc", "b64 %rd5", {"b64 100"}) + "st.global.u64 [%rd3], %rd5;\n"));
  fixture.services.heap.set_bytes(300);
  fixture.run(4);
  for (unsigned t = 0; t < 4; ++t) EXPECT_EQ(fixture.read<std::uint64_t>("out", t) != 0, t < 2) << t;
}

TEST(SystemCalls, FreeOfWhatIsNoBlock) {
  PtxFixture fixture(module_text("", call_text("malloc", "b64 %rd5", {"b64 100"}) + "add.u64 %rd5, %rd5, 8;\n" +
                                         call_text("free", "", {"b64 %rd5"})));
  fixture.services.heap.set_bytes(1 << 10);
  const std::string said = error_of([&] { fixture.run(1); });
  const Address block = fixture.memory.allocations().rbegin()->first + DeviceHeap::kHeaderBytes;
  EXPECT_EQ(said, fmt::format("kernel 'k': t.ptx:15: call free: thread (0,0,0) of block (0,0,0) frees {:#x}, which no "
                              "malloc of a kernel gave or which is free already",
                              block + 8));
}

TEST(SystemCalls, ALaunchWithoutServices) {
  WarpFixture warp({64, 1, 1});
  warp.op(Kind::kSystemCall, "call malloc").element_type = static_cast<std::uint8_t>(SystemCall::kMalloc);
  warp.start();
  EXPECT_EQ(error_of([&] { warp.run(0, 0, 1); }),
            "kernel 'k': k.ptx:41: call malloc: this launch offers no system calls (Launch::services)");
}

// One instruction of a compacted warp: in the order of its lanes, each access at its own block's header.
TEST(SystemCalls, LaneByLane) {
  WarpFixture warp(Dim3{64, 1, 1});
  SystemServices services(warp.memory);
  services.heap.set_bytes(1 << 14);
  warp.launch.services = &services;
  MicroOp& op = warp.op(Kind::kSystemCall, "call malloc");
  op.element_type = static_cast<std::uint8_t>(SystemCall::kMalloc);
  op.s_count = op.d_count = op.s_wide = op.d_wide = 1;
  op.s[0] = 2;
  op.d[0] = 4;
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(lane % 2, 2, lane, lane == 6 ? 1 << 20 : 16);
  std::vector<std::uint16_t> rows(32);
  for (unsigned lane = 0; lane < 32; ++lane) rows[lane] = static_cast<std::uint16_t>(lane % 2);
  constexpr LaneMask kMask = 0x00ff00ff;
  const std::uint64_t changes = warp.executor->memory_changes();
  warp.run_compacted(0, rows, kMask);
  EXPECT_GT(warp.executor->memory_changes(), changes);
  EXPECT_EQ(warp.outcome.executed, kMask);
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(warp.outcome.access_bytes, 8U);
  Address last = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Address block = warp.at(lane % 2, 4, lane) | Address{warp.at(lane % 2, 5, lane)} << 32;
    if ((kMask >> lane & 1) == 0 || lane == 6) {
      EXPECT_EQ(block, 0U) << lane;
    } else {
      EXPECT_GT(block, last);
      last = block;
      EXPECT_EQ(warp.outcome.address[lane], block - 16);
    }
  }
  EXPECT_EQ(warp.outcome.address[6], kPrintBacking);
}

TEST(SystemCalls, PrintTouchesItsRecord) {
  WarpFixture warp({64, 1, 1});
  SystemServices services(warp.memory);
  warp.launch.services = &services;
  MicroOp& op = warp.op(Kind::kSystemCall, "call vprintf");
  op.element_type = static_cast<std::uint8_t>(SystemCall::kPrint);
  op.s_count = 2;
  op.d_count = 1;
  op.s_wide = 0b11;
  op.s[0] = 2;
  op.s[1] = 4;
  op.d[0] = 6;
  warp.start();
  const Address text = warp.memory.allocate(16, "text");
  warp.memory.write(text, "x%%", 4);
  for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(0, 2, lane, text);
  warp.run(0, 0, 0b1101);
  EXPECT_EQ(warp.outcome.address[0], kPrintBacking);
  EXPECT_EQ(warp.outcome.address[2], kPrintBacking + 8);
  EXPECT_EQ(warp.outcome.address[3], kPrintBacking + 16);
  EXPECT_EQ(printed(services), "x%x%x%");
}

}  // namespace system_calls_test
}  // namespace warpfold::isa
