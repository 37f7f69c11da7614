// SPDX-License-Identifier: Apache-2.0
// PTX of any compiler with a launch description: run, check, and one-line errors with their place.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "tests/host/front_end.h"
#include "tests/host/scalar_device.h"
#include "warpfold/common/error.h"
#include "warpfold/host/launch_file/ptx_launch.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold::host {
namespace ptx_launch_test {

constexpr const char* kPtx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
)";

constexpr const char* kLaunch = R"(kernel: saxpy
grid: [2]
block: [64, 1, 1]
buffers:
  x: {type: f32, count: 100, first: 0, step: 1}
  y: {type: f32, count: 100, fill: 0.5}
arguments: [x, y, f32 2, u32 100]
outputs:
  y: {print: 3, file: y.bin}
checks:
  y: {values: [0.5, 2.5, 4.5]}
)";

class PtxLaunch : public ::testing::Test {
 protected:
  // Replaces `from` by `to` in the description and runs it; throws what run_ptx throws.
  int run(const std::string& from = "", const std::string& to = "", const std::string& ptx = kPtx) {
    std::string launch = kLaunch;
    if (!from.empty()) launch.replace(launch.find(from), from.size(), to);
    out.str("");
    return run_ptx(folder.write("k.ptx", ptx), folder.write("l.yaml", launch), device, out);
  }
  std::string error(const std::string& from, const std::string& to) {
    try {
      run(from, to);
    } catch (const UserError& e) {
      std::string text = e.what();
      for (std::size_t at; (at = text.find(folder.path(""))) != std::string::npos;)
        text.erase(at, folder.path("").size());
      EXPECT_EQ(text.find('\n'), std::string::npos);
      return text;
    }
    return "no error";
  }
  ScratchFolder folder;
  ScalarDevice device;
  std::ostringstream out;
};

TEST_F(PtxLaunch, RunsPrintsWritesAndChecks) {
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(out.str(), "y[0] = 0.5\ny[1] = 2.5\ny[2] = 4.5\n");
  EXPECT_EQ(folder.read("y.bin").size(), 400u);
  EXPECT_TRUE(device.finished());
}

// The last of the threads without an element does.
TEST_F(PtxLaunch, KernelsMayPrint) {
  std::string ptx = kPtx;
  const auto insert = [&](const std::string& before, const std::string& text) { ptx.insert(ptx.find(before), text); };
  insert(".visible",
         ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
         ".global .b8 line[4] = {104, 105, 10, 0};\n");
  insert("DONE:", "  bra END;\n");
  insert("  ret;",
         "  setp.ne.u32 %p1, %r5, 127;\n  @%p1 bra END;\n  { .param .b64 a; .param .b64 b; .param .b32 r;\n"
         "  mov.u64 %rd3, line; st.param.b64 [a], %rd3; st.param.b64 [b], 0; call (r), vprintf, (a, b); }\nEND:\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(run("", "", ptx), 0);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hi\n");
}

TEST_F(PtxLaunch, TheOnlyKernelNeedsNoName) { EXPECT_EQ(run("kernel: saxpy\n", ""), 0); }

TEST_F(PtxLaunch, AWrongResultIsStatusOne) {
  EXPECT_EQ(run("4.5]", "5]"), 1);
  EXPECT_NE(out.str().find("check failed: y[2] is 4.5, expected 5 (1 of 3 elements differ)"), std::string::npos)
      << out.str();
  EXPECT_EQ(run("{values: [0.5, 2.5, 4.5]}", "{values: [0.5, 2.5, 5], tolerance: 0.2}"), 0);
  EXPECT_EQ(run("{values: [0.5, 2.5, 4.5]}", "{equals: 0.5}"), 1);
  EXPECT_NE(out.str().find("(99 of 100 elements differ)"), std::string::npos) << out.str();
}

