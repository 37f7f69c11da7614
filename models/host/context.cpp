// SPDX-License-Identifier: Apache-2.0
#include "models/host/context.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "models/ptx/parser.h"

namespace warpfold::host {
namespace {

thread_local cudaError_t thread_error = cudaSuccess;

std::string program_name() {
  const std::string path = program_invocation_short_name;
  return path.empty() ? "program" : path;
}

// The library's static objects are destroyed after those of the program that uses it.
struct FinishAtUnload {
  ~FinishAtUnload() {
    Context& context = Context::instance();
    const std::lock_guard lock(context.mutex);
    if (!context.has_device()) return;
    try {
      context.device().finish();
    } catch (const std::exception& error) {
      die(error.what());
    }
  }
} finish_at_unload;

}  // namespace

Context& Context::instance() {
  static Context* const context = new Context;  // never destroyed, see the class
  return *context;
}

std::size_t Context::add_module(const char* ptx) {
  Module module;
  module.ptx = ptx;
  module.name = modules_.empty() ? program_name() + ".ptx" : fmt::format("{}.{}.ptx", program_name(), modules_.size());
  modules_.push_back(std::move(module));
  return modules_.size() - 1;
}

void Context::add_kernel(std::size_t module, const void* host_function, std::string name) {
  kernels_[host_function] = {module, std::move(name)};
}

void Context::add_symbol(std::size_t module, const void* host_variable, std::string name, std::uint64_t bytes) {
  symbols_[host_variable] = {module, std::move(name), bytes};
}

Device& Context::device() {
  if (!device_) device_ = make_device();
  return *device_;
}

isa::Program& Context::program(std::size_t module) {
  Module& entry = modules_.at(module);
  if (!entry.program) {
    entry.program =
        std::make_unique<isa::Program>(ptx::parse(entry.ptx, entry.name), device().memory(), device().decode_options());
  }
  return *entry.program;
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

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) thread_error = error;
  return error;
}

cudaError_t last_error() { return thread_error; }
void clear_error() { thread_error = cudaSuccess; }

void die(const char* text) {
  std::cout.flush();
  std::fflush(nullptr);
  std::fprintf(stderr, "warpfold: error: %s\n", text);
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace warpfold::host
