// SPDX-License-Identifier: Apache-2.0
// An array in device memory.
#pragma once

#include <cuda_runtime.h>

#include <vector>

template <class T>
class OnDevice {
 public:
  explicit OnDevice(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  explicit OnDevice(const std::vector<T>& host) : OnDevice(host.size()) {
    cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() { return data_; }
  std::vector<T> values() const {
    std::vector<T> host(count_);
    cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};
