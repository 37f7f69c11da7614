// SPDX-License-Identifier: Apache-2.0
// What mechanisms say that they add to a core: the sizes that the papers give, from the machines that the papers have.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/divergence/packing/packings.h"
#include "warpfold/divergence/hardware.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {
namespace hardware_test {

// TSTBC Table 1: 32-wide warps, 16-wide SIMD, 1536 threads and 8 blocks a core, two schedulers; §3: 8 warps a block.
constexpr HardwareGeometry kTstbc{{32, 16, 1536, 48, 8, 2}, 8, 32, 32768};
// HARP Table 3: the same core with 16 blocks.
constexpr HardwareGeometry kHarp{{32, 16, 1536, 48, 16, 2}, 32, 32, 32768};

Hardware hardware_of(const char* mechanism, const HardwareGeometry& geometry, const std::string& parameters = "{}") {
  return find_mechanism(mechanism).configure(ConfigNode::from_text(parameters, "test")).hardware(geometry);
}

const Structure& structure(const Hardware& hardware, const std::string& name) {
  for (const Structure& one : hardware.storage) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

unsigned parameter(const Hardware& hardware, const std::string& module, const std::string& name) {
  for (const RtlUse& use : hardware.logic) {
    if (use.module != module) continue;
    for (const auto& [key, value] : use.parameters) {
      if (key == name) return value;
    }
  }
  throw std::out_of_range(module + "." + name);
}

double bits(const Structure& one) { return one.storage.bits() * one.copies; }

TEST(Hardware, EveryMechanismDeclaresWhatTheModelCanCost) {
  for (const MechanismInfo& info : mechanisms()) {
    for (const HardwareGeometry& geometry : {kTstbc, kHarp, HardwareGeometry{}}) {
      const Hardware hardware = hardware_of(info.name.c_str(), geometry);
      EXPECT_EQ(hardware.storage.empty(), info.name == "oracle") << info.name;
      EXPECT_EQ(hardware.text() == "nothing", info.name == "oracle") << info.name;
      EXPECT_FALSE(hardware.logic.empty() && hardware.unknown.empty())
          << info.name << ": its hardware() declares no logic; what is not in RTL goes to `unknown`, with the reason";
      for (const UnknownLogic& one : hardware.unknown) {
        EXPECT_FALSE(one.what.empty() || one.reason.empty())
            << info.name << ": unknown logic needs a name and a reason";
      }
      for (const Structure& one : hardware.storage) {
        EXPECT_EQ(area::why_not(one.storage), "") << info.name << " " << one.name;
        EXPECT_GE(one.copies, 1U) << info.name << " " << one.name;
        // Registers by lane are read by every instruction: what they take is the core's own business.
        EXPECT_EQ(one.accesses.empty(), one.replaced.has_value()) << info.name << " " << one.name;
        if (!one.replaced) continue;
        EXPECT_EQ(one.replaced->bytes * one.replaced_copies, one.storage.bytes * one.copies);
      }
    }
  }
}

TEST(Hardware, IndexBits) {
  EXPECT_EQ(index_bits(1), 1U);
  EXPECT_EQ(index_bits(2), 1U);
  EXPECT_EQ(index_bits(32), 5U);
  EXPECT_EQ(index_bits(33), 6U);
}

// TSTBC §4.2.5: 4 bits × 32 entries are 16 bytes a block, 128 bytes a core of 8 blocks.
TEST(Hardware, TstbcCountsTakeTheBytesOfThePaper) {
  const Hardware tstbc = hardware_of("tstbc", kTstbc);
  const Structure& counts = structure(tstbc, "arrival counts");
  EXPECT_EQ(bits(counts) / 8, 128);
  EXPECT_EQ(counts.storage.row_bits, 32);
  EXPECT_EQ(parameter(tstbc, "adequacy_unit", "Rows"), 8U);
  HardwareGeometry large = kTstbc;
  large.block_warps = 16;  // 15 warps are the most that 4 bits count
  EXPECT_EQ(bits(structure(hardware_of("tstbc", large), "arrival counts")) / 8, 160);
}

// TBC §7: a stack entry has a bit for every thread of the core, as many as the entries of all its warps have.
TEST(Hardware, TbcMasksTakeNoMoreBitsThanWarpStacks) {
  const Hardware tbc = hardware_of("tbc", kTstbc), pdom = hardware_of("pdom", kTstbc);
  const double masks = bits(structure(tbc, "active masks"));
  EXPECT_EQ(masks, 32 * 1536);
  const Structure& stacks = structure(pdom, "reconvergence stacks");
  EXPECT_EQ(masks, bits(stacks) * 32 / stacks.storage.row_bits);
  EXPECT_EQ(structure(tbc, "active masks").copies, 32U);                   // a bank per lane
  EXPECT_EQ(bits(structure(tbc, "block stacks")), 8 * 32 * (2 * 32 + 4));  // pc, rpc, warp count
  EXPECT_EQ(bits(structure(tbc, "thread numbers")), 48 * 32 * 6);
  EXPECT_EQ(parameter(tbc, "thread_compactor", "Lanes"), 32U);
  EXPECT_EQ(parameter(tbc, "thread_compactor", "Rows"), 8U);
  EXPECT_EQ(parameter(tbc, "block_stack", "Depth"), 32U);
}

// A block's entries as before, and a stack for every static warp: far more than the 128 bytes of TSTBC §4.2.5.
TEST(Hardware, MeetingsOfWarpsCostAStackForEachWarp) {
  for (const char* mechanism : {"capri", "tstbc"}) {
    const Hardware block = hardware_of(mechanism, kTstbc), warp = hardware_of(mechanism, kTstbc, "{meeting: warp}");
    EXPECT_EQ(warp.storage.size(), block.storage.size() + 2) << mechanism;
    EXPECT_EQ(bits(structure(warp, "reconvergence stacks")), 48 * 32 * (2 * 32 + 32)) << mechanism;
    EXPECT_EQ(bits(structure(warp, "block stacks")), bits(structure(block, "block stacks"))) << mechanism;
    EXPECT_EQ(parameter(warp, "warp_stack", "Warps"), 48U);
  }
}

TEST(Hardware, LikelyPointsWidenStackEntries) {
  for (const auto& [with, without, stacks] :
       {std::tuple{"pdom-lcp", "pdom", "reconvergence stacks"}, std::tuple{"tbc-lcp", "tbc", "block stacks"}}) {
    const double wide = structure(hardware_of(with, kTstbc), stacks).storage.row_bits;
    EXPECT_EQ(wide - structure(hardware_of(without, kTstbc), stacks).storage.row_bits, 32 + 5) << with;
  }
}

// One control for the stacks of all warps; CAPRI's table beside its adequacy unit.
TEST(Hardware, StacksAndPredictionsHaveTheirControl) {
  for (const auto& [mechanism, likely] : {std::pair{"pdom", 0U}, std::pair{"pdom-lcp", 1U}}) {
    const Hardware stacks = hardware_of(mechanism, kTstbc);
    EXPECT_EQ(parameter(stacks, "warp_stack", "Warps"), 48U);
    EXPECT_EQ(parameter(stacks, "warp_stack", "Depth"), 32U);
    EXPECT_EQ(parameter(stacks, "warp_stack", "Likely"), likely);
    EXPECT_EQ(bits(structure(stacks, "live threads")), 1536);
    EXPECT_TRUE(stacks.unknown.empty()) << mechanism;
  }
  EXPECT_EQ(parameter(hardware_of("capri", kTstbc, "{table_entries: 64}"), "wct_predictor", "Entries"), 64U);
  const Hardware tokens = hardware_of("token-stack", kTstbc, "{on_chip_tokens: 12, spill_tokens: 3}");
  EXPECT_EQ(parameter(tokens, "token_stack", "Warps"), 48U);
  EXPECT_EQ(parameter(tokens, "token_stack", "Entries"), 12U);
  EXPECT_EQ(parameter(tokens, "token_stack", "Chunk"), 3U);
  EXPECT_EQ(parameter(tokens, "token_stack", "PcWidth"), 31U) << "the 32nd bit of the paper's tokens is their kind";
  // Live threads; 12 places, 0 to 12 tokens on the core, 0 to 64 chunks in memory.
  EXPECT_EQ(bits(structure(tokens, "token stack states")), 48 * (32 + 4 + 4 + 7));
  EXPECT_TRUE(tokens.unknown.empty());
}

// Tables of all warps have one control; what only some parameters need has none yet.
TEST(Hardware, PathsOfWarpsHaveTheirControl) {
  const Hardware paths = hardware_of("multipath", kTstbc, "{st: 8, rt: 4, early: false, order: lifo, switch: block}");
  for (const auto& [name, value] : {std::pair{"Lanes", 32U},
                                    {"Splits", 8U},
                                    {"Points", 4U},
                                    {"Rows", 48U},
                                    {"PcWidth", 32U},
                                    {"Early", 0U},
                                    {"Turns", 0U},
                                    {"Lifo", 1U}}) {
    EXPECT_EQ(parameter(paths, "path_table", name), value) << name;
  }
  EXPECT_EQ(bits(structure(paths, "orders of splits")), 48 * (8 * 3 + 4 + 4))
      << "entries in turn, 0 to 8 of them, 4 points";
  EXPECT_TRUE(paths.unknown.empty());
  EXPECT_EQ(parameter(hardware_of("multipath", kTstbc), "path_table", "Splits"), 32U);
  EXPECT_EQ(parameter(hardware_of("multipath", kTstbc), "path_table", "Turns"), 1U);
  EXPECT_EQ(hardware_of("multipath", kTstbc, "{timeout: 100}").unknown.size(), 1U);
  EXPECT_EQ(hardware_of("multipath", kTstbc, "{shape: tos}").unknown.size(), 1U);
}

TEST(Hardware, ThreadsThatRunByThemselvesHaveAPickerAndBarriers) {
  const Hardware its = hardware_of("its", kTstbc, "{barriers: 8}");
  for (const char* block : {"path_picker", "convergence_barriers"}) {
    EXPECT_EQ(parameter(its, block, "Lanes"), 32U) << block;
    EXPECT_EQ(parameter(its, block, "Barriers"), 8U) << block;
  }
  EXPECT_EQ(bits(structure(its, "thread states")), 48 * 32 * (32 + 2 + 4)) << "pc, state, one of 8 barriers or none";
  EXPECT_TRUE(its.unknown.empty());
}

TEST(Hardware, MasksInSoftwareHaveAUnitForEachScheduler) {
  const Hardware masks = hardware_of("exec-mask", kTstbc);
  EXPECT_EQ(parameter(masks, "mask_unit", "Lanes"), 32U);
  EXPECT_EQ(masks.logic.at(0).copies, 2U);
  EXPECT_EQ(bits(structure(masks, "saved masks")), 48 * 32 * 32) << "an entry for each of a stack";
  EXPECT_TRUE(masks.unknown.empty()) << "the rest of a scalar unit is a core's anyway";
}

// HARP Table 7, per scheduler.
TEST(Hardware, HarpTablesAreThoseOfTable7) {
  const Hardware harp = hardware_of("harp", kHarp);
  const Structure& lanes = structure(harp, "barrier lanes");
  EXPECT_EQ(lanes.copies, 2 * 16U);
  EXPECT_EQ(lanes.storage.rows(), 128);
  EXPECT_EQ(lanes.storage.ways, 16);
  EXPECT_EQ(lanes.storage.tag_bits, 10 - 4);
  EXPECT_EQ(lanes.storage.row_bits, 10 - 4 + 1);
  const Structure& pcs = structure(harp, "barrier pcs");
  EXPECT_EQ(pcs.copies, 2U);
  EXPECT_EQ(pcs.storage.tag_bits, 1 + 32);
  EXPECT_EQ(pcs.storage.row_bits, 32);
  const Structure& second = structure(harp, "second level");
  EXPECT_EQ(second.storage.rows(), 512);
  EXPECT_EQ(second.storage.row_bits, 32 + 16 * (10 - 4) + 2);
  // Their pcs are the RTL's.
  for (const auto& [lookup, module] :
       {std::pair{"ready lookup", "ready_lookup"}, {"waiting lookup", "waiting_lookup"}}) {
    EXPECT_EQ(structure(harp, lookup).storage.rows(), 8) << lookup;
    EXPECT_EQ(structure(harp, lookup).storage.row_bits, 16 * (10 - 4)) << lookup;
    EXPECT_EQ(parameter(harp, module, "Entries"), 8U) << lookup;
    EXPECT_EQ(parameter(harp, module, "PcWidth"), 32U) << lookup;
  }
  EXPECT_EQ(parameter(harp, "barrier_table", "Lanes"), 16U);
  EXPECT_EQ(parameter(harp, "barrier_table", "Entries"), 128U);
}

TEST(Hardware, FollowsTheMechanismsParameters) {
  const Hardware none = hardware_of("harp", kHarp, "{ready_lookup_entries: 0, barrier_entries: 64}");
  EXPECT_THROW(structure(none, "ready lookup"), std::out_of_range);
  EXPECT_THROW(parameter(none, "ready_lookup", "Entries"), std::out_of_range);
  EXPECT_EQ(parameter(none, "waiting_lookup", "Entries"), 8U);
  EXPECT_EQ(structure(none, "barrier pcs").storage.rows(), 64);
  const Hardware dwf = hardware_of("dwf", kHarp, "{lut_entries: 16}");
  EXPECT_EQ(structure(dwf, "warp lookup").storage.rows(), 16);
  EXPECT_EQ(parameter(dwf, "warp_pool", "Entries"), 16U);
  EXPECT_EQ(parameter(dwf, "warp_pool", "Slots"),
            bits(structure(dwf, "warp pool")) / structure(dwf, "warp pool").storage.row_bits);
  EXPECT_EQ(dwf.logic.at(0).copies, 2U);
  EXPECT_EQ(bits(structure(hardware_of("token-stack", kTstbc, "{on_chip_tokens: 8}"), "token stacks")), 48 * 8 * 64);
  const Hardware lwm = hardware_of("lwm", kHarp, "{large_warp: 256}");
  EXPECT_EQ(structure(lwm, "reconvergence stacks").storage.row_bits, 64 + 256);
  EXPECT_EQ(parameter(lwm, "thread_compactor", "Rows"), 16U);
  EXPECT_EQ(parameter(lwm, "block_stack", "Rows"), 16U);
}

// TBC §7. Without an address per lane (core.register_file.decoder) rows stay whole, and nothing is added.
TEST(Hardware, RegistersOfLanesWithoutAddressesStayAsTheyAre) {
  HardwareGeometry geometry = kTstbc;
  const Hardware addressed = hardware_of("tbc", geometry);
  const Structure& by_lane = structure(addressed, "registers by lane");
  EXPECT_EQ(by_lane.storage.addresses, geometry.core.simd_width);
  EXPECT_EQ(by_lane.replaced->addresses, 1);
  // 32768 registers in 2 × 4 banks of 16 lanes.
  EXPECT_EQ(parameter(addressed, "lane_register_access", "Lanes"), 16U);
  EXPECT_EQ(parameter(addressed, "lane_register_access", "Words"), 256U);
  EXPECT_EQ(parameter(addressed, "lane_register_access", "Rows"), 96U);
  geometry.lane_addresses = false;
  const Hardware unaddressed = hardware_of("tbc", geometry);
  EXPECT_THROW(parameter(unaddressed, "lane_register_access", "Lanes"), std::out_of_range);
  const Structure& whole = structure(unaddressed, "registers by lane");
  EXPECT_EQ(whole.storage.addresses, 1);
  EXPECT_EQ(whole.storage.row_bits, whole.replaced->row_bits);
}

// Intra-warp §4.3: the baseline's rows hold 256 bits, BCC's banks 128, SCC's rows 512.
TEST(Hardware, PackingsOrganiseTheRegisterFile) {
  const HardwareGeometry ivb{{16, 4, 96, 6, 8, 1}, 6, 32, 6 * 128 * 8};
  EXPECT_EQ(packing_hardware(Packing::kNone, ivb).text(), "nothing");
  EXPECT_EQ(packing_hardware(Packing::kIvb, ivb).text(), "nothing");
  const Hardware bcc = packing_hardware(Packing::kBcc, ivb), scc = packing_hardware(Packing::kScc, ivb);
  EXPECT_EQ(bcc.storage.at(0).replaced->row_bits, 256);
  EXPECT_EQ(bcc.storage.at(0).storage.row_bits, 128);
  EXPECT_EQ(bcc.storage.at(0).storage.banks, 2);
  EXPECT_EQ(scc.storage.at(0).storage.row_bits, 512);
  EXPECT_EQ(scc.storage.at(0).storage.banks, 1);
  EXPECT_EQ(parameter(bcc, "swizzle_control", "Swizzle"), 0U);
  EXPECT_EQ(parameter(scc, "swizzle_control", "Swizzle"), 1U);
  EXPECT_EQ(parameter(scc, "swizzle_crossbar", "DataBits"), 32U);
  EXPECT_EQ(parameter(scc, "unswizzle_crossbar", "Width"), 4U);
  const HardwareGeometry wide{{32, 32, 1024, 32, 8, 1}, 32, 32, 16384};
  EXPECT_EQ(packing_hardware(Packing::kScc, wide).text(), "nothing");  // a warp takes one cycle anyway
}

}  // namespace hardware_test
}  // namespace warpfold::divergence
