// SPDX-License-Identifier: Apache-2.0
// Who is told of the packets at a core's port.
#pragma once

#include <tlm>

#include "warpfold/common/clock/cycle.h"

namespace warpfold {

class PacketWatch {
 public:
  virtual ~PacketWatch() = default;
  virtual void sent(const tlm::tlm_generic_payload& request, Cycle now) = 0;      // to the interconnect
  virtual void answered(const tlm::tlm_generic_payload& request, Cycle now) = 0;  // its response has come
};

}  // namespace warpfold
