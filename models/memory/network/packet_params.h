// SPDX-License-Identifier: Apache-2.0
// What a machine file says of the network's packets.
#pragma once

#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"

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

}  // namespace warpfold
