// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/likely_points.h"

#include <algorithm>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/number.h"
#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::divergence {
namespace {

std::uint32_t line_of(const ConfigNode& entry, const std::string& text) {
  const std::uint32_t line = number_in<std::uint32_t>(text).value_or(0);
  if (line == 0) {
    user_error("{}: {}: '{}' is no line number; give PTX line of branch: PTX line of its point", entry.place(),
               entry.path(), text);
  }
  return line;
}

// The branch at a PTX line of the kernel.
Pc branch_at(const isa::Kernel& kernel, std::uint32_t line, const ConfigNode& entry) {
  Pc found = isa::kNoPc;
  for (Pc pc = 0; pc < kernel.end(); ++pc) {
    if (kernel.ops[pc].line != line || kernel.ops[pc].kind != isa::Kind::kBranch || !kernel.ops[pc].may_diverge)
      continue;
    if (found != isa::kNoPc) {
      user_error("{}: {}: the kernel has line {} of {} more than once, by calls of its function; it cannot be profiled",
                 entry.place(), entry.path(), line, kernel.file);
    }
    found = pc;
  }
  if (found == isa::kNoPc) {
    user_error("{}: {}: the kernel has no branch that may diverge at {}:{}", entry.place(), entry.path(), kernel.file,
               line);
  }
  return found;
}

}  // namespace

LikelyPoints LikelyPoints::from_profile(const std::string& path) {
  LikelyPoints points;
  points.profiled_ = true;
  points.profile_ = ConfigNode::from_file(path);
  for (const auto& [kernel, ignored] : points.profile_.children()) {
    const ConfigNode& lines = points.profile_.table(kernel);
    for (const auto& [branch, entry] : lines.children()) {
      line_of(entry, branch);
      line_of(entry, lines.value(branch).scalar());
    }
  }
  return points;
}

void LikelyPoints::kernel_started(const isa::Kernel& kernel) {
  if (!profiled_) return;
  points_.assign(kernel.ops.size(), isa::kNoPc);
  const isa::Cfg cfg(isa::flow_of(kernel));
  const ConfigNode* const lines = profile_.find(kernel.name);
  if (lines == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : profile_.children()) names.push_back(name);
    user_error("{}: nothing for kernel {} ({}); give '{}: {{}}' if it has no likely-convergence points",
               profile_.place(), kernel.name, suggestion(kernel.name, names), kernel.name);
  }
  for (const auto& [branch, entry] : lines->children()) {
    const std::uint32_t line = line_of(entry, entry.scalar());
    const auto point =
        std::find_if(kernel.ops.begin(), kernel.ops.end(), [&](const isa::MicroOp& op) { return op.line == line; });
    if (point == kernel.ops.end()) {
      entry.reject(fmt::format("the kernel has no instruction at {}:{}", kernel.file, line));
    }
    const Pc pc = branch_at(kernel, line_of(entry, branch), entry);
    const auto likely = static_cast<Pc>(point - kernel.ops.begin());
    // Threads would meet there after different numbers of turns. Those of the branch's own loops, if they matter, no
    // uniformity proof takes for equal (isa/uniformity.h); those of another loop it may.
    if (cfg.in_other_loop(cfg.block_of(likely), cfg.block_of(pc)) || cfg.irreducible()) {
      entry.reject(cfg.irreducible() ? "the kernel has a loop of several entries; leave this kernel's table empty"
                                     : "this point is in a loop that the branch is not in");
    }
    // At the post-dominator threads meet anyway.
    if (likely != kernel.ops[pc].reconvergence) points_[pc] = likely;
  }
}

}  // namespace warpfold::divergence
