// SPDX-License-Identifier: Apache-2.0
// What a payload weighs on the network, in each direction.
#pragma once

#include <cstdint>
#include <tlm>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold {

struct PacketParams {
  // Decision: 8 bytes of command, address and tags each way, as GPGPU-Sim counts its packets' control part.
  std::uint32_t request_header_bytes = 8;
  std::uint32_t response_header_bytes = 8;

  static constexpr auto fields() {
    using P = PacketParams;
    return std::tuple{
        field("request_header_bytes", "bytes", &P::request_header_bytes, 1, 1024, "of every request, before its data"),
        field("response_header_bytes", "bytes", &P::response_header_bytes, 0, 1024,
              "of every response, before its data"),
    };
  }
};

// Stores and atomics carry data towards memory, loads and atomics back.
inline std::uint32_t request_bytes(const tlm::tlm_generic_payload& payload, const PacketParams& params) {
  return params.request_header_bytes + (payload.is_write() ? payload.get_data_length() : 0);
}
inline std::uint32_t response_bytes(const tlm::tlm_generic_payload& payload, const PacketParams& params) {
  const bool data = payload.is_read() || extension_of(payload).atomic;
  return params.response_header_bytes + (data ? payload.get_data_length() : 0);
}

}  // namespace warpfold
