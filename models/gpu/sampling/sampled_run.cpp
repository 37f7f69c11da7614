// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/sampled_run.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/launch_error.h"
#include "warpfold/gpu/machine/occupancy.h"
#include "warpfold/gpu/run/run_launch.h"

namespace warpfold {
namespace {

using Json = nlohmann::ordered_json;

// Where collectives meet the threads of a warp, values may depend on who else of it is kept back: on the mechanism.
bool waits_within_warps(const isa::Kernel& kernel) {
  return std::any_of(kernel.ops.begin(), kernel.ops.end(), [](const isa::MicroOp& op) { return op.collective; });
}

constexpr std::uint64_t kPhasesPs = 1'000'000;  // many cycles of every clock

// A figure that several objects of a machine count.
class Sum {
 public:
  Sum(const StatRegistry& stats, std::string_view name) {
    for (const StatGroup& group : stats.groups()) {
      for (const StatGroup::Entry& entry : group.entries()) {
        if (entry.info.name == name) counters_.push_back(&entry.counter);
      }
    }
    check(!counters_.empty(), "a machine counts cycles and instructions");
  }
  // Since it was asked last.
  std::uint64_t more() {
    std::uint64_t sum = 0;
    for (const Counter* const counter : counters_) sum += counter->value();
    return sum - std::exchange(seen_, sum);
  }

