// SPDX-License-Identifier: Apache-2.0
// __device__ and __constant__ variables as the host reaches them.
#include <cstring>

#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

cudaError_t unknown_symbol(const char* call) {
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

// The symbol's own bytes, when there are as many.
cudaError_t find_bytes(Context& context, const char* call, const void* symbol, std::size_t bytes, std::size_t offset,
                       std::byte** at) {
  const auto place = context.symbol(symbol);
  if (!place) return unknown_symbol(call);
  if (!fits(*place, bytes, offset)) return too_long(call, *place, bytes, offset);
  *at = bytes_of(context, *place, offset);
  return cudaSuccess;
}

// Of the copy's other side.
bool is_on_device(Context& context, const void* pointer, cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToDevice ||
         (kind == cudaMemcpyDefault && context.device().memory().find(to_address(pointer)) != nullptr);
}

// `move` has the symbol's bytes, now or when the graph is launched that records the stream.
template <class Move>
cudaError_t with_bytes(Context& context, const Transfer& how, const void* symbol, std::size_t bytes, std::size_t offset,
                       Move move) {
  std::byte* at = nullptr;
  if (const cudaError_t error = find_bytes(context, how.call, symbol, bytes, offset, &at); error != cudaSuccess) {
    return error;
  }
  return carry_out(context, how, cudaGraphNodeTypeMemcpy, [=](Context& when, const Transfer& there) {
    std::byte* then = nullptr;  // after a reset it is elsewhere
    const cudaError_t error = find_bytes(when, there.call, symbol, bytes, offset, &then);
    return error == cudaSuccess ? move(when, there, then) : error;
  });
}

cudaError_t copy_to(Context& context, const Transfer& how, const void* symbol, const void* from, std::size_t bytes,
                    std::size_t offset, cudaMemcpyKind kind) {
  return with_bytes(context, how, symbol, bytes, offset, [=](Context& when, const Transfer& there, std::byte* to) {
    const bool from_device = is_on_device(when, from, kind);
    if (!from_device) {
      std::memcpy(to, from, bytes);
    } else if (!when.device().memory().read(to_address(from), to, bytes)) {
      return cudaErrorInvalidValue;
    }
    charge_copy(when, there, from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice, from, bytes);
    return cudaSuccess;
  });
}

cudaError_t copy_from(Context& context, const Transfer& how, void* to, const void* symbol, std::size_t bytes,
                      std::size_t offset, cudaMemcpyKind kind) {
  return with_bytes(context, how, symbol, bytes, offset, [=](Context& when, const Transfer& there, std::byte* from) {
    const bool to_device = is_on_device(when, to, kind);
    if (!to_device) {
      std::memcpy(to, from, bytes);
    } else if (!when.device().memory().write(to_address(to), from, bytes)) {
      return cudaErrorInvalidValue;
    }
    charge_copy(when, there, to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, to, bytes);
    return cudaSuccess;
  });
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
    if (!place) return warpfold::host::unknown_symbol("cudaGetSymbolAddress");
    *pointer = reinterpret_cast<void*>(context.address_of(*place));
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return guarded([&](Context& context) {
    const auto place = context.symbol(symbol);
    if (!place) return warpfold::host::unknown_symbol("cudaGetSymbolSize");
    *bytes = place->symbol.bytes;
    return cudaSuccess;
  });
}

}  // extern "C"
