// SPDX-License-Identifier: Apache-2.0
// Modules of PTX text, their kernels and variables, and launches through the driver interface.
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/common/files/input_file.h"
#include "warpfold/host/driver/driver.h"
#include "warpfold/host/driver/jit_logs.h"
#include "warpfold/host/include/warpfold/occupancy_templates.h"
#include "warpfold/host/runtime/context.h"
#include "warpfold/host/runtime/linked_image.h"

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

cudaError_t load(Context& context, const char* call, CUmodule* handle, std::string ptx, JitLogs logs = {}) {
  const auto refused = [&](cudaError_t error, const std::string& why) {
    logs.error("error: " + why);
    return refuse(error, "{}: {}", call, why);
  };
  if (!is_ptx_text(ptx)) {
    return refused(cudaErrorInvalidKernelImage, "not PTX text; make it with warpfold-cc -ptx, -cubin or -fatbin");
  }
  auto module = std::make_unique<CUmod_st>();
  module->ptx = standing_alone(std::move(ptx));
  module->number = context.add_module(module->ptx.c_str());
  try {
    context.program(module->number);
  } catch (const UserError& error) {
    return refused(cudaErrorInvalidPtx, error.what());
  }
  *handle = module.get();
  modules().push_back(std::move(module));
  return cudaSuccess;
}

cudaError_t load_image(const char* call, CUmodule* handle, const void* image, const JitLogs& logs = {}) {
  return guarded(
      [&](Context& context) {
        if (handle == nullptr || image == nullptr) return cudaErrorInvalidValue;
        return load(context, call, handle, static_cast<const char*>(image), logs);
      },
      call);
}

cudaError_t load_file(const char* call, CUmodule* handle, const char* path) {
  return guarded(
      [&](Context& context) {
        if (handle == nullptr || path == nullptr) return cudaErrorInvalidValue;
        std::string image;
        try {
          image = read_input(path, "module");
        } catch (const UserError& error) {
          return refuse(cudaErrorFileNotFound, "{}: {}", call, error.what());
        }
        return load(context, call, handle, std::move(image));
      },
      call);
}

cudaError_t find_function(Context& context, const char* call, CUfunction* function, CUmodule handle, const char* name) {
  CUmod_st* const module = find(handle);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
  if (!context.program(module->number).has_kernel(name)) {
    return refuse(cudaErrorSymbolNotFound,
                  "{}: no kernel '{}' in this module; C++ names are mangled, but for those of extern \"C\"", call,
                  name);
  }
  *function = &module->functions[name];
  context.add_kernel(module->number, *function, name);
  return cudaSuccess;
}

cudaError_t find_variable(Context& context, const char* call, CUdeviceptr* pointer, std::size_t* bytes, CUmodule handle,
                          const char* name) {
  CUmod_st* const module = find(handle);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr) return cudaErrorInvalidValue;
  isa::Program& program = context.program(module->number);
  const isa::Symbol* const symbol = program.symbol(name);
  if (symbol == nullptr) return refuse(cudaErrorSymbolNotFound, "{}: no variable '{}' in this module", call, name);
  if (pointer != nullptr) *pointer = context.address_of({&program, *symbol});
  if (bytes != nullptr) *bytes = symbol->bytes;
  return cudaSuccess;
}

cudaError_t unload(CUmodule handle) {
  return guarded(
      [&](Context&) {
        CUmod_st* const module = find(handle);
        if (module == nullptr) return cudaErrorInvalidResourceHandle;
        module->loaded = false;
        return cudaSuccess;
      },
      "cuModuleUnload");
}

// A library is a module that needs no context, and its kernels are the module's functions.
CUmodule module_of(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
CUmodule* place_of_module(CUlibrary* library) { return reinterpret_cast<CUmodule*>(library); }

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

// Launches return before their kernels end: what a kernel does wrong is told by the calls that follow.
template <class Launch>
cudaError_t without_its_fault(Launch launch) {
  const Context& context = Context::instance();
  const bool worked = context.fault == cudaSuccess;
  const cudaError_t error = launch();
  return worked && context.fault != cudaSuccess ? cudaSuccess : error;
}

}  // namespace
}  // namespace warpfold::host::driver

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::driver::in_context;

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] { return warpfold::host::driver::load_file("cuModuleLoad", module, path); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context([&] { return warpfold::host::driver::load_image("cuModuleLoadData", module, image); });
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int options, CUjit_option* names,
                            void** values) {
  return in_context([&] {
    return warpfold::host::driver::load_image("cuModuleLoadDataEx", module, image, {options, names, values});
  });
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }
CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] { return warpfold::host::driver::unload(module); });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context([&] {
    return guarded([&](Context& context) {
      return warpfold::host::driver::find_function(context, "cuModuleGetFunction", function, module, name);
    });
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return in_context([&] {
    return guarded([&](Context& context) {
      return warpfold::host::driver::find_variable(context, "cuModuleGetGlobal", pointer, bytes, module, name);
    });
  });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* names, void** values,
                           unsigned int options, CUlibraryOption*, void**, unsigned int) {
  using namespace warpfold::host::driver;
  return in_driver([&] {
    return load_image("cuLibraryLoadData", place_of_module(library), image, {options, names, values});
  });
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned int,
                               CUlibraryOption*, void**, unsigned int) {
  using namespace warpfold::host::driver;
  return in_driver([&] { return load_file("cuLibraryLoadFromFile", place_of_module(library), path); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  using namespace warpfold::host::driver;
  return in_driver([&] { return unload(module_of(library)); });
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return in_context([&] {
    return guarded([&](Context&) {
      if (module == nullptr) return cudaErrorInvalidValue;
      *module = warpfold::host::driver::find(warpfold::host::driver::module_of(library));
      return *module == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
    });
  });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  using namespace warpfold::host::driver;
  return in_driver([&] {
    return guarded([&](Context& context) {
      return find_function(context, "cuLibraryGetKernel", reinterpret_cast<CUfunction*>(kernel), module_of(library),
                           name);
    });
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
  using namespace warpfold::host::driver;
  return in_context([&] {
    return guarded([&](Context& context) {
      return find_variable(context, "cuLibraryGetGlobal", pointer, bytes, module_of(library), name);
    });
  });
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return in_context([&] {
    return guarded([&](Context& context) {
      if (function == nullptr) return cudaErrorInvalidValue;
      if (context.kernel_name(kernel) == nullptr) return cudaErrorInvalidResourceHandle;
      *function = reinterpret_cast<CUfunction>(kernel);
      return cudaSuccess;
    });
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
CUresult cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int limit) {
  const auto shared_of = [&](int size) { return shared_bytes_of != nullptr ? shared_bytes_of(size) : shared_bytes; };
  return in_context([&] {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, function, shared_of, limit);
  });
}
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  return in_context([&] {
    std::vector<void*> places;
    const cudaError_t error = warpfold::host::driver::check_parameters(function, parameters, extra, places);
    if (error != cudaSuccess) return error;
    void** const all = extra == nullptr ? parameters : places.data();
    return warpfold::host::driver::without_its_fault([&] {
      return cudaLaunchKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), all,
                              shared_bytes, stream);
    });
  });
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void** parameters) {
  return in_context([&] {
    return warpfold::host::driver::without_its_fault([&] {
      return cudaLaunchCooperativeKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                                         parameters, shared_bytes, stream);
    });
  });
}

}  // extern "C"