 private:
  std::vector<const Counter*> counters_;
  std::uint64_t seen_ = 0;
};

Json json_of(const LaunchSampler::Estimate& estimate) {
  Json json = Json::object();
  json["cycles"] = std::llround(estimate.cycles);
  json["cycles_low"] = std::llround(std::max(estimate.timed_cycles, estimate.cycles - estimate.half_width));
  json["cycles_high"] = std::llround(estimate.cycles + estimate.half_width);
  json["half_width"] = estimate.cycles == 0 ? 0 : estimate.half_width / estimate.cycles;
  json["launches"] = estimate.launches;
  json["timed_launches"] = estimate.timed;
  json["timed_cycles"] = std::llround(estimate.timed_cycles);
  return json;
}

}  // namespace

// Runs launches without time, and warms the memory system of the machine with what they touch.
struct SampledRun::Untimed {
  Untimed(const MachineConfig& config, const divergence::Configured& mechanism, Gpu& gpu, const GpuOptions& options)
      : warmer(config, gpu.memory()),
        engine(config, mechanism, stats, nullptr, nullptr, options.watch),
        thread_instructions(stats, "thread_instructions") {
    engine.tell_of_accesses(&warmer);
  }
  std::uint64_t run(const isa::Launch& launch, DeviceMemory& memory) {
    warmer.launch_started();
    engine.run(launch, memory);
    return thread_instructions.more();
  }
  StatRegistry stats;
  CacheWarmer warmer;
  FunctionalEngine engine;
  Sum thread_instructions;
};

struct SampledRun::Machine {
  Machine(const MachineConfig& plain, const MachineConfig& config, const divergence::Configured& mechanism,
          const GpuOptions& options)
      : gpu("gpu", config, mechanism, timed, options),
        under_pdom(plain, divergence::find_mechanism("pdom").configure({}), gpu, options),
        cycles(timed, "cycles"),
        warp_instructions(timed, "warp_instructions"),
        thread_instructions(timed, "thread_instructions") {}
  StatRegistry timed;
  Gpu gpu;
  Untimed under_pdom;
  std::optional<Untimed> under_mechanism;  // once a kernel asks for it: most programs have none that does
  Sum cycles, warp_instructions, thread_instructions;
};

SampledRun::SampledRun(const MachineConfig& plain, const MachineConfig& machine, divergence::Configured mechanism,
                       GpuOptions options, SampleChoice choice)
    : plain_(plain),
      config_(machine),
      mechanism_(std::move(mechanism)),
      options_(std::move(options)),
      sampler_(std::move(choice)) {
  make_machine();
}

SampledRun::~SampledRun() = default;

void SampledRun::make_machine() {
  machine_ = std::make_unique<Machine>(plain_, config_, mechanism_, options_);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
}

std::shared_ptr<void> SampledRun::put_aside() { return std::shared_ptr<Machine>(std::move(machine_)); }

void SampledRun::count_in(StatRegistry& stats) {
  StatGroup& group = stats.group("sampling");
  counters_ = {&group.counter("thread_instructions", "thread instructions", "executed, by all launches"),
               &group.counter("timed_launches", "kernels", "launches that were timed, of a sampled run"),
               &group.counter("timed_cycles", "cycles", "core clock cycles of launches that were timed"),
               &group.counter("timed_thread_instructions", "thread instructions", "of launches that were timed"),
               &group.counter("timed_warp_instructions", "warp instructions", "of launches that were timed"),
               &group.counter("untimed_under_mechanism", "kernels",
                              "launches without time under the run's mechanism, since threads of their warps wait for "
                              "each other; others: under pdom")};
  group.ratio("simd_efficiency", "active lanes per issued warp instruction, of launches that were timed",
              "timed_thread_instructions", "timed_warp_instructions", config_.core.warp_size);
}

void SampledRun::fill_l2(Address to, std::uint64_t bytes) { machine_->gpu.fill_l2(to, bytes); }

void SampledRun::run(const isa::Launch& launch, DeviceMemory& memory) {
  occupancy_of_fitting(config_.core, launch);
  const bool timed = sampler_.begins(launch.kernel->name, launch.grid, launch.block);
  timed ? time(launch, memory) : pass(launch, memory);
  passed_ = !timed;
}

void SampledRun::time(const isa::Launch& launch, DeviceMemory& memory) {
  // Behind launches that took no time it begins at any phase of the clocks to each other, and cycles depend on it.
  if (passed_) sc_core::sc_start(sc_core::sc_time(static_cast<double>(phases_() % kPhasesPs), sc_core::SC_PS));
  run_launch(machine_->gpu, launch, memory);
  const std::uint64_t cycles = machine_->cycles.more(), instructions = machine_->thread_instructions.more();
  sampler_.timed(static_cast<double>(instructions), static_cast<double>(cycles));
  ++*counters_.launches;
  *counters_.cycles += cycles;
  *counters_.thread_instructions += instructions;
  *counters_.timed_thread_instructions += instructions;
  *counters_.timed_warp_instructions += machine_->warp_instructions.more();
}

void SampledRun::pass(const isa::Launch& launch, DeviceMemory& memory) {
  const std::uint64_t instructions =
      waits_within_warps(*launch.kernel) ? pass_under_mechanism(launch, memory) : pass_under_pdom(launch, memory);
  sampler_.passed(static_cast<double>(instructions));
  *counters_.thread_instructions += instructions;
}

std::uint64_t SampledRun::pass_under_mechanism(const isa::Launch& launch, DeviceMemory& memory) {
  if (!machine_->under_mechanism) machine_->under_mechanism.emplace(config_, mechanism_, machine_->gpu, options_);
  const std::uint64_t instructions = machine_->under_mechanism->run(launch, memory);
  ++*counters_.under_mechanism;
  return instructions;
}

std::uint64_t SampledRun::pass_under_pdom(const isa::Launch& launch, DeviceMemory& memory) {
  isa::Launch plain = launch;
  plain.warp_size = plain_.core.warp_size;  // rows of lanes are the mechanism's, and no value depends on them
  try {
    return machine_->under_pdom.run(plain, memory);
  } catch (const KernelFault&) {
    throw;
  } catch (const UserError& error) {
    user_error(
        "{}; what a sampled run does not time runs under pdom, where threads of a warp cannot wait for each other",
        error.what());
  }
}

double SampledRun::simulated_seconds() {
  seconds_ = std::max(seconds_, sampler_.total().cycles / (config_.core.clock_mhz * 1e6));
  return seconds_;
}

std::string SampledRun::json() const {
  Json json = Json::object();
  json["total"] = json_of(sampler_.total());
  json["timed"] = SampleChoice::text_of(sampler_.timed_launches());
  for (const GroupResiduals& group : sampler_.residuals()) {
    json["groups"].push_back({{"launches", group.launches},
                              {"cycles", group.cycles},
                              {"freedom", group.freedom},
                              {"weights", group.weights},
                              {"off", group.off},
                              {"moves", group.moves}});
  }
  Json& kernels = json["kernels"] = Json::object();
  for (std::size_t n = 0; n < sampler_.kernels().size(); ++n) {
    const std::string& name = sampler_.kernels()[n];
    kernels[fmt::format("kernel.{}.{}", n, name)] = json_of(sampler_.of_kernel(name));
  }
  return json.dump();
}

}  // namespace warpfold
