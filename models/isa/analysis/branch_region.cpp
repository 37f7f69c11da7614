// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/branch_region.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold::isa {
namespace {

bool always(const MicroOp& op) { return op.guard == kNoWord; }

}  // namespace

BranchRegion region_of(const Kernel& kernel, Pc branch) {
  const Pc meeting = kernel.ops[branch].reconvergence;
  check(kernel.ops[branch].kind == Kind::kBranch, "only branches have a region");
  BranchRegion region;
  std::vector<bool> seen(kernel.ops.size(), false);
  std::vector<Pc> work;
  const auto visit = [&](Pc pc) {
    if (pc == meeting || pc >= kernel.end() || seen[pc]) return;
    seen[pc] = true;
    work.push_back(pc);
  };
  const auto visit_successors = [&](Pc pc) {
    const MicroOp& op = kernel.ops[pc];
    const bool ends = op.kind == Kind::kExit || op.kind == Kind::kTrap || op.kind == Kind::kBranch;
    if (op.kind == Kind::kBranch) visit(op.target);
    if (!ends || !always(op)) visit(pc + 1);
  };
  visit_successors(branch);
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    region.inside.push_back(pc);
    visit_successors(pc);
  }
  std::sort(region.inside.begin(), region.inside.end());
  region.loop = seen[branch];
  return region;
}

}  // namespace warpfold::isa
