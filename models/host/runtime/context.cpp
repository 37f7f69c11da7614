// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/runtime/context.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "warpfold/common/memory/out_of_memory.h"
#include "warpfold/common/symbol_name.h"
#include "warpfold/host/runtime/linked_image.h"
#include "warpfold/host/runtime/relocatable.h"
#include "warpfold/ptx/link.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::host {
namespace {

thread_local cudaError_t thread_error = cudaSuccess;

const char* current_call = "";  // under the context's mutex

[[noreturn]] void end_by_uncaught() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    die(error, current_call);
  } catch (...) {
  }
  die(InternalError("a library has given up, as when memory runs out"), current_call);
}

std::string program_name() {
  const std::string path = program_invocation_short_name;
  return path.empty() ? "program" : path;
}

// The program, or the shared library that holds this text.
std::string owner_of(const char* text) {
  Dl_info object;
  if (dladdr(text, &object) == 0 || object.dli_fname == nullptr) return program_name();
  const std::string_view path = object.dli_fname, file = path.substr(path.rfind('/') + 1);
  const std::size_t suffix = file.find(".so");
  return suffix == std::string_view::npos ? program_name() : std::string(file.substr(0, suffix));
}

std::string source_of(std::string_view relocatable) {
  relocatable.remove_prefix(std::strlen(kRelocatableMark));
  return std::string(relocatable.substr(0, relocatable.find('\n')));
}

// Lines of several modules count on, as if they stood in one file.
ptx::Module parsed(const std::vector<Module*>& parts) {
  if (parts.size() == 1) return parsed_image(parts.front()->ptx, parts.front()->name);
  std::vector<ptx::Module> modules;
  std::string lines;
  for (const Module* part : parts) {
    modules.push_back(ptx::parse(lines + part->ptx, source_of(part->ptx)));
    lines.append(static_cast<std::size_t>(std::count(part->ptx, part->ptx + std::strlen(part->ptx), '\n')), '\n');
  }
  return ptx::link(std::move(modules), program_name() + ".linked.ptx");
}

// What device code calls the host's variable or kernel: clang gives a static one of -rdc=true an end that no other
// module has.
std::string device_name(const Module& module, const std::string& name) {
  if (!module.relocatable) return name;
  const std::string_view ptx = module.ptx;
  for (const char* const mark : kStaticMarks) {
    const std::string begin = name + mark;
    const std::size_t at = ptx.find(" " + begin);
    if (at == std::string_view::npos) continue;
    const std::size_t end = ptx.find_first_not_of("0123456789abcdef", at + 1 + begin.size());
    return std::string(ptx.substr(at + 1, end - at - 1));
  }
  return name;
}

// The library's static objects are destroyed after those of the program that uses it.
struct UnloadAtExit {
  ~UnloadAtExit() { Context::instance().unload(); }
} unload_at_exit;

}  // namespace

Context& Context::instance() {
  static Context* const context = new Context;  // never destroyed, see the class
  return *context;
}

std::size_t Context::add_module(const char* ptx) {
  Module module;
  module.ptx = ptx;
  module.relocatable = std::string_view(ptx).starts_with(kRelocatableMark);
  const std::string owner = owner_of(ptx);
  module.name = owner + ".ptx";
  const bool taken =
      std::any_of(modules_.begin(), modules_.end(), [&](const Module& other) { return other.name == module.name; });
  if (taken) module.name = fmt::format("{}.{}.ptx", owner, modules_.size());
  modules_.push_back(std::move(module));
  return modules_.size() - 1;
}

void Context::add_kernel(std::size_t module, const void* host_function, std::string name) {
  kernels_[host_function] = {module, device_name(modules_.at(module), name)};
}

void Context::add_symbol(std::size_t module, const void* host_variable, std::string name, std::uint64_t bytes) {
  symbols_[host_variable] = {module, device_name(modules_.at(module), name), bytes};
}

void Context::load_managed(std::size_t module) {
  if (managed.any_of(module) && !modules_.at(module).relocatable) program(module);
}

cudaError_t Context::barred() const {
  if (unloaded_) return cudaErrorCudartUnloading;
  const pid_t process = device_process_;
  return process == 0 || process == getpid() ? cudaSuccess : cudaErrorInitializationError;
}

Device& Context::device() {
  if (!device_) {
    device_ = make_device();
    device_process_ = getpid();
  }
  return *device_;
}

isa::SystemServices& Context::services() {
  if (services_) return *services_;
  services_ = std::make_unique<isa::SystemServices>(device().memory());
  services_->fifo.set_bytes(settings.limits.printf_fifo_bytes);
  check(services_->heap.set_bytes(settings.limits.malloc_heap_bytes), "a heap that nobody has used has any size");
  return *services_;
}

// Modules are loaded anew when something of them is used again, with the first values of their variables.
void Context::reset_device() {
  fault = cudaSuccess;
  settings = {};
  kernel_settings.clear();
  events.clear();
  timeline.wait_until(timeline.all_ready());
  timeline.destroy_all();
  graphs = {};
  images.arrays.clear();
  images.texture_objects.clear();
  images.surface_objects.clear();
  images.table = {};
  services_ = nullptr;
  banks_.clear();
  for (Module& module : modules_) {
    if (module.program) retired_.push_back(std::move(module.program));
  }
  if (!device_) return;
  DeviceMemory& memory = device_->memory();
  host_memory.release_all(memory);
  managed.forget_addresses();
  pools = {};
  while (!memory.allocations().empty()) memory.release(memory.allocations().begin()->first);
  device_->reset();
}

