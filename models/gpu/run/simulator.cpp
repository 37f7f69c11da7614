// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/simulator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/memory/out_of_memory.h"
#include "warpfold/common/symbol_name.h"
#include "warpfold/gpu/machine/occupancy.h"
#include "warpfold/gpu/record/mask_recorder.h"
#include "warpfold/gpu/record/profile_json.h"
#include "warpfold/gpu/record/token_recorder.h"
#include "warpfold/gpu/run/plugins.h"
#include "warpfold/gpu/run/run_launch.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold {
namespace {

host::DeviceFigures figures_of(const RunOptions& options, const MachineConfig& machine) {
  host::DeviceFigures figures;
  figures.name = fmt::format("Warpfold {} ({})", options.machine_name, options.mechanism);
  figures.cores = machine.cores;
  figures.row_lanes = machine.core.warp_size;
  figures.max_threads_per_block = std::min(machine.core.max_threads, host::kMostBlockThreads);
  figures.threads_per_core = machine.core.max_threads;
  figures.blocks_per_core = machine.core.max_blocks;
  figures.single_to_double_ratio = std::max(1U, machine.core.simd_width / machine.core.fp64_width);
  figures.registers_per_core = machine.core.registers;
  figures.shared_bytes_per_core = machine.core.shared_bytes;
  figures.memory_bytes = machine.device_memory_bytes;
  figures.l2_bytes = machine.memory.l2.size_bytes * machine.memory.channels * machine.memory.slices_per_channel;
  figures.core_clock_khz = static_cast<unsigned>(machine.core.clock_mhz * 1000);
  figures.memory_clock_khz = static_cast<unsigned>(machine.memory.dram.clock_mhz * 1000);
  constexpr unsigned kTransfersPerCycle = 2;  // the bus's width is that of one
  figures.memory_bus_bits = machine.memory.channels * machine.memory.dram.bytes_per_cycle * 8 / kTransfersPerCycle;
  figures.memory_bytes_per_second = static_cast<double>(machine.memory.channels) * machine.memory.dram.bytes_per_cycle *
                                    static_cast<double>(machine.memory.dram.clock_mhz) * 1e6;
  figures.bus_bytes_per_second = static_cast<double>(machine.host.bus_bytes_per_second);
  figures.bus_latency_seconds = machine.host.bus_latency_ns * 1e-9;
  figures.launch_latency_seconds = machine.host.launch_latency_ns * 1e-9;
  return figures;
}

// A launch, for as long as it runs.
class Watched {
 public:
  Watched(LaunchWatch* watch, const std::string& kernel, std::uint64_t blocks) : watch_(watch) {
    if (watch_ != nullptr) watch_->launch_started(kernel, blocks);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (watch_ != nullptr) watch_->launch_ended();
  }

