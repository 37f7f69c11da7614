// SPDX-License-Identifier: Apache-2.0
// Runs a flow program under a mechanism on a fake core, warp by warp, and holds every thread to its reference.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/divergence/fake_core.h"
#include "tests/divergence/flow_program.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::divergence {

struct FlowSetup {
  std::string mechanism;
  std::vector<std::string> parameters;  // "branch_order=fewest_first"
  unsigned width = 4;
  unsigned max_rows = 8;  // per block
  unsigned max_blocks = 1;
  unsigned schedulers = 1;
  bool spills_take_time = false;

  Configured configured() const {
    ConfigNode node;
    for (const std::string& parameter : parameters) node.set(parameter);
    return find_mechanism(mechanism).configure(node);
  }
  // Warps and SIMD units are equally wide.
  Geometry geometry() const {
    Geometry geometry;
    geometry.warp_size = geometry.simd_width = width;
    geometry.max_threads = max_rows * max_blocks * width;
    geometry.max_blocks = max_blocks;
    geometry.schedulers = schedulers;
    geometry.max_warps = configured().shape(geometry).warp_slots;
    return geometry;
  }
};

// What a mechanism may read of a program: kinds, targets, points of reconvergence and of likely convergence, and
// whether there is a guard.
inline isa::Kernel kernel_of(const Program& program) {
  isa::Kernel kernel;
  kernel.name = std::string("k");
  kernel.file = std::string("k.ptx");
  const std::vector<Pc> points = reconvergence_points(program);
  for (Pc pc = 0; pc < program.size(); ++pc) {
    isa::MicroOp& op = kernel.ops.emplace_back();
    op.line = pc + 1;
    op.kind = program[pc].kind == FlowOp::Kind::kBranch ? isa::Kind::kBranch
              : program[pc].kind == FlowOp::Kind::kExit ? isa::Kind::kExit
              : program[pc].loads                       ? isa::Kind::kLoad
                                                        : isa::Kind::kFence;
    op.target = program[pc].target;
    op.reconvergence = points[pc];
    op.may_diverge = program[pc].may_diverge;
    if (program[pc].outcome) op.guard = 0;
  }
  const isa::Cfg cfg(isa::flow_of(kernel));
  for (Pc pc = 0; pc < program.size(); ++pc) {
    const Pc likely = kernel.ops[pc].kind == isa::Kind::kBranch ? cfg.likely_convergence(pc) : isa::kNoPc;
    if (likely != kernel.ops[pc].reconvergence) kernel.ops[pc].likely = likely;
  }
  return kernel;
}

// The rows of a block of `threads` threads.
inline std::vector<LaneMask> rows_of(unsigned threads, unsigned width) {
  std::vector<LaneMask> rows;
  for (unsigned done = 0; done < threads; done += width) {
    const unsigned lanes = std::min(width, threads - done);
    rows.push_back(lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1);
  }
  return rows;
}

class FlowMachine {
 public:
  FlowMachine(const FlowSetup& setup, Program program)
      : core(setup.geometry().max_warps, setup.max_rows * setup.max_blocks, setup.max_rows, setup.schedulers),
        mechanism(setup.configured().make(setup.geometry(), core)),
        setup_(setup),
        program_(std::move(program)),
        kernel_(kernel_of(program_)),
        max_warps_(setup.geometry().max_warps),
        blocks_(setup.max_blocks) {
    core.spills_take_time = setup.spills_take_time;
    mechanism->kernel_started(kernel_);
  }

  void start(unsigned slot, std::uint64_t id, unsigned threads) {
    Resident& resident = blocks_.at(slot);
    check(resident.live == 0, "a block starts in a free slot");
    resident.block = {slot, id, started_++, slot * setup_.max_rows, rows_of(threads, setup_.width)};
    resident.live = threads;
    resident.states.assign(threads, {});
    resident.executed.assign(threads, 0);
    resident.expected.clear();
    for (unsigned thread = 0; thread < threads; ++thread)
      resident.expected.push_back(reference(program_, {id, thread}));
    mechanism->block_started(resident.block);
  }

  // Lowest warp first; the compactor needs no time.
  void run() {
    run([](const std::vector<WarpId>& warps) { return warps.front(); });
  }
  // The lowest of the warps that the mechanism prefers when all are ready.
  void run_preferred() {
    run([this](const std::vector<WarpId>& warps) {
      WarpSet ready(max_warps_);
      for (const WarpId id : warps) ready.insert(id);
      mechanism->prefer(ready, cycle_);
      return ready.next(0);
    });
  }
  // All threads have exited.
  void end() {
    check(core.warps().empty() && core.requests.empty(), "nothing is left when all threads have exited");
    mechanism->kernel_ended();
  }

