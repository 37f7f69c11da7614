// SPDX-License-Identifier: Apache-2.0
// What a payload weighs on the network, in each direction.
#pragma once

#include <cstdint>
#include <tlm>

#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/memory/network/packet_params.h"

namespace warpfold {

// Stores and atomics carry data towards memory, loads and atomics back.
inline std::uint32_t request_bytes(const tlm::tlm_generic_payload& payload, const PacketParams& params) {
  return params.request_header_bytes + (payload.is_write() ? payload.get_data_length() : 0);
}
inline std::uint32_t response_bytes(const tlm::tlm_generic_payload& payload, const PacketParams& params) {
  const bool data = payload.is_read() || extension_of(payload).atomic;
  return params.response_header_bytes + (data ? payload.get_data_length() : 0);
}

}  // namespace warpfold
