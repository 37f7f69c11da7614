// SPDX-License-Identifier: Apache-2.0
// The state behind the CUDA runtime interface: registered modules, their kernels and symbols, the device, the last
// error.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/warning.h"
#include "warpfold/host/devices/device.h"
#include "warpfold/host/devices/device_settings.h"
#include "warpfold/host/graphs/graphs.h"
#include "warpfold/host/include/cuda_runtime_api.h"
#include "warpfold/host/memory/host_memory.h"
#include "warpfold/host/memory/images.h"
#include "warpfold/host/memory/managed_variables.h"
#include "warpfold/host/memory/memory_pools.h"
#include "warpfold/host/runtime/timeline.h"
#include "warpfold/isa/program.h"

namespace warpfold::host {

// A device module as clang embeds it: PTX text, parsed when something of it is first used. Relocatable ones are one
// program with those that are registered by then.
struct Module {
  const char* ptx = nullptr;
  std::string name;  // for messages
  bool relocatable = false;
  std::shared_ptr<isa::Program> program;
};

struct KernelEntry {
  std::size_t module = 0;
  std::string name;
};

struct SymbolEntry {
  std::size_t module = 0;
  std::string name;
  std::uint64_t bytes = 0;
};

// Where a symbol's bytes are: device memory, or the constant bank of its program.
struct SymbolPlace {
  isa::Program* program = nullptr;
  isa::Symbol symbol;
};

inline Address to_address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

// Whether a call fails with the error of the last kernel that failed (CUDA calls such errors sticky), or does its work.
enum class AfterFault { kFails, kRuns };

struct Event {
  bool timed = true;
  std::optional<double> recorded_seconds;
};

// One per process, created by the first call of any kind (static constructors included) and never destroyed: threads
// may still call while the process ends. Results are finished when this library is unloaded, after the program's own
// destructors. Every member but barred() is used under `mutex`.
class Context {
 public:
  static Context& instance();
  std::mutex mutex;

  // cudaSuccess, or why this process can do nothing with the device: it was forked from the one that has it, or the
  // library has been unloaded. Takes no lock, which another thread may have held at the fork.
  cudaError_t barred() const;

  std::size_t add_module(const char* ptx);
  void add_kernel(std::size_t module, const void* host_function, std::string name);
  void add_symbol(std::size_t module, const void* host_variable, std::string name, std::uint64_t bytes);

  // Loads the module if it has such variables and is a program of its own.
  void load_managed(std::size_t module);

  Device& device();
  bool has_device() const { return device_process_ != 0; }
  isa::SystemServices& services();  // of the device
  // Of a kernel, of which every call fails from then on until the device is reset; cudaSuccess: of none.
  std::atomic<cudaError_t> fault = cudaSuccess;

  // As if nothing had been done with the device yet; simulated time goes on.
  void reset_device();
  // Results are made complete; every later call is barred.
  void unload();

  // Null, or nothing, when no such kernel or symbol was registered. `block_threads` as Program::kernel() takes it.
  const std::string* kernel_name(const void* host_function) const;
  const isa::Kernel* kernel(const void* host_function, isa::Program** program, unsigned block_threads = 0);
  std::optional<SymbolPlace> symbol(const void* host_variable_or_name);
  // On the device. Constants have one from the first time that anybody asks: that of their program's bank.
  Address address_of(const SymbolPlace& place);

  // Parsed when something of it is first used; UserError.
  isa::Program& program(std::size_t module);

  DeviceSettings settings;
  std::map<const void*, KernelSettings> kernel_settings;  // of those for which a program has set any
  Timeline timeline;
  Graphs graphs;
  HostMemory host_memory;
  ManagedVariables managed;
  MemoryPools pools;
  std::map<const void*, std::unique_ptr<Event>> events;
  std::uint64_t mallocs = 0;
  Images images;
  std::set<std::string> notices;  // said once

 private:
  Context() = default;
  std::vector<Module*> program_of(std::size_t module);
  std::optional<SymbolPlace> symbol_by_name(const std::string& name);

  std::vector<Module> modules_;
  std::vector<std::shared_ptr<isa::Program>> retired_;  // before resets: the machine knows their kernels by address
  std::map<const void*, KernelEntry> kernels_;
  std::map<const void*, SymbolEntry> symbols_;
  std::map<const isa::Program*, Address> banks_;  // of constants, by the addresses that they have been given
  std::unique_ptr<Device> device_;
  std::unique_ptr<isa::SystemServices> services_;
  std::atomic<pid_t> device_process_ = 0;  // that made it; 0: nobody has
  std::atomic<bool> unloaded_ = false;
};

// The model computes with the host's arithmetic, in which a program may have changed the rounding, flushed subnormal
// numbers (-ffast-math does) or enabled traps. While this lives, it is the standard's; then the program's again.
class StandardArithmetic {
 public:
  StandardArithmetic() {
    std::fegetenv(&programs_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~StandardArithmetic() { std::fesetenv(&programs_); }
  StandardArithmetic(const StandardArithmetic&) = delete;
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;

 private:
  std::fenv_t programs_;
};

// While this lives, an exception that cannot be caught, as one out of a destructor, ends the program as die() does,
// with `call` for its place; then what the program has set for such ends is as before. Used under the context's mutex.
class UncaughtErrors {
 public:
  explicit UncaughtErrors(const char* call);
  ~UncaughtErrors() { std::set_terminate(programs_); }
  UncaughtErrors(const UncaughtErrors&) = delete;
  UncaughtErrors& operator=(const UncaughtErrors&) = delete;

 private:
  std::terminate_handler programs_;
};

cudaError_t record_error(cudaError_t error);  // of this thread; returns it
cudaError_t last_error();
void clear_error();

// Prints "warpfold: error: …" after the program's own output.
void tell_error(const char* text);
// The same, and ends the process with status 1. What has been written stays. `during` says where, if memory ran out for
// something that has no name of its own.
[[noreturn]] void die(const std::exception& error, const char* during);
// The error that bars this process from the device; says why, once.
cudaError_t refuse_barred(cudaError_t why);

// Runs one runtime call under the lock. A user error ends the program; what a kernel does wrong does not (launch.cpp).
// The defaulted argument is the caller's name.
template <AfterFault after = AfterFault::kFails, class Body>
cudaError_t guarded(Body body, const char* call = __builtin_FUNCTION()) {
  try {
    Context& context = Context::instance();
    const cudaError_t barred = context.barred();
    if (barred != cudaSuccess) return record_error(refuse_barred(barred));
    const std::lock_guard lock(context.mutex);
    const UncaughtErrors uncaught(call);
    const StandardArithmetic arithmetic;
    if (after == AfterFault::kFails && context.fault != cudaSuccess) return record_error(context.fault);
    return record_error(body(context));
  } catch (const std::exception& error) {
    die(error, call);
  }
}

// The same for what is done at once, whatever streams record: some recordings forbid it.
template <class Body>
cudaError_t unrecorded(Body body, const char* call = __builtin_FUNCTION()) {
  return guarded(
      [&](Context& context) { return context.graphs.forbid() ? cudaErrorStreamCaptureUnsupported : body(context); },
      call);
}

// For calls whose arguments are wrong: says so (programs that ignore return codes would go on with wrong data).
template <class... Args>
cudaError_t refuse(cudaError_t error, fmt::format_string<Args...> text, Args&&... args) {
  warn(fmt::format(text, std::forward<Args>(args)...));
  return error;
}

}  // namespace warpfold::host
