// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/branch_region.h"

#include "warpfold/common/error.h"

namespace warpfold::isa {
namespace {

// By pc: what can be executed from `start` on before `meeting`.
std::vector<bool> reachable(const Kernel& kernel, Pc start, Pc meeting) {
  std::vector<bool> seen(kernel.ops.size(), false);
  std::vector<Pc> work;
  const auto visit = [&](Pc pc) {
    if (pc == meeting || pc >= kernel.end() || seen[pc]) return;
    seen[pc] = true;
    work.push_back(pc);
  };
  visit(start);
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    const MicroOp& op = kernel.ops[pc];
    const bool goes_elsewhere = op.kind == Kind::kBranch || op.kind == Kind::kExit || op.kind == Kind::kTrap;
    if (op.kind == Kind::kBranch) visit(op.target);
    if (!goes_elsewhere || op.guard != kNoWord) visit(pc + 1);
  }
  return seen;
}

}  // namespace

BranchRegion region_of(const Kernel& kernel, Pc branch) {
  const MicroOp& op = kernel.ops[branch];
  check(op.kind == Kind::kBranch, "only branches have a region");
  const std::vector<bool> taken = reachable(kernel, op.target, op.reconvergence);
  const std::vector<bool> on = op.guard != kNoWord ? reachable(kernel, branch + 1, op.reconvergence) : taken;
  BranchRegion region;
  if (taken[branch] || on[branch]) region.kind = taken[branch] && on[branch] ? BranchKind::kLateIf : BranchKind::kLoop;
  for (Pc pc = 0; pc < kernel.end(); ++pc) {
    if (taken[pc] || on[pc]) region.inside.push_back(pc);
  }
  return region;
}

}  // namespace warpfold::isa
