// SPDX-License-Identifier: Apache-2.0
// Traffic outside the cores: base-protocol payloads from a pool, with one extension that says whose they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "warpfold/common/memory/cache_use.h"
#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {

// Carried by every payload between a core's port and DRAM. Address, command and data length are the payload's own.
// Memory modules carry time, not values: only where the model ends is there a data pointer, into `data`
// (docs/embedding.md).
struct MemoryExtension : tlm::tlm_extension<MemoryExtension> {
  std::uint32_t core = 0;    // port of the interconnect that gets the response
  std::uint32_t client = 0;  // which cache of the core
  std::uint32_t token = 0;   // that cache's
  std::uint64_t sent = 0;    // number of the request on its port's link
  ByteMask mask{};           // bytes from the address on that are asked for or written, where a cache tells them apart
  SectorMask sectors = 0;    // that a slice fetches with it
  Eviction l2_eviction = Eviction::kNormal;
  std::uint8_t l2_bytes = 0;      // CacheUse::l2_bytes
  bool atomic = false;            // read-modify-write at the L2 slice; a write command that answers with data
  bool unanswered = false;        // by the memory at the end of the model
  bool write = false;             // what was sent there, whatever comes back
  sc_core::sc_time kept_since{};  // when that answered and went on holding it
  std::vector<unsigned char> data, enables;  // of requests to that memory, and their byte enables where they have any
  tlm::tlm_generic_payload* asked_by = nullptr;  // the core's request for which a CoreGateway sent this one

  tlm_extension_base* clone() const override { return new MemoryExtension(*this); }
  void copy_from(const tlm_extension_base& from) override { *this = static_cast<const MemoryExtension&>(from); }
};

// Bytes that a request moves: those that it enables, or all.
inline std::uint32_t bytes_moved(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return payload.get_data_length();
  const auto count = std::count(enables, enables + payload.get_byte_enable_length(), TLM_BYTE_ENABLED);
  return static_cast<std::uint32_t>(count);
}

}  // namespace warpfold
