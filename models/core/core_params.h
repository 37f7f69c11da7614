// SPDX-License-Identifier: Apache-2.0
// Parameters of a SIMT core. Latencies count core cycles; values and sources are in configs/machines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/compaction/compacted_warp.h"
#include "warpfold/core/operands/execution_params.h"
#include "warpfold/core/operands/register_file_params.h"
#include "warpfold/divergence/packing/lane_packing.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/isa/execute/custom_unit.h"
#include "warpfold/isa/lane_map.h"

namespace warpfold {

// How a scheduler picks among its ready warps. LRR: loose round-robin (TBC Table 2). GTO: greedy, then oldest. The
// others let one block's warps go first, in loose round-robin among them (TBC §6.2). AGE: the oldest block's. SRR:
// those of the block that issued last, until none is ready. RRB: blocks in turn, by the cycle. RRB-issue: in turn, by
// the cycles that issue: an instruction holds the port for several, and turns by the cycle fall to the same blocks
// whenever their number and the hold have a divisor in common.
enum class WarpPolicy : std::uint8_t { kLrr, kGto, kAge, kSrr, kRrb, kRrbIssue };
template <>
struct Choices<WarpPolicy> {
  static constexpr std::array names{"LRR", "GTO", "AGE", "SRR", "RRB", "RRB-issue"};
};
constexpr bool is_by_block(WarpPolicy policy) { return policy >= WarpPolicy::kAge; }

// simple: at most one instruction of a warp in flight (TBC §2.2.1); per_register: until a register is in the way.
// per_thread: the same, where registers are those of a row and lane: warps need not drain before threads leave them.
enum class ScoreboardKind : std::uint8_t { kSimple, kPerRegister, kPerThread };
template <>
struct Choices<ScoreboardKind> {
  static constexpr std::array names{"simple", "per_register", "per_thread"};
};

// What is behind a scheduler. unified: SIMD units that share its port, which what issues holds while its lanes enter
// (TBC §2.2). fpu_em: the pipes of an execution unit of Ivy Bridge, to which up to two instructions of distinct warps
// issue per pass (Intra-warp §2.2).
enum class PipeLayout : std::uint8_t { kUnified, kFpuEm };
template <>
struct Choices<PipeLayout> {
  static constexpr std::array names{"unified", "fpu_em"};
};

// How a warp gets its instructions. Not cached: fetch always hits and takes no time of its own (TBC §2.2).
struct FetchParams {
  bool cached = false;
  unsigned instruction_bytes = 8;
  unsigned buffer_entries = 2;
  unsigned fetches_per_cycle = 1;

