// SPDX-License-Identifier: Apache-2.0
// The state behind the CUDA runtime interface: registered modules, their kernels and symbols, the device, the last
// error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/warning.h"
#include "models/host/device.h"
#include "models/host/include/cuda_runtime_api.h"
#include "models/isa/program.h"

namespace warpfold::host {

// A device module as clang embeds it: PTX text, parsed when something of it is first used.
struct Module {
  const char* ptx = nullptr;
  std::string name;  // for messages
  std::unique_ptr<isa::Program> program;
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

struct Event {
  bool timed = true;
  std::optional<double> recorded_seconds;
};

// One per process, created by the first call of any kind (static constructors included) and never destroyed: threads
// may still call while the process ends. Results are finished when this library is unloaded, after the program's own
// destructors. Every member is used under `mutex`.
class Context {
 public:
  static Context& instance();
  std::mutex mutex;

  std::size_t add_module(const char* ptx);
  void add_kernel(std::size_t module, const void* host_function, std::string name);
  void add_symbol(std::size_t module, const void* host_variable, std::string name, std::uint64_t bytes);

  Device& device();
  bool has_device() const { return device_ != nullptr; }

  // Null, or nothing, when no such kernel or symbol was registered. `block_threads` as Program::kernel() takes it.
  const isa::Kernel* kernel(const void* host_function, isa::Program** program, unsigned block_threads = 0);
  std::optional<SymbolPlace> symbol(const void* host_variable_or_name);

  std::map<void*, std::uint64_t> host_allocations;
  std::map<const void*, std::unique_ptr<Event>> events;
  std::set<const void*> streams;
  std::uint64_t next_stream = 1;
  std::uint64_t mallocs = 0;
  std::set<std::string> notices;  // said once

 private:
  Context() = default;
  isa::Program& program(std::size_t module);
  std::optional<SymbolPlace> symbol_by_name(const std::string& name);

  std::vector<Module> modules_;
  std::map<const void*, KernelEntry> kernels_;
  std::map<const void*, SymbolEntry> symbols_;
  std::unique_ptr<Device> device_;
};

cudaError_t record_error(cudaError_t error);  // of this thread; returns it
cudaError_t last_error();
void clear_error();

// Prints "warpfold: error: …", after the program's own output, and ends the process with status 1. What has been
// written stays.
[[noreturn]] void die(const char* text);

// Runs one runtime call under the lock. A user error ends the program: CUDA programs seldom look at return codes.
template <class Body>
cudaError_t guarded(Body body) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex);
  try {
    return record_error(body(context));
  } catch (const std::exception& error) {
    die(error.what());
  }
}

// For calls whose arguments are wrong: says so (programs that ignore return codes would go on with wrong data).
template <class... Args>
cudaError_t refuse(cudaError_t error, fmt::format_string<Args...> text, Args&&... args) {
  warn(fmt::format(text, std::forward<Args>(args)...));
  return error;
}

}  // namespace warpfold::host
