// SPDX-License-Identifier: Apache-2.0
// HARP: both sides of a branch run at once in short-lived warps, which gather threads of other warps on their way and
// dissolve at reconvergence barriers (HARP §4).
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/harp/harp_barriers.h"
#include "warpfold/divergence/parts/harp/harp_levels.h"
#include "warpfold/divergence/parts/harp/harp_lookup.h"
#include "warpfold/divergence/parts/harp/harp_statistics.h"
#include "warpfold/divergence/parts/lane_registers.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/isa/memory_ops.h"

namespace warpfold {

namespace divergence {
namespace {

// Who goes without a barrier when one of a diverging warp's threads finds its set full: §4.2.2 and §7.3 say that
// thread, §4.2.4 says the warp.
enum class Miss : std::uint8_t { kThread, kWarp };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::Miss> {
  static constexpr std::array names{"thread", "warp"};
};

namespace divergence {
namespace {

struct HarpParams {
  static constexpr Regroups kRegroups = Regroups::kCore;
  unsigned first_level_entries = 8;
  unsigned second_level_entries = 512;
  unsigned ready_lookup_entries = 8;
  unsigned waiting_lookup_entries = 8;
  unsigned lookup_departs_below = 2;
  unsigned barrier_entries = 128;
  unsigned barrier_ways = 16;
  unsigned barrier_latency_cycles = 1;
  unsigned barrier_stages = 1;
  Miss barrier_miss = Miss::kThread;

