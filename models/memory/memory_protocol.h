// SPDX-License-Identifier: Apache-2.0
// Traffic outside the cores: base-protocol payloads from a pool, with one extension that says whose they are.
#pragma once

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "warpfold/memory/byte_mask.h"

namespace warpfold {

// Carried by every payload between a core's port and DRAM. Address, command and data length are the payload's own; data
// pointers are null: memory modules carry time, not values (docs/architecture.md).
struct MemoryExtension : tlm::tlm_extension<MemoryExtension> {
  std::uint32_t core = 0;    // port of the interconnect that gets the response
  std::uint32_t client = 0;  // which cache of the core
  std::uint32_t token = 0;   // that cache's
  ByteMask mask{};           // bytes from the address on that are asked for or written, where a cache tells them apart
  SectorMask sectors = 0;    // that a slice fetches with it
  bool atomic = false;       // read-modify-write at the L2 slice; a write command that answers with data

  tlm_extension_base* clone() const override { return new MemoryExtension(*this); }
  void copy_from(const tlm_extension_base& from) override { *this = static_cast<const MemoryExtension&>(from); }
};

}  // namespace warpfold
