// SPDX-License-Identifier: Apache-2.0
// The issue stage with its warps, in front of a stub pipeline.
//
// An instruction for the ALU holds the port 4 cycles (`hold`) and completes 20 cycles after issue, one for the special
// function unit holds its unit 16 cycles, a memory instruction completes when the test says so.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tests/core/core_fixture.h"
#include "warpfold/core/issue/issue_stage.h"
#include "warpfold/core/issue/warp_scheduler.h"
#include "warpfold/core/warps/warp_unit.h"

namespace warpfold {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using isa::Unit;

inline constexpr Cycle kLatency = 20;

// What the mechanism answers, and what it was told.
struct Asking {
  bool keeps = false;
  isa::Pc leave = isa::kNoPc;
  bool parts = false;  // by any branch
  WarpId preferred = 63;
  std::vector<std::pair<Cycle, WarpId>> told;
  unsigned committed = 0, resolved = 0;
  std::function<void(unsigned scheduler)> on_dry;
  std::function<void(divergence::Core& core, WarpId warp, bool alone)> on_part;
  std::function<WarpId(const divergence::IssuedParts&, const divergence::WarpSet&)> partner;  // null: no parts
  std::function<void(WarpId, std::span<const LaneMask>)> on_access;
};

// Warps go on behind every instruction, branches too.
class Asked : public divergence::Mechanism {
 public:
  Asked(Asking& asking, divergence::Core& core)
      : Mechanism({.keeps_warps = asking.keeps, .issues_parts = asking.partner != nullptr}),
        asking_(asking),
        core_(core) {}
  void kernel_started(const isa::Kernel&) override {}
  void block_started(const divergence::Block&) override {}
  void block_finished(const divergence::Block&) override {}
  bool leaves_at(WarpId, isa::Pc next) const override { return next == asking_.leave; }
  void committed(WarpId warp, isa::Pc next) override {
    core_.warp(warp).pc = next;
    ++asking_.committed;
  }
  bool leaves_by(WarpId, const divergence::Branch&, bool) const override { return asking_.parts; }
  void branch_resolved(WarpId warp, const divergence::Branch& branch) override {
    core_.warp(warp).pc = branch.pc + 1;
    ++asking_.resolved;
  }
  void exited(WarpId warp, LaneMask lanes, isa::Pc next) override {
    core_.warp(warp).mask &= ~lanes;
    if (core_.warp(warp).mask == 0) return core_.remove(warp);
    core_.warp(warp).pc = next;
  }
  void prefer(divergence::WarpSet& ready, Cycle) override {
    if (ready.contains(asking_.preferred)) {
      ready = divergence::WarpSet(64);
      ready.insert(asking_.preferred);
    }
  }
  WarpId partner(const divergence::IssuedParts& parts, const divergence::WarpSet& ready, Cycle) override {
    return asking_.partner(parts, ready);
  }
  void running_dry(unsigned scheduler, Cycle) override {
    if (asking_.on_dry) asking_.on_dry(scheduler);
  }
  void partly_loaded(WarpId warp, bool alone) override { asking_.on_part(core_, warp, alone); }
  void accessed(WarpId warp, std::span<const LaneMask> lines) override { asking_.on_access(warp, lines); }
  void issued(WarpId warp, Cycle now) override { asking_.told.emplace_back(now, warp); }
  std::string waiting(unsigned) const override { return ""; }

 private:
  Asking& asking_;
  divergence::Core& core_;
};

class IssueStageTest : public CoreTest {
 protected:
  IssueStageTest() {
    kernel.name = std::string("k");
    kernel.registers = 16;
    launch.kernel = &kernel;
    launch.block = {1024, 1, 1};
    params.max_threads = 64 * 32;
  }

  // The kernel, an instruction a line; executed without effect, but for loads, which read `cell`.
  isa::MicroOp& op(Unit unit, std::vector<isa::Word> reads = {}, std::vector<isa::Word> writes = {}) {
    isa::MicroOp& added = kernel.ops.emplace_back();
    added.kind = Kind::kFence;
    added.unit = unit;
    added.reads = std::move(reads);
    added.writes = std::move(writes);
    return added;
  }
  void alu() { op(Unit::kAlu); }
  void exit() { op(Unit::kControl).kind = Kind::kExit; }
  void branch_to(isa::Pc target) {  // that may diverge
    isa::MicroOp& branch = op(Unit::kControl);
    branch.kind = Kind::kBranch;
    branch.target = target;
    branch.may_diverge = true;
  }
  isa::MicroOp& load(std::vector<isa::Word> writes = {0}) {
    isa::MicroOp& added = op(Unit::kMemory, {}, std::move(writes));
    added.kind = Kind::kLoad;
    added.space = isa::Space::kGlobal;
    added.offset = static_cast<std::int64_t>(cell);
    added.element_bytes = 4;
    added.d = {0, isa::kNoWord, isa::kNoWord, isa::kNoWord};
    added.d_count = 1;
    return added;
  }

