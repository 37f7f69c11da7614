// SPDX-License-Identifier: Apache-2.0
// What clang's host code calls before main and around <<<…>>>.
#include <cstdint>
#include <memory>

#include "warpfold/host/runtime/context.h"
#include "warpfold/host/runtime/relocatable.h"

namespace warpfold::host {
namespace {

constexpr int kWrapperMagic = 0x466243b1;

// clang's wrapper around the embedded PTX text.
struct FatBinaryWrapper {
  int magic;
  int version;
  const char* ptx;
  void* unused;
};

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
  CallConfiguration* outer = nullptr;
};

// Launches whose arguments are being evaluated, which may launch in turn. Nothing that needs a destructor: that of a
// thread's variables runs before those of the program's objects, which may launch too.
thread_local CallConfiguration* innermost = nullptr;

// Handles are indices, moved away from null.
void** to_handle(std::size_t module) { return reinterpret_cast<void**>((module + 1) * sizeof(void*)); }
std::size_t to_module(void** handle) { return reinterpret_cast<std::uintptr_t>(handle) / sizeof(void*) - 1; }

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;

extern "C" {

void** __cudaRegisterFatBinary(void* data) {
  void** handle = nullptr;
  warpfold::host::guarded<warpfold::host::AfterFault::kRuns>([&](Context& context) {
    const auto* wrapper = static_cast<const warpfold::host::FatBinaryWrapper*>(data);
    if (wrapper->magic != warpfold::host::kWrapperMagic || wrapper->ptx == nullptr || wrapper->ptx[0] == '\x50') {
      warpfold::user_error("this program's device code is not PTX text; build it with warpfold-cc");
    }
    handle = warpfold::host::to_handle(context.add_module(wrapper->ptx));
    return cudaSuccess;
  });
  return handle;
}

// Of a file compiled with -rdc=true: the compiler leaves the registration to a device linker's function of the module's
// name, for which warpfold-cc puts this one.
void __cudaRegisterLinkedBinary(void (*register_contents)(void**), void* wrapper, void*, void (*)(void*)) {
  register_contents(__cudaRegisterFatBinary(wrapper));
}

// What is managed has its first value before the program's own code can read it. Of what -rdc=true puts together the
// other modules are yet to come, so that these variables have theirs once the device is used.
void __cudaRegisterFatBinaryEnd(void** handle) {
  warpfold::host::guarded<warpfold::host::AfterFault::kRuns>([&](Context& context) {
    context.load_managed(warpfold::host::to_module(handle));
    return cudaSuccess;
  });
}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int, void*, void*,
                            void*, void*, int*) {
  warpfold::host::guarded<warpfold::host::AfterFault::kRuns>([&](Context& context) {
    context.add_kernel(warpfold::host::to_module(handle), host_function, device_name);
    return cudaSuccess;
  });
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, std::size_t bytes, int,
                       int mark) {
  warpfold::host::guarded<warpfold::host::AfterFault::kRuns>([&](Context& context) {
    const std::size_t module = warpfold::host::to_module(handle);
    context.add_symbol(module, host_variable, device_name, bytes);
    if (mark == warpfold::host::kManagedMark) context.managed.add(module, device_name, host_variable, bytes);
    return cudaSuccess;
  });
}

void __cudaRegisterTexture(void** handle, const textureReference* host_variable, const void**, const char* device_name,
                           int, int normalized_values, int) {
  warpfold::host::guarded([&](Context& context) {
    context.add_symbol(warpfold::host::to_module(handle), host_variable, device_name, sizeof(std::uint64_t));
    context.images.textures[host_variable] = {device_name, normalized_values != 0, 0};
    return cudaSuccess;
  });
}

void __cudaRegisterSurface(void** handle, const surfaceReference* host_variable, const void**, const char* device_name,
                           int, int) {
  warpfold::host::guarded([&](Context& context) {
    context.add_symbol(warpfold::host::to_module(handle), host_variable, device_name, sizeof(std::uint64_t));
    context.images.surfaces[host_variable] = device_name;
    return cudaSuccess;
  });
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void* stream) {
  using warpfold::host::innermost;
  try {
    innermost = new warpfold::host::CallConfiguration{grid, block, shared_bytes, stream, innermost};
  } catch (const std::exception& error) {
    warpfold::host::die(error, "a kernel launch");
  }
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  using warpfold::host::innermost;
  const std::unique_ptr<warpfold::host::CallConfiguration> call(innermost);
  if (call == nullptr) return cudaErrorMissingConfiguration;
  innermost = call->outer;
  *grid = call->grid;
  *block = call->block;
  *shared_bytes = call->shared_bytes;
  *static_cast<void**>(stream) = call->stream;
  return cudaSuccess;
}

}  // extern "C"
