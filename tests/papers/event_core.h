// SPDX-License-Identifier: Apache-2.0
// A fake core that writes down, in words, what a mechanism does to the warps of one block: threads counted from 1 and
// basic blocks by letter, as the papers' figures do.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/divergence/fake_core.h"
#include "warpfold/compaction/thread_compactor.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {

// Blocks A, B, C, D are one instruction each, the branch of A being A itself.
inline constexpr isa::Pc kA = 0, kB = 1, kC = 2, kD = 3, kEnd = 4;
inline constexpr divergence::Branch kBranchOfA{kA, 0, kC, kD, isa::kNoPc, true};

class EventCore final : public divergence::Core {
 public:
  // `parameters` of the mechanism: "n=2".
  EventCore(const std::string& name, unsigned width, std::vector<isa::LaneMask> rows,
            const std::vector<std::string>& parameters = {})
      : inner_(32, 32), width_(width) {
    divergence::Geometry geometry;
    geometry.warp_size = geometry.simd_width = width;
    ConfigNode node;
    for (const std::string& parameter : parameters) node.set(parameter);
    mechanism = divergence::find_mechanism(name).configure(node).make(geometry, *this);
    block_.threads = std::move(rows);
  }
  void start() {
    kernel_.ops.resize(kEnd);
    mechanism->kernel_started(kernel_);
    mechanism->block_started(block_);
  }

  divergence::WarpId insert(const divergence::Warp& warp, unsigned scheduler) override {
    note("insert", warp);
    return inner_.insert(warp, scheduler);
  }
  void remove(divergence::WarpId id) override {
    events.push_back(fmt::format("remove {}", letter(inner_.warp(id).pc)));
    inner_.remove(id);
  }
  divergence::Warp& warp(divergence::WarpId id) override { return inner_.warp(id); }
  unsigned block_of(divergence::WarpId id) const override { return inner_.block_of(id); }
  unsigned block_of_row(unsigned row) const override { return inner_.block_of_row(row); }
  unsigned scheduler_of_row(unsigned row) const override { return inner_.scheduler_of_row(row); }
  void release(divergence::WarpId id) override { inner_.release(id); }
  void hold(divergence::WarpId id, unsigned cycles) override { inner_.hold(id, cycles); }
  bool spill(const divergence::Spill& part) override { return inner_.spill(part); }
  StatGroup& stats() override { return inner_.stats(); }
  void compact(divergence::CompactionRequest request) override {
    events.push_back(std::string("compact ") + letter(request.pc));
    inner_.compact(std::move(request));
  }
  void stack_depth(unsigned entries) override { inner_.stack_depth(entries); }

  // One warp out of the compactor.
  void compactor_cycle() { inner_.deliver(*mechanism); }
  bool compacting() const { return !inner_.requests.empty(); }

  // Executes one instruction of the warp that holds thread `holder`; its branch is taken by the threads `to_c`.
  void issue(unsigned holder, const std::vector<unsigned>& to_c = {}) {
    const divergence::WarpId id = warp_of(holder);
    const divergence::Warp before = inner_.warp(id);
    note("issue", before);
    mechanism->issued(id, 0);
    if (before.pc == kA) {
      divergence::Branch branch = kBranchOfA;
      for (const unsigned thread : to_c) {
        const unsigned lane = (thread - 1) % width_;
        if ((before.mask >> lane & 1) != 0 && before.row[lane] == (thread - 1) / width_)
          branch.taken |= isa::LaneMask{1} << lane;
      }
      mechanism->branch_resolved(id, branch);
    } else if (before.pc == kB) {
      // B jumps over C.
      mechanism->branch_resolved(id, {kB, before.mask, kD, kD, isa::kNoPc, false});
    } else if (before.pc == kC) {
      mechanism->committed(id, kD);
    } else {
      mechanism->exited(id, before.mask, kEnd);
    }
  }
  std::vector<divergence::WarpId> warps() const { return inner_.warps(); }
  std::uint64_t statistic(const std::string& name) const { return inner_.statistic(name); }

  // The events since the last call.
  std::vector<std::string> take() { return std::exchange(events, {}); }

  std::unique_ptr<divergence::Mechanism> mechanism;
  std::vector<std::string> events;

 private:
  static char letter(isa::Pc pc) { return static_cast<char>('A' + pc); }
  void note(const char* what, const divergence::Warp& warp) {
    events.push_back(fmt::format("{} {}{}", what, letter(warp.pc), divergence::threads_text(warp, width_, 0, 1)));
  }
  divergence::WarpId warp_of(unsigned thread) {
    const unsigned lane = (thread - 1) % width_;
    for (const divergence::WarpId id : inner_.warps()) {
      const divergence::Warp& candidate = inner_.warp(id);
      if ((candidate.mask >> lane & 1) != 0 && candidate.row[lane] == (thread - 1) / width_) return id;
    }
    throw InternalError(fmt::format("thread {} is in no warp", thread));
  }

  divergence::FakeCore inner_;
  isa::Kernel kernel_;
  unsigned width_;
  divergence::Block block_;
};

using Events = std::vector<std::string>;

}  // namespace warpfold