void Context::unload() {
  if (barred() != cudaSuccess) return;
  guarded<AfterFault::kRuns>(
      [](Context& context) {
        if (context.device_) context.device_->finish();
        return cudaSuccess;
      },
      "the writing of results");
  unloaded_ = true;
}

// The modules that make up its program.
std::vector<Module*> Context::program_of(std::size_t module) {
  Module& entry = modules_.at(module);
  if (!entry.relocatable) return {&entry};
  std::vector<Module*> parts;
  for (Module& other : modules_) {
    if (other.relocatable && !other.program) parts.push_back(&other);
  }
  return parts;
}

isa::Program& Context::program(std::size_t module) {
  Module& entry = modules_.at(module);
  if (entry.program) return *entry.program;
  const std::vector<Module*> parts = program_of(module);
  std::size_t bytes = 0;
  for (const Module* part : parts) bytes += std::strlen(part->ptx);
  with_memory_for([&] { return fmt::format("{}, {} bytes of PTX", entry.name, bytes); },
                  [&] {
                    isa::DecodeOptions options = device().decode_options();
                    options.stack_bytes = settings.limits.stack_bytes;
                    DeviceMemory& memory = device().memory();
                    const auto is_part = [&](std::size_t other) {
                      return std::find(parts.begin(), parts.end(), &modules_.at(other)) != parts.end();
                    };
                    isa::Program::Placed placed;
                    std::vector<std::pair<std::byte*, std::vector<std::byte>>> written;
                    for (const auto& [name, address] : managed.lend(memory, is_part)) {
                      for (const Module* part : parts) placed[device_name(*part, name)] = address;
                      std::byte* const begin = memory.host(address);
                      const std::vector<std::byte> held(begin, begin + memory.find(address)->bytes);
                      const bool any =
                          std::any_of(held.begin(), held.end(), [](std::byte b) { return b != std::byte{}; });
                      if (entry.relocatable && any) written.emplace_back(begin, held);
                    }
                    const auto loaded = std::make_shared<isa::Program>(parsed(parts), memory, options, placed);
                    // What the program has put there before the device was first used stays.
                    for (const auto& [begin, held] : written) std::copy(held.begin(), held.end(), begin);
                    for (Module* part : parts) part->program = loaded;
                  });
  return *entry.program;
}

const std::string* Context::kernel_name(const void* host_function) const {
  const auto found = kernels_.find(host_function);
  return found == kernels_.end() ? nullptr : &found->second.name;
}

const isa::Kernel* Context::kernel(const void* host_function, isa::Program** program_of, unsigned block_threads) {
  const auto found = kernels_.find(host_function);
  if (found == kernels_.end()) return nullptr;
  isa::Program& loaded = program(found->second.module);
  if (program_of != nullptr) *program_of = &loaded;
  return &loaded.kernel(found->second.name, block_threads);
}

std::optional<SymbolPlace> Context::symbol(const void* host_variable_or_name) {
  if (host_variable_or_name == nullptr) return std::nullopt;
  const auto found = symbols_.find(host_variable_or_name);
  if (found == symbols_.end()) return symbol_by_name(static_cast<const char*>(host_variable_or_name));
  isa::Program& loaded = program(found->second.module);
  const isa::Symbol* symbol = loaded.symbol(found->second.name);
  if (symbol == nullptr) return std::nullopt;  // never read by device code: the compiler dropped it
  return SymbolPlace{&loaded, *symbol};
}

Address Context::address_of(const SymbolPlace& place) {
  if (place.symbol.space != isa::SymbolSpace::kConst) return place.symbol.address;
  const auto [bank, fresh] = banks_.try_emplace(place.program);
  if (fresh) {
    std::vector<std::byte>& bytes = place.program->const_bank();
    bank->second = device().memory().lend(bytes.data(), bytes.size(), "the constants of this program");
    check(bank->second != 0, "what the model has allocated is nobody else's");
  }
  return bank->second + place.symbol.address;
}

// Not the shadow of a symbol, so a name (CUDA before 5.0), perhaps of a static variable.
std::optional<SymbolPlace> Context::symbol_by_name(const std::string& name) {
  for (std::size_t module = 0; module < modules_.size(); ++module) {
    isa::Program& loaded = program(module);
    for (const std::string& candidate : {name, fmt::format("_ZL{}{}", name.size(), name)}) {
      if (const isa::Symbol* symbol = loaded.symbol(candidate)) return SymbolPlace{&loaded, *symbol};
    }
  }
  return std::nullopt;
}

UncaughtErrors::UncaughtErrors(const char* call) : programs_(std::set_terminate(end_by_uncaught)) {
  current_call = call;
}

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) thread_error = error;
  return error;
}

cudaError_t last_error() { return thread_error; }
void clear_error() { thread_error = cudaSuccess; }

void tell_error(const char* text) {
  std::cout.flush();
  std::fflush(nullptr);
  std::fprintf(stderr, "warpfold: error: %s\n", text);
  std::fflush(stderr);
}

void die(const std::exception& error, const char* during) {
  std::cout.flush();
  std::fflush(nullptr);
  if (is_out_of_memory(error)) {  // what() would name a type, and formatting may want memory again
    std::fprintf(stderr, "warpfold: error: out of memory in %s\n", during);
  } else {
    tell_error(error.what());
  }
  std::fflush(stderr);
  std::_Exit(1);
}

cudaError_t refuse_barred(cudaError_t why) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) {
    warn(why == cudaErrorCudartUnloading
             ? "a CUDA call after the end of the run-time library fails (cudaErrorCudartUnloading)"
             : "this process was forked from one that uses the device: CUDA calls fail (cudaErrorInitializationError)");
  }
  return why;
}

}  // namespace warpfold::host
