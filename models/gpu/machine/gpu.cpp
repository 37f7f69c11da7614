// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/gpu.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/occupancy.h"
#include "warpfold/gpu/run/stuck.h"
#include "warpfold/isa/decode/layout.h"

namespace warpfold {
namespace {

// Below as many, a launch takes as long as one block more or less on the fullest core.
constexpr std::uint64_t kFewWaves = 2;

// How much is simulated between two looks at whether the kernel gets anywhere.
constexpr std::uint64_t kSlicePs = 100'000'000;
constexpr unsigned kIdleSlices = 10;   // with nothing issued: longer than any memory system keeps a warp waiting
constexpr unsigned kStillSlices = 10;  // without a memory change, before registers are watched too, which costs time

// Cycles beyond the limit in which a kernel may end by itself: what its last warp did is told a little later.
constexpr Cycle kLimitSlack = 64;
constexpr Cycle kFurthest = 10'000'000'000'000;  // weeks of a host's time; its picoseconds fit 64 bits

// Clock slots of the cores' domain, or of each of theirs: the dispatcher's, the cores' ports, then the cores.
constexpr unsigned kDispatcher = 0, kFirstPort = 1;

// Cycles for which one host thread visits a core at a time: what that brings is more than what it takes.
constexpr Cycle kLeastStretch = 4;

std::vector<StatGroup*> make_core_groups(StatRegistry& stats, unsigned cores) {
  std::vector<StatGroup*> groups;
  for (unsigned core = 0; core < cores; ++core) groups.push_back(&stats.group(fmt::format("core{}", core)));
  return groups;
}

// Listeners hear of the cores in their order.
std::unique_ptr<CoreIslands> islands_of(const MachineConfig& config, const GpuOptions& options, ClockTree& tree,
                                        ClockDomain& interconnect_clock, ClockDomain& core_clock) {
  const bool heard = options.trace != nullptr || options.stand_ins != nullptr || options.profile != nullptr ||
                     options.time_trace != nullptr;
  const unsigned islands = CoreIslands::count(config), threads = std::min(options.threads, islands);
  const bool ahead = CoreIslands::lookahead(config) >= (threads > 1 ? 2 : kLeastStretch) && !config.memory.external();
  if (heard || !ahead || islands < 2 || options.pace == Pace::Rule::kTogether) return nullptr;
  return std::make_unique<CoreIslands>(tree, config, interconnect_clock, core_clock, threads, options.pace);
}

}  // namespace

Gpu::Gpu(sc_core::sc_module_name name, const MachineConfig& config, const divergence::Configured& mechanism,
         StatRegistry& stats, const GpuOptions& options)
    : sc_module(name),
      config_(config),
      stats_(stats),
      profile_(options.profile),
      watch_(options.watch),
      time_trace_(options.time_trace),
      clocks_("clocks"),
      memory_clock_(clocks_.domain(config.memory.dram.clock_mhz)),
      interconnect_clock_(clocks_.domain(config.memory.interconnect.clock_mhz)),
      core_clock_(clocks_.domain(config.core.clock_mhz)),
      islands_(islands_of(config_, options, clocks_, interconnect_clock_, core_clock_)),
      group_(stats.group("gpu")),
      cycles_(group_.counter("cycles", "cycles",
                             "core clock cycles from a kernel's launch to its last acknowledged store")),
      kernels_(group_.counter("kernels", "kernels", "launches that were timed")),
      blocks_(group_.counter("blocks", "blocks", "thread blocks that ran")),
      block_slots_(group_.counter("block_slots", "blocks", "that fit the cores at once, summed over launches")),
      few_waves_cycles_(
          group_.counter("few_waves_cycles", "cycles", "of launches with fewer than two waves of blocks")),
      blocks_per_core_(
          group_.counter("blocks_per_core", "blocks", "that fit a core at once (TBC Table 1)", Combine::kMax)),
      registers_per_thread_(
          group_.counter("registers_per_thread", "registers", "that the kernel was allocated", Combine::kMax)),
      schedulers_(group_.counter("schedulers", "schedulers",
                                 "warp schedulers of the machine; each accounts for every cycle", Combine::kMax)),
      memory_("memory", config.memory, config.cores, memory_clock_, interconnect_clock_, stats,
              islands_ != nullptr ? islands_->link_clocks() : std::vector<ClockDomain*>{}),
      core_groups_(make_core_groups(stats, config.cores)),
      usage_(group_, core_groups_),
      dispatcher_("dispatcher", config.cores, core_clock_, kDispatcher, usage_),
      cores_(config.cores) {
  for (unsigned i = 0; i < config.cores; ++i) {
    const unsigned core = options.reverse_construction ? config.cores - 1 - i : i;
    ClockDomain& clock = islands_ != nullptr ? islands_->clock_of(core) : core_clock_;
    auto stand_ins = options.stand_ins != nullptr ? options.stand_ins->make(core, config_.core, clock)
                                                  : std::make_unique<StandIns>();
    const CorePlace place{core,
                          config.cores,
                          clock,
                          kFirstPort + core,
                          kFirstPort + config.cores + core * SimtCore::kClockSlots,
                          options.trace,
                          options.profile,
                          options.time_trace != nullptr ? options.time_trace->watch(core) : stand_ins->watch()};
    const CoreCaches caches{config.l1d,
                            config.texture_cache,
                            config.constant_cache,
                            config.instruction_cache,
                            config.memory.l2.byte_masks() || !config.memory.has_l2(),
                            config.memory.interconnect.packet};
    cores_[core] = std::make_unique<SimtCore>(fmt::format("core{}", core).c_str(), place, config_.core, caches,
                                              mechanism, *core_groups_[core], std::move(stand_ins));
    cores_[core]->network_socket().bind(memory_.core_socket(core));
    dispatcher_.core_sockets[core].bind(cores_[core]->block_socket);
  }
  if (islands_ != nullptr) islands_->join(memory_.interconnect(), dispatcher_, cores_);
  breakdown_ = std::make_unique<CycleBreakdown>(stats_, core_groups_, config_.core.schedulers);
  dispatcher_.on_block = [this](unsigned core) { core_takes_part(core); };
  derive_statistics();
  clocks_.tell(*this);
}

double Gpu::simulated_seconds() const { return static_cast<double>(clocks_.now_ps()) * 1e-12; }

void Gpu::start(const isa::Launch& launch, DeviceMemory& memory, AtEnd at_end) {
  if (running()) {
    user_error("kernel '{}' cannot start while '{}' runs: wait for finished()", launch.kernel->name,
               launch_->kernel->name);
  }
  rethrow();
  const Occupancy fit = occupancy_of_fitting(config_.core, launch);
  launch_ = &launch;
  at_end_ = at_end;
  launch_slots_ = std::uint64_t{config_.cores} * fit.blocks;
  block_slots_ += launch_slots_;
  blocks_per_core_.raise_to(fit.blocks);
  registers_per_thread_.raise_to(launch.kernel->registers);
  start_ = core_clock_.upcoming();
  schedulers_.raise_to(std::uint64_t{config_.cores} * config_.core.schedulers);
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(fit.blocks, launch.grid.count()));
  of_launch_ = {&memory, fit.rows, blocks, code_of(*launch.kernel)};
  breakdown_->launch_started();
  if (islands_ != nullptr) islands_->launch_started(start_, at_end == AtEnd::kPause && may_run_apart(launch));
  for (unsigned core = 0; time_trace_ != nullptr && core < config_.cores; ++core) core_takes_part(core);
  memory_.carry_values_of(memory);
  if (config_.host.empties_l2) memory_.empty_l2();
  if (profile_ != nullptr) profile_->launch_started(*launch.kernel);
  if (time_trace_ != nullptr) time_trace_->timed_launch_started(launch, start_, reading(start_));
  progress_ = {};
  limit_ps_ = limit_of(start_);
  usage_.launch_started(start_);
  // Nobody beside the kernel's run: an external memory and a trace of signals read the kernel's time.
  clocks_.run_ahead(at_end == AtEnd::kPause && !config_.memory.external() && trace_ == nullptr);
  dispatcher_.start(launch.grid, blocks);
  if (trace_ != nullptr) trace_->launch_started();
  look_at_progress();
  plan_look();
}

