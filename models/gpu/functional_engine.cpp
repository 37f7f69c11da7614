// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/functional_engine.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "warpfold/common/error.h"
#include "warpfold/gpu/occupancy.h"
#include "warpfold/gpu/stuck.h"

namespace warpfold {

using divergence::WarpId;

namespace {

constexpr unsigned kTurn = 512;             // instructions of a warp before the next has its turn
constexpr std::uint64_t kStillPasses = 64;  // in which nothing moved, before warps are watched

constexpr unsigned kLargestBlock = 1024;  // threads: CUDA's limit

// All cores of the machine in one, with room for a block that would not fit one of them.
CoreParams one_large_core(const MachineConfig& config, const divergence::Configured& mechanism) {
  CoreParams params = config.core;
  params.max_threads = std::max(params.max_threads * config.cores, kLargestBlock);
  params.max_blocks *= config.cores;
  params.registers *= config.cores;
  return params.shaped_by(mechanism);
}

// There are no cycles to count: the limit is on what the machine could issue in so many.
std::uint64_t issue_limit(const MachineConfig& config) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t schedulers = std::uint64_t{config.cores} * config.core.schedulers;
  return config.cycle_limit == 0 || config.cycle_limit > kNone / schedulers ? kNone : config.cycle_limit * schedulers;
}

}  // namespace

FunctionalEngine::FunctionalEngine(sc_core::sc_module_name name, const MachineConfig& config,
                                   const divergence::Configured& mechanism, StatRegistry& stats, TraceSink* trace)
    : sc_module(name),
      config_(config),
      params_(one_large_core(config, mechanism)),
      context_{0, trace, &spin_},
      stats_(stats.group("functional")),
      clocks_("clocks"),
      lanes_(stats_, params_),
      kernels_(stats_.counter("functional_kernels", "kernels", "launches that ran without timing")),
      branch_("branch_unit", params_, context_, mechanism, clocks_.domain(1), stats_),
      warps_(params_.slots(), nullptr),
      runnable_(params_.slots()) {
  branch_.warp_socket.bind(warp_socket_);
  branch_.compact_socket.bind(compact_socket_);
  commit_socket_.bind(branch_.commit_socket);
  advance_socket_.bind(branch_.advance_socket);
  compacted_socket_.bind(branch_.compacted_socket);
  branch_.block_finished = [this](const divergence::Block& block) {
    blocks_->finish(block.slot);
    ++finished_;
  };
}

void FunctionalEngine::run(const isa::Launch& launch, DeviceMemory& memory) {
  const Occupancy fit = occupancy(config_.core, launch);
  const std::uint64_t resident = std::max<std::uint64_t>(1, std::uint64_t{fit.blocks} * config_.cores);
  const auto blocks = static_cast<unsigned>(std::min(resident, launch.grid.count()));
  launch_ = &launch;
  blocks_ = std::make_unique<ResidentBlocks>(launch, fit.rows, blocks, 0, config_.cores);
  executor_ = std::make_unique<isa::Executor>(launch, blocks_->threads(), memory);
  next_block_ = finished_ = 0;
  seen_changes_ = seen_finished_ = still_passes_ = issued_ = 0;
  most_issues_ = issue_limit(config_);
  spin_.stop();
  if (!sc_core::sc_start_of_simulation_invoked()) sc_core::sc_start(sc_core::SC_ZERO_TIME);  // binds the sockets
  branch_.kernel_started(*launch.kernel, *executor_);
  while (finished_ < launch.grid.count()) {
    start_blocks();
    tick();
    if (runnable_.empty()) stuck("nothing can happen any more");
    run_pass();
    check_limit();
    check_spinning();
  }
  branch_.kernel_ended();
  ++kernels_;
}

// A pass stands for a cycle; what the mechanism moves by itself takes no time.
void FunctionalEngine::tick() {
  Cycle now = ++passes_;
  while (branch_.mechanism().tick(now) != kNever) now = ++passes_;
}

