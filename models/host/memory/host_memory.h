// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the device can reach: what programs allocate pinned, and what they register.
#pragma once

#include <cstdint>
#include <map>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold::host {

class HostMemory {
 public:
  struct Range {
    std::uint64_t bytes = 0;
    unsigned flags = 0;
    Address device = 0;       // where the device has it
    bool registered = false;  // the program's own
  };

  // Null: there is no memory for it.
  void* allocate(DeviceMemory& memory, std::uint64_t bytes, unsigned flags);
  bool free(DeviceMemory& memory, void* pointer);  // false: it has not been allocated here

  // False: some of it is lent already, or not the host's to lend.
  bool register_range(DeviceMemory& memory, void* pointer, std::uint64_t bytes, unsigned flags);
  bool unregister(DeviceMemory& memory, void* pointer);  // false: no registered range begins there

  // The range that a pointer lies in and its begin, or null.
  using Entry = std::map<std::uintptr_t, Range>::value_type;
  const Entry* pinned_at(const void* pointer) const;

  // All of it, of which the program has its own back.
  void release_all(DeviceMemory& memory);

 private:
  std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace warpfold::host