// What a system call does, in which order, is seen by the program and by other threads at once. An external memory and
// a trace of signals read the kernel's time.
bool Gpu::may_run_apart(const isa::Launch& launch) const {
  const auto& ops = launch.kernel->ops;
  const auto is_call = [](const isa::MicroOp& op) { return op.kind == isa::Kind::kSystemCall; };
  return trace_ == nullptr && !config_.memory.external() && launch.checker == nullptr &&
         std::none_of(ops.begin(), ops.end(), is_call);
}

void Gpu::core_takes_part(unsigned core) {
  if (!breakdown_->takes_part(core)) return;
  cores_[core]->kernel_started(*launch_, *of_launch_.memory, of_launch_.rows, of_launch_.blocks, start_,
                               of_launch_.code);
}

void Gpu::trace(sc_core::sc_trace_file& file, const std::string& name) {
  trace_ = std::make_unique<GpuTrace>("trace", clocks_, core_clock_);
  for (unsigned core = 0; core < cores_.size(); ++core) {
    trace_->add(file, fmt::format("{}.core{}", name, core), *cores_[core]);
  }
}

// Kernels lie one after the other, each from a line of its own on, in the order of their first launches.
Address Gpu::code_of(const isa::Kernel& kernel) {
  const auto [entry, is_new] = code_.try_emplace(&kernel, code_end_);
  if (is_new) {
    code_end_ +=
        isa::align_up(kernel.ops.size() * config_.core.fetch.instruction_bytes, config_.instruction_cache.line_bytes);
  }
  return entry->second;
}

