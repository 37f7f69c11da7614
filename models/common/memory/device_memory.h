// SPDX-License-Identifier: Apache-2.0
// The device's global memory as programs see it: a fixed simulated address range with its own allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "warpfold/common/call_site.h"

namespace warpfold {

using Address = std::uint64_t;

struct Allocation {
  Address begin = 0;
  std::uint64_t bytes = 0;  // as asked for; the next allocation starts at a later multiple of kAllocationAlignment
  std::string name;         // "cudaMalloc #3" or the symbol: what a fault report calls it
  enum class Home : std::uint8_t { kDevice, kShared, kHost };
  Address on_machine = 0;     // where the memory system has it, if not at its address (DeviceMemory::on_machine())
  Home home = Home::kDevice;  // kShared: at this address in the host process too; kHost: what it has at another address
  CallSite made_at{};  // in the program, if it has asked for this memory itself; then nothing in there is defined yet
  Address end() const { return begin + bytes; }
  bool holds(Address first, std::uint64_t size) const {
    return first >= begin && size <= bytes && first - begin <= bytes - size;
  }
};

// An allocation that is no more.
struct FreedAllocation {
  Allocation allocation;
  CallSite freed_at{};
};

// Told of what happens to device memory from outside of kernels.
class MemoryWatch {
 public:
  virtual ~MemoryWatch() = default;
  virtual void allocated(const Allocation& allocation) = 0;
  virtual void written(Address at, std::uint64_t bytes) = 0;
  virtual void copied(Address to, Address from, std::uint64_t bytes) = 0;
};

// Values only; what an access costs is the memory modules' business. Addresses of what only the device sees are never
// host addresses, so a stray host pointer faults instead of working by chance. The backing store is reserved, not
// committed: it costs what a program touches.
// A simulated address and the host's address of its bytes differ by one number for all of memory. So what the host has
// anywhere is at another simulated address as it stands, and memory that both sides have at one address is mapped
// twice.
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

  // 0 when there is no room; contents are zero
  Address allocate(std::uint64_t bytes, std::string name, const CallSite& at = {});
  bool release(Address begin, const CallSite& at = {});  // false when no allocation begins there

  // At the same address in the host process, beyond capacity(); 0 when the host has no room there. Contents are zero.
  Address allocate_shared(std::uint64_t bytes, std::string name, const CallSite& at = {});
  // Lends what the host has at `begin`; 0 when that is lent already, or device memory itself.
  Address lend(void* begin, std::uint64_t bytes, std::string name, const CallSite& at = {});

  // Before the first allocation: leaves room between neighbours, and gives memory that was freed to others as late as
  // it can, so that addresses a little off or out of date are nobody's.
  void keep_apart() { apart_ = true; }
  // Null: nobody. It must outlive the memory.
  void watch(MemoryWatch* watch) { watch_ = watch; }

  // The allocation that contains `at`, or null; pointers stay valid until that allocation is released.
  const Allocation* find(Address at) const;
  // The allocation whose nearest byte is closest to `at`, or null when there is none.
  const Allocation* nearest(Address at) const;
  // What contained `at` before it was freed, of the last few; null: nothing.
  const FreedAllocation* freed(Address at) const;

  // Host-side copies, checked: false when [at, at + bytes) is not inside one allocation.
  bool read(Address at, void* to, std::uint64_t bytes) const;
  bool write(Address at, const void* from, std::uint64_t bytes);
  bool fill(Address at, std::uint8_t value, std::uint64_t bytes);
  // From one allocation to another, or within one.
  bool copy(Address to, Address from, std::uint64_t bytes);
  // What the host has written through host().
  void note_written(Address at, std::uint64_t bytes) {
    if (watch_ != nullptr) watch_->written(at, bytes);
  }

  // Addresses of the host are too long for caches and DRAM, and differ from run to run. The memory system has what both
  // sides share in the first gap beyond the device's own memory. Only where shares() is such an address another one.
  bool shares() const { return !beyond_.empty(); }
  Address on_machine(Address at) const;

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
  bool overlaps(Address begin, std::uint64_t bytes) const;
  bool shareable() const;
  void keep(Allocation allocation);
  std::uint64_t room_for(std::uint64_t bytes) const;
  Address first_fit(std::uint64_t room) const;
  void remember(Allocation allocation, const CallSite& freed_at);
  void retire(Address begin, std::uint64_t room);

  std::byte* store_;
  Address base_;
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  Address next_shared_;
  std::map<Address, std::uint64_t> beyond_;  // what the memory system has there: begin → bytes
  std::map<Address, Allocation> allocations_;
  std::map<Address, std::uint64_t> rooms_;  // of the device's own memory what nobody can be given: begin → bytes
  std::deque<FreedAllocation> freed_;       // the last few
  bool apart_ = false;
  std::deque<std::pair<Address, std::uint64_t>> retired_;  // rooms that nobody is in, the oldest first; if kept apart
  std::uint64_t retired_bytes_ = 0;
  MemoryWatch* watch_ = nullptr;
};

}  // namespace warpfold
