// SPDX-License-Identifier: Apache-2.0
// Accesses of straight runs of which somebody wants to know the addresses.
#include "warpfold/isa/execute/access_listener.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace {

// Shared memory and parameters lie in the core.
bool leaves_core(const MicroOp& op) {
  const bool memory = op.kind == Kind::kLoad || op.kind == Kind::kStore || op.kind == Kind::kAtomic;
  return memory && op.space != Space::kShared && op.space != Space::kParam;
}

}  // namespace

// False: it is none of these, and has not been executed.
bool Executor::heard(const MicroOp& op) {
  if (!leaves_core(op)) return false;
  access(op, unseen_);
  place_on_machine(unseen_);
  unseen_.executed = active_;
  listener_->accessed(op, unseen_);
  return true;
}

}  // namespace warpfold::isa
