// SPDX-License-Identifier: Apache-2.0
// What a mechanism adds to a core: storage and RTL blocks, declared once beside the mechanism, for whoever asks what it
// costs (`warpfold area`). A core without any of this runs warps that never diverge.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/area/storage.h"
#include "warpfold/divergence/geometry.h"

namespace warpfold::divergence {

// The core, and the sizes of hardware that the simulation does not bound.
struct HardwareGeometry {
  Geometry core;
  unsigned block_warps = 32;    // of the largest block
  unsigned stack_entries = 32;  // of a warp's reconvergence stack
  unsigned registers = 16384;   // 32-bit, per core
  bool lane_addresses = true;   // of register banks, where the mechanism can use them
  unsigned compactor_stages = 1;

  unsigned rows() const { return core.max_threads / core.warp_size; }
};

inline constexpr unsigned kPcBits = 32;        // HARP Table 7
unsigned index_bits(unsigned things);          // that tell so many things apart
inline constexpr unsigned kRegisterBanks = 4;  // per scheduler: three operands and a result at a time

// How often a structure is read or written, by a figure of stats.json: `per_event` accesses of one copy each.
struct Access {
  std::string statistic;
  double per_event = 1;
};

struct Structure {
  std::string name;
  area::Storage storage;  // of one copy; the node is left open
  unsigned copies = 1;    // per core
  std::vector<Access> accesses;
  // What the core has in its place without the mechanism: only the difference is added.
  std::optional<area::Storage> replaced = std::nullopt;
  unsigned replaced_copies = 0;
};

struct RtlUse {
  std::string module;  // rtl/<module>.sv
  std::vector<std::pair<std::string, unsigned>> parameters;
  unsigned copies = 1;  // per core
};

// Logic of which there is no RTL: what it costs is not known, and sums over it are lower bounds.
struct UnknownLogic {
  std::string what;
  std::string reason;
  double nand2_low = 0, nand2_high = 0;  // per core, what others' RTL says of it; 0: nothing does
  bool estimated() const { return nand2_high > 0; }
};

inline constexpr const char* kNoRtl = "there is no RTL of it";

struct Hardware {
  std::vector<Structure> storage;
  std::vector<RtlUse> logic;
  std::vector<UnknownLogic> unknown;
  // "active masks (32 × 32 × 32 bits), …": copies × entries × bits, in one line.
  std::string text() const;
  void add(const Hardware& more);
};

// So many bytes of registers of 32 bits, `lanes` of them in a row; of several banks an access uses one.
area::Storage registers(double bytes, unsigned lanes, unsigned banks = 1);
// `entries` of `bits`, read by one port and written by another.
area::Storage table(unsigned entries, unsigned bits);
// The same by one port that does either.
area::Storage one_port_table(unsigned entries, unsigned bits);
// The same, of whose entries each is found by `tag_bits` that are compared with all, through a port of its own.
area::Storage searched_table(unsigned entries, unsigned tag_bits, unsigned bits);

// The reconvergence stack of every static warp: two pcs and a mask, and `more_bits` (TBC §2.2.2).
Structure warp_stacks(const HardwareGeometry& geometry, unsigned more_bits = 0);

// What all mechanisms that compact threads of a block have: block-wide stacks, the thread numbers of dynamic warps, the
// thread compactor and a register file that is addressed lane by lane (TBC §3, §7). `entries` of a block's stack,
// `fields`: bits of an entry beside its mask.
Hardware block_compaction(const HardwareGeometry& geometry, unsigned entries, unsigned fields,
                          unsigned stack_stages = 1);
unsigned count_bits(const HardwareGeometry& geometry);  // of a counter of a block's warps

// A warp buffer's thread numbers: the row of each lane of `slots` dynamic warps (TBC §7).
Structure thread_numbers(unsigned slots, unsigned lanes, unsigned rows, std::vector<Access> accesses);

// The register file banked by lane, each bank with an address of its own, beside one whose rows are as wide as the SIMD
// unit (TBC §7, HARP §8).
Structure lane_addressed_registers(const HardwareGeometry& geometry);

}  // namespace warpfold::divergence
