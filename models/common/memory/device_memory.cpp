// SPDX-License-Identifier: Apache-2.0
// First-fit allocation over one reserved host mapping; pages cost nothing until a program touches them.
#include "warpfold/common/memory/device_memory.h"

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

// Where the host process has room for it, on any 64-bit system and under its address sanitizer: the store, at one of a
// few distances from the simulated addresses, and what both sides have at one address, which is there a second time at
// that distance.
constexpr Address kStoreDistance = 0x1000'0000'0000, kStorePitch = 0x100'0000'0000, kFirstShared = 0x2000'0000'0000;
constexpr std::uint64_t kMostShared = 0x1000'0000'0000;
constexpr unsigned kStorePlaces = 8;
constexpr std::size_t kFreedKept = 256;     // of which messages can speak
constexpr std::uint64_t kRetiredShare = 4;  // of memory that is kept apart, the part that nobody is in
constexpr std::uint64_t kPlaceUnit = 4096;  // of what the memory system has beyond device memory

std::uint64_t shared_footprint(std::uint64_t bytes) {
  return round_up(std::max<std::uint64_t>(bytes, 1), static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

// Null when something is there, or there is no room; 0: anywhere. The kernel takes the address for a wish, which it
// grants where it can.
std::byte* map_at(Address at, std::uint64_t bytes, int flags, int pages) {
  void* const wanted = reinterpret_cast<void*>(at);
  void* const mapping = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, pages, 0);
  if (mapping == MAP_FAILED) return nullptr;
  if (at == 0 || mapping == wanted) return static_cast<std::byte*>(mapping);
  munmap(mapping, bytes);
  return nullptr;
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity_bytes, Address base)
    : store_(nullptr),
      base_(base),
      capacity_(round_up(capacity_bytes, kAllocationAlignment)),
      next_shared_(kFirstShared) {
  const std::uint64_t bytes = std::max(capacity_, kAllocationAlignment);
  for (unsigned turn = 0; turn < kStorePlaces && store_ == nullptr; ++turn) {
    store_ = map_at(base_ + kStoreDistance + turn * kStorePitch, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  }
  if (store_ == nullptr) store_ = map_at(0, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (store_ == nullptr) {
    user_error("device memory: the host cannot reserve {} bytes of address space; configure a smaller memory",
               capacity_);
  }
}

DeviceMemory::~DeviceMemory() {
  while (!allocations_.empty()) release(allocations_.begin()->first);
  munmap(store_, std::max(capacity_, kAllocationAlignment));
}

// The room that an allocation occupies, and what is left free behind it.
std::uint64_t DeviceMemory::room_for(std::uint64_t bytes) const {
  return footprint(bytes) + (apart_ ? kAllocationAlignment : 0);
}

// 0: there is none.
Address DeviceMemory::first_fit(std::uint64_t room) const {
  Address begin = base_;
  for (const auto& [at, taken] : rooms_) {
    if (at - begin >= room) break;
    begin = at + taken;
  }
  return room > base_ + capacity_ - begin ? 0 : begin;
}

Address DeviceMemory::allocate(std::uint64_t bytes, std::string name, const CallSite& at) {
  if (bytes > free_bytes()) return 0;
  const std::uint64_t room = room_for(bytes);
  Address begin = first_fit(room);
  while (begin == 0 && !retired_.empty()) {
    retired_bytes_ -= retired_.front().second;
    rooms_.erase(retired_.front().first);
    retired_.pop_front();
    begin = first_fit(room);
  }
  if (begin == 0) return 0;
  rooms_.emplace(begin, room);
  const auto [entry, fresh] = allocations_.emplace(begin, Allocation{begin, bytes, std::move(name)});
  entry->second.made_at = at;
  used_ += room;
  if (watch_ != nullptr) watch_->allocated(entry->second);
  return begin;
}

bool DeviceMemory::release(Address begin, const CallSite& at) {
  const auto it = allocations_.find(begin);
  if (it == allocations_.end()) return false;
  const Allocation& allocation = it->second;
  if (allocation.home == Allocation::Home::kDevice) {
    clear(host(begin), footprint(allocation.bytes));
    used_ -= room_for(allocation.bytes);
    retire(begin, room_for(allocation.bytes));
  } else if (allocation.home == Allocation::Home::kShared) {
    const std::uint64_t room = shared_footprint(allocation.bytes);
    munmap(host(begin), room);
    munmap(reinterpret_cast<void*>(begin), room);
  }
  if (allocation.home != Allocation::Home::kDevice) beyond_.erase(allocation.on_machine / kPlaceUnit * kPlaceUnit);
  remember(std::move(it->second), at);
  allocations_.erase(it);
  return true;
}

void DeviceMemory::remember(Allocation allocation, const CallSite& freed_at) {
  if (freed_.size() == kFreedKept) freed_.pop_front();
  freed_.push_back({std::move(allocation), freed_at});
}

void DeviceMemory::retire(Address begin, std::uint64_t room) {
  if (!apart_) {
    rooms_.erase(begin);
    return;
  }
  retired_.emplace_back(begin, room);
  retired_bytes_ += room;
  while (retired_bytes_ > capacity_ / kRetiredShare) {
    retired_bytes_ -= retired_.front().second;
    rooms_.erase(retired_.front().first);
    retired_.pop_front();
  }
}

// Both addresses must be the host's to give.
bool DeviceMemory::shareable() const { return reinterpret_cast<Address>(store_) - base_ < kFirstShared; }

Address DeviceMemory::allocate_shared(std::uint64_t bytes, std::string name, const CallSite& at) {
  constexpr unsigned kTries = 64;
  if (!shareable() || bytes > kMostShared) return 0;
  const std::uint64_t room = shared_footprint(bytes);
  const int pages = memfd_create("warpfold", MFD_CLOEXEC);
  if (pages < 0) return 0;
  Address begin = 0;
  if (ftruncate(pages, static_cast<off_t>(room)) == 0) {
    for (unsigned turn = 0; turn < kTries && begin == 0; ++turn) {
      const Address here = std::exchange(next_shared_, next_shared_ + room);
      std::byte* const on_host = map_at(here, room, MAP_SHARED, pages);
      if (on_host == nullptr) continue;
      if (map_at(reinterpret_cast<Address>(host(here)), room, MAP_SHARED, pages) != nullptr) {
        begin = here;
      } else {
        munmap(on_host, room);
      }
    }
  }
  close(pages);
  if (begin != 0) keep({begin, bytes, std::move(name), 0, Allocation::Home::kShared, at});
  return begin;
}

// The place on the machine is as far from a page's begin as the address, so that lines and sectors lie alike.
void DeviceMemory::keep(Allocation allocation) {
  const std::uint64_t offset = allocation.begin % kPlaceUnit,
                      room = round_up(offset + allocation.bytes + 1, kPlaceUnit);
  Address place = round_up(std::max(kBase, base_ + capacity_), kPlaceUnit);
  for (const auto& [begin, bytes] : beyond_) {
    if (begin - place >= room) break;
    place = begin + bytes;
  }
  beyond_.emplace(place, room);
  allocation.on_machine = place + offset;
  const Address begin = allocation.begin;
  allocations_.emplace(begin, std::move(allocation));
}

Address DeviceMemory::on_machine(Address at) const {
  const Allocation* const allocation = find(at);
  if (allocation == nullptr || allocation->home == Allocation::Home::kDevice) return at;
  return allocation->on_machine + (at - allocation->begin);
}

bool DeviceMemory::overlaps(Address begin, std::uint64_t bytes) const {
  const auto above = allocations_.lower_bound(begin);
  if (above != allocations_.end() && above->first - begin < bytes) return true;
  return above != allocations_.begin() && std::prev(above)->second.holds(begin, 1);
}

Address DeviceMemory::lend(void* begin, std::uint64_t bytes, std::string name, const CallSite& made_at) {
  const Address at = reinterpret_cast<Address>(begin) - (reinterpret_cast<Address>(store_) - base_);
  // What lies below device memory has a meaning of its own (isa/address_space.h).
  const Address first = std::max(kBase, base_ + capacity_);
  if (bytes == 0 || at < first || at + bytes < at || overlaps(at, bytes)) return 0;
  keep({at, bytes, std::move(name), 0, Allocation::Home::kHost, made_at});
  return at;
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

const FreedAllocation* DeviceMemory::freed(Address at) const {
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(),
                                  [&](const FreedAllocation& freed) { return freed.allocation.holds(at, 1); });
  return found == freed_.rend() ? nullptr : &*found;
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
  note_written(at, bytes);
  return true;
}

bool DeviceMemory::fill(Address at, std::uint8_t value, std::uint64_t bytes) {
  if (bytes == 0) return true;
  const Allocation* const allocation = find(at);
  if (allocation == nullptr || !allocation->holds(at, bytes)) return false;
  std::memset(host(at), value, bytes);
  note_written(at, bytes);
  return true;
}

bool DeviceMemory::copy(Address to, Address from, std::uint64_t bytes) {
  const Allocation *const source = find(from), *const target = find(to);
  if (source == nullptr || !source->holds(from, bytes) || target == nullptr || !target->holds(to, bytes)) return false;
  std::memmove(host(to), host(from), bytes);
  if (watch_ != nullptr) watch_->copied(to, from, bytes);
  return true;
}

}  // namespace warpfold