  // After parameters and kernel are set: a block of 1024 threads, whose warps enter one by one.
  void start(Cycle at = 0, unsigned width = 32) {
    params.warp_size = launch.warp_size = width;
    threads = std::make_unique<isa::ThreadStore>(launch, 1024 / width, width, 0, 1);
    for (unsigned row = 0; row < 1024 / width; ++row) threads->start_row(row, block, row * width);
    executor = std::make_unique<isa::Executor>(launch, *threads, memory);
    packing = std::make_unique<divergence::LanePacking>(params.lane_packing);
    divergence::Configured configured;
    configured.make = [this](const divergence::Geometry&, divergence::Core& core) {
      return std::make_unique<Asked>(mechanism, core);
    };
    warp_unit = std::make_unique<WarpUnit>("warps", params, context, configured, clock, stats);
    warp_unit->on_block_finished = [](const divergence::Block&) {};
    warp_unit->compact_socket.bind(compactions.socket);
    compacted.socket.bind(warp_unit->compacted_socket);
    commit.socket.bind(warp_unit->commit_socket);
    stage = std::make_unique<IssueStage>("stage", params, warp_unit->warps(), *packing, clock, 1, stats);
    warp_unit->warp_socket.bind(stage->warp_socket);
    for (unsigned s = 0; s < params.schedulers; ++s) {
      schedulers.emplace_back(fmt::format("scheduler{}", s).c_str(), params.warp_policy, params.slots(),
                              params.max_blocks);
      stage->scheduler_sockets[s].bind(schedulers[s].issue_socket);
    }
    stage->dispatch_socket.bind(pipeline.socket);
    if (fetches) stage->fetch_socket->bind(fetches->socket);
    release_source.socket.bind(stage->release_socket);
    pipeline.answer = [this](Instruction& instruction, tlm::tlm_phase&) { return take(instruction); };
    warp_unit->warps().kernel_started(kernel, *executor);
    stage->kernel_started(kernel, at);
    before.at(0, [this, width] {
      const LaneMask row = kAll >> (32 - width);
      warp_unit->warps().start_block({.threads = std::vector<LaneMask>(1024 / width, row)});
    });
  }
  void enter(Cycle at, WarpId id, LaneMask mask = kAll, std::uint16_t row = 0, isa::Pc pc = 0) {
    before.at(at, [this, id, mask, row, pc] { enter_slot(id, divergence::Warp::of_row(pc, row, mask)); });
  }
  // A warp enters its scheduler's lowest free slot: the others below are taken for as long.
  void enter_slot(WarpId id, const divergence::Warp& warp) {
    const auto insert = [&] { return warp_unit->warps().insert(warp, id % params.schedulers); };
    std::vector<WarpId> below;
    WarpId entered = insert();
    for (; entered < id; entered = insert()) below.push_back(entered);
    ASSERT_EQ(entered, id);
    for (const WarpId other : below) warp_unit->warps().remove(other);
  }
  // The warp's instruction is written back and, unless it went on at issue or is at a barrier, committed.
  void complete_at(Cycle at, const Instruction& instruction) {
    before.at(at, [this, instruction] {
      Instruction done = instruction;
      release_source.send(done);
      if (!done.gone_on && instruction.op->kind != Kind::kBarrier) commit.send(done);
    });
  }
  tlm::tlm_sync_enum take(Instruction& instruction) {
    instruction.hold_cycles = instruction.op->unit == Unit::kSfu ? 16 : hold;
    instruction.port_cycles = port != 0 ? port : instruction.width / params.simd_width;
    if (!accesses_memory(*instruction.op)) {
      complete_at(clock.current() + kLatency, instruction);
      return tlm::TLM_COMPLETED;
    }
    if (!lines_by_lanes.empty()) instruction.lines_by_lanes = &lines_by_lanes;
    if (load_done != kNever) complete_at(load_done, instruction);
    if (unblocked == kNever) return tlm::TLM_UPDATED;
    before.at(unblocked, [this] {
      Instruction nobody;
      pipeline.send_back(nobody, tlm::END_REQ);
    });
    unblocked = kNever;
    return tlm::TLM_ACCEPTED;
  }
  using Issues = std::vector<std::pair<Cycle, WarpId>>;
  Issues issues() const {
    Issues list;
    for (const auto& [at, instruction] : pipeline.seen) list.emplace_back(at, instruction.warp);
    return list;
  }
  // Ends the kernel and looks at what its cycles were charged to.
  void expect_breakdown(Cycle end, std::uint64_t issue, std::uint64_t stall, std::uint64_t mem, std::uint64_t idle) {
    stage->kernel_ended(end);
    std::uint64_t issued = 0;
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name.starts_with("issue_w")) issued += entry.counter.value();
    }
    EXPECT_EQ(issued, issue);
    EXPECT_EQ(stat("stall"), stall);
    EXPECT_EQ(stat("w0_mem"), mem);
    EXPECT_EQ(stat("w0_idle"), idle);
  }

  isa::Kernel kernel;
  isa::Launch launch;
  DeviceMemory memory{1 << 20};
  const Address cell = memory.allocate(256, "cell");
  isa::BlockState block;
  CoreContext context;
  Asking mechanism;
  std::unique_ptr<isa::ThreadStore> threads;
  std::unique_ptr<isa::Executor> executor;
  std::unique_ptr<divergence::LanePacking> packing;
  std::unique_ptr<WarpUnit> warp_unit;
  std::unique_ptr<IssueStage> stage;
  std::deque<WarpScheduler> schedulers;
  Script before{"before", clock, 0};  // write-back goes before the issue stage
  Source<InstructionProtocol> release_source{"release", clock};
  Source<InstructionProtocol> commit{"commit", clock};
  Source<TypedProtocol<CompactedWarp>> compacted{"compacted", clock};
  Sink<TypedProtocol<divergence::CompactionRequest>> compactions{"compactions", clock};
  Sink<InstructionProtocol> pipeline{"pipeline", clock};
  std::optional<Sink<FetchProtocol>> fetches;  // where params.fetch says that instructions are fetched
  unsigned hold = 4;
  unsigned port = 0;                     // cycles of the port; 0: as the SIMD width takes
  Cycle load_done = kNever;              // when loads complete
  std::vector<LaneMask> lines_by_lanes;  // of every load; empty: nobody asks
  Cycle unblocked = kNever;  // when the load/store unit, filled by the next memory instruction, has room again
};

}  // namespace warpfold