  // Warps and compactor in random order.
  void run_some(std::mt19937_64& random, unsigned steps) {
    for (; steps > 0 && live() > 0; --steps) {
      mechanism->tick(++cycle_);
      if (!core.spilling.empty() && (random() % 4 == 0 || (core.warps().empty() && core.requests.empty()))) {
        core.answer_spill(*mechanism);
      }
      std::vector<WarpId> warps = core.warps();
      if (warps.empty() && core.requests.empty() && !core.spilling.empty()) continue;
      if (warps.empty() && core.requests.empty()) {
        tick();
        warps = core.warps();
      }
      check(!warps.empty() || !core.requests.empty(), "threads are left and no warp runs them");
      if (!core.requests.empty() && random() % (warps.size() + 1) == 0) {
        core.deliver(*mechanism);
      } else if (!warps.empty()) {
        const WarpId id = pick(warps, random);
        if (id != kNoWarp) issue(id);
      }
      core.check_places();
    }
  }

  void issue(WarpId id) {
    begin(id);
    finish(id);
  }
  // What a mechanism issues in a cycle: the lowest of those that it prefers when all are ready, and its partners. All
  // of them issue before any is done. Returns "2:3|4:c", what they execute and for whom, where there is one row.
  std::string issue_parts() {
    if (core.warps().empty()) tick();
    WarpSet ready(max_warps_);
    for (const WarpId id : core.warps()) ready.insert(id);
    WarpSet preferred = ready;
    mechanism->prefer(preferred, ++cycle_);
    std::string text;
    std::vector<WarpId> ids;
    IssuedParts parts{preferred.next(0), 0, 0};
    check(parts.first != kNoWarp, "of all warps one may issue");
    for (WarpId id = parts.first; id != kNoWarp; id = mechanism->partner(parts, ready, cycle_)) {
      const Warp& warp = core.warp(id);
      check(ready.contains(id) && (warp.mask & parts.lanes) == 0, "partners are ready and have lanes of their own");
      ready.erase(id);
      ids.push_back(id);
      parts.lanes |= warp.mask;
      ++parts.count;
      text += fmt::format("{}{}:{:x}", text.empty() ? "" : "|", warp.pc, warp.mask);
      begin(id);
    }
    for (const WarpId id : ids) finish(id);
    return text;
  }

  unsigned live() const {
    unsigned total = 0;
    for (const Resident& resident : blocks_) total += resident.live;
    return total;
  }
  unsigned live(unsigned slot) const { return blocks_.at(slot).live; }

  // "0{0,1,2,3} 3{1,3} …": what was issued, in order.
  std::string issued() const {
    std::string text;
    for (const Issue& issue : trace) text += fmt::format("{}{}{}", text.empty() ? "" : " ", issue.pc, issue.threads);
    return text;
  }
  unsigned issues_at(Pc pc) const {
    return static_cast<unsigned>(std::count_if(trace.begin(), trace.end(), [&](const Issue& i) { return i.pc == pc; }));
  }

  struct Issue {
    Pc pc;
    std::string threads;
    unsigned block;
  };
  FakeCore core;
  std::unique_ptr<Mechanism> mechanism;
  std::vector<Issue> trace;
  bool traces = true;  // what is issued, for those who read it