  static constexpr auto fields() {
    using P = HarpParams;
    return std::tuple{
        field("first_level_entries", "entries", &P::first_level_entries, 1, 4096, "ready warps to issue next"),
        field("second_level_entries", "entries", &P::second_level_entries, 1, 4096,
              "the other active warps; those that find no room are in memory"),
        field("ready_lookup_entries", "entries", &P::ready_lookup_entries, 0, 1024,
              "warps of threads that have just diverged; 0: none wait to be merged"),
        field("waiting_lookup_entries", "entries", &P::waiting_lookup_entries, 0, 1024,
              "warps that wait for memory; 0: none merge there"),
        field("lookup_departs_below", "warps", &P::lookup_departs_below, 1, 4096,
              "ready in Second-Level: fewer let a warp leave Ready-Lookup"),
        field("barrier_entries", "entries", &P::barrier_entries, 1, 65'536, "of the reconvergence barrier table"),
        field("barrier_ways", "entries", &P::barrier_ways, 1, 65'536, "of a set of it"),
        field("barrier_latency_cycles", "cycles", &P::barrier_latency_cycles, 1, 64,
              "stages of its search, which every commit waits for"),
        field("barrier_stages", "stages", &P::barrier_stages, 1, 2,
              "of the RTL of the table, where its clocks count: clocks that a row takes"),
        choice("barrier_miss", &P::barrier_miss, "what goes without a barrier when a set is full")};
  }
  std::string why_not(const Geometry& geometry) const {
    if (barrier_entries % barrier_ways == 0) return keeps_its_order(geometry, "warps of First-Level");
    return fmt::format("barrier_ways = {} must divide barrier_entries = {}", barrier_ways, barrier_entries);
  }
  // Warps are as wide as the SIMD units, and any thread may be a warp (§4.2.4). Rows need not divide by schedulers.
  Shape shape(const Geometry& geometry) const { return warp_per_thread(geometry, geometry.simd_width); }
  bool spills() const { return true; }
  Hardware hardware(const HardwareGeometry& geometry) const;
};

// Rows whose threads are a scheduler's.
unsigned rows_of_scheduler(const Geometry& core) {
  return (core.max_threads / core.simd_width + core.schedulers - 1) / core.schedulers;
}
// Of a warp in a table: its pc and the row of each lane's thread.
unsigned warp_bits(const Geometry& core) { return kPcBits + core.simd_width * index_bits(rows_of_scheduler(core)); }

// The tables of §4.2 as Table 7 has them, each once per scheduler. It does not say how many ports they have: three in
// the barrier table, which every commit searches, and one in the others come nearest to its areas. First-Level holds
// warps as Second-Level does; Table 7 leaves it out.
Hardware HarpParams::hardware(const HardwareGeometry& geometry) const {
  const Geometry& core = geometry.core;
  const unsigned lanes = core.simd_width, schedulers = core.schedulers;
  const unsigned rows = rows_of_scheduler(core), row_bits = index_bits(rows), warp = warp_bits(core);
  const auto barriers = [&](unsigned tag_bits, unsigned bits) {
    area::Storage storage = table(barrier_entries, bits);
    storage.kind = area::Kind::kCache;
    storage.ways = barrier_ways;
    storage.tag_bits = tag_bits;
    storage.read_write_ports = 1;
    return storage;
  };
  const double all_lanes = lanes;
  Hardware hardware;
  hardware.storage = {
      {"barrier lanes",
       barriers(row_bits, row_bits + 1),
       lanes * schedulers,
       {{"warp_instructions", all_lanes}, {"harp_barriers_reserved", all_lanes}}},
      {"barrier pcs", barriers(1 + kPcBits, kPcBits), schedulers, {{"warp_instructions"}, {"harp_barriers_reserved"}}},
      {"second level",
       one_port_table(second_level_entries, warp + 2),
       schedulers,
       {{"warp_instructions"}, {"harp_ready_lookup_entered"}, {"harp_reborn_warps"}}},
      {"first level", table(first_level_entries, warp), schedulers, {{"warp_instructions", 2}}}};
  // Few entries: pcs, which are compared with all, and masks are the RTL's; RAMs hold the rows of the threads. Whoever
  // enters is written and later read, whoever joins read and written.
  const auto lookup = [&](const char* name, unsigned entries, const char* module, std::vector<Access> accesses) {
    if (entries == 0) return;
    hardware.storage.push_back({name, table(entries, lanes * row_bits), schedulers, std::move(accesses)});
    hardware.logic.push_back(
        {module, {{"Lanes", lanes}, {"Entries", entries}, {"Rows", rows}, {"PcWidth", kPcBits}}, schedulers});
  };
  lookup("ready lookup", ready_lookup_entries, "ready_lookup",
         {{"harp_ready_lookup_entered", 2}, {"harp_ready_lookup_merges", 2}});
  lookup("waiting lookup", waiting_lookup_entries, "waiting_lookup",
         {{"harp_waiting_lookup_entered", 2}, {"harp_waiting_lookup_merges", 2}});
  add_lane_registers(hardware, geometry);
  hardware.logic.push_back({"barrier_table",
                            {{"Lanes", lanes},
                             {"Entries", barrier_entries},
                             {"Ways", barrier_ways},
                             {"Rows", rows},
                             {"PcWidth", kPcBits},
                             {"Stages", barrier_stages}},
                            schedulers});
  return hardware;
}

// Does the instruction keep its warp in Waiting-Lookup? A generic address may be one of global memory.
bool accesses_global_memory(const isa::MicroOp& op) {
  return isa::accesses_memory(op) &&
         (op.space == isa::Space::kGlobal || op.space == isa::Space::kGeneric || op.space == isa::Space::kTexture);
}

class Harp final : public Mechanism {
 public:
  Harp(const HarpParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.mixes_paths = true}),
        params_(params),
        core_(core),
        counters_(core.stats()),
        warp_bytes_((warp_bits(geometry) + 7) / 8),
        on_memory_(geometry.max_warps, false),
        block_rows_(geometry.max_blocks) {
    for (unsigned s = 0; s < geometry.schedulers; ++s) schedulers_.emplace_back(params, geometry);
    const BarrierTableShape table{params.barrier_entries, params.barrier_ways, sharing(geometry),
                                  params.barrier_stages};
    for (unsigned s = 0; s < geometry.schedulers; ++s) {
      schedulers_[s].barriers.played_by(core.taps().barrier_player(s, table));
      LookupObserver* const lookups =
          core.taps().lookup_observer(s, params.ready_lookup_entries, params.waiting_lookup_entries);
      schedulers_[s].ready.observe(lookups);
      schedulers_[s].waiting.observe(lookups);
    }
  }

  void kernel_started(const isa::Kernel& kernel) override {
    kernel_ = &kernel;
    counters_.restart();
    for (Scheduler& scheduler : schedulers_) scheduler.barriers.kernel_started(kernel.end());
  }

  void kernel_ended() override {
    for (const Scheduler& scheduler : schedulers_) {
      check(scheduler.levels.empty(), "no warp is left in First- or Second-Level at a kernel's end");
      check(scheduler.ready.empty() && scheduler.waiting.used() == 0, "no warp is left in a Lookup table");
      check(scheduler.barriers.used() == 0, "no reconvergence barrier is left at a kernel's end");
    }
  }

  void block_started(const Block& block) override {
    block_rows_[block.slot] = {block.first_row, block.rows()};
    for (unsigned row = 0; row < block.rows(); ++row) {
      enter(Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]));
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId id, Pc next) const override {
    return on_memory_[id] || schedulers_[id % schedulers_.size()].barriers.looks_ahead(core_.warp(id), next) != 0;
  }

