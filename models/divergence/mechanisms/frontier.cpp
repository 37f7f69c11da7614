// SPDX-License-Identifier: Apache-2.0
// Frontier: stackless reconvergence by sorted contexts, as thread frontiers and min-PC have it (Diamos et al., MICRO
// 2011; Collange, Simty).
//
// The threads of a row are in contexts, each at one place in the code. The first in the order of the places runs, so
// that whoever is behind waits, and contexts that come to one place become one: often before the post-dominator that a
// stack knows. Nothing remembers where threads are to meet. A context whose threads wait at a barrier of the block, or
// for a collective, makes room for the next, so that nobody is kept back; but the one that runs does so for as long as
// it stays first: a loop that waits for what comes behind it never ends.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/warp/context_list.h"
#include "warpfold/divergence/parts/warp/context_order.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/isa/memory_ops.h"

namespace warpfold {

namespace divergence {
namespace {

// Which contexts of a row may issue: the first only, or each while those before it wait for memory.
enum class Run : std::uint8_t { kHead, kAny };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::Run> {
  static constexpr std::array names{"head", "any"};
};

namespace divergence {
namespace {

constexpr unsigned kDepthBits = 8;

struct FrontierParams {
  ContextPriority order = ContextPriority::kRpo;
  Run run = Run::kHead;
  static constexpr auto fields() {
    return std::tuple{choice("order", &FrontierParams::order, "which of the contexts of a row goes first"),
                      choice("run", &FrontierParams::run,
                             "while the first one waits for memory its row waits, or the next one issues")};
  }
  // Where any may issue, each thread may be a warp.
  Shape shape(const Geometry& geometry) const {
    if (run == Run::kAny) return warp_per_thread(geometry, geometry.warp_size);
    return {geometry.warp_size, geometry.max_threads / geometry.warp_size};
  }
  // In place of PDOM's stack: the contexts of a row but the first, each with its place, mask and depth and whether it
  // is one, and one sorter a scheduler.
  std::string why_not(const Geometry& core) const { return keeps_its_order(core, "heads of lists"); }
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned lanes = geometry.core.warp_size, depth = order == ContextPriority::kDepthPc ? kDepthBits : 1;
    const unsigned bits = kPcBits + lanes + (order == ContextPriority::kDepthPc ? kDepthBits : 0) + 1;
    Hardware hardware;
    hardware.storage.push_back({"cold contexts",
                                table(geometry.rows() * std::max(lanes - 1, 1U), bits),
                                1,
                                {{"frontier_inserts"}, {"frontier_merges"}, {"frontier_turns"}}});
    hardware.logic.push_back(
        {"context_sorter", {{"Lanes", lanes}, {"PcWidth", kPcBits}, {"DepthWidth", depth}}, geometry.core.schedulers});
    return hardware;
  }
};

class Frontier final : public Mechanism {
 public:
  // Where only the first runs, the contexts of a row take turns in one warp, as the entries of a stack do. Whoever runs
  // ahead may meet others in the next round of a loop.
  Frontier(const FrontierParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.keeps_warps = params.run == Run::kHead, .mixes_paths = true}),
        params_(params),
        core_(core),
        sorter_(core.taps().context_sorter()),
        rows_(geometry.max_threads / geometry.warp_size),
        states_(geometry.max_warps, State::kWaits),
        inserts_(
            core.stats().counter("frontier_inserts", "contexts", "that a divergent branch or a wait added to a row")),
        merges_(core.stats().counter("frontier_merges", "contexts", "that came to the place of another and joined it")),
        turns_(core.stats().counter("frontier_turns", "contexts", "that had waited and became the one that runs")),
        most_(core.stats().counter("frontier_contexts_max", "contexts", "most of a row", Combine::kMax)) {}

  void kernel_started(const isa::Kernel& kernel) override {
    kernel_ = &kernel;
    order_ = ContextOrder(kernel, params_.order);
  }
  void kernel_ended() override {
    for (const Row& row : rows_) check(row.live == 0 && row.warps.empty() && row.cold.empty(), "no context is left");
    check(parked_.inactive == 0 && parked_.reconverging == 0, "no thread is parked when all have exited");
  }