void FunctionalEngine::start_blocks() {
  const isa::Dim3 grid = launch_->grid;
  while (next_block_ < grid.count() && next_block_ - finished_ < blocks_->slots()) {
    branch_.start_block(blocks_->start(block_message(grid, next_block_)));
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
  for (unsigned n = 0; n < turn && runnable_.contains(id); ++n) step(id, *warps_[id]);
}

void FunctionalEngine::step(WarpId id, const divergence::Warp& warp) {
  Instruction instruction;
  instruction.warp = id;
  instruction.pc = warp.pc;
  instruction.op = &launch_->kernel->ops[warp.pc];
  instruction.active = warp.mask;
  instruction.width = params_.warp_size;
  instruction.meets = instruction.op->collective && branch_.rendezvous().must_wait(warp);
  if (instruction.meets) {
    outcome_.executed = branch_.rendezvous().executing();
    outcome_.taken = 0;
  } else {
    executor_->execute(warp.pc, {warp.row.data(), warp.mask, params_.warp_size, warp.one_row}, 0, outcome_);
  }
  instruction.executed = outcome_.executed;
  instruction.taken = outcome_.taken;
  lanes_.count(instruction);
  ++issued_;
  if (context_.trace != nullptr) {
    context_.trace->record({0, TraceEvent::kIssue, 0, 0, id, warp.pc, outcome_.executed, warp.mask, warp.row.data()});
  }
  runnable_.erase(id);  // until the branch unit says that it goes on
  branch_.mechanism().issued(id, passes_);
  request(commit_socket_, instruction);
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
      request(compacted_socket_, compacted);
    } while (!compacted.last);
  }
}

tlm::tlm_sync_enum FunctionalEngine::update(unsigned /*port*/, WarpUpdate& update, tlm::tlm_phase& /*phase*/) {
  if (update.kind == WarpUpdate::Kind::kHold) return tlm::TLM_COMPLETED;  // there is no time
  if (update.kind == WarpUpdate::Kind::kInsert) warps_[update.id] = update.warp;
  if (update.kind == WarpUpdate::Kind::kRemove) {
    runnable_.erase(update.id);
  } else {
    runnable_.insert(update.id);
  }
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum FunctionalEngine::compact(unsigned /*port*/, divergence::CompactionRequest& request,
                                             tlm::tlm_phase& /*phase*/) {
  pending_.push_back(std::move(request));
  return tlm::TLM_COMPLETED;
}

// The watch reads all registers at every backward branch, so it is on in an eighth of the passes in which nothing
// moves, for longer each time: whatever the length of the loop, one of its turns is seen whole.
void FunctionalEngine::check_spinning() {
  const bool still = executor_->memory_changes() == seen_changes_ && finished_ == seen_finished_;
  seen_changes_ = executor_->memory_changes();
  seen_finished_ = finished_;
  still_passes_ = still ? still_passes_ + 1 : 0;
  const std::uint64_t since = still_passes_ - std::bit_floor(still_passes_);
  const bool watch = still_passes_ >= kStillPasses && since < std::bit_floor(still_passes_) / 8;
  if (watch && spin_.on()) {
    bool all = true;
    for (WarpId id = runnable_.next(0); id != divergence::kNoWarp; id = runnable_.next(id + 1))
      all &= spin_.repeats(*warps_[id]);
    if (all && !runnable_.empty()) stuck(kSpinsForEver);
  } else if (watch) {
    spin_.start(blocks_->threads(), *launch_->kernel);
  } else {
    spin_.stop();
  }
}

void FunctionalEngine::stuck(const std::string& why) const {
  report_stuck(*launch_->kernel, why, finished_, launch_->grid.count(),
               branch_.report(*launch_->kernel, [](WarpId) { return std::string("its turn"); }));
}

}  // namespace warpfold