  void committed(WarpId id, Pc next) override {
    if (on_memory_[id] && !back_from_memory(id)) return;
    go_on(id, next);
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const Warp& warp = core_.warp(id);
    const LaneMask taken = branch.taken & warp.mask, fall_through = warp.mask & ~taken;
    if (taken == 0 || fall_through == 0 || branch.target == branch.pc + 1) {
      go_on(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    Scheduler& scheduler = scheduler_of(id);
    if (branch.reconvergence < kernel_->end()) reserve(scheduler, warp, branch.reconvergence);
    std::array<Warp, 2> sides{warp, warp};
    core_.remove(id);
    scheduler.levels.leave(id);
    // The fall-through side enters first: Fig. 10 has block B leave before block C.
    sides[0].pc = branch.pc + 1;
    narrow(sides[0], fall_through);
    sides[1].pc = branch.target;
    narrow(sides[1], taken);
    for (Warp& side : sides) wait_at_barrier(scheduler, side, side.pc);
    const ReadyLookup::Result result = scheduler.ready.take(sides);
    counters_.ready_merges += result.merged;
    counters_.ready_entered += result.entered;
    counters_.ready_full += result.bypassed;
    const unsigned wait = barrier_wait(scheduler);
    for (const Warp& side : sides) {
      if (side.mask != 0) enter(side, wait);
    }
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    scheduler_of(id).barriers.leave(warp, lanes);
    if ((warp.mask & ~lanes) == 0) {
      barrier_wait(scheduler_of(id));
      remove(id);
      return;
    }
    narrow(warp, ~lanes);
    go_on(id, next);
  }

  // A thread that comes to a barrier of its block holds barriers here only if its warp-mates went another way, so they
  // are of another block, or ahead in a loop: one that missed a barrier may be. They must not wait for it, since it may
  // wait for threads that wait for them. Nor must those that wait here while it waits for them at a collective.
  bool gives_up(WarpId id) override {
    const Warp& warp = core_.warp(id);
    counters_.barriers_given_up += scheduler_of(id).barriers.leave(warp, warp.mask);
    barrier_wait(scheduler_of(id));
    remove(id);
    return true;
  }
  void together(const Warp& warp) override { enter(warp); }

  void prefer(WarpSet& ready, Cycle /*now*/) override { ready &= scheduler_of(ready.next(0)).levels.first_level(); }

  void issued(WarpId id, Cycle /*now*/) override {
    Scheduler& scheduler = scheduler_of(id);
    const Warp& warp = core_.warp(id);
    if (!accesses_global_memory(kernel_->ops[warp.pc])) {
      scheduler.levels.issued(id);
      return;
    }
    // Also a warp that finds the table full waits until the access completes, in Second-Level.
    on_memory_[id] = true;
    const WaitingLookup::Outcome outcome = scheduler.waiting.issued(id, warp);
    if (outcome == WaitingLookup::Outcome::kFull) {
      ++counters_.waiting_full;
      scheduler.levels.issued(id);
      return;
    }
    ++(outcome == WaitingLookup::Outcome::kMerged ? counters_.waiting_merges : counters_.waiting_entered);
    scheduler.levels.leave(id);
  }

  Cycle tick(Cycle now) override {
    Cycle next = kNever;
    counters_.account(now);
    for (Scheduler& scheduler : schedulers_) next = std::min(next, tick(scheduler, now));
    return next;
  }

  void spilled(unsigned owner) override {
    WarpLevels& levels = scheduler_of(owner).levels;
    if (levels.is_on_its_way(owner)) levels.back(owner);
  }

  Parked parked() const override {
    Parked parked;
    for (const Scheduler& scheduler : schedulers_) {
      parked.inactive += scheduler.ready.threads() + scheduler.waiting.threads();
      parked.reconverging += scheduler.barriers.waiting();
    }
    return parked;
  }

  std::string waiting(unsigned block_slot) const override {
    const auto [first, rows] = block_rows_[block_slot];
    const auto into = [first = first, rows = rows](unsigned& threads) {
      return [&threads, first, rows](const Warp& warp) {
        for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
          if (row >= first && row < first + rows) threads += isa::count_lanes(lanes);
        });
      };
    };
    unsigned ready = 0, memory = 0, reconverging = 0;
    for (const Scheduler& scheduler : schedulers_) {
      std::for_each(scheduler.ready.warps().begin(), scheduler.ready.warps().end(), into(ready));
      scheduler.waiting.for_each_waiting(into(memory));
      scheduler.barriers.for_each_waiting(into(reconverging));
    }
    return fmt::format("{} in Ready-Lookup, {} in Waiting-Lookup, {} at reconvergence barriers", ready, memory,
                       reconverging);
  }

