// SPDX-License-Identifier: Apache-2.0
// The warps of a core without a pipeline or a clock, around a mechanism that writes down what it is told.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/core_fixture.h"
#include "warpfold/core/warps/warps.h"

namespace warpfold {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;

enum class Update { kEntered, kGoesOn, kLeft };

// One warp per row; both sides of a branch stay where `on_branch` puts them.
class Recorder : public divergence::Mechanism {
 public:
  explicit Recorder(divergence::Core& owner, const divergence::Traits& of = {}) : Mechanism(of), core(owner) {}
  void kernel_started(const isa::Kernel& kernel) override { note("kernel {}", kernel.end()); }
  void block_started(const divergence::Block& block) override {
    note("block {} slot {} rows {}", block.id, block.slot, block.rows());
    for (unsigned row = 0; row < block.rows(); ++row) {
      core.insert(divergence::Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]));
    }
  }
  void block_finished(const divergence::Block& block) override { note("finished {}", block.id); }
  bool leaves_at(WarpId, isa::Pc) const override { return false; }
  void committed(WarpId warp, isa::Pc next) override {
    note("committed {} {}", warp, next);
    core.warp(warp).pc = next;
  }
  void branch_resolved(WarpId warp, const divergence::Branch& branch) override {
    note("branch {} pc {} taken {:x} target {} rpc {} lpc {} {}", warp, branch.pc, branch.taken, branch.target,
         branch.reconvergence, branch.likely, branch.may_diverge ? "may diverge" : "uniform");
    if (on_branch) on_branch(warp);
  }
  void exited(WarpId warp, LaneMask lanes, isa::Pc next) override {
    note("exited {} {:x} {}", warp, lanes, next);
    core.warp(warp).mask &= ~lanes;
    core.warp(warp).pc = next;
    if (core.warp(warp).mask == 0) core.remove(warp);
  }
  void compacted(unsigned slot, unsigned tag, const divergence::Warp& warp, bool last) override {
    note("compacted slot {} tag {} {:x} {}", slot, tag, warp.mask, last);
  }
  std::string waiting(unsigned) const override { return "none"; }
  void spilled(unsigned owner) override { note("spilled {}", owner); }

  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    calls.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  divergence::Core& core;
  std::vector<std::string> calls;
  std::function<void(WarpId)> on_branch;
};

class RecordingPipeline : public Warps::Pipeline {
 public:
  explicit RecordingPipeline(Recorder*& recorder) : recorder_(recorder) {}
  void entered(WarpId warp) override { updates.emplace_back(Update::kEntered, warp); }
  void goes_on(WarpId warp) override { updates.emplace_back(Update::kGoesOn, warp); }
  void left(WarpId warp) override { updates.emplace_back(Update::kLeft, warp); }
  void held(WarpId warp, unsigned cycles) override { recorder_->note("held {} for {}", warp, cycles); }
  void compact(divergence::CompactionRequest request) override { compactions.push_back(std::move(request)); }
  bool spill(const divergence::Spill& part) override {
    recorder_->note("spill of {}: {} bytes at {} {}", part.owner, part.bytes, part.offset,
                    part.way == divergence::Spill::Way::kOut ? "out" : "in");
    return spills_at_once;
  }
  void block_finished(const divergence::Block& block) override { recorder_->note("core: block {} done", block.id); }
  Cycle now() const override { return 0; }

  std::vector<std::pair<Update, WarpId>> updates;
  std::vector<divergence::CompactionRequest> compactions;
  LaneMask loaded(WarpId) override { return lanes_loaded; }

  bool spills_at_once = true;
  LaneMask lanes_loaded = 0;

 private:
  Recorder*& recorder_;
};

class WarpsTest : public testing::Test {
 protected:
  explicit WarpsTest(const divergence::Traits& traits = {}) : traits_of_mechanism(traits) {
    kernel.ops.resize(40);
    launch.kernel = &kernel;
    warps.kernel_started(kernel, executor);
    recorder->calls.clear();
  }
  divergence::Configured recorded() {
    divergence::Configured configured;
    configured.make = [this](const divergence::Geometry& geometry, divergence::Core& core) {
      EXPECT_EQ(geometry.max_warps, params.rows());
      auto made = std::make_unique<Recorder>(core, traits_of_mechanism);
      recorder = made.get();
      return made;
    };
    return configured;
  }
  void start_block(std::vector<LaneMask> rows, unsigned slot = 0, unsigned first_row = 0) {
    warps.start_block({slot, 40 + slot, 0, first_row, std::move(rows)});
    recorder->calls.clear();
    pipeline.updates.clear();
  }
  // The warp commits an instruction of its own lanes.
  void commits(WarpId warp, const isa::MicroOp& op, isa::Pc pc, LaneMask executed = kAll, LaneMask taken = 0) {
    Instruction instruction;
    instruction.warp = warp;
    instruction.op = &op;
    instruction.pc = pc;
    instruction.active = warps.warp(warp).mask;
    instruction.executed = executed & instruction.active;
    instruction.taken = taken;
    warps.commit(instruction);
  }
  static isa::MicroOp op_of(Kind kind) {
    isa::MicroOp op;
    op.kind = kind;
    return op;
  }
  std::uint64_t stat(std::string_view name) const {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }
  using Updates = std::vector<std::pair<Update, WarpId>>;
  using Calls = std::vector<std::string>;

  const divergence::Traits traits_of_mechanism;
  isa::Kernel kernel;
  isa::Launch launch;
  DeviceMemory memory{1 << 16};
  isa::ThreadStore threads{(launch.kernel = &kernel, launch), 1, 32, 0, 1};
  isa::Executor executor{launch, threads, memory};
  StatGroup stats{"core0"};
  CoreParams params;
  CoreContext context;
  Recorder* recorder = nullptr;
  RecordingPipeline pipeline{recorder};
  Warps warps{params, context, recorded(), pipeline, stats};
  const isa::MicroOp plain = op_of(Kind::kCompute), exit_op = op_of(Kind::kExit), barrier = op_of(Kind::kBarrier);
};

}  // namespace warpfold