  static constexpr auto fields() {
    using P = FetchParams;
    return std::tuple{flag("cached", &P::cached, "through the instruction cache; false: fetch always hits"),
                      power_of_two("instruction_bytes", "bytes", &P::instruction_bytes, 1, 64, "of an instruction"),
                      field("buffer_entries", "instructions", &P::buffer_entries, 1, 16,
                            "that a warp's buffer holds, and one fetch brings as far as they are of one line"),
                      field("fetches_per_cycle", "fetches", &P::fetches_per_cycle, 1, 16,
                            "of a core, each for a warp whose next instruction is not in its buffer")};
  }
};

// Whose clocks count of the units that a mechanism asks. with_rtl: of those that RTL plays (--rtl), its; rtl: of all,
// those of this project's RTL or of what plays it; none: they answer at once, as the papers have it.
enum class UnitClocks : std::uint8_t { kWithRtl, kNone, kRtl };
template <>
struct Choices<UnitClocks> {
  static constexpr std::array names{"with_rtl", "none", "rtl"};
};

struct LogicParams {
  UnitClocks clocks = UnitClocks::kWithRtl;
  static constexpr auto fields() {
    return std::tuple{
        choice("clocks", &LogicParams::clocks,
               "of block stack, barrier table, adequacy unit, context sorter and swizzle control: none: they answer at "
               "once; rtl: in the clocks of their RTL; with_rtl: those that --rtl plays, the others at once")};
  }
};

// What schedulers are dealt. rows: those of threads in turn, the n-th of a core to scheduler n mod schedulers; blocks:
// a block's rows are all one scheduler's, that with the fewest blocks; blocks that no scheduler has room for, in rows.
enum class Deal : std::uint8_t { kRows, kBlocks };
template <>
struct Choices<Deal> {
  static constexpr std::array names{"rows", "blocks"};
};

struct PlacementParams {
  Deal deal = Deal::kRows;
  static constexpr auto fields() {
    return std::tuple{choice("deal", &PlacementParams::deal,
                             "to schedulers: rows of threads in turn, or whole blocks, to the one with the fewest")};
  }
};

// Where read-only loads (ld.global.nc) and texture fetches look: a cache of their own, or the L1 data cache.
enum class TexturePath : std::uint8_t { kOwn, kL1d };
template <>
struct Choices<TexturePath> {
  static constexpr std::array names{"own", "l1d"};
};

// Where shared memory lies: in a memory of its own, or in the L1 data cache, of whose ways it takes what a kernel
// needs.
enum class SharedPlace : std::uint8_t { kOwn, kL1d };
template <>
struct Choices<SharedPlace> {
  static constexpr std::array names{"own", "l1d"};
};

// How lanes share the cycles of shared memory where each wants several words. words: all lanes their first ones, then
// their second ones (CUDA Programming Guide, compute capability 1.x). lanes: as many lanes at a time as the banks have
// words for: half a warp of 64 bits, a quarter of 128 (2.x and later).
enum class WideShared : std::uint8_t { kWords, kLanes };
template <>
struct Choices<WideShared> {
  static constexpr std::array names{"words", "lanes"};
};

struct LsuParams {
  unsigned queue_groups = 0;
  TexturePath texture = TexturePath::kOwn;
  SharedPlace shared_memory = SharedPlace::kOwn;
  WideShared wide_shared = WideShared::kWords;
  unsigned bytes_per_cycle = 0;
  unsigned atomic_latency_cycles = 0;
  static constexpr auto fields() {
    return std::tuple{choice("texture", &LsuParams::texture, "the cache of read-only loads and texture fetches"),
                      choice("shared_memory", &LsuParams::shared_memory,
                             "its place: own, or l1d, whose ways are fewer by what a kernel's blocks have of it"),
                      choice("wide_shared", &LsuParams::wide_shared,
                             "what of wide accesses to shared memory goes in a cycle: words in turn, or lanes in turn"),
                      field("bytes_per_cycle", "bytes", &LsuParams::bytes_per_cycle, 0, 4096,
                            "that accesses of one cycle move to or from the data cache, all together; 0: their lines"),
                      field("atomic_latency_cycles", "cycles", &LsuParams::atomic_latency_cycles, 0, 1000,
                            "from the L2's answer to a global atomic to its result"),
                      field("queue_groups", "groups", &LsuParams::queue_groups, 0, 64,
                            "of lanes as wide as the SIMD units that the stages before the load/store unit hold; with "
                            "one instruction at fetch they are the queue, in the place of lsu_queue_entries; 0: that")};
  }
};

// Of a register that holds an address (isa/demanded_bits.h).
enum class AddressBits : std::uint8_t { k32, k64 };
template <>
struct Choices<AddressBits> {
  static constexpr std::array names{"32", "64"};
};

// Do the clocks of such units take time? `taps`: what plays them; null: the model.
inline bool counts_clocks(UnitClocks which, const divergence::Taps* taps, divergence::Unit unit) {
  if (which == UnitClocks::kWithRtl) return taps != nullptr && taps->plays(unit);
  return which == UnitClocks::kRtl;
}

struct CoreParams {
  std::uint64_t clock_mhz = 1300;
  unsigned warp_size = 32;
  unsigned simd_width = 8;
  divergence::Packing lane_packing = divergence::Packing::kNone;
  bool lanes_by_type = false;
  isa::LaneMap lane_map = isa::LaneMap::kIdentity;
  unsigned schedulers = 1;
  unsigned max_threads = 1024;
  unsigned max_blocks = 8;
  unsigned registers = 16384;
  unsigned max_registers_per_thread = 1024;
  AddressBits address_bits = AddressBits::k64;
  unsigned shared_bytes = 16384;
  WarpPolicy warp_policy = WarpPolicy::kLrr;
  ScoreboardKind scoreboard = ScoreboardKind::kSimple;
  PipeLayout pipes = PipeLayout::kUnified;
  FetchParams fetch;
  unsigned issue_interval_cycles = 1;
  unsigned issue_width = 0;
  unsigned alu_latency_cycles = 21;
  unsigned sfu_width = 2;
  unsigned sfu_latency_cycles = 25;
  unsigned fp64_width = 1;
  unsigned fp64_latency_cycles = 21;
  UnitParams units;
  OperationTable operations;
  unsigned register_banks = 4;
  RegisterFileParams register_file;
  unsigned address_latency_cycles = 12;
  unsigned lsu_queue_entries = 5;
  unsigned lsu_width = 64;
  unsigned lsu_lines_per_cycle = 1;
  unsigned shared_banks = 16;
  unsigned shared_latency_cycles = 24;
  CompactorParams compactor;
  LogicParams logic;
  PlacementParams placement;
  LsuParams lsu;
  unsigned warp_slots = 0;  // of the warp buffer: no key, the mechanism says (0: one per row of threads)