 private:
  LaunchWatch* const watch_;
};

// Behind what the program has said.
void tell_findings(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

ResultWriter::Dimensions dimensions(isa::Dim3 d) { return {d.x, d.y, d.z}; }

LaunchResources resources_of(const CoreParams& core, const isa::Launch& launch) {
  const isa::Kernel& kernel = *launch.kernel;
  const Occupancy fit = occupancy(core, launch);
  return {kernel.registers, kernel.spill_loads, kernel.spill_stores, kernel.spill_bytes, launch.shared_bytes,
          fit.blocks,       fit.limit};
}

// The process that writes the run's results, of a program and those that it forks: they all see this page. 0: none yet.
std::atomic<pid_t>* results_process() {
  void* const page =
      mmap(nullptr, sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? nullptr : new (page) std::atomic<pid_t>(0);
}
std::atomic<pid_t>* const writer = results_process();  // made before the program can fork

divergence::TokenStackParams token_stack_of(const RunOptions& options) {
  divergence::TokenStackParams params;
  if (options.mechanism == "token-stack") load_optional(params, options.mechanism_parameters);
  return params;
}

struct Machine {
  std::unique_ptr<StatRegistry> stats;
  std::unique_ptr<Gpu> gpu;
  std::shared_ptr<void> bound;
  std::unique_ptr<FunctionalEngine> functional;
  std::shared_ptr<void> sampled;
};

void keep_for_ever(Machine machine) {
  static auto* const kept = new std::vector<Machine>;
  kept->push_back(std::move(machine));
}

// Two processes of one program would overwrite each other's files.
void claim_results(const std::string& directory) {
  pid_t owner = 0;
  if (writer == nullptr || writer->compare_exchange_strong(owner, getpid()) || owner == getpid()) return;
  user_error("{}: process {} of this program has results here already; let one process launch all kernels", directory,
             owner);
}

}  // namespace

Simulator::Simulator(RunOptions options, GpuOptions gpu_options)
    : options_(std::move(options)),
      gpu_options_(std::move(gpu_options)),
      setup_(options_),
      figures_(figures_of(options_, setup_.machine)),
      memory_(options_.machine.device_memory_bytes, setup_.memory_base()) {
  if (options_.profile) gpu_options_.profile = &profile_;
  gpu_options_.threads = options_.threads;
  gpu_options_.pace = options_.pace;
  if (setup_.machine.check.any()) checker_ = std::make_unique<isa::MemoryChecker>(setup_.machine.check, memory_);
  check_boundary(options_, gpu_options_.bind != nullptr);
}

Simulator::~Simulator() = default;

isa::DecodeOptions Simulator::decode_options() const {
  return setup_.decode_options(options_.code, options_.timing == Timing::kFunctional);
}

// At the first launch, inside the user's process: a program that launches nothing pays nothing.
void Simulator::elaborate() {
  if (!options_.out.empty()) claim_results(options_.out);
  with_memory_for(
      [this] {
        return fmt::format("machine {} under {}: {} cores of {} threads, {} bytes of L2", options_.machine_name,
                           options_.mechanism, setup_.machine.cores, setup_.machine.core.max_threads,
                           figures_.l2_bytes);
      },
      [this] { make_machine(); });
}

void Simulator::make_engines() {
  if (options_.sample.on()) return make_sampled();
  const bool cycle = options_.timing == Timing::kCycle;
  if (cycle) gpu_ = std::make_unique<Gpu>("gpu", setup_.machine, setup_.mechanism, *stats_, gpu_options_);
  if (cycle && setup_.machine.memory.external()) gpu_options_.bind(*gpu_, bound_);
  if (!cycle || !options_.detail.text().empty()) {
    // Launches that pass untimed between those that are timed are none of the profile's.
    functional_ = std::make_unique<FunctionalEngine>(setup_.machine, setup_.mechanism, *stats_, gpu_options_.trace,
                                                     cycle ? nullptr : gpu_options_.profile, gpu_options_.watch);
  }
}

// What it knows of launches outlasts its machine.
void Simulator::make_sampled() {
  if (sampled_ != nullptr) {
    sampled_->make_machine();
  } else {
    sampled_ = std::make_unique<SampledRun>(options_.machine, setup_.machine, setup_.mechanism, gpu_options_,
                                            options_.sample);
  }
  sampled_->count_in(*stats_);
}

// Without any, nobody listens to the engines.
void Simulator::make_recorders() {
  if (gpu_options_.stand_ins && gpu_options_.trace == nullptr) gpu_options_.trace = gpu_options_.stand_ins->sink();
  if (!options_.mask_trace.empty())
    recorders_.add(std::make_unique<MaskRecorder>(options_.mask_trace, setup_.machine.core));
  if (options_.trace.on && !options_.out.empty()) {
    std::error_code ignored;  // the file says what is wrong
    std::filesystem::create_directories(options_.out, ignored);
    auto trace = std::make_unique<TimeTrace>(options_.out + "/" + kTimeTraceFile, options_.trace, setup_.machine,
                                             options_.machine_name, options_.mechanism);
    gpu_options_.time_trace = time_trace_ = trace.get();
    recorders_.add(std::move(trace));
  }
  if (options_.token_stack && !options_.out.empty())
    recorders_.add(std::make_unique<TokenRecorder>(options_.out + "/" + kTokenFile, token_stack_of(options_)));
  if (recorders_.empty()) return;
  recorders_.also(std::exchange(gpu_options_.trace, &recorders_));
}

void Simulator::make_machine() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  make_recorders();
  make_engines();
  RunInfo info;
  info.directory = options_.out;
  info.machine = options_.machine_name;
  info.mechanism = options_.mechanism;
  info.timing = Choices<Timing>::names[static_cast<std::size_t>(options_.timing)];
  info.code = Choices<Code>::names[static_cast<std::size_t>(options_.code)];
  info.effective_config = options_.effective_config();
  info.decided_by = options_.decided_by;
  if (checker_ != nullptr) info.check = [checker = checker_.get()] { return checker->json(); };
  if (const auto blocks = gpu_options_.stand_ins) info.rtl = [blocks] { return blocks->report(); };
  if (options_.sample.on()) info.sampling = [this] { return sampled_->json(); };
  if (options_.profile) info.profile = [this] { return profile_json(profile_); };
  results_ = std::make_unique<ResultWriter>(*stats_, info);
  for (const std::string& why : std::exchange(refused_, {})) results_->launch_refused(why);
}

void Simulator::launch(const isa::Launch& launch) {
  if (results_ == nullptr) elaborate();
  with_memory_for([&] { return memory_for(launch); }, [&] { checker_ != nullptr ? run_checked(launch) : run(launch); });
}

void Simulator::run(const isa::Launch& launch) {
  check(!faulty_, "nothing is launched between a fault and a reset");
  const std::string& kernel = last_kernel_ = launch.kernel->name;
  const bool timed = gpu_ != nullptr && options_.detail.covers(launches_, kernel);
  if (timed) occupancy_of_fitting(setup_.machine.core, launch);  // refuses it before anything has begun
  results_->kernel_begin(kernel, dimensions(launch.grid), dimensions(launch.block),
                         resources_of(setup_.machine.core, launch));
  ++launches_;
  recorders_.launch_started(*launch.kernel);
  const Watched watched(gpu_options_.watch.get(), kernel, launch.grid.count());
  try {
    timed ? run_timed(launch) : sampled_ != nullptr ? run_sampled(launch) : functional_->run(launch, memory_);
  } catch (const KernelFault& fault) {
    faulty_ = true;
    results_->kernel_failed(fault.what());
    throw;
  }
  results_->kernel_end();
}

// The kernel comes to its end in spite of what is found, and the program gets its error then.
void Simulator::run_checked(const isa::Launch& launch) {
  isa::Launch checked = launch;
  checked.checker = checker_.get();
  checker_->launch_started();
  const std::uint64_t errors = checker_->findings().errors();
  try {
    run(checked);
  } catch (const UserError& error) {  // a kernel without end too, perhaps for want of what it was not given
    if (dynamic_cast<const KernelFault*>(&error) != nullptr) checker_->launch_failed(error.what());
    tell_findings(checker_->news());
    throw;
  }
  const std::optional<KernelFault::Kind> error = checker_->launch_ended();
  tell_findings(checker_->news());
  if (!error) return;
  const std::uint64_t found = checker_->findings().errors() - errors;
  kernel_fault(*error, "kernel '{}': {} found in this launch", shown_name(launch.kernel->name),
               found == 1 ? "1 error was" : fmt::format("{} errors were", found));
}

void Simulator::run_timed(const isa::Launch& launch) {
  ++detailed_;
  for (const auto& [to, bytes] : copies_) gpu_->fill_l2(to, bytes);
  copies_.clear();
  run_launch(*gpu_, launch, memory_);
}

void Simulator::run_sampled(const isa::Launch& launch) {
  for (const auto& [to, bytes] : std::exchange(copies_, {})) sampled_->fill_l2(to, bytes);
  sampled_->run(launch, memory_);
}

void Simulator::launch_refused(const std::string& why) {
  if (results_ != nullptr) return results_->launch_refused(why);
  refused_.push_back(why);
}

// Warps of the failed kernel are still under way in its machine, which is put aside as it stands: its modules belong to
// a simulation that has begun, where SystemC makes and destroys none. The new machine has one of its own.
void Simulator::reset() {
  if (!faulty_) return;
  faulty_ = false;
  copies_.clear();
  seconds_before_ = simulated_seconds();
  keep_for_ever({std::exchange(stats_, std::make_unique<StatRegistry>()), std::move(gpu_), std::move(bound_),
                 std::move(functional_), sampled_ != nullptr ? sampled_->put_aside() : nullptr});
  if (options_.timing == Timing::kCycle) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = new sc_core::sc_simcontext;
  }
  make_engines();
  results_->move_to(*stats_);
}