 private:
  void begin(WarpId id) {
    const Warp& warp = core.warp(id);
    const Resident& resident = blocks_.at(core.block_of(id));
    if (traces) {
      trace.push_back({warp.pc, threads_text(warp, setup_.width, resident.block.first_row), resident.block.slot});
    }
    mechanism->issued(id, cycle_);
  }
  void finish(WarpId id) {
    const Warp warp = core.warp(id);
    LaneMask happens = 0;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (execute_lane(warp, lane)) happens |= LaneMask{1} << lane;
    }
    const FlowOp& op = program_[warp.pc];
    switch (op.kind) {
      case FlowOp::Kind::kStep:
        commit(id, warp);
        break;
      case FlowOp::Kind::kBranch:
        check(op.may_diverge || happens == 0 || happens == warp.mask || mechanism->traits.mixes_paths,
              "a uniform branch of this test is uniform");
        resolve(id, warp,
                {warp.pc, happens, op.target, kernel_.ops[warp.pc].reconvergence, kernel_.ops[warp.pc].likely,
                 op.may_diverge});
        break;
      case FlowOp::Kind::kExit:
        happens == 0 ? commit(id, warp) : exit(id, warp, happens);
        break;
    }
  }

  template <class Pick>
  void run(Pick pick) {
    while (live() > 0) {
      while (!core.requests.empty()) core.deliver(*mechanism);
      tick();
      const std::vector<WarpId> warps = core.warps();
      if (!core.spilling.empty() && warps.empty()) {
        core.answer_spill(*mechanism);
        continue;
      }
      check(!warps.empty(), "threads are left and no warp runs them");
      issue(pick(warps));
    }
    end();
  }

  // The mechanism's own moves, until it makes none.
  void tick() {
    while (mechanism->tick(++cycle_) != kNever) continue;
    for (unsigned s = 0; s < setup_.schedulers && core.warps().empty() && core.requests.empty(); ++s) {
      mechanism->running_dry(s, cycle_);
    }
  }

  // One of those that the mechanism prefers among some of the warps, as if the others were not ready.
  WarpId pick(const std::vector<WarpId>& warps, std::mt19937_64& random) {
    WarpSet ready(max_warps_);
    ready.insert(warps[random() % warps.size()]);
    for (const WarpId id : warps) {
      if (random() % 2 == 0) ready.insert(id);
    }
    WarpSet preferred = ready;
    mechanism->prefer(preferred, cycle_);
    check((WarpSet(preferred) -= ready).empty(), "preferred warps are ready warps");
    const WarpId id = preferred.next(static_cast<WarpId>(random() % warps.size()));
    return id != kNoWarp ? id : preferred.next(0);
  }

  struct Resident {
    Block block;
    unsigned live = 0;
    std::vector<ThreadState> states;
    std::vector<std::size_t> executed;  // instructions of each thread
    std::vector<std::vector<Pc>> expected;
  };

  bool execute_lane(const Warp& warp, unsigned lane) {
    const unsigned row = warp.row[lane];
    Resident& resident = blocks_.at(core.block_of_row(row));
    check(row >= resident.block.first_row && row < resident.block.first_row + resident.block.rows(),
          "a warp's threads are of a resident block");
    const unsigned thread = (row - resident.block.first_row) * setup_.width + lane;
    ThreadState& state = resident.states.at(thread);
    check(!state.exited, "a thread that has exited executes nothing");
    check(resident.executed[thread] < resident.expected[thread].size() &&
              resident.expected[thread][resident.executed[thread]] == warp.pc,
          "a thread executes what it would execute alone");
    ++resident.executed[thread];
    return execute(program_, {resident.block.id, thread}, state);
  }

  void commit(WarpId id, const Warp& before) {
    const bool leaves = mechanism->leaves_at(id, before.pc + 1);
    mechanism->committed(id, before.pc + 1);
    if (!leaves) check_stays(id, before, {before.pc + 1, before.pc + 1});
  }

  void resolve(WarpId id, const Warp& before, const Branch& branch) {
    const bool some_take = branch.taken != 0, some_do_not = branch.taken != before.mask;
    const bool leaves = (some_take && mechanism->leaves_at(id, branch.target)) ||
                        (some_do_not && mechanism->leaves_at(id, branch.pc + 1)) ||
                        mechanism->leaves_by(id, branch, some_take && some_do_not);
    mechanism->branch_resolved(id, branch);
    if (!leaves) check_stays(id, before, {branch.pc + 1, branch.target});
  }

  void check_stays(WarpId id, const Warp& before, std::array<Pc, 2> next) {
    check(core.live(id), "leaves_at and leaves_by announce that threads leave their warp");
    const Warp& after = core.warp(id);
    const bool as_it_is = after.mask == before.mask && (after.pc == next[0] || after.pc == next[1]);
    check(mechanism->traits.keeps_warps || core.waits(id) || as_it_is || after.row == before.row,
          "a warp that nobody leaves goes on as it is, or on another path of its threads");
  }

  void exit(WarpId id, const Warp& warp, LaneMask lanes) {
    mechanism->exited(id, lanes, warp.pc + 1);
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      Resident& resident = blocks_.at(core.block_of_row(warp.row[static_cast<unsigned>(std::countr_zero(rest))]));
      if (--resident.live == 0) mechanism->block_finished(resident.block);
    }
  }

  FlowSetup setup_;
  Program program_;
  isa::Kernel kernel_;
  unsigned max_warps_;  // the setup says so slowly
  std::vector<Resident> blocks_;
  std::uint64_t started_ = 0;
  Cycle cycle_ = 0;
};

}  // namespace warpfold::divergence
