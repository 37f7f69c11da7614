// SPDX-License-Identifier: Apache-2.0
// The heap that kernels take memory from with malloc() and new: a part of device memory, dealt out in blocks.
#pragma once

#include <cstdint>
#include <map>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold::isa {

// First fit by address; free neighbours become one. The books are kept on the host's side, but each block has room for
// a header before it, which is what a call touches in time (execute/system_calls.cpp) and why no block begins where the
// heap does: cudaFree() of one names no allocation. Blocks live until they are freed, from one kernel to the next.
class DeviceHeap {
 public:
  static constexpr std::uint64_t kDefaultBytes = 8 << 20;  // CUDA's cudaLimitMallocHeapSize
  static constexpr std::uint64_t kHeaderBytes = 16, kAlignment = 16;

  explicit DeviceHeap(DeviceMemory& memory) : memory_(memory) {}

  std::uint64_t bytes() const { return bytes_; }
  // False, and nothing changes, once a kernel has asked for memory: as in CUDA, the size is then fixed.
  bool set_bytes(std::uint64_t bytes);

  // Null when no gap is large enough. A block of no bytes has an address of its own. The first call takes the heap's
  // memory; throws UserError when the device has not that much left.
  Address allocate(std::uint64_t bytes);
  // False when no block begins there.
  bool release(Address block);

  std::uint64_t blocks() const { return used_.size(); }

 private:
  using Extents = std::map<Address, std::uint64_t>;  // where one begins, headers included → bytes

  void take_memory();

  DeviceMemory& memory_;
  std::uint64_t bytes_ = kDefaultBytes;
  bool taken_ = false;
  Extents free_, used_;
};

}  // namespace warpfold::isa
