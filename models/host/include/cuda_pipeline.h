// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that programs wait for: the primitives, and the class that CUDA 11 had for them. Newer
// programs take cuda/pipeline.
#pragma once
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__clang__)
namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __device__ pipeline() {}
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  __device__ size_t commit() { return committed_++; }
  __device__ void commit_and_wait() { commit(); }
  __device__ void wait(size_t) {}
  template <unsigned Stages>
  __device__ void wait_prior() {}

 private:
  size_t committed_ = 0;
};

template <class T>
__device__ void memcpy_async(T& to, const T& from, pipeline&) {
  to = from;
}

}  // namespace experimental
}  // namespace nvcuda
#endif
