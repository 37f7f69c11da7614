// SPDX-License-Identifier: Apache-2.0
// The device's global memory as programs see it: a fixed simulated address range with its own allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace warpfold {

using Address = std::uint64_t;

struct Allocation {
  Address begin = 0;
  std::uint64_t bytes = 0;  // as asked for; the next allocation starts at a later multiple of kAllocationAlignment
  std::string name;         // "cudaMalloc #3" or the symbol: what a fault report calls it
  Address end() const { return begin + bytes; }
  bool holds(Address first, std::uint64_t size) const {
    return first >= begin && size <= bytes && first - begin <= bytes - size;
  }
};

// Values only; what an access costs is the memory modules' business. Addresses are never host addresses, so a stray
// host pointer faults instead of working by chance. The backing store is reserved, not committed: it costs what a
// program touches.
class DeviceMemory {
 public:
  // First global address; small integers and null fault.
  static constexpr Address kBase = 0x7'0000'0000;
  // The same where addresses have 32 bits: behind the windows of isa/address_space.h.
  static constexpr Address kBase32 = 0x400'0000;
  static constexpr std::uint64_t kMostBytes32 = 0x1'0000'0000 - kBase32;
  static constexpr std::uint64_t kAllocationAlignment = 256;

  explicit DeviceMemory(std::uint64_t capacity_bytes, Address base = kBase);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  Address base() const { return base_; }
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t free_bytes() const { return capacity_ - used_; }

  Address allocate(std::uint64_t bytes, std::string name);  // 0 when there is no room; contents are zero
  bool release(Address begin);                              // false when no allocation begins there

  // The allocation that contains `at`, or null; pointers stay valid until that allocation is released.
  const Allocation* find(Address at) const;
  // The allocation whose nearest byte is closest to `at`, or null when there is none.
  const Allocation* nearest(Address at) const;

  // Host-side copies, checked: false when [at, at + bytes) is not inside one allocation.
  bool read(Address at, void* to, std::uint64_t bytes) const;
  bool write(Address at, const void* from, std::uint64_t bytes);
  bool fill(Address at, std::uint8_t value, std::uint64_t bytes);

  // What lies at any address, allocated or not: zeros outside of the memory.
  void peek(Address at, void* to, std::uint64_t bytes) const;
  bool contains(Address at, std::uint64_t bytes) const {
    return at >= base_ && bytes <= capacity_ && at - base_ <= capacity_ - bytes;
  }

  // Unchecked access for the executor, which has checked the address against an Allocation.
  std::byte* host(Address at) { return store_ + (at - base_); }
  const std::byte* host(Address at) const { return store_ + (at - base_); }

  const std::map<Address, Allocation>& allocations() const { return allocations_; }

 private:
  std::byte* store_;
  Address base_;
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::map<Address, Allocation> allocations_;
};

}  // namespace warpfold
