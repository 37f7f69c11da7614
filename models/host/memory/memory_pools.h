// SPDX-License-Identifier: Apache-2.0
// Pools that device memory is asked of: names for attributes and counts. What is freed goes back to the device at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/host/include/driver_types.h"

namespace warpfold::host {

class MemoryPools {
 public:
  struct Pool {
    std::map<cudaMemPoolAttr, std::uint64_t> attributes;  // that a program has set
    std::map<Address, std::string> allocations;           // by name, as others may get the address later
    std::uint64_t most_used = 0;
  };
  // The device's own, which is always there.
  static cudaMemPool_t own() { return reinterpret_cast<cudaMemPool_t>(1); }

  cudaMemPool_t create();
  bool destroy(cudaMemPool_t pool);  // false: there is none, or it is the device's own
  Pool* find(cudaMemPool_t pool);    // null: there is none
  cudaMemPool_t current() const { return current_; }
  void set_current(cudaMemPool_t pool) { current_ = pool; }
  void allocated(Pool& pool, const DeviceMemory& memory, Address at);
  static std::uint64_t used_bytes(Pool& pool, const DeviceMemory& memory);

 private:
  std::map<cudaMemPool_t, Pool> pools_ = {{own(), {}}};
  cudaMemPool_t current_ = own();
  std::uintptr_t made_ = 1;
};

}  // namespace warpfold::host