 private:
  struct Scheduler {
    Scheduler(const HarpParams& params, const Geometry& geometry)
        : levels({params.first_level_entries, params.second_level_entries, params.barrier_latency_cycles - 1},
                 geometry.max_warps),
          ready(params.ready_lookup_entries),
          waiting(params.waiting_lookup_entries, geometry.max_warps),
          barriers(params.barrier_entries, params.barrier_ways, sharing(geometry), params.barrier_stages) {}
    WarpLevels levels;
    ReadyLookup ready;
    WaitingLookup waiting;
    ReconvergenceBarriers barriers;
  };
  struct Rows {
    unsigned first = 0, count = 0;
  };

  // A barrier's set is that of its row among a scheduler's: of rows in turn every n-th is one, of whole blocks each may
  // be.
  static unsigned sharing(const Geometry& geometry) { return geometry.deals_blocks ? 1 : geometry.schedulers; }
  Scheduler& scheduler_of(WarpId id) { return schedulers_[id % schedulers_.size()]; }

  // Schedulers share nothing. The warp waits for so many cycles for an answer about it.
  void enter(const Warp& warp, unsigned wait = 0) {
    const unsigned row = lowest_row(warp);
    enter_levels(core_.insert(warp, core_.scheduler_of_row(row)), wait);
  }
  void enter_levels(WarpId id, unsigned wait) {
    core_.hold(id, wait);
    if (scheduler_of(id).levels.enter(id)) return;
    ++counters_.spills;
    core_.spill({Spill::Way::kOut, id, 0, warp_bytes_});
  }
  // The scheduler's barrier table is asked for what it has just done, after what it was asked for before.
  unsigned barrier_wait(Scheduler& scheduler) {
    const unsigned clocks = scheduler.barriers.clocks.take();
    return clocks != 0 ? core_.occupy(Unit::kBarriers, static_cast<unsigned>(&scheduler - schedulers_.data()), clocks)
                       : 0;
  }
  void remove(WarpId id) {
    core_.remove(id);
    scheduler_of(id).levels.leave(id);
  }

