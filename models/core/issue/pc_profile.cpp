// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/pc_profile.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

// Programs have kernels of one name in several modules, and one kernel in several codes, by the size of its blocks.
bool same_code(const isa::Kernel& a, const isa::Kernel& b) {
  const auto same = [](const isa::MicroOp& x, const isa::MicroOp& y) {
    return x.line == y.line && x.kind == y.kind && x.target == y.target && x.spill == y.spill;
  };
  return a.name == b.name && a.file == b.file && a.opcodes == b.opcodes &&
         std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same);
}

}  // namespace

PcCounts& PcCounts::operator+=(const PcCounts& other) {
  issued += other.issued;
  lanes += other.lanes;
  executed += other.executed;
  lost += other.lost;
  issue_cycles += other.issue_cycles;
  divergent += other.divergent;
  taken += other.taken;
  accesses += other.accesses;
  lines += other.lines;
  conflicts += other.conflicts;
  for (std::size_t i = 0; i < kWaits; ++i) waits[i] += other.waits[i];
  return *this;
}

void PcProfile::launch_started(const isa::Kernel& kernel) {
  running_ = &kernel;
  now_.assign(kernel.ops.size(), {});
}

PcProfile::Kernel& PcProfile::entry_of(const isa::Kernel& kernel) {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const Kernel& entry) { return same_code(entry.code, kernel); });
  if (found != kernels_.end()) return *found;
  return kernels_.emplace_back(Kernel{kernel, 0, 0, std::vector<PcCounts>(kernel.ops.size())});
}

void PcProfile::launch_ended(Cycle cycles) {
  check(running_ != nullptr, "a profiled launch that ends has begun");
  Kernel& entry = entry_of(*std::exchange(running_, nullptr));
  ++entry.launches;
  entry.cycles += cycles;
  for (std::size_t pc = 0; pc < now_.size(); ++pc) entry.counts[pc] += now_[pc];
}

void PcProfile::issued(const Instruction& instruction, Cycle port_cycles) {
  PcCounts& counts = now_[instruction.pc];
  const std::uint64_t active = isa::count_lanes(instruction.active);
  ++counts.issued;
  counts.lanes += active;
  counts.lost += instruction.width - active;
  counts.executed += isa::count_lanes(instruction.executed);
  counts.issue_cycles += port_cycles;
  if (instruction.op->kind == isa::Kind::kBranch) {
    counts.taken += isa::count_lanes(instruction.taken);
    if (instruction.taken != 0 && instruction.taken != instruction.active) ++counts.divergent;
  } else if (accesses_memory(*instruction.op) && instruction.executed != 0) {
    ++counts.accesses;
    counts.lines += instruction.lines;
    counts.conflicts += instruction.conflicts;
  }
}

}  // namespace warpfold
