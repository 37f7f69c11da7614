// SPDX-License-Identifier: Apache-2.0
// Devices and contexts of the driver interface.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "warpfold/host/driver/driver.h"
#include "warpfold/host/runtime/context.h"

struct CUctx_st {
  unsigned flags = 0;
};

namespace warpfold::host::driver {
namespace {

constexpr unsigned kApiVersion = 3020;

struct Contexts {
  std::mutex mutex;
  bool initialised = false;
  CUctx_st primary;
  unsigned primary_uses = 0;
  std::vector<std::unique_ptr<CUctx_st>> made;

  bool knows(CUcontext context) const {
    return context == &primary ||
           std::any_of(made.begin(), made.end(), [&](const auto& c) { return c.get() == context; });
  }
};

Contexts& contexts() {
  static Contexts* const all = new Contexts;  // never destroyed: threads may still call while the process ends
  return *all;
}

// Nothing that needs a destructor: the program's objects, whose come later, may call too.
thread_local std::vector<CUcontext>* stack = nullptr;

std::vector<CUcontext>& current_stack() {
  if (stack == nullptr) stack = new std::vector<CUcontext>;
  return *stack;
}

CUcontext current() {
  if (!current_stack().empty()) return current_stack().back();
  return Context::instance().has_device() ? &contexts().primary : nullptr;
}

struct CodeText {
  CUresult code;
  const char* name;
  cudaError_t error;
};
#define WARPFOLD_TEXT(name, value, error) CodeText{name, #name, error},
constexpr std::array kCodes = {WARPFOLD_CU_ERRORS(WARPFOLD_TEXT)};
#undef WARPFOLD_TEXT

const CodeText* find(CUresult code) {
  const auto* found = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeText& c) { return c.code == code; });
  return found == kCodes.end() ? nullptr : found;
}

// `body` when cuInit() has been called.
template <class Body>
CUresult initialised(Body body) {
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  return all.initialised ? body(all) : CUDA_ERROR_NOT_INITIALIZED;
}

template <class Body>
CUresult of_device(CUdevice device, Body body) {
  return initialised([&](Contexts& all) { return device == 0 ? body(all) : CUDA_ERROR_INVALID_DEVICE; });
}

// Of what the run-time library says of the device.
template <class Use>
CUresult of_properties(CUdevice device, Use use) {
  return of_device(device, [&](Contexts&) {
    cudaDeviceProp properties;
    const CUresult result = result_of(cudaGetDeviceProperties(&properties, device));
    return result == CUDA_SUCCESS ? use(properties) : result;
  });
}

// What was made in a context goes with it.
CUresult reset_if_unused(Contexts& all) {
  return all.made.empty() && all.primary_uses == 0 ? result_of(cudaDeviceReset()) : CUDA_SUCCESS;
}

}  // namespace

CUresult result_of(cudaError_t error) {
  const auto* found = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeText& c) { return c.error == error; });
  if (found != kCodes.end()) return found->code;
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  // The run-time library tells bad arguments apart, by codes below those that the two share.
  return error < cudaErrorNoDevice ? CUDA_ERROR_INVALID_VALUE : static_cast<CUresult>(error);
}

CUresult check_initialised() {
  return initialised([](Contexts&) { return CUDA_SUCCESS; });
}

CUresult check_context() {
  return initialised([](Contexts&) { return current() != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; });
}

}  // namespace warpfold::host::driver

using warpfold::host::driver::Contexts;
using warpfold::host::driver::current_stack;
using warpfold::host::driver::in_context;
using warpfold::host::driver::initialised;
using warpfold::host::driver::of_device;
using warpfold::host::driver::of_properties;
using warpfold::host::driver::result_of;

extern "C" {

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Contexts& all = warpfold::host::driver::contexts();
  const std::lock_guard lock(all.mutex);
  all.initialised = true;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) { return result_of(cudaDriverGetVersion(version)); }
CUresult cuGetErrorName(CUresult error, const char** name) {
  const auto* const found = warpfold::host::driver::find(error);
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = found == nullptr ? nullptr : found->name;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  const auto* const found = warpfold::host::driver::find(error);
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = found == nullptr ? nullptr : cudaGetErrorString(found->error);
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return of_device(ordinal, [&](Contexts&) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetCount(int* count) {
  return initialised([&](Contexts&) { return result_of(cudaGetDeviceCount(count)); });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return of_properties(device, [&](const cudaDeviceProp& properties) {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::strncpy(name, properties.name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return of_properties(device, [&](const cudaDeviceProp& properties) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *uuid = properties.uuid;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return of_properties(device, [&](const cudaDeviceProp& properties) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = properties.totalGlobalMem;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return of_device(device, [&](Contexts&) {
    return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
  });
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return of_device(device, [&](Contexts&) { return result_of(cudaDeviceCanAccessPeer(can, device, peer)); });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return of_device(device, [&](Contexts&) {
    const CUresult result = result_of(cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device));
    return result == CUDA_SUCCESS ? result_of(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device))
                                  : result;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return of_device(device, [&](Contexts& all) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ++all.primary_uses;
    *context = &all.primary;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return of_device(device, [&](Contexts& all) {
    if (all.primary_uses == 0) return CUDA_ERROR_INVALID_CONTEXT;
    --all.primary_uses;
    return warpfold::host::driver::reset_if_unused(all);
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return of_device(device, [&](Contexts&) { return result_of(cudaDeviceReset()); });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return of_device(device, [&](Contexts& all) {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = all.primary.flags;
    *active = all.primary_uses != 0 || warpfold::host::Context::instance().has_device() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device) {
  return of_device(device, [&](Contexts& all) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    all.made.push_back(std::make_unique<CUctx_st>(CUctx_st{flags}));
    *context = all.made.back().get();
    current_stack().push_back(*context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxDestroy(CUcontext context) {
  return initialised([&](Contexts& all) {
    const auto found =
        std::find_if(all.made.begin(), all.made.end(), [&](const auto& made) { return made.get() == context; });
    if (found == all.made.end()) return CUDA_ERROR_INVALID_CONTEXT;
    if (!current_stack().empty() && current_stack().back() == context) current_stack().pop_back();
    all.made.erase(found);
    return warpfold::host::driver::reset_if_unused(all);
  });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return initialised([&](Contexts&) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *context = warpfold::host::driver::current();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  return initialised([&](Contexts& all) {
    if (!all.knows(context)) return CUDA_ERROR_INVALID_CONTEXT;
    current_stack().push_back(context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  return initialised([&](Contexts&) {
    if (current_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = current_stack().back();
    current_stack().pop_back();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return initialised([&](Contexts& all) {
    if (context != nullptr && !all.knows(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!current_stack().empty()) current_stack().pop_back();
    if (context != nullptr) current_stack().push_back(context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return cudaGetDevice(device); });
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  return initialised([&](Contexts& all) {
    if (context != nullptr && !all.knows(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = warpfold::host::driver::kApiVersion;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSynchronize() { return in_context(cudaDeviceSynchronize); }
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

}  // extern "C"
