// SPDX-License-Identifier: Apache-2.0
// Modules of PTX text, their kernels and variables, and launches through the driver interface.
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/common/files/input_file.h"
#include "warpfold/host/driver/driver.h"
#include "warpfold/host/runtime/context.h"

// A kernel's handle is the host function under which the run-time library knows it.
struct CUfunc_st {};

struct CUmod_st {
  std::string ptx;
  std::size_t number = 0;  // of the run-time library
  bool loaded = true;
  std::map<std::string, CUfunc_st, std::less<>> functions;  // a map never moves its elements
};

namespace warpfold::host::driver {
namespace {

// Never destroyed: the run-time library has their text, also of those that have been unloaded.
std::vector<std::unique_ptr<CUmod_st>>& modules() {
  static auto* const all = new std::vector<std::unique_ptr<CUmod_st>>;
  return *all;
}

CUmod_st* find(CUmodule handle) {
  for (const auto& module : modules()) {
    if (module.get() == handle) return module->loaded ? handle : nullptr;
  }
  return nullptr;
}

bool is_text(std::string_view image) {
  const std::size_t at = image.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (image[at] == '.' || image[at] == '/');
}

cudaError_t load(Context& context, const char* call, CUmodule* handle, std::string ptx) {
  if (!is_text(ptx)) {
    return refuse(cudaErrorInvalidKernelImage, "{}: not PTX text; make it with warpfold-cc -ptx, -cubin or -fatbin",
                  call);
  }
  auto module = std::make_unique<CUmod_st>();
  module->ptx = std::move(ptx);
  module->number = context.add_module(module->ptx.c_str());
  try {
    context.program(module->number);
  } catch (const UserError& error) {
    return refuse(cudaErrorInvalidPtx, "{}: {}", call, error.what());
  }
  *handle = module.get();
  modules().push_back(std::move(module));
  return cudaSuccess;
}

cudaError_t load_image(CUmodule* handle, const void* image) {
  return guarded(
      [&](Context& context) {
        if (handle == nullptr || image == nullptr) return cudaErrorInvalidValue;
        return load(context, "cuModuleLoadData", handle, static_cast<const char*>(image));
      },
      "cuModuleLoadData");
}

cudaError_t load_file(CUmodule* handle, const char* path) {
  return guarded(
      [&](Context& context) {
        if (handle == nullptr || path == nullptr) return cudaErrorInvalidValue;
        std::string image;
        try {
          image = read_input(path, "module");
        } catch (const UserError& error) {
          return refuse(cudaErrorFileNotFound, "cuModuleLoad: {}", error.what());
        }
        return load(context, "cuModuleLoad", handle, std::move(image));
      },
      "cuModuleLoad");
}

cudaError_t find_function(Context& context, CUfunction* function, CUmodule handle, const char* name) {
  CUmod_st* const module = find(handle);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
  if (!context.program(module->number).has_kernel(name)) {
    return refuse(
        cudaErrorSymbolNotFound,
        "cuModuleGetFunction: no kernel '{}' in this module; C++ names are mangled, but for those of extern \"C\"",
        name);
  }
  *function = &module->functions[name];
  context.add_kernel(module->number, *function, name);
  return cudaSuccess;
}

cudaError_t find_variable(Context& context, CUdeviceptr* pointer, std::size_t* bytes, CUmodule handle,
                          const char* name) {
  CUmod_st* const module = find(handle);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr) return cudaErrorInvalidValue;
  isa::Program& program = context.program(module->number);
  const isa::Symbol* const symbol = program.symbol(name);
  if (symbol == nullptr)
    return refuse(cudaErrorSymbolNotFound, "cuModuleGetGlobal: no variable '{}' in this module", name);
  if (pointer != nullptr) *pointer = context.address_of({&program, *symbol});
  if (bytes != nullptr) *bytes = symbol->bytes;
  return cudaSuccess;
}

// Where each parameter lies in what `extra` says (CU_LAUNCH_PARAM_BUFFER_POINTER); empty: not what the kernel takes.
std::vector<void*> parameters_in(const isa::Kernel& kernel, void** extra) {
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  std::vector<void*> places;
  for (const isa::KernelParameter& parameter : kernel.parameters) {
    if (buffer == nullptr || parameter.offset + parameter.bytes > bytes) return {};
    places.push_back(buffer + parameter.offset);
  }
  return places;
}

// Whether there is what the kernel takes; what `extra` has of it goes to `places`.
cudaError_t check_parameters(CUfunction function, void** parameters, void** extra, std::vector<void*>& places) {
  return guarded(
      [&](Context& context) {
        if (context.kernel_name(function) == nullptr) return cudaErrorInvalidDeviceFunction;
        const isa::Kernel& kernel = *context.kernel(function, nullptr);
        if (extra != nullptr) places = parameters_in(kernel, extra);
        const bool given = extra == nullptr ? parameters != nullptr : !places.empty();
        return given || kernel.parameters.empty() ? cudaSuccess : cudaErrorInvalidValue;
      },
      "cuLaunchKernel");
}

}  // namespace
}  // namespace warpfold::host::driver

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::driver::in_context;

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] { return warpfold::host::driver::load_file(module, path); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context([&] { return warpfold::host::driver::load_image(module, image); });
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }
CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] {
    return guarded([&](Context&) {
      CUmod_st* const found = warpfold::host::driver::find(module);
      if (found == nullptr) return cudaErrorInvalidResourceHandle;
      found->loaded = false;
      return cudaSuccess;
    });
  });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context([&] {
    return guarded(
        [&](Context& context) { return warpfold::host::driver::find_function(context, function, module, name); });
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return in_context([&] {
    return guarded(
        [&](Context& context) { return warpfold::host::driver::find_variable(context, pointer, bytes, module, name); });
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    cudaFuncAttributes all{};
    if (value == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = cudaFuncGetAttributes(&all, function); error != cudaSuccess) return error;
    const int values[] = {all.maxThreadsPerBlock,
                          static_cast<int>(all.sharedSizeBytes),
                          static_cast<int>(all.constSizeBytes),
                          static_cast<int>(all.localSizeBytes),
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout};
    if (attribute < 0 || static_cast<std::size_t>(attribute) >= std::size(values)) return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
  });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] { return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value); });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context([&] { return cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)); });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     size_t shared_bytes) {
  return in_context(
      [&] { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes); });
}
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  return in_context([&] {
    std::vector<void*> places;
    const cudaError_t error = warpfold::host::driver::check_parameters(function, parameters, extra, places);
    if (error != cudaSuccess) return error;
    void** const all = extra == nullptr ? parameters : places.data();
    return cudaLaunchKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), all, shared_bytes,
                            stream);
  });
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void** parameters) {
  return in_context([&] {
    return cudaLaunchCooperativeKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                                       parameters, shared_bytes, stream);
  });
}

}  // extern "C"
