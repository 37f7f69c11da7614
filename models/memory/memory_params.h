// SPDX-License-Identifier: Apache-2.0
// What a machine file says of everything beyond the cores' ports.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/memory/dram/dram_params.h"
#include "warpfold/memory/l2/index_hash.h"
#include "warpfold/memory/l2/l2_params.h"
#include "warpfold/memory/network/interconnect_params.h"

namespace warpfold {

// Where the model ends. dram: behind its DRAM channels; external: at the L2, whose misses and write-backs go to
// whatever a platform binds; external_network: at the cores' ports, likewise.
enum class MemoryBehind : std::uint8_t { kDram, kExternal, kExternalNetwork };
template <>
struct Choices<MemoryBehind> {
  static constexpr std::array names{"dram", "external", "external_network"};
};

struct BoundaryParams {
  MemoryBehind memory = MemoryBehind::kDram;

  static constexpr auto fields() {
    return std::tuple{choice("memory", &BoundaryParams::memory,
                             "dram: that of this file; external: behind the L2 is what a platform binds to the GPU's "
                             "sockets; external_network: behind the cores' ports (docs/embedding.md)")};
  }
};

// TBC Table 2 where the paper gives values. The latencies it leaves open are set so that an unloaded load from DRAM
// takes about the 436 to 443 core cycles at 1.35 GHz (325 ns) that Wong et al. (ISPASS 2010) measured on GT200;
// tests/memory adds them up.
struct MemoryParams {
  std::uint32_t channels = 8;
  std::uint32_t slices_per_channel = 1;
  IndexHash slice_hash = IndexHash::kLinear;
  std::uint32_t interleave_bytes = 256;  // decision: as GPGPU-Sim's Quadro FX 5800 maps channels, above bit 8
  InterconnectParams interconnect;
  L2Params l2;
  DramParams dram;
  BoundaryParams boundary;

  std::string_view boundary_name() const {
    return Choices<MemoryBehind>::names[static_cast<std::size_t>(boundary.memory)];
  }
  bool external() const { return boundary.memory != MemoryBehind::kDram; }           // some of it
  bool has_l2() const { return boundary.memory != MemoryBehind::kExternalNetwork; }  // and a network

  static constexpr auto fields() {
    using P = MemoryParams;
    return std::tuple{
        field("channels", "channels", &P::channels, 1, 256, "memory channels"),
        field("slices_per_channel", "slices", &P::slices_per_channel, 1, 16, "L2 slices that share a channel"),
        choice("slice_hash", &P::slice_hash, "a chunk's slice: linear: modulo slices; others mix higher bits in"),
        power_of_two("interleave_bytes", "bytes", &P::interleave_bytes, 16, 1u << 20,
                     "of memory in a slice before the next"),
        section("interconnect", &P::interconnect, "network between cores and slices"),
        section("l2", &P::l2, "each slice of the second-level cache"),
        section("dram", &P::dram, "each memory channel"),
        optional_section("boundary", &P::boundary, "where the model ends"),
    };
  }
};

}  // namespace warpfold
