// SPDX-License-Identifier: Apache-2.0
// Accesses of straight runs of which somebody wants to know the addresses.
#include "warpfold/isa/execute/access/access_listener.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/memory_ops.h"

namespace warpfold::isa {

// False: it is none of these, and has not been executed.
bool Executor::heard(const MicroOp& op) {
  if (!waits_on_memory(op)) return false;
  access(op, unseen_);
  place_on_machine(op, unseen_);
  unseen_.executed = active_;
  listener_->accessed(op, unseen_);
  return true;
}

}  // namespace warpfold::isa
