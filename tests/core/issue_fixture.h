// SPDX-License-Identifier: Apache-2.0
// The issue stage alone, in front of a stub pipeline.
//
// An instruction for the ALU holds the port 4 cycles (`hold`) and completes 20 cycles after issue, one for the special
// function unit holds its unit 16 cycles, a memory instruction completes when the test says so.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "tests/core/core_fixture.h"
#include "warpfold/core/issue_stage.h"

namespace warpfold {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using isa::Unit;
using Update = WarpUpdate::Kind;

inline constexpr LaneMask kAll = 0xffff'ffff;
inline constexpr Cycle kLatency = 20;

class Asked : public divergence::Mechanism {
 public:
  void kernel_started(const isa::Kernel&) override {}
  void block_started(const divergence::Block&) override {}
  void block_finished(const divergence::Block&) override {}
  bool keeps_warps() const override { return keeps; }
  bool leaves_at(WarpId, isa::Pc next) const override { return next == leave; }
  void committed(WarpId, isa::Pc) override {}
  void branch_resolved(WarpId, const divergence::Branch&) override {}
  void exited(WarpId, LaneMask, isa::Pc) override {}
  void prefer(divergence::WarpSet& ready, Cycle) override {
    if (ready.contains(preferred)) {
      ready = divergence::WarpSet(64);
      ready.insert(preferred);
    }
  }
  void issued(WarpId warp, Cycle now) override { told.emplace_back(now, warp); }
  std::string waiting(unsigned) const override { return ""; }

  bool keeps = false;
  isa::Pc leave = isa::kNoPc;
  WarpId preferred = 63;
  std::vector<std::pair<Cycle, WarpId>> told;
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

  // After parameters and kernel are set: one warp of 32 lanes per row, all of one block.
  void start(Cycle at = 0, unsigned width = 32) {
    launch.warp_size = width;
    threads = std::make_unique<isa::ThreadStore>(launch, 1024 / width, width, 0, 1);
    for (unsigned row = 0; row < 1024 / width; ++row) threads->start_row(row, block, row * width);
    executor = std::make_unique<isa::Executor>(launch, *threads, memory);
    stage = std::make_unique<IssueStage>("stage", params, context, mechanism, clock, 1, stats);
    stage->dispatch_socket.bind(pipeline.socket);
    stage->advance_socket.bind(early.socket);
    if (fetches) stage->fetch_socket->bind(fetches->socket);
    warp_source.socket.bind(stage->warp_socket);
    release_source.socket.bind(stage->release_socket);
    pipeline.answer = [this](Instruction& instruction, tlm::tlm_phase&) { return take(instruction); };
    early.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
      advance(instruction.warp);
      return tlm::TLM_COMPLETED;
    };
    stage->kernel_started(kernel, *executor, width, at);
    warps.resize(64);
  }
  void enter(Cycle at, WarpId id, LaneMask mask = kAll, std::uint16_t row = 0) {
    before.at(at, [this, id, mask, row] {
      warps[id] = divergence::Warp::of_row(0, row, mask);
      update(Update::kInsert, id);
    });
  }
  void update(Update kind, WarpId id) {
    WarpUpdate message{kind, id, &warps[id]};
    warp_source.send(message);
  }
  // The warp's instruction is written back and, unless it went on at issue or is at a barrier, the warp goes on.
  void complete_at(Cycle at, const Instruction& instruction) {
    before.at(at, [this, instruction] {
      Instruction done = instruction;
      release_source.send(done);
      if (!instruction.advances_at_issue && instruction.op->kind != Kind::kBarrier) advance(instruction.warp);
    });
  }
  void advance(WarpId id) {
    const bool over = kernel.ops[warps[id].pc].kind == Kind::kExit;
    if (!over) ++warps[id].pc;
    update(over ? Update::kRemove : Update::kGoOn, id);
  }
  tlm::tlm_sync_enum take(Instruction& instruction) {
    instruction.hold_cycles = instruction.op->unit == Unit::kSfu ? 16 : hold;
    instruction.port_cycles = port != 0 ? port : instruction.width / params.simd_width;
    if (!accesses_memory(*instruction.op)) {
      complete_at(clock.current() + kLatency, instruction);
      return tlm::TLM_COMPLETED;
    }
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
  Asked mechanism;
  std::unique_ptr<isa::ThreadStore> threads;
  std::unique_ptr<isa::Executor> executor;
  std::unique_ptr<IssueStage> stage;
  Script before{"before", clock, 0};  // write-back and branch unit go before the issue stage
  Source<WarpProtocol> warp_source{"warps", clock};
  Source<InstructionProtocol> release_source{"release", clock};
  Sink<InstructionProtocol> pipeline{"pipeline", clock}, early{"early", clock};
  std::optional<Sink<FetchProtocol>> fetches;  // where params.fetch says that instructions are fetched
  std::deque<divergence::Warp> warps;
  unsigned hold = 4;
  unsigned port = 0;         // cycles of the port; 0: as the SIMD width takes
  Cycle load_done = kNever;  // when loads complete
  Cycle unblocked = kNever;  // when the load/store unit, filled by the next memory instruction, has room again
};

}  // namespace warpfold
