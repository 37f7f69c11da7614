// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/functional_engine.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/occupancy.h"
#include "warpfold/gpu/run/stuck.h"

namespace warpfold {

using divergence::WarpId;

namespace {

constexpr unsigned kTurn = 512;             // instructions of a warp before the next has its turn
constexpr unsigned kMostWaits = 64;         // for mechanisms, before those that spin are taken to do so for ever
constexpr Cycle kLongestWait = 65'536;      // that a mechanism's parameter may ask for
constexpr std::uint64_t kStillPasses = 64;  // in which nothing moved, before warps are watched

constexpr unsigned kLargestBlock = 1024;  // threads: CUDA's limit

// All cores of the machine in one, with room for a block that would not fit one of them.
CoreParams one_large_core(const MachineConfig& config, const divergence::Configured& mechanism) {
  CoreParams params = config.core;
  params.max_threads = std::max(params.max_threads * config.cores, kLargestBlock);
  params.max_blocks *= config.cores;
  params.registers *= config.cores;
  params.logic.clocks = UnitClocks::kNone;  // there is no time
  params.placement.deal = Deal::kRows;      // whose turn it is, is nobody's concern
  return params.shaped_by(mechanism);
}

// There are no cycles to count: the limit is on what the machine could issue in so many.
std::uint64_t issue_limit(const MachineConfig& config) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t schedulers = std::uint64_t{config.cores} * config.core.schedulers;
  return config.cycle_limit == 0 || config.cycle_limit > kNone / schedulers ? kNone : config.cycle_limit * schedulers;
}

}  // namespace

FunctionalEngine::FunctionalEngine(const MachineConfig& config, const divergence::Configured& mechanism,
                                   StatRegistry& stats, TraceSink* trace, PcProfile* profile,
                                   std::shared_ptr<LaunchWatch> watch)
    : config_(config),
      params_(one_large_core(config, mechanism)),
      context_{0, trace},
      stats_(stats.group("functional")),
      lanes_(stats_, params_),
      profile_(profile),
      watch_(std::move(watch)),
      kernels_(stats_.counter("functional_kernels", "kernels", "launches that ran without timing")),
      warps_(params_, context_, mechanism, *this, stats_),
      runnable_(params_.slots()) {}

void FunctionalEngine::block_finished(const divergence::Block& block) {
  blocks_->finish(block.slot);
  ++finished_;
}

void FunctionalEngine::run(const isa::Launch& launch, DeviceMemory& memory) {
  const Occupancy fit = occupancy(config_.core, launch);
  const std::uint64_t resident = std::max<std::uint64_t>(1, std::uint64_t{fit.blocks} * config_.cores);
  const auto blocks = static_cast<unsigned>(std::min(resident, launch.grid.count()));
  launch_ = &launch;
  blocks_ = std::make_unique<ResidentBlocks>(launch, fit.rows, blocks, 0, config_.cores, params_.lane_map);
  executor_ = std::make_unique<isa::Executor>(launch, blocks_->threads(), memory);
  executor_->tell_of_accesses(listener_);
  next_block_ = finished_ = 0;
  begun_ = now_;
  seen_changes_ = seen_finished_ = still_passes_ = issued_ = waits_ = 0;
  most_issues_ = issue_limit(config_);
  warps_.spin().stop();
  warps_.kernel_started(*launch.kernel, *executor_);
  if (profile_ != nullptr) profile_->launch_started(*launch.kernel);
  in_runs_ = profile_ == nullptr && context_.trace == nullptr;
  if (in_runs_) executor_->prepare_runs();
  const LaneStatistics::Runs counted(lanes_, *launch.kernel);
  while (finished_ < launch.grid.count()) {
    start_blocks();
    tick();
    for (unsigned s = 0; s < config_.core.schedulers && runnable_.empty(); ++s) warps_.running_dry(s, now_);
    if (runnable_.empty()) stuck("nothing can happen any more");
    run_pass();
    check_limit();
    check_spinning();
    if (watch_ != nullptr) watch_->launch_goes_on(finished_, 0);
  }
  warps_.kernel_ended();
  if (profile_ != nullptr) profile_->launch_ended(0);
  ++kernels_;
}

// What the mechanism moves by itself takes no time.
void FunctionalEngine::tick() {
  while (warps_.tick(++now_) != kNever) continue;
}

void FunctionalEngine::start_blocks() {
  const isa::Dim3 grid = launch_->grid;
  while (next_block_ < grid.count() && next_block_ - finished_ < blocks_->slots()) {
    warps_.start_block(blocks_->start(block_message(grid, next_block_)));
    ++next_block_;
  }
}

void FunctionalEngine::run_pass() {
  for (WarpId id = runnable_.next(0); id != divergence::kNoWarp; id = runnable_.next(id + 1)) {
    run_warp(id);
    compact_pending();
  }
}