TEST_F(PtxLaunch, FilesAndRandomContents) {
  EXPECT_EQ(run(), 0);  // writes y.bin
  EXPECT_EQ(run("{values: [0.5, 2.5, 4.5]}", "{file: y.bin}"), 0);
  EXPECT_EQ(run("first: 0, step: 1", "random: [2, 2], seed: 9"), 1);
  EXPECT_EQ(out.str().substr(0, 11), "y[0] = 4.5\n");
}

TEST_F(PtxLaunch, ErrorsHaveAPlace) {
  EXPECT_EQ(error("grid", "grit").substr(0, 11), "l.yaml:2:1:");
  EXPECT_NE(error("grid", "grit").find("'grid'"), std::string::npos);
  EXPECT_EQ(error("f32, count: 100, fill", "f33, count: 100, fill").substr(0, 9), "l.yaml:6:");
  EXPECT_NE(error("count: 100, fill", "count: -1, fill").find("must be a whole number in [1, "), std::string::npos);
  EXPECT_NE(error("fill: 0.5", "fill: half").find("'half' is no f32"), std::string::npos);
  EXPECT_NE(error("[x, y, f32 2, u32 100]", "[x, z, f32 2, u32 100]").find("'z' is no buffer"), std::string::npos);
  EXPECT_NE(error("u32 100]", "u64 100]").find("'u64 100' has 8 bytes, but parameter 4 (n) of kernel saxpy has 4"),
            std::string::npos);
  EXPECT_NE(error(", u32 100]", "]").find("3 given, but kernel saxpy has 4 parameters"), std::string::npos);
  EXPECT_NE(error("kernel: saxpy", "kernel: saxpi").find("did you mean 'saxpy'?"), std::string::npos);
  EXPECT_NE(error("block: [64, 1, 1]", "block: [0]").find("'0' is no whole number above 0"), std::string::npos);
  EXPECT_NE(error("count: 100, fill: 0.5", "file: none.bin").find("cannot read "), std::string::npos);
  EXPECT_NE(error("  y: {values", "  w: {values").find("no buffer of this name"), std::string::npos);
}

// Said before the host makes what the device has no room for.
TEST_F(PtxLaunch, BuffersAreHeldToTheDevicesMemory) {
  EXPECT_NE(error("count: 100, fill", "count: 18446744073709551615, fill").find("must be a whole number in [1, 46116"),
            std::string::npos);
  const std::string said = error("count: 100, fill", "count: 4611686018427387903, fill");
  EXPECT_NE(said.find("l.yaml:6:18: buffers.y.count = 4611686018427387903: 18446744073709551612 bytes, but "),
            std::string::npos)
      << said;
  const std::string file = folder.write("l.yaml", kLaunch);
  EXPECT_EQ(read_launch_description(file, 800).buffers.size(), 2U);
  try {
    read_launch_description(file, 799);
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("buffers.y.count = 100: 400 bytes, but 399 are free on the device"),
              std::string::npos)
        << e.what();
  }
}

TEST_F(PtxLaunch, UnreadablePtxAndUnknownInstructions) {
  EXPECT_THROW(run_ptx(folder.path("none.ptx"), folder.write("l.yaml", kLaunch), device, out), UserError);
  std::string ptx = kPtx;
  ptx.replace(ptx.find("fma.rn.f32"), 10, "fmb.rn.f32");
  try {
    run("", "", ptx);
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("fmb.rn.f32"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("saxpy"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("k.ptx:27"), std::string::npos) << e.what();
  }
}

// What a launch adds begins where .extern .shared is aligned to.
TEST(LaunchShape, DynamicSharedMemoryIsAligned) {
  isa::Kernel kernel;
  kernel.static_shared_bytes = 4;
  kernel.dynamic_shared_offset = 16;
  EXPECT_EQ(shared_bytes_of(kernel, 0), 4u);
  EXPECT_EQ(shared_bytes_of(kernel, 8), 24u);
}

}  // namespace ptx_launch_test
}  // namespace warpfold::host
