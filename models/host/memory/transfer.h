// SPDX-License-Identifier: Apache-2.0
// Copies and fills: what they do at once, and the simulated time that they take.
#pragma once

#include <cstddef>

#include "warpfold/host/runtime/context.h"

namespace warpfold::host {

// Whose memory a pointer is to. Both sides see what is pinned or managed, at one address.
enum class Place { kPageable, kPinned, kManaged, kDevice };
Place place_of(Context& context, const void* pointer);

struct Transfer {
  const char* call;  // for messages
  cudaStream_t stream = nullptr;
  bool asynchronous = false;
};

// Whether work can be handed to the stream; says why not.
cudaError_t check_stream(Context& context, const char* call, cudaStream_t stream);

// `body` now, or when the graph is launched that records the stream; `describe` then says more of its node.
template <class Body, class Describe = void (*)(Graph::Node&)>
cudaError_t carry_out(
    Context& context, const Transfer& how, cudaGraphNodeType type, Body body, Describe describe = [](Graph::Node&) {}) {
  if (const cudaError_t error = check_stream(context, how.call, how.stream); error != cudaSuccess) return error;
  if (context.graphs.recorded(how.stream) == nullptr) return body(context, how);
  describe(context.graphs.add(how.stream, type, {[how, body](Context& later, cudaStream_t stream) {
                                return body(later, Transfer{how.call, stream, how.asynchronous});
                              }}));
  return cudaSuccess;
}

// A byte of pitched memory; beyond all memory where sizes and positions make no address.
Address byte_of(const cudaPitchedPtr& memory, const cudaPos& at);
// The slices of a box that have anything in them. Fails, and says why, where the memory has them lie on one another.
cudaError_t count_slices(const char* call, const cudaPitchedPtr& memory, const cudaExtent& box, std::size_t& slices);

// What cudaMemcpyDefault stands for.
cudaMemcpyKind resolve(cudaMemcpyKind kind, Place to, Place from);

// In a stream that is captured they are recorded, and done when the graph is launched.
cudaError_t copy(Context& context, const Transfer& how, void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind);
cudaError_t copy_rows(Context& context, const Transfer& how, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t fill(Context& context, const Transfer& how, const cudaMemsetParams& parameters);

// To, from and between arrays; positions in these count texels.
cudaError_t copy_3d(Context& context, const Transfer& how, const cudaMemcpy3DParms& parameters);

// The time of a copy that has been made. Between host and device: latency and bandwidth of the bus; the host waits
// unless the copy is asynchronous and its side of it pinned (`host_side`; CUDA stages what is pageable). Within the
// device: every byte is read and written once at the bandwidth of its DRAM, and the host does not wait. On the host: as
// if it crossed the bus.
void charge_copy(Context& context, const Transfer& how, cudaMemcpyKind kind, const void* host_side, std::size_t bytes);

}  // namespace warpfold::host