void FunctionalEngine::run_warp(WarpId id) {
  const auto turn = static_cast<unsigned>(std::min<std::uint64_t>(kTurn, most_issues_ - issued_));
  for (unsigned n = 0; n < turn && runnable_.contains(id);) {
    const unsigned straight = in_runs_ ? go_straight(id, turn - n) : 0;
    n += straight;
    if (straight != 0) continue;
    step(id);
    ++n;
  }
}

// Executes the warp's instructions up to the next that could change its threads, at most so many; returns how many.
unsigned FunctionalEngine::go_straight(WarpId id, unsigned most) {
  const divergence::Warp& warp = warps_.warp(id);
  const isa::Pc begin = warp.pc;
  isa::Pc end = std::min(executor_->run_end(begin), begin + most);
  if (end == begin || !warp.one_row) return 0;
  end = std::min(end, warps_.goes_straight_to(id, end));
  if (end <= begin) return 0;
  try {
    executor_->run(begin, end, {warp.row.data(), warp.mask, params_.warp_size, true}, run_);
  } catch (...) {
    count_run(warp, begin);
    throw;
  }
  count_run(warp, begin);
  if (launch_->kernel->ops[end - 1].kind == isa::Kind::kBranch) {
    warps_.went_to_branch(id, end - 1, run_.taken);
  } else {
    warps_.went_straight(id, end);
  }
  return end - begin;
}

void FunctionalEngine::count_run(const divergence::Warp& warp, isa::Pc begin) {
  if (run_.next != begin) lanes_.count_run(begin, run_.next, warp.mask);
  for (const auto& [pc, executed] : run_.guarded) {
    if (pc != run_.next) lanes_.count(launch_->kernel->ops[pc], warp.mask, executed, params_.warp_size);
  }
  issued_ += run_.next - begin;
  now_ += run_.next - begin;
}

void FunctionalEngine::step(WarpId id) {
  runnable_.erase(id);  // until it goes on
  const Instruction instruction = warps_.issue(id, now_, now_ - begun_, outcome_);
  lanes_.count(instruction);
  if (listener_ != nullptr) hear(*instruction.op);
  if (profile_ != nullptr) [[unlikely]]
    profile_->issued(instruction, 0);
  ++issued_;
  ++now_;
  warps_.commit(instruction);
}

void FunctionalEngine::hear(const isa::MicroOp& op) {
  const bool memory = op.kind == isa::Kind::kLoad || op.kind == isa::Kind::kStore || op.kind == isa::Kind::kAtomic;
  if (memory) listener_->accessed(op, outcome_);
}

void FunctionalEngine::check_limit() const {
  if (issued_ == most_issues_ && finished_ < launch_->grid.count()) {
    stuck(fmt::format("cycle limit of {} reached", config_.cycle_limit));
  }
}

void FunctionalEngine::compact_pending() {
  // A compacted warp only enters the buffer: no further request can come of it.
  for (divergence::CompactionRequest& compaction : std::exchange(pending_, {})) {
    CompactedWarp compacted;
    do {
      compacted = next_warp(compaction);
      warps_.compacted(compacted);
    } while (!compacted.last);
  }
}

// The watch reads all registers at every backward branch, so it is on in an eighth of the passes in which nothing
// moves, for longer each time: whatever the length of the loop, one of its turns is seen whole.
void FunctionalEngine::check_spinning() {
  const bool still = executor_->memory_changes() == seen_changes_ && finished_ == seen_finished_;
  seen_changes_ = executor_->memory_changes();
  seen_finished_ = finished_;
  still_passes_ = still ? still_passes_ + 1 : 0;
  if (!still) waits_ = 0;
  const std::uint64_t since = still_passes_ - std::bit_floor(still_passes_);
  const bool watch = still_passes_ >= kStillPasses && since < std::bit_floor(still_passes_) / 8;
  if (watch && warps_.spin().on()) {
    bool all = true;
    for (WarpId id = runnable_.next(0); id != divergence::kNoWarp; id = runnable_.next(id + 1))
      all &= warps_.spin().repeats(warps_.warp(id));
    if (all && !runnable_.empty() && !time_helps()) stuck(kSpinsForEver);
  } else if (watch) {
    warps_.spin().start(blocks_->threads(), *launch_->kernel);
  } else {
    warps_.spin().stop();
  }
}

// A mechanism may keep back for some time who holds the lock. Those that spin may be among whom it lets go, so this
// does not go on for ever.
bool FunctionalEngine::time_helps() {
  if (waits_ == kMostWaits) return false;
  ++waits_;
  now_ += kLongestWait;
  const divergence::WarpSet before = runnable_;
  tick();
  still_passes_ = 0;
  divergence::WarpSet fresh = runnable_;
  fresh -= before;
  return !fresh.empty();
}

void FunctionalEngine::stuck(const std::string& why) const {
  report_stuck(*launch_->kernel, why, finished_, launch_->grid.count(),
               warps_.report([](WarpId) { return std::string("its turn"); }));
}

}  // namespace warpfold