// The instant at which a kernel that began at `start` must have ended; 0: there is none.
std::uint64_t Gpu::limit_of(Cycle start) const {
  if (config_.cycle_limit == 0 || config_.cycle_limit > kFurthest) return 0;
  return core_clock_.edge_ps(start + config_.cycle_limit + kLimitSlack);
}

// No edge is wanted: the launch is over, or waits for an external memory, or will wait for ever.
void Gpu::clocks_rest() {
  if (!running()) return;
  if (clocks_.stopped()) return finish();
  if (requests_out() != 0) return;
  try {
    if (!dispatcher_.finished()) stuck("nothing can happen any more");
    end_kernel();
  } catch (...) {
    clocks_.stop(std::current_exception());
  }
  finish();
}

void Gpu::finish() {
  launch_ = nullptr;
  for (const unsigned core : breakdown_->taking_part()) cores_[core]->settle();
  clocks_.look_at(ClockTree::kNoTime);
  if (trace_ != nullptr) trace_->launch_ended();
  finished_.notify(sc_core::SC_ZERO_TIME);
  if (at_end_ == AtEnd::kPause) sc_core::sc_pause();
}

std::size_t Gpu::requests_out() const {
  std::size_t all = memory_.requests_out();
  for (const unsigned core : breakdown_->taking_part()) all += cores_[core]->requests_out();
  return all;
}

// At intervals, and where the kernel must have ended; and whenever a time trace wants it.
void Gpu::look() {
  const Cycle until = core_clock_.current() + 1;
  if (time_trace_ != nullptr && time_trace_->next_reading() < until) time_trace_->read(until, reading(until));
  if (clocks_.present_ps() >= look_ps_) {
    if (limit_ps_ != 0 && clocks_.present_ps() >= limit_ps_ && !dispatcher_.finished()) stuck(limit_reached());
    check_progress();
    if (watch_ != nullptr) watch_->launch_goes_on(dispatcher_.blocks_finished(), core_clock_.upcoming() - start_);
    look_at_progress();
  }
  plan_look();
}

void Gpu::look_at_progress() {
  const std::uint64_t now = clocks_.present_ps();
  const bool limited = limit_ps_ > now && limit_ps_ - now <= kSlicePs;
  look_ps_ = limited ? limit_ps_ : now + kSlicePs;
}

