// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/core_hardware.h"

#include <algorithm>
#include <bit>

namespace warpfold {
namespace {

using divergence::Hardware;
using divergence::index_bits;
using divergence::kNoRtl;
using divergence::kPcBits;
using divergence::Structure;

constexpr unsigned kAddressBits = 40;      // of a line in a cache: Fermi's
constexpr unsigned kRegisterBits = 32;     // per lane
constexpr unsigned kOperands = 3;          // of an instruction
constexpr unsigned kRegisterNameBits = 8;  // where a load brings its data
// Clocks of the lanes: the fewest with which none is slower than the rest of a core (rtl/README.md).
constexpr unsigned kIntegerStages = 2, kFloatStages = 4, kSpecialStages = 5;

unsigned bits_of(std::uint64_t power_of_two) { return static_cast<unsigned>(std::bit_width(power_of_two) - 1); }

Structure plain(std::string name, const area::Storage& storage, unsigned copies = 1) {
  return {std::move(name), storage, copies, {}};
}

void add_warps(Hardware& hardware, const CoreParams& core) {
  const unsigned rows = core.rows(), lanes = core.warp_size;
  // Where a warp is and which of its threads live; its block, whether it waits at a barrier and for memory.
  const unsigned in_flight = core.scoreboard == ScoreboardKind::kSimple ? 1 : 0;
  hardware.storage.push_back(
      plain("warp buffer", divergence::table(rows, kPcBits + lanes + index_bits(core.max_blocks) + 2 + in_flight)));
  hardware.storage.push_back(plain(
      "instruction buffer", divergence::table(rows * core.fetch.buffer_entries, 8 * core.fetch.instruction_bytes)));
  if (core.scoreboard == ScoreboardKind::kSimple) return;
  // A bit for each register of a warp, or of each of its threads.
  const unsigned holders = core.scoreboard == ScoreboardKind::kPerThread ? lanes : 1;
  hardware.storage.push_back(plain("scoreboard", divergence::table(rows, core.max_registers_per_thread * holders)));
}

void add_registers(Hardware& hardware, const CoreParams& core) {
  // Rows as wide as the SIMD unit: what mechanisms put in the place of it is said against the same.
  const Structure by_lane = divergence::lane_addressed_registers(core.hardware_geometry());
  hardware.storage.push_back(plain("register file", *by_lane.replaced, by_lane.replaced_copies));
  const unsigned collectors = core.register_file.collectors;
  if (collectors == 0) return;
  const unsigned files = core.register_file.per == RegisterFilePer::kScheduler ? core.schedulers : 1;
  hardware.storage.push_back(
      plain("operand collectors", divergence::table(collectors * kOperands, kRegisterBits * core.warp_size), files));
}

void add_memory(Hardware& hardware, const CoreParams& core, const std::vector<CoreCache>& caches) {
  if (core.shared_bytes != 0) {
    const unsigned words = core.shared_bytes / core.shared_banks / (kRegisterBits / 8);
    hardware.storage.push_back(
        plain("shared memory", divergence::one_port_table(words, kRegisterBits), core.shared_banks));
  }
  // Addresses and data of the instructions that wait, beside each lane.
  hardware.storage.push_back(
      plain("load/store queue", divergence::table(core.lsu_queue_entries, 2 * kRegisterBits), core.warp_size));
  for (const auto& [name, params] : caches) {
    // Dozens of clocks to a hit leave time to look tags up first.
    area::Storage data{.kind = area::Kind::kCacheSequential,
                       .bytes = static_cast<double>(params.size_bytes),
                       .row_bits = 8.0 * params.line_bytes,
                       .ways = static_cast<double>(params.ways),
                       .banks = static_cast<double>(params.banks)};
    data.tag_bits = kAddressBits - bits_of(params.size_bytes / params.ways) + 2;  // valid, written
    hardware.storage.push_back(plain(name, data));
    // The line, and the first of those that wait for it: warp, lanes, register.
    const unsigned waits = index_bits(core.rows()) + core.warp_size + kRegisterNameBits;
    hardware.storage.push_back(
        plain(name + " misses",
              divergence::searched_table(params.mshr_entries, kAddressBits - bits_of(params.line_bytes), waits)));
  }
}

// Some machines leave double precision to other units.
bool has_fp64_units(const OperationTable& operations) {
  const auto own = [](const OperationParams& one) {
    return one.unit == OperationUnit::kOwn || one.unit == OperationUnit::kFp64;
  };
  return own(operations.dp_add) || own(operations.dp_mul) || own(operations.dp_mad);
}

void add_lanes(Hardware& hardware, const CoreParams& core) {
  const auto copies = [&](unsigned units, unsigned width) { return (units != 0 ? units : core.schedulers) * width; };
  const auto fma = [](unsigned exponent, unsigned fraction, unsigned lanes) {
    return divergence::RtlUse{
        "fma_lane", {{"Exponent", exponent}, {"Fraction", fraction}, {"Stages", kFloatStages}}, lanes};
  };
  // Ivy Bridge's two pipes are as wide (Intra-warp §2.2).
  const unsigned pipes = core.pipes == PipeLayout::kFpuEm ? 2 : 1;
  hardware.logic.push_back({"int_lane",
                            {{"Width", kRegisterBits}, {"Stages", kIntegerStages}},
                            copies(core.units.integer, core.simd_width)});
  hardware.logic.push_back(fma(8, 23, pipes * core.schedulers * core.simd_width));
  if (has_fp64_units(core.operations)) {
    hardware.logic.push_back(fma(11, 52, copies(core.units.fp64, core.fp64_width)));
  }
  if (core.sfu_width != 0) {
    hardware.logic.push_back({"sfu_lane",
                              {{"Exponent", 8}, {"Fraction", 23}, {"Stages", kSpecialStages}},
                              copies(core.units.sfu, core.sfu_width)});
  }
  for (const isa::CustomUnitOf& of : isa::custom_units()) {
    const std::string& block = of.unit.rtl;
    if (block.empty()) {
      hardware.unknown.push_back({of.opcode, kNoRtl});
    } else {
      hardware.logic.push_back({block, {}, copies(0, core.simd_width)});
    }
  }
}

// NAND2s of what there is no RTL of, as measured on osu018: public RTL without its memories, and parts of ours
// (docs/area.md#what-of-a-core-is-an-estimate says which).
constexpr double kDecoders[] = {1016, 1032};    // CV32E40P's, Nyuzi's; of instructions of 4 bytes
constexpr double kEncoderPerWarp = 4.75;        // rtl/common/lane_priority, 32 warps
constexpr double kFitPerWarp = 375;             // rtl/mask_fit_picker, 32 warps of 32
constexpr double kChoiceOfFour = 5.9;           // a bit of rtl/unswizzle_crossbar, of four sources
constexpr double kChoicePerWord = 2;            // and of 16, for each of them
constexpr double kSameLine[] = {169, 198};      // a lane's comparison with the first one's line, of 16 and of 32
constexpr double kTagControl[] = {7565, 9315};  // Nyuzi's stages of tags without their TLBs: instructions, data
constexpr double kMissControl = 2099;           // its queue of misses
constexpr double kLineBuffers = 37209 + 46308;  // its store queue and its interface to the L2, of lines of 64 bytes
constexpr double kDecodedBytes = 4, kLineOfBuffers = 64;
constexpr unsigned kBytesOfBeat = 16;

void add_control(Hardware& hardware, const CoreParams& core, const std::vector<CoreCache>& caches) {
  const double schedulers = core.schedulers, warps = core.rows(), lanes = core.warp_size;
  const double word = kRegisterBits, words = std::max(1U, core.shared_banks);
  const auto add = [&](const char* what, double low, double high) {
    hardware.unknown.push_back({what, kNoRtl, low, high});
  };
  add("decoder", schedulers * kDecoders[0],
      schedulers * kDecoders[1] * std::max(1.0, core.fetch.instruction_bytes / kDecodedBytes));
  // In turn takes an encoder of those behind the last one, and one of all.
  add("warp schedulers", warps * 2 * kEncoderPerWarp, warps * kFitPerWarp);
  // Three operands and a result, of four banks: rows as wide as the unit, or as a warp.
  const double row = schedulers * divergence::kRegisterBanks * word * kChoiceOfFour;
  add("operand crossbar", row * core.simd_width, row * std::max(core.simd_width, core.warp_size));
  // A lane takes its word out of some of a line at a time, or out of as many as there are banks.
  const double beat = kBytesOfBeat / (word / 8);
  add("coalescer", lanes * (kSameLine[0] + word * kChoiceOfFour * std::min(1.0, beat / 4)),
      lanes * (kSameLine[1] + word * kChoicePerWord * words));
  double low = 0, high = 0;
  for (const auto& [name, params] : caches) {
    const bool first = &params == &caches.front().params;  // the data cache
    low += kTagControl[0];
    high += kTagControl[1] + kMissControl + (first ? kLineBuffers * params.line_bytes / kLineOfBuffers : 0);
  }
  if (!caches.empty()) add("cache control", low, high);
}

}  // namespace

Hardware core_hardware(const CoreParams& core, const std::vector<CoreCache>& caches) {
  Hardware hardware;
  add_warps(hardware, core);
  add_registers(hardware, core);
  add_memory(hardware, core, caches);
  add_lanes(hardware, core);
  add_control(hardware, core, caches);
  return hardware;
}

}  // namespace warpfold