  static constexpr auto fields() {
    using P = CoreParams;
    return std::tuple{field("clock_mhz", "MHz", &P::clock_mhz, 1, 100'000, "clock of the core and its caches"),
                      power_of_two("warp_size", "lanes", &P::warp_size, 1, 64, "threads of a warp (W)"),
                      power_of_two("simd_width", "lanes", &P::simd_width, 1, 64,
                                   "lanes that execute per cycle; a warp takes W / width"),
                      choice("lane_packing", &P::lane_packing,
                             "intra-warp compaction: how the lanes of a warp share a narrower unit's cycles"),
                      flag("lanes_by_type", &P::lanes_by_type,
                           "SIMD and special function widths are in lanes of 32 bits: twice as many lanes of 16, half "
                           "as many of 64 (Intra-warp §4.1)"),
                      choice("lane_map", &P::lane_map,
                             "which lane of its row runs a thread: xor, xor_rev and mirror_odd spread those that are "
                             "in the same place of their warps"),
                      field("schedulers", "", &P::schedulers, 1, 16,
                            "warp schedulers, each with an issue port and SIMD units of its own"),
                      field("max_threads", "threads", &P::max_threads, 1, 4096, "resident threads per core"),
                      field("max_blocks", "blocks", &P::max_blocks, 1, 64, "resident blocks per core"),
                      field("registers", "32-bit registers", &P::registers, 1, 1u << 20, "of the register file"),
                      field("max_registers_per_thread", "32-bit registers", &P::max_registers_per_thread, 1, 1024,
                            "that code can name; what does not fit is spilled to local memory"),
                      choice("address_bits", &P::address_bits,
                             "32: values of which only the low word reaches a result or an address take one register; "
                             "device memory lies below 2^32"),
                      field("shared_bytes", "bytes", &P::shared_bytes, 0, 1u << 20, "shared memory"),
                      choice("warp_policy", &P::warp_policy, "which ready warp issues"),
                      choice("scoreboard", &P::scoreboard, "what an instruction waits for"),
                      choice("pipes", &P::pipes,
                             "behind a scheduler: unified SIMD units, or FPU, EM and SEND pipes for up to two "
                             "instructions a pass"),
                      optional_section("fetch", &P::fetch, "instruction fetch"),
                      field("issue_interval_cycles", "cycles", &P::issue_interval_cycles, 1, 16,
                            "from one issue, or pass, of a scheduler to the next"),
                      field("issue_width", "lanes", &P::issue_width, 0, 64,
                            "lanes that leave the issue port per cycle, where the SIMD units behind it are narrower; "
                            "0: as wide as they"),
                      field("alu_latency_cycles", "cycles", &P::alu_latency_cycles, 1, 1000,
                            "issue to write-back of the first lanes"),
                      power_of_two("sfu_width", "lanes", &P::sfu_width, 1, 64, "lanes of the special function unit"),
                      field("sfu_latency_cycles", "cycles", &P::sfu_latency_cycles, 1, 1000,
                            "issue to write-back of its first lanes"),
                      power_of_two("fp64_width", "lanes", &P::fp64_width, 1, 64, "lanes of the double precision unit"),
                      field("fp64_latency_cycles", "cycles", &P::fp64_latency_cycles, 1, 1000,
                            "issue to write-back of its first lanes"),
                      section("units", &P::units, "shared by schedulers, or besides the SIMD units (unified pipes)"),
                      optional_section("operations", &P::operations, "that differ from the rest of their unit's"),
                      power_of_two("register_banks", "banks", &P::register_banks, 1, 64,
                                   "per lane; operands in one bank are read one after the other"),
                      section("register_file", &P::register_file, "its banks, their ports, and operand collectors"),
                      field("address_latency_cycles", "cycles", &P::address_latency_cycles, 1, 1000,
                            "issue of a memory instruction to its arrival at the load/store unit"),
                      field("lsu_queue_entries", "instructions", &P::lsu_queue_entries, 1, 64,
                            "memory instructions in or before the load/store unit; full, it stalls the pipeline"),
                      power_of_two("lsu_width", "lanes", &P::lsu_width, 1, 64,
                                   "whose addresses the load/store unit takes per cycle; an instruction takes it for "
                                   "its width / lsu_width at least"),
                      field("lsu_lines_per_cycle", "accesses", &P::lsu_lines_per_cycle, 1, 16,
                            "cache lines that the load/store unit asks for per cycle, each in a bank of its own"),
                      power_of_two("shared_banks", "banks", &P::shared_banks, 1, 64, "of shared memory, 4 bytes wide"),
                      field("shared_latency_cycles", "cycles", &P::shared_latency_cycles, 1, 1000,
                            "from the load/store unit to write-back, without conflicts"),
                      optional_section("compactor", &P::compactor, "thread compactor (TBC, CAPRI, TSTBC)"),
                      optional_section("logic", &P::logic, "time that a mechanism's logic takes"),
                      optional_section("placement", &P::placement, "of a block's warps"),
                      optional_section("lsu", &P::lsu, "more of the load/store unit")};
  }

  // The unit that executes an instruction, from issue to write-back of the first lanes, and the cycles for which it
  // holds the unit at least.
  isa::Unit unit_of(const isa::MicroOp& op) const {
    static constexpr std::array kUnits{isa::Unit::kFloat, isa::Unit::kAlu, isa::Unit::kSfu, isa::Unit::kFp64};
    const OperationUnit unit = operations.of(op.operation).unit;
    return unit == OperationUnit::kOwn ? op.unit : kUnits[static_cast<unsigned>(unit) - 1];
  }
  unsigned latency_of(const isa::MicroOp& op) const {
    const unsigned latency = operations.of(op.operation).latency_cycles;
    if (latency != 0) return latency;
    if (op.custom != 0) return isa::custom_units()[op.custom - 1].unit.latency_cycles;
    const isa::Unit unit = unit_of(op);
    if (unit == isa::Unit::kSfu) return sfu_latency_cycles;
    return unit == isa::Unit::kFp64 ? fp64_latency_cycles : alu_latency_cycles;
  }
  unsigned interval_of(const isa::MicroOp& op) const {
    const unsigned interval = operations.of(op.operation).interval_cycles;
    return op.custom != 0 && interval == 0 ? isa::custom_units()[op.custom - 1].unit.interval_cycles : interval;
  }

  // Lanes of an instruction that its unit takes per cycle, those that a unit of the SIMD width would take, and those
  // that leave the issue port.
  unsigned unit_lanes(const isa::MicroOp& op) const {
    const isa::Unit unit = unit_of(op);
    if (unit == isa::Unit::kFp64) return fp64_width;
    return of_type(op, unit == isa::Unit::kSfu ? sfu_width : simd_width);
  }
  unsigned simd_lanes(const isa::MicroOp& op) const { return of_type(op, simd_width); }
  unsigned port_lanes(const isa::MicroOp& op) const { return of_type(op, std::max(simd_width, issue_width)); }

  unsigned rows() const { return max_threads / warp_size; }
  // Are blocks of so many rows one scheduler's each?
  bool deals_whole(unsigned block_rows) const {
    return placement.deal == Deal::kBlocks && block_rows <= rows() / schedulers;
  }
  unsigned slots() const { return warp_slots != 0 ? warp_slots : rows(); }
  divergence::Geometry geometry() const {
    return {warp_size,
            simd_width,
            max_threads,
            slots(),
            max_blocks,
            schedulers,
            is_by_block(warp_policy),
            placement.deal == Deal::kBlocks,
            pipes == PipeLayout::kFpuEm,
            lane_packing != divergence::Packing::kNone};
  }
  // With blocks of up to 1024 threads, CUDA's limit.
  divergence::HardwareGeometry hardware_geometry() const {
    divergence::HardwareGeometry sizes;
    sizes.core = geometry();
    sizes.block_warps = std::max(1U, std::min(max_threads, 1024U) / warp_size);
    sizes.registers = registers;
    sizes.lane_addresses = register_file.decoder == BankDecoder::kLane;
    sizes.compactor_stages = compactor.stages;
    return sizes;
  }
  // With the warps that a mechanism makes of this core.
  CoreParams shaped_by(const divergence::Configured& mechanism) const {
    const divergence::Shape shape = mechanism.shape(geometry());
    CoreParams shaped = *this;
    shaped.warp_size = shape.warp_width;
    shaped.warp_slots = shape.warp_slots;
    if (lsu.queue_groups != 0) {
      const unsigned groups = std::max(1U, shaped.warp_size / simd_width);  // of an instruction
      shaped.lsu_queue_entries = std::max(1U, lsu.queue_groups / groups) + 1;
    }
    return shaped;
  }

 private:
  // Wider operands regroup lanes, they do not stretch cycles.
  unsigned of_type(const isa::MicroOp& op, unsigned width) const {
    return lanes_by_type ? std::clamp(width * 32 / op.bits, 1U, isa::kMaxLanes) : width;
  }
};

}  // namespace warpfold
