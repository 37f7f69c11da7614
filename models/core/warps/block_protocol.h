// SPDX-License-Identifier: Apache-2.0
// The socket between the block dispatcher and a core.
#pragma once

#include <cstdint>

#include "warpfold/common/clock/typed_protocol.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// fw, BEGIN_REQ: start this block (the core has room: the dispatcher counts). bw, BEGIN_RESP: block `id` has finished.
struct BlockMessage {
  std::uint64_t id = 0;  // linear, x fastest
  isa::Dim3 ctaid{0, 0, 0};
};

inline BlockMessage block_message(isa::Dim3 grid, std::uint64_t id) {
  return {id,
          {static_cast<unsigned>(id % grid.x), static_cast<unsigned>(id / grid.x % grid.y),
           static_cast<unsigned>(id / grid.x / grid.y)}};
}

using BlockProtocol = TypedProtocol<BlockMessage>;

}  // namespace warpfold
