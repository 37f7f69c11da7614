// SPDX-License-Identifier: Apache-2.0
// The driver interface (cuda.h) over the run-time library: one device, and contexts that are names for it.
#pragma once

#include <string_view>

#include "warpfold/host/include/cuda.h"
#include "warpfold/host/include/cuda_runtime_api.h"

namespace warpfold::host::driver {

// The driver's code with the meaning of the run-time library's.
CUresult result_of(cudaError_t error);

// CUDA_SUCCESS when cuInit() has been called and this thread has a current context: one of its own, or the primary one
// of a program that uses the run-time library.
CUresult check_context();

template <class Body>
CUresult in_context(Body body) {
  const CUresult ready = check_context();
  return ready == CUDA_SUCCESS ? result_of(body()) : ready;
}

// The same for calls that need no context.
CUresult check_initialised();
template <class Body>
CUresult in_driver(Body body) {
  const CUresult ready = check_initialised();
  return ready == CUDA_SUCCESS ? result_of(body()) : ready;
}

// Whether it may be PTX, which begins with a directive or a comment.
inline bool is_ptx_text(std::string_view image) {
  const std::size_t at = image.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (image[at] == '.' || image[at] == '/');
}

inline void* to_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace warpfold::host::driver
