// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampled_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/process_copy.h"
#include "warpfold/gpu/occupancy.h"
#include "warpfold/gpu/run_launch.h"

namespace warpfold {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kPhasesPs = 1'000'000;  // many cycles of every clock

std::uint64_t cycles_in(const StatRegistry& stats) {
  for (const StatGroup& group : stats.groups()) {
    for (const StatGroup::Entry& entry : group.entries()) {
      if (entry.info.name == "cycles") return entry.counter.value();
    }
  }
  throw InternalError("a machine counts its cycles");
}

// Memory that a copy would have in common with the process that it is of becomes its own.
void keep_apart(DeviceMemory& memory) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const auto& [begin, allocation] : memory.allocations()) {
    if (allocation.home != Allocation::Home::kShared) continue;
    const Address first = begin / page * page, end = (allocation.end() + page - 1) / page * page;
    std::byte* const host = memory.host(first);
    const std::vector<std::byte> bytes(host, host + (end - first));
    void* const own = mmap(host, bytes.size(), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (own == MAP_FAILED)
      user_error("a sampled run has no room for a copy of managed memory: {}", std::strerror(errno));
    std::memcpy(host, bytes.data(), bytes.size());
  }
}

Json json_of(const LaunchSampler::Estimate& estimate) {
  Json json = Json::object();
  json["cycles"] = std::llround(estimate.cycles);
  if (std::isfinite(estimate.half_width)) {  // else nobody knows
    json["cycles_low"] = std::llround(std::max(estimate.timed_cycles, estimate.cycles - estimate.half_width));
    json["cycles_high"] = std::llround(estimate.cycles + estimate.half_width);
    json["half_width"] = estimate.cycles == 0 ? 0 : estimate.half_width / estimate.cycles;
  }
  json["launches"] = estimate.launches;
  json["timed_launches"] = estimate.timed;
  json["timed_cycles"] = std::llround(estimate.timed_cycles);
  return json;
}

}  // namespace

SampledRun::SampledRun(const MachineConfig& machine, const divergence::Configured& mechanism, double aim)
    : machine_(machine),
      gpu_("gpu", machine, mechanism, timed_stats_),
      warmer_(machine_, gpu_.memory()),
      sampler_(aim),
      aim_(aim) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // once, and not in every copy
}

void SampledRun::count_in(StatRegistry& stats) {
  StatGroup& group = stats.group("sampling");
  timed_launches_ = &group.counter("timed_launches", "kernels", "launches that were timed, of a sampled run");
  timed_cycles_ = &group.counter("timed_cycles", "cycles", "core clock cycles of launches that were timed");
}

void SampledRun::run(const isa::Launch& launch, DeviceMemory& memory, FunctionalEngine& engine) {
  occupancy_of_fitting(machine_.core, launch);
  phases_.discard(1);
  const LaunchSampler::Plan plan = sampler_.begins(launch.kernel->name, launch.grid, launch.block);
  std::optional<ProcessCopy> copy;
  if (plan != LaunchSampler::Plan::kPass) {
    copy.emplace([&] { return time_here(launch, memory); }, [&] { keep_apart(memory); });
  }
  if (plan == LaunchSampler::Plan::kTime) copy->go();
  warmer_.launch_started();
  engine.tell_of_accesses(&warmer_);
  engine.run(launch, memory);
  const CacheWarmer::Counts& counts = warmer_.counts();
  const bool timed = sampler_.ran({static_cast<double>(engine.issued()), static_cast<double>(counts.lines),
                                   static_cast<double>(counts.fetched), 0});
  if (!timed) return;
  if (plan != LaunchSampler::Plan::kTime) copy->go();
  const std::uint64_t cycles = std::stoull(copy->result());
  sampler_.timed(static_cast<double>(cycles));
  ++*timed_launches_;
  *timed_cycles_ += cycles;
}

// In a copy of the process.
std::string SampledRun::time_here(const isa::Launch& launch, DeviceMemory& memory) {
  // A launch of the program would begin at any phase of the clocks to each other, and cycles depend on it.
  sc_core::sc_start(sc_core::sc_time(static_cast<double>(phases_() % kPhasesPs), sc_core::SC_PS));
  run_launch(gpu_, launch, memory);
  return std::to_string(cycles_in(timed_stats_));
}

double SampledRun::simulated_seconds() {
  seconds_ = std::max(seconds_, sampler_.total().cycles / (machine_.core.clock_mhz * 1e6));
  return seconds_;
}

std::string SampledRun::json() const {
  Json json = Json::object();
  json["aim"] = aim_;
  json["total"] = json_of(sampler_.total());
  Json& kernels = json["kernels"] = Json::object();
  for (std::size_t n = 0; n < sampler_.kernels().size(); ++n) {
    const std::string& name = sampler_.kernels()[n];
    kernels[fmt::format("kernel.{}.{}", n, name)] = json_of(sampler_.of_kernel(name));
  }
  return json.dump();
}

}  // namespace warpfold