// Most of what a launch takes, and all of it that a program decides.
std::string Simulator::memory_for(const isa::Launch& launch) const {
  const Occupancy fit = occupancy(setup_.machine.core, launch);
  const std::uint64_t at_once = std::max<std::uint64_t>(1, std::uint64_t{fit.blocks} * setup_.machine.cores);
  const std::uint64_t blocks = std::min(at_once, launch.grid.count());
  const std::uint64_t threads = blocks * fit.rows * launch.warp_size;
  const std::uint64_t per_thread = launch.kernel->words() * sizeof(std::uint32_t) + launch.kernel->local_bytes;
  return fmt::format("kernel {}: {} bytes for registers, local and shared memory of {} blocks at a time",
                     launch.kernel->name, threads * per_thread + blocks * launch.shared_bytes, blocks);
}

void Simulator::copied_in(Address to, std::uint64_t bytes) {
  if (setup_.machine.memory.l2.filled_by_copies) copies_.emplace_back(memory_.on_machine(to), bytes);
}

unsigned Simulator::blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) {
  isa::Launch launch;
  launch.kernel = &kernel;
  launch.block = {block_threads, 1, 1};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return occupancy(setup_.machine.core, launch).blocks;
}

double Simulator::simulated_seconds() const {
  if (sampled_ != nullptr) return sampled_->simulated_seconds();
  return seconds_before_ + (gpu_ ? gpu_->simulated_seconds() : 0);
}

void Simulator::finish() {
  if (checker_ != nullptr && !std::exchange(summed_up_, true)) tell_findings(checker_->findings().summary());
  if (results_) results_->finish();
  recorders_.finish();
  if (time_trace_ != nullptr) tell_findings(time_trace_->what_is_left_out());
  if (gpu_options_.stand_ins) gpu_options_.stand_ins->finish();
  check_detail();
}

// Results without the launch that they were made for are no answer.
void Simulator::check_detail() const {
  if (gpu_ == nullptr || options_.detail.text().empty() || detailed_ != 0) return;
  user_error("--detail {}: names none of the program's {} launches, of which the last is {}, {}",
             options_.detail.text(), launches_, launches_ - 1, last_kernel_);
}

}  // namespace warpfold
