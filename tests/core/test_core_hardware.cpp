// SPDX-License-Identifier: Apache-2.0
// What a core is made of, as its machine has it.
#include <gtest/gtest.h>

#include <stdexcept>

#include "warpfold/core/core_hardware.h"

namespace warpfold {
namespace core_hardware_test {

using divergence::Hardware;

const divergence::Structure& structure(const Hardware& hardware, const std::string& name) {
  for (const auto& one : hardware.storage) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

// Copies of a module, of those with this value of a parameter.
unsigned copies(const Hardware& hardware, const std::string& module, const std::string& parameter, unsigned value) {
  unsigned all = 0;
  for (const auto& use : hardware.logic) {
    for (const auto& [name, set] : use.parameters) {
      if (use.module == module && name == parameter && set == value) all += use.copies;
    }
  }
  return all;
}

double bits(const divergence::Structure& one) { return one.storage.bits() * one.copies; }

TEST(CoreHardware, StorageHoldsWhatTheMachineSays) {
  const CoreParams core;
  L1Params l1;
  const Hardware hardware = core_hardware(core, {{"L1 data cache", l1}});
  EXPECT_EQ(bits(structure(hardware, "register file")), 32.0 * core.registers);
  EXPECT_EQ(bits(structure(hardware, "shared memory")), 8.0 * core.shared_bytes);
  EXPECT_EQ(structure(hardware, "shared memory").copies, core.shared_banks);
  EXPECT_EQ(bits(structure(hardware, "L1 data cache")), 8.0 * static_cast<double>(l1.size_bytes));
  EXPECT_EQ(structure(hardware, "L1 data cache").storage.ways, l1.ways);
  EXPECT_EQ(structure(hardware, "L1 data cache misses").storage.rows(), l1.mshr_entries);
  EXPECT_EQ(structure(hardware, "warp buffer").storage.rows(), core.rows());
  EXPECT_THROW(structure(hardware, "scoreboard"), std::out_of_range);  // a bit in the warp buffer
  for (const auto& one : hardware.storage) EXPECT_EQ(area::why_not(one.storage), "") << one.name;
}

TEST(CoreHardware, EachSchedulerHasLanesOfItsOwn) {
  CoreParams core;
  core.schedulers = 2;
  core.simd_width = 16;
  core.fp64_width = 8;
  core.sfu_width = 4;
  Hardware hardware = core_hardware(core, {});
  EXPECT_EQ(copies(hardware, "int_lane", "Width", 32), 32U);
  EXPECT_EQ(copies(hardware, "fma_lane", "Fraction", 23), 32U);
  EXPECT_EQ(copies(hardware, "fma_lane", "Fraction", 52), 16U);
  EXPECT_EQ(copies(hardware, "sfu_lane", "Fraction", 23), 8U);
  core.units.integer = core.units.fp64 = core.units.sfu = 1;  // shared
  hardware = core_hardware(core, {});
  EXPECT_EQ(copies(hardware, "int_lane", "Width", 32), 16U);
  EXPECT_EQ(copies(hardware, "fma_lane", "Fraction", 52), 8U);
  EXPECT_EQ(copies(hardware, "sfu_lane", "Fraction", 23), 4U);
  core.operations.dp_add.unit = core.operations.dp_mul.unit = core.operations.dp_mad.unit = OperationUnit::kSfu;
  EXPECT_EQ(copies(core_hardware(core, {}), "fma_lane", "Fraction", 52), 0U);
}

TEST(CoreHardware, AScoreboardHasABitForEachRegister) {
  CoreParams core;
  core.scoreboard = ScoreboardKind::kPerRegister;
  EXPECT_EQ(bits(structure(core_hardware(core, {}), "scoreboard")), core.rows() * core.max_registers_per_thread);
  core.scoreboard = ScoreboardKind::kPerThread;
  EXPECT_EQ(bits(structure(core_hardware(core, {}), "scoreboard")),
            core.rows() * core.warp_size * core.max_registers_per_thread);
}

// Estimates go by the machine: two schedulers have two decoders, and a core without shared memory routes no banks.
TEST(CoreHardware, EstimatesWhatIsNotInRtl) {
  const auto estimate = [](const CoreParams& core, const std::string& what) {
    for (const auto& one : core_hardware(core, {{"L1 data cache", L1Params()}}).unknown) {
      if (one.what == what) return one;
    }
    throw std::out_of_range(what);
  };
  CoreParams core;
  core.schedulers = 1;
  for (const char* what : {"decoder", "warp schedulers", "operand crossbar", "coalescer", "cache control"}) {
    const auto one = estimate(core, what);
    EXPECT_TRUE(one.estimated()) << what;
    EXPECT_GT(one.nand2_low, 100) << what;
    EXPECT_LT(one.nand2_low, one.nand2_high) << what;
  }
  const auto before = estimate(core, "decoder"), crossbar = estimate(core, "operand crossbar");
  core.schedulers = 2;
  EXPECT_EQ(estimate(core, "decoder").nand2_low, 2 * before.nand2_low);
  EXPECT_EQ(estimate(core, "operand crossbar").nand2_high, 2 * crossbar.nand2_high);
  const auto banked = estimate(core, "coalescer");
  core.shared_banks = 2 * core.shared_banks;
  EXPECT_GT(estimate(core, "coalescer").nand2_high, banked.nand2_high);
}

// What nobody has written is not nothing.
TEST(CoreHardware, SaysWhatIsNotInRtl) {
  const Hardware hardware = core_hardware(CoreParams(), {});
  EXPECT_FALSE(hardware.unknown.empty());
  for (const auto& one : hardware.unknown) EXPECT_NE(one.reason, "") << one.what;
}

}  // namespace core_hardware_test
}  // namespace warpfold