  void block_started(const Block& block) override {
    for (unsigned i = 0; i < block.rows(); ++i) {
      const unsigned index = block.first_row + i;
      rows_[index].live = block.threads[i];
      enter_buffer(index, order_.at(0, block.threads[i]));
    }
  }
  void block_finished(const Block& /*block*/) override {}

  // Where any runs, one may join another, or be joined, whenever there is another.
  bool leaves_at(WarpId id, Pc /*next*/) const override {
    if (params_.run == Run::kHead) return false;
    return core_.warp(id).mask != rows_[row_of(id)].live;
  }

  void committed(WarpId id, Pc next) override { go_on(id, order_.at(next, core_.warp(id).mask), {}); }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const LaneMask active = core_.warp(id).mask, taken = branch.taken & active;
    if (taken == 0 || taken == active || branch.target == branch.pc + 1) {
      committed(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    ++inserts_;
    go_on(id, order_.at(branch.pc + 1, active & ~taken), order_.at(branch.target, taken), branch.reconvergence);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    const LaneMask left = core_.warp(id).mask & ~lanes;
    rows_[row_of(id)].live &= ~lanes;
    go_on(id, left != 0 ? order_.at(next, left) : Context(), {});
  }

  // Whoever is alone in its row keeps nobody waiting.
  bool gives_up(WarpId id) override {
    const unsigned index = row_of(id);
    if (core_.warp(id).mask == rows_[index].live) return false;
    leave_buffer(id);
    if (params_.run == Run::kHead) next_turn(index);
    return true;
  }
  void together(const Warp& warp) override {
    for_each_row(warp, warp.mask, [&](unsigned index, LaneMask lanes) { come_back(index, order_.at(warp.pc, lanes)); });
  }

  void prefer(WarpSet& ready, Cycle /*now*/) override {
    if (params_.run == Run::kHead) return;
    for (WarpId id = ready.next(0); id != kNoWarp; id = ready.next(id + 1)) {
      const Context mine = context(id);
      const std::vector<WarpId>& all = rows_[row_of(id)].warps;
      const bool is_behind = std::any_of(all.begin(), all.end(), [&](WarpId other) {
        return (ready.contains(other) || states_[other] == State::kRuns) && goes_before(context(other), mine);
      });
      if (is_behind) ready.erase(id);
    }
  }
  void issued(WarpId id, Cycle /*now*/) override {
    states_[id] = isa::waits_on_memory(kernel_->ops[core_.warp(id).pc]) ? State::kAtMemory : State::kRuns;
  }

  Parked parked() const override { return parked_; }
  std::string waiting(unsigned /*block_slot*/) const override {
    return "threads whose turn comes behind the others of their row, by the order of the code";
  }

 private:
  struct Row {
    LaneMask live = 0;
    std::vector<WarpId> warps;  // contexts in the warp buffer; at most one where only the first runs
    ContextList cold;           // the others, then
    LaneMask cold_lanes = 0;
    LaneMask met = 0;  // of those, threads that ran until they came behind others
  };

  enum class State : std::uint8_t { kWaits, kRuns, kAtMemory };

  static unsigned count(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }
  unsigned row_of(WarpId id) const { return lowest_row(core_.warp(id)); }
  Context context(WarpId id) const {
    const Warp& warp = core_.warp(id);
    return order_.at(warp.pc, warp.mask);
  }

  WarpId enter_buffer(unsigned index, const Context& context) {
    const WarpId id = core_.insert(Warp::of_row(order_.pc(context), static_cast<std::uint16_t>(index), context.mask),
                                   core_.scheduler_of_row(index));
    rows_[index].warps.push_back(id);
    states_[id] = State::kWaits;
    most_.raise_to(rows_[index].warps.size() + rows_[index].cold.size());
    return id;
  }
  void leave_buffer(WarpId id) {
    std::vector<WarpId>& warps = rows_[row_of(id)].warps;
    warps.erase(std::find(warps.begin(), warps.end(), id));
    core_.remove(id);
  }

  // The threads of a warp are in up to two contexts now, or in none. `meets`: the
  // reconvergence point of the branch that parts them.
  void go_on(WarpId id, const Context& one, const Context& other, Pc meets = isa::kNoPc) {
    if (params_.run == Run::kAny) {
      divide(id, one, other);
    } else {
      take_turns(id, one, other, meets);
    }
  }

  // Only the first runs.
  void take_turns(WarpId id, const Context& one, const Context& other, Pc meets) {
    const unsigned index = row_of(id);
    Row& row = rows_[index];
    if (one.mask != 0 && other.mask == 0 && row.cold.lets_run(one)) {
      show(id, one);
      return;
    }
    const ContextList::Step step = row.cold.step(sorter_, one, other);
    const unsigned wait = sorter_wait(index);
    merges_ += step.merges;
    if (step.next.mask == 0) {
      leave_buffer(id);
      return;
    }
    if ((step.next.mask & row.cold_lanes) != 0) ++turns_;
    const bool parts = one.mask != 0 && other.mask != 0;
    for (const Context& side : {one, other}) {
      if (side.mask != 0 && (!parts || order_.pc(side) == meets)) row.met |= side.mask;
    }
    set_cold(row, (row.cold_lanes | one.mask | other.mask) & ~step.next.mask);
    show(id, step.next);
    core_.hold(id, wait);
    most_.raise_to(1 + row.cold.size());
  }
  void show(WarpId id, const Context& context) {
    Warp& warp = core_.warp(id);
    warp.pc = order_.pc(context);
    warp.mask = context.mask;
  }
  // The one that ran is away: the next gets a warp.
  void next_turn(unsigned index) {
    Row& row = rows_[index];
    if (row.cold.empty()) return;
    const Context next = row.cold.step(sorter_, {}, {}).next;
    ++turns_;
    set_cold(row, row.cold_lanes & ~next.mask);
    core_.hold(enter_buffer(index, next), sorter_wait(index));
  }
  // A scheduler's sorter is asked for what it has just sorted.
  unsigned sorter_wait(unsigned index) {
    return core_.occupy(Unit::kSorter, core_.scheduler_of_row(index), sorter_.clocks.take());
  }
  void set_cold(Row& row, LaneMask lanes) {
    const LaneMask met = row.met & lanes, met_before = row.met & row.cold_lanes;
    parked_.inactive += count(lanes & ~met);
    parked_.inactive -= count(row.cold_lanes & ~met_before);
    parked_.reconverging += count(met);
    parked_.reconverging -= count(met_before);
    row.cold_lanes = lanes;
    row.met = met;
  }

  // Each runs: a warp that is to issue at a context's place takes its threads, else the context is a warp by itself.
  void divide(WarpId id, Context one, Context other) {
    const unsigned index = row_of(id);
    if (joins(index, one)) one.mask = 0;
    if (joins(index, other)) other.mask = 0;
    if (one.mask == 0) std::swap(one, other);
    if (one.mask == 0) {
      leave_buffer(id);
      return;
    }
    show(id, one);
    states_[id] = State::kWaits;
    if (other.mask != 0) enter_buffer(index, other);
  }
  bool joins(unsigned index, const Context& context) {
    if (context.mask == 0) return false;
    const std::vector<WarpId>& warps = rows_[index].warps;
    const auto at = std::find_if(warps.begin(), warps.end(), [&](WarpId id) {
      return states_[id] == State::kWaits && core_.warp(id).pc == order_.pc(context);
    });
    if (at == warps.end()) return false;
    core_.warp(*at).mask |= context.mask;
    ++merges_;
    return true;
  }

  // Threads have waited elsewhere. Where only the first runs, it is not interrupted: it may have something in flight.
  void come_back(unsigned index, const Context& context) {
    Row& row = rows_[index];
    if (joins(index, context)) return;
    ++inserts_;
    if (params_.run == Run::kAny || row.warps.empty()) {
      enter_buffer(index, context);
      return;
    }
    if (row.cold.insert(context)) ++merges_;
    set_cold(row, row.cold_lanes | context.mask);
    most_.raise_to(1 + row.cold.size());
  }

  FrontierParams params_;
  Core& core_;
  ContextSorter& sorter_;
  const isa::Kernel* kernel_ = nullptr;
  ContextOrder order_;
  std::vector<Row> rows_;
  // By warp. It waits, and others may join it, until it has issued since it entered the buffer or, where any runs,
  // since it went on; then it runs, be it in memory.
  std::vector<State> states_;
  Parked parked_;
  Counter &inserts_, &merges_, &turns_, &most_;
};

const Register<FrontierParams, Frontier> frontier_registration(
    "frontier", "stackless: the threads of a warp that are first in the code run, and join whom they come to",
    "Diamos et al., MICRO 2011; Collange, Simty");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
