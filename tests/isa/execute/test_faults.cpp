// SPDX-License-Identifier: Apache-2.0
// What a program is told when it reads or writes where it must not: the exact text of every fault.
#include "tests/isa/memory_fixture.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold::isa {
namespace faults_test {

TEST_F(MemoryTest, FaultsNameTheSourcesLineWhereItIsKnown) {
  warp.load("ld.global.f32", Space::kGlobal, 4, {0}, 8);
  warp.start();
  point(0, DeviceMemory::kBase, 0);
  warp.kernel.sources =
      std::make_shared<ptx::SourceLines>(std::string(39, '\n') + ".loc 1 7 1\n ld\n.file 1 \"k.cu\"\n");
  EXPECT_EQ(fault(0, 0).substr(0, 52), "kernel 'k': k.cu:7 (k.ptx:41: ld.global.f32): thread");
}

TEST_F(MemoryTest, FaultsOutsideAllocations) {
  warp.load("ld.global.f32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.global.v2.f64", Space::kGlobal, 8, {0, 2}, 8);
  warp.start();
  point(1, DeviceMemory::kBase, 0);
  EXPECT_EQ(fault(0, 1),
            "kernel 'k': k.ptx:41: ld.global.f32: thread (32,0,0) of block (0,0,0) reads 4 bytes at 0x700000000, "
            "outside every allocation; there is none");
  const Address a = warp.memory.allocate(100, "cudaMalloc #1"), b = warp.memory.allocate(160, "cudaMalloc #2");
  EXPECT_EQ(b, 0x700000100U);
  point(0, a, 4);
  EXPECT_EQ(fault(0, 0),
            "kernel 'k': k.ptx:41: ld.global.f32: thread (25,0,0) of block (0,0,0) reads 4 bytes at 0x700000064, "
            "outside every allocation; nearest is cudaMalloc #1 [0x700000000, 0x700000064) 0 bytes below");
  EXPECT_EQ(fault(0, 0, 0x1ffffff), "no fault");
  point(0, b + 256, 0);
  EXPECT_EQ(fault(1, 0, 0xff000),
            "kernel 'k': k.ptx:42: st.global.v2.f64: thread (12,0,0) of block (0,0,0) writes 16 bytes at 0x700000200, "
            "outside every allocation; nearest is cudaMalloc #2 [0x700000100, 0x7000001a0) 96 bytes below");
  point(0, b - 16, 0);
  EXPECT_EQ(fault(1, 0, 1),
            "kernel 'k': k.ptx:42: st.global.v2.f64: thread (0,0,0) of block (0,0,0) writes 16 bytes at 0x7000000f0, "
            "outside every allocation; nearest is cudaMalloc #2 [0x700000100, 0x7000001a0) 16 bytes above");
  point(0, a + 96, 0);
  EXPECT_EQ(fault(1, 0, 1),
            "kernel 'k': k.ptx:42: st.global.v2.f64: thread (0,0,0) of block (0,0,0) writes 16 bytes at 0x700000060, "
            "across the end of cudaMalloc #1 [0x700000000, 0x700000064)");
  point(0, 0, 0);
  EXPECT_NE(fault(0, 0).find("reads 4 bytes at 0x0, outside every allocation; nearest is cudaMalloc #1"),
            std::string::npos);
}

TEST_F(MemoryTest, FaultsOnMisalignedAddresses) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.u64", Space::kGeneric, 8, {0}, 8);
  warp.launch.shared_bytes = 64;
  warp.start();
  const Address at = warp.memory.allocate(256, "a");
  point(0, at, 4);
  warp.set_address(0, 8, 12, at + 2);
  EXPECT_EQ(fault(0, 0),
            "kernel 'k': k.ptx:41: ld.global.u32: thread (12,0,0) of block (0,0,0) reads 4 bytes at 0x700000002, "
            "address is not a multiple of 4");
  EXPECT_EQ(fault(0, 0, ~LaneMask{0x1000} & kAll), "no fault");
  point(0, kSharedWindow + 4, 0);
  EXPECT_EQ(fault(1, 0),
            "kernel 'k': k.ptx:42: st.u64: thread (0,0,0) of block (0,0,0) writes 8 bytes at 0x1000004, address is "
            "not a multiple of 8");
}

TEST_F(MemoryTest, FaultsOutsideTheOtherSpaces) {
  warp.load("ld.shared.u32", Space::kShared, 4, {0}, 8);
  warp.store("st.local.u32", Space::kLocal, 4, {0}, 8);
  warp.load("ld.const.u32", Space::kConst, 4, {0}, 8);
  warp.load("ld.param.u32", Space::kParam, 4, {0}, 8);
  warp.store("st.u32", Space::kGeneric, 4, {0}, 8);
  warp.launch.shared_bytes = 64;
  warp.kernel.local_bytes = 8;
  warp.bank.resize(16);
  warp.launch.parameters.resize(12);
  warp.start();
  point(0, 4, 4);
  EXPECT_EQ(fault(0, 0),
            "kernel 'k': k.ptx:41: ld.shared.u32: thread (15,0,0) of block (0,0,0) reads 4 bytes at 0x40, outside the "
            "64 bytes of its block's shared memory");
  EXPECT_EQ(fault(1, 0),
            "kernel 'k': k.ptx:42: st.local.u32: thread (1,0,0) of block (0,0,0) writes 4 bytes at 0x8, outside the 8 "
            "bytes of its local memory");
  EXPECT_EQ(fault(2, 0),
            "kernel 'k': k.ptx:43: ld.const.u32: thread (3,0,0) of block (0,0,0) reads 4 bytes at 0x10, outside the 16 "
            "bytes of the constant bank");
  EXPECT_EQ(fault(3, 0),
            "kernel 'k': k.ptx:44: ld.param.u32: thread (2,0,0) of block (0,0,0) reads 4 bytes at 0xc, outside the 12 "
            "bytes of the kernel's parameters");
  point(0, kConstWindow, 0);
  EXPECT_EQ(
      fault(4, 0),
      "kernel 'k': k.ptx:45: st.u32: thread (0,0,0) of block (0,0,0) writes 4 bytes at 0x0, in the constant bank, "
      "which is read-only");
  point(0, ~Address{3}, 0);  // the end of the address space; lane 1 at its beginning
  warp.set_address(0, 8, 1, 0);
  EXPECT_NE(fault(0, 0).find("reads 4 bytes at 0xfffffffffffffffc"), std::string::npos);
}

}  // namespace faults_test
}  // namespace warpfold::isa
