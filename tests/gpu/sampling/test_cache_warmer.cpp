// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/memory/machine.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/gpu/sampling/cache_warmer.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {
namespace cache_warmer_test {

constexpr Address kBase = DeviceMemory::kBase;

// A warmer in front of the memory of a machine, and accesses of whole warps.
struct Bench {
  explicit Bench(MachineConfig machine)
      : config(std::move(machine)), memory({.cores = 1, .l1 = config.l1d, .memory = config.memory}) {
    warmer.launch_started();
  }
  // 32 lanes so many bytes apart, four bytes each.
  void access(isa::Kind kind, Address first, unsigned stride, isa::Space space = isa::Space::kGlobal,
              isa::LaneMask executed = isa::low_lanes(32)) {
    isa::MicroOp op;
    op.kind = kind;
    isa::Outcome outcome;
    outcome.executed = executed;
    outcome.space = space;
    outcome.access_bytes = 4;
    for (unsigned lane = 0; lane < 32; ++lane) outcome.address[lane] = first + Address{lane} * stride;
    warmer.accessed(op, outcome);
  }
  void expect(std::uint64_t lines, std::uint64_t touched, std::uint64_t fetched) const {
    EXPECT_EQ(warmer.counts().lines, lines);
    EXPECT_EQ(warmer.counts().touched, touched);
    EXPECT_EQ(warmer.counts().fetched, fetched);
  }

  MachineConfig config;
  test::Machine memory;
  CacheWarmer warmer{config, memory.memory};
};

MachineConfig machine_of(const char* name) { return RunOptions::resolve(name, "pdom", {}).machine; }

TEST(CacheWarmer, LinesComeOnceInALaunchAndStayInTheL2) {
  Bench bench(machine_of("tbc2011"));  // lines of 64 bytes
  bench.access(isa::Kind::kLoad, kBase, 4);
  bench.expect(2, 2, 2);
  bench.access(isa::Kind::kLoad, kBase, 4);
  bench.expect(4, 2, 2);
  bench.warmer.launch_started();
  bench.access(isa::Kind::kLoad, kBase, 4);
  bench.expect(2, 2, 0);
  bench.access(isa::Kind::kLoad, kBase + 4096, 256);
  bench.expect(34, 34, 32);
}

// A store of what was loaded makes its line a modified one, and is told once.
TEST(CacheWarmer, StoresAreToldBesideLoads) {
  Bench bench(machine_of("tbc2011"));
  bench.access(isa::Kind::kLoad, kBase, 4);
  bench.access(isa::Kind::kStore, kBase, 4);
  bench.access(isa::Kind::kAtomic, kBase, 4);
  bench.expect(6, 4, 2);
}

TEST(CacheWarmer, WhatStaysInTheCoreIsNotSeen) {
  Bench bench(machine_of("tbc2011"));
  bench.access(isa::Kind::kLoad, 0, 4, isa::Space::kShared);
  bench.access(isa::Kind::kLoad, 0, 4, isa::Space::kParam);
  bench.access(isa::Kind::kLoad, kBase, 4, isa::Space::kGlobal, 0);
  bench.expect(0, 0, 0);
}

// gtx480 keeps local stores in its first-level cache, and has sectors of 32 bytes nowhere; volta has them everywhere.
TEST(CacheWarmer, LocalMemoryAndSectors) {
  Bench fermi(machine_of("gtx480"));
  fermi.access(isa::Kind::kStore, isa::kLocalBacking, 4, isa::Space::kLocal);
  fermi.expect(0, 0, 0);
  Bench volta(machine_of("volta"));  // lines of 128 bytes
  volta.access(isa::Kind::kLoad, kBase, 4, isa::Space::kGlobal, 0xff);
  volta.expect(1, 1, 1);
  volta.access(isa::Kind::kLoad, kBase, 4, isa::Space::kGlobal, 0xff00);
  volta.expect(2, 2, 2);
  volta.access(isa::Kind::kLoad, kBase, 4, isa::Space::kGlobal, 0xffff);
  volta.expect(3, 2, 2);
}

// Lines far apart have one place in what is remembered of a launch.
TEST(CacheWarmer, ALineInThePlaceOfAnotherIsNew) {
  Bench volta(machine_of("volta"));
  volta.access(isa::Kind::kLoad, kBase, 4, isa::Space::kGlobal, 0xff);
  volta.access(isa::Kind::kLoad, kBase + (Address{1} << 28), 4, isa::Space::kGlobal, 0xff);
  volta.expect(2, 2, 2);
}

TEST(CacheWarmer, TexturesComeInTheLinesOfTheirCache) {
  MachineConfig machine = machine_of("tbc2011");
  machine.texture_cache.line_bytes = machine.l1d.line_bytes / 2;
  Bench bench(machine);
  bench.access(isa::Kind::kLoad, kBase, 4, isa::Space::kTexture);
  EXPECT_EQ(bench.warmer.counts().lines, 4u);
  bench.access(isa::Kind::kLoad, kBase, 4);
  EXPECT_EQ(bench.warmer.counts().lines, 6u);
}

}  // namespace cache_warmer_test
}  // namespace warpfold
