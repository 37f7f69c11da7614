// SPDX-License-Identifier: Apache-2.0
// Who wants to know of accesses to memory while straight runs are executed.
#pragma once

#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {

class AccessListener {
 public:
  virtual ~AccessListener() = default;
  // A kLoad, kStore or kAtomic has been executed, with the outcome that execute() would have left.
  virtual void accessed(const MicroOp& op, const Outcome& outcome) = 0;
};

}  // namespace warpfold::isa