void Gpu::plan_look() {
  const Cycle wanted = time_trace_ != nullptr ? time_trace_->next_reading() : kNever;
  clocks_.look_at(wanted != kNever ? std::min(look_ps_, core_clock_.edge_ps(wanted)) : look_ps_);
}

CounterReading Gpu::reading(Cycle until) const {
  CounterReading reading;
  for (const auto& core : cores_) reading.slots.push_back(core->issue_slots(until));
  for (const StatGroup& group : stats_.groups()) {
    if (!group.object().starts_with("dram")) continue;
    reading.dram = true;
    for (const StatGroup::Entry& entry : group.entries()) {
      if (entry.info.name == "dram_read_bytes") reading.dram_read_bytes += entry.counter.value();
      if (entry.info.name == "dram_write_bytes") reading.dram_write_bytes += entry.counter.value();
    }
  }
  return reading;
}

std::string Gpu::limit_reached() const { return fmt::format("cycle limit of {} reached", config_.cycle_limit); }

void Gpu::check_progress() {
  Progress now;
  now.blocks = dispatcher_.blocks_finished();
  for (const unsigned core : breakdown_->taking_part()) {
    now.issued += cores_[core]->issued();
    now.memory_changes += cores_[core]->memory_changes();
  }
  idle_slices_ = now.issued == progress_.issued ? idle_slices_ + 1 : 0;
  const bool still = now.memory_changes == progress_.memory_changes && now.blocks == progress_.blocks;
  still_slices_ = still ? still_slices_ + 1 : 0;
  progress_ = now;
  if (idle_slices_ == kIdleSlices) stuck_idle();
  check_spinning();
}

void Gpu::stuck_idle() const {
  const std::string unanswered = memory_.unanswered();
  if (!unanswered.empty()) stuck(fmt::format("for a long time, the external memory has left {}", unanswered));
  if (!dispatcher_.finished()) stuck("nothing was issued for a long time");
}

void Gpu::check_spinning() {
  const bool watch = still_slices_ >= kStillSlices;
  const std::vector<unsigned>& cores = breakdown_->taking_part();
  if (watching_ && watch) {
    const auto only_spins = [this](unsigned core) { return cores_[core]->only_spins(); };
    const auto can_run = [this](unsigned core) { return cores_[core]->load().runnable != 0; };
    if (std::all_of(cores.begin(), cores.end(), only_spins) && std::any_of(cores.begin(), cores.end(), can_run)) {
      stuck(kSpinsForEver);
    }
    return;  // the watch goes on: a long loop needs more than a slice to come round
  }
  if (watching_ == watch) return;
  watching_ = watch;
  for (const unsigned core : cores) cores_[core]->watch_spinning(watch);
}

void Gpu::stuck(const std::string& why) const {
  std::vector<std::string> warps;
  for (const unsigned core : breakdown_->taking_part()) {
    for (std::string& line : cores_[core]->report()) warps.push_back(std::move(line));
  }
  report_stuck(*launch_->kernel, why, dispatcher_.blocks_finished(), dispatcher_.blocks(), warps);
}

void Gpu::end_kernel() {
  Cycle end = start_ + 1;
  for (const unsigned core : breakdown_->taking_part()) end = std::max(end, cores_[core]->last_activity() + 1);
  if (config_.cycle_limit != 0 && end - start_ > config_.cycle_limit) stuck(limit_reached());
  for (const unsigned core : breakdown_->taking_part()) cores_[core]->kernel_ended(end);
  breakdown_->launch_ended(end - start_);
  usage_.launch_ended(end);
  if (profile_ != nullptr) profile_->launch_ended(end - start_);
  if (time_trace_ != nullptr) time_trace_->timed_launch_ended(end, reading(end));
  cycles_ += end - start_;
  if (launch_->grid.count() < kFewWaves * launch_slots_) few_waves_cycles_ += end - start_;
  ++kernels_;
  blocks_ += launch_->grid.count();
  idle_slices_ = still_slices_ = 0;
  check_spinning();
}

}  // namespace warpfold