  // A warp's memory operation has completed. False: its threads wait for those of the warps that it has merged with.
  bool back_from_memory(WarpId id) {
    on_memory_[id] = false;
    Scheduler& scheduler = scheduler_of(id);
    if (!scheduler.waiting.holds(id)) return true;
    if (!scheduler.waiting.completed(id, core_.warp(id))) {
      core_.remove(id);
      return false;
    }
    return true;
  }

  void reserve(Scheduler& scheduler, const Warp& warp, Pc rpc) {
    const auto [entries, misses] = scheduler.barriers.reserve(warp, rpc, params_.barrier_miss == Miss::kWarp);
    counters_.barriers_reserved += entries;
    counters_.barrier_misses += isa::count_lanes(misses);
  }

  // Those of a warp's threads that hold a barrier at `pc` leave it to wait there.
  void wait_at_barrier(Scheduler& scheduler, Warp& warp, Pc pc) {
    const LaneMask here = scheduler.barriers.held(warp, pc);
    if (here == 0) return;
    scheduler.barriers.reach(warp, here, pc);
    narrow(warp, ~here);
  }

  void go_on(WarpId id, Pc next) {
    Scheduler& scheduler = scheduler_of(id);
    Warp& warp = core_.warp(id);
    wait_at_barrier(scheduler, warp, next);
    const unsigned wait = barrier_wait(scheduler);
    if (warp.mask == 0) {
      remove(id);
      return;
    }
    warp.pc = next;
    enter_levels(id, wait);
  }

  // One warp to First-Level and one to Second-Level: of the barriers before one of Ready-Lookup, which gains by staying
  // and leaves only when Second-Level runs out of ready warps (§4.2.3, §7.3.2).
  Cycle tick(Scheduler& scheduler, Cycle now) {
    const unsigned ready = scheduler.levels.ready();
    scheduler.levels.settle(now);
    const WarpId returning = scheduler.levels.returning();
    if (returning != kNoWarp) {
      scheduler.levels.on_its_way(returning);
      if (core_.spill({Spill::Way::kIn, returning, 0, warp_bytes_})) scheduler.levels.back(returning);
    }
    if (scheduler.barriers.complete()) {
      ++counters_.reborn;
      const Warp reborn = scheduler.barriers.take_complete();
      enter(reborn, barrier_wait(scheduler));
    } else if (!scheduler.ready.empty() && ready < params_.lookup_departs_below) {
      enter(scheduler.ready.pop());
    }
    counters_.first.sample(scheduler.levels.first_used());
    counters_.second.sample(scheduler.levels.second_used());
    counters_.ready.sample(scheduler.ready.used());
    counters_.waiting.sample(scheduler.waiting.used());
    counters_.barriers.sample(scheduler.barriers.used());
    const bool more = scheduler.barriers.complete() ||
                      (!scheduler.ready.empty() && scheduler.levels.ready() < params_.lookup_departs_below);
    return more ? now + 1 : scheduler.levels.next(now);
  }

  HarpParams params_;
  Core& core_;
  HarpCounters counters_;
  unsigned warp_bytes_;
  const isa::Kernel* kernel_ = nullptr;
  std::vector<Scheduler> schedulers_;
  std::vector<bool> on_memory_;   // by slot: a global memory operation of the warp is under way
  std::vector<Rows> block_rows_;  // by block slot
};

const Register<HarpParams, Harp> harp_registration(
    "harp", "both sides of a branch run at once and gather threads of other warps", "HARP §4");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
