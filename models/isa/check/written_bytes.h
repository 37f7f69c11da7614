// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory anybody has written.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/check/paged.h"
#include "warpfold/isa/check/touch.h"

namespace warpfold::isa {

// Of device memory that a program has asked for: variables, managed and pinned memory, and the kernels' heap have no
// moment at which they are undefined, or the host writes them unseen.
class WrittenBytes {
 public:
  explicit WrittenBytes(const DeviceMemory& memory) : memory_(memory) {}

  // Of global memory, from outside of kernels.
  void allocated(const Allocation& allocation) { set(allocation.begin, allocation.bytes, false); }
  void written(Address at, std::uint64_t bytes) { set(at, bytes, true); }
  void copied(Address to, Address from, std::uint64_t bytes);

  // Shared and local memory are a block's own.
  void launch_started() { blocks_.clear(); }
  void block_finished(std::uint64_t block) { blocks_.erase(block); }

  // False: it reads what nobody has written: an element of global or shared memory of which no byte was. In local
  // memory compilers copy structures whole, with the padding: there it is no byte of all that is read.
  bool allows(const Touch& touch);
  void note(const Touch& touch);

 private:
  static constexpr std::uint64_t kPage = 4096;
  using Page = std::bitset<kPage>;
  struct Block {
    std::vector<bool> shared;
    std::unordered_map<unsigned, std::vector<bool>> local;  // by thread
  };

  void set(Address at, std::uint64_t bytes, bool written);
  bool is_written(Address at);
  bool allows_global(const Touch& touch);
  std::vector<bool>& bytes_of(const Touch& touch);

  const DeviceMemory& memory_;
  Paged<Page> global_{kPage};
  std::unordered_map<std::uint64_t, Block> blocks_;
};

}  // namespace warpfold::isa
