// SPDX-License-Identifier: Apache-2.0
// __device__ and __constant__ variables as the host reaches them.
#include <cstring>

#include "warpfold/host/transfer.h"

namespace warpfold::host {
namespace {

cudaError_t unknown(const char* call) {
  return refuse(cudaErrorInvalidSymbol, "{}: no such __device__ or __constant__ variable in this program's device code",
                call);
}

cudaError_t too_long(const char* call, const SymbolPlace& place, std::size_t bytes, std::size_t offset) {
  return refuse(cudaErrorInvalidValue, "{}: {} bytes at offset {} of a variable of {} bytes", call, bytes, offset,
                place.symbol.bytes);
}

bool fits(const SymbolPlace& place, std::size_t bytes, std::size_t offset) {
  return offset <= place.symbol.bytes && bytes <= place.symbol.bytes - offset;
}

// The symbol's bytes in the host process: device memory and constant bank both live there.
std::byte* bytes_of(Context& context, const SymbolPlace& place, std::size_t offset) {
  if (place.symbol.space == isa::SymbolSpace::kConst) {
    return place.program->const_bank().data() + place.symbol.address + offset;
  }
  return context.device().memory().host(place.symbol.address + offset);
}

cudaError_t copy_to(Context& context, const Transfer& how, const void* symbol, const void* from, std::size_t bytes,
                    std::size_t offset, cudaMemcpyKind kind) {
  const auto place = context.symbol(symbol);
  if (!place) return unknown(how.call);
  if (!fits(*place, bytes, offset)) return too_long(how.call, *place, bytes, offset);
  if (const cudaError_t error = check_stream(context, how.call, how.stream); error != cudaSuccess) return error;
  if (Graphs::Recording* const recording = context.graphs.recorded(how.stream)) {
    context.graphs.add(*recording, cudaGraphNodeTypeMemcpy, {[=](Context& later, cudaStream_t stream) {
      return copy_to(later, {how.call, stream, true}, symbol, from, bytes, offset, kind);
    }});
    return cudaSuccess;
  }
  std::byte* to = bytes_of(context, *place, offset);
  const bool from_device = kind == cudaMemcpyDeviceToDevice ||
                           (kind == cudaMemcpyDefault && context.device().memory().find(to_address(from)) != nullptr);
  if (!from_device) {
    std::memcpy(to, from, bytes);
  } else if (!context.device().memory().read(to_address(from), to, bytes)) {
    return cudaErrorInvalidValue;
  }
  charge_copy(context, how, from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_from(Context& context, const Transfer& how, void* to, const void* symbol, std::size_t bytes,
                      std::size_t offset, cudaMemcpyKind kind) {
  const auto place = context.symbol(symbol);
  if (!place) return unknown(how.call);
  if (!fits(*place, bytes, offset)) return too_long(how.call, *place, bytes, offset);
  if (const cudaError_t error = check_stream(context, how.call, how.stream); error != cudaSuccess) return error;
  if (Graphs::Recording* const recording = context.graphs.recorded(how.stream)) {
    context.graphs.add(*recording, cudaGraphNodeTypeMemcpy, {[=](Context& later, cudaStream_t stream) {
      return copy_from(later, {how.call, stream, true}, to, symbol, bytes, offset, kind);
    }});
    return cudaSuccess;
  }
  const std::byte* from = bytes_of(context, *place, offset);
  const bool to_device = kind == cudaMemcpyDeviceToDevice ||
                         (kind == cudaMemcpyDefault && context.device().memory().find(to_address(to)) != nullptr);
  if (!to_device) {
    std::memcpy(to, from, bytes);
  } else if (!context.device().memory().write(to_address(to), from, bytes)) {
    return cudaErrorInvalidValue;
  }
  charge_copy(context, how, to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, to, bytes);
  return cudaSuccess;
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_to(context, {"cudaMemcpyToSymbol"}, symbol, from, bytes, offset, kind);
  });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_from(context, {"cudaMemcpyFromSymbol"}, to, symbol, bytes, offset, kind);
  });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_to(context, {"cudaMemcpyToSymbolAsync", stream, true}, symbol, from, bytes, offset,
                                   kind);
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_from(context, {"cudaMemcpyFromSymbolAsync", stream, true}, to, symbol, bytes, offset,
                                     kind);
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return guarded([&](Context& context) {
    const auto place = context.symbol(symbol);
    if (!place) return warpfold::host::unknown("cudaGetSymbolAddress");
    *pointer = reinterpret_cast<void*>(context.address_of(*place));
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return guarded([&](Context& context) {
    const auto place = context.symbol(symbol);
    if (!place) return warpfold::host::unknown("cudaGetSymbolSize");
    *bytes = place->symbol.bytes;
    return cudaSuccess;
  });
}

}  // extern "C"
