// SPDX-License-Identifier: Apache-2.0
// First-fit allocation over one reserved host mapping; pages cost nothing until a program touches them.
#include "warpfold/common/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// The room that an allocation occupies; even an empty one has an address of its own.
std::uint64_t footprint(std::uint64_t bytes) {
  return round_up(std::max<std::uint64_t>(bytes, 1), DeviceMemory::kAllocationAlignment);
}

// Whole pages go back to the host and read zero when touched again; the ends are cleared by hand.
void clear(std::byte* begin, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uint64_t head = std::min(round_up(first, page) - first, bytes);
  std::memset(begin, 0, head);
  const std::uint64_t pages = (bytes - head) / page * page;
  if (pages != 0 && madvise(begin + head, pages, MADV_DONTNEED) != 0) std::memset(begin + head, 0, pages);
  std::memset(begin + head + pages, 0, bytes - head - pages);
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity_bytes, Address base)
    : store_(nullptr), base_(base), capacity_(round_up(capacity_bytes, kAllocationAlignment)) {
  void* const mapping = mmap(nullptr, std::max(capacity_, kAllocationAlignment), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    user_error("device memory: the host cannot reserve {} bytes of address space; configure a smaller memory",
               capacity_);
  }
  store_ = static_cast<std::byte*>(mapping);
}

DeviceMemory::~DeviceMemory() { munmap(store_, std::max(capacity_, kAllocationAlignment)); }

Address DeviceMemory::allocate(std::uint64_t bytes, std::string name) {
  if (bytes > free_bytes()) return 0;
  const std::uint64_t room = footprint(bytes);
  Address begin = base_;
  for (const auto& [at, allocation] : allocations_) {
    if (at - begin >= room) break;
    begin = at + footprint(allocation.bytes);
  }
  if (room > base_ + capacity_ - begin) return 0;
  allocations_.emplace(begin, Allocation{begin, bytes, std::move(name)});
  used_ += room;
  return begin;
}

bool DeviceMemory::release(Address begin) {
  const auto it = allocations_.find(begin);
  if (it == allocations_.end()) return false;
  const std::uint64_t room = footprint(it->second.bytes);
  clear(host(begin), room);
  used_ -= room;
  allocations_.erase(it);
  return true;
}

const Allocation* DeviceMemory::find(Address at) const {
  auto it = allocations_.upper_bound(at);
  if (it == allocations_.begin()) return nullptr;
  const Allocation& candidate = std::prev(it)->second;
  return candidate.holds(at, 1) ? &candidate : nullptr;
}

const Allocation* DeviceMemory::nearest(Address at) const {
  const auto above = allocations_.upper_bound(at);
  const Allocation* const high = above == allocations_.end() ? nullptr : &above->second;
  if (above == allocations_.begin()) return high;
  const Allocation* const low = &std::prev(above)->second;
  if (high == nullptr || low->holds(at, 1)) return low;
  const std::uint64_t below_by = low->bytes == 0 ? at - low->begin : at - (low->end() - 1);
  return high->begin - at < below_by ? high : low;
}

bool DeviceMemory::read(Address at, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  const Allocation* const allocation = find(at);
  if (allocation == nullptr || !allocation->holds(at, bytes)) return false;
  std::memcpy(to, host(at), bytes);
  return true;
}

void DeviceMemory::peek(Address at, void* to, std::uint64_t bytes) const {
  if (contains(at, bytes)) {
    std::memcpy(to, host(at), bytes);
  } else {
    std::memset(to, 0, bytes);
  }
}

bool DeviceMemory::write(Address at, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return true;
  const Allocation* const allocation = find(at);
  if (allocation == nullptr || !allocation->holds(at, bytes)) return false;
  std::memcpy(host(at), from, bytes);
  return true;
}

bool DeviceMemory::fill(Address at, std::uint8_t value, std::uint64_t bytes) {
  if (bytes == 0) return true;
  const Allocation* const allocation = find(at);
  if (allocation == nullptr || !allocation->holds(at, bytes)) return false;
  std::memset(host(at), value, bytes);
  return true;
}

}  // namespace warpfold
