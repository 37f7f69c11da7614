// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/memory/host_memory.h"

#include <iterator>

namespace warpfold::host {

void* HostMemory::allocate(DeviceMemory& memory, std::uint64_t bytes, unsigned flags) {
  const Address at = memory.allocate_shared(bytes, "pinned host memory");
  if (at != 0) ranges_[at] = {bytes, flags, at};
  return reinterpret_cast<void*>(at);
}

bool HostMemory::register_range(DeviceMemory& memory, void* pointer, std::uint64_t bytes, unsigned flags) {
  const Address device = memory.lend(pointer, bytes, "registered host memory");
  if (device == 0) return false;
  ranges_[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, flags, device, true};
  return true;
}

bool HostMemory::free(DeviceMemory& memory, void* pointer) {
  const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == ranges_.end() || found->second.registered) return false;
  memory.release(found->second.device);
  ranges_.erase(found);
  return true;
}

bool HostMemory::unregister(DeviceMemory& memory, void* pointer) {
  const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == ranges_.end() || !found->second.registered) return false;
  memory.release(found->second.device);
  ranges_.erase(found);
  return true;
}

const HostMemory::Entry* HostMemory::pinned_at(const void* pointer) const {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const auto above = ranges_.upper_bound(at);
  if (above == ranges_.begin()) return nullptr;
  const Entry& entry = *std::prev(above);
  return at == entry.first || at - entry.first < entry.second.bytes ? &entry : nullptr;
}

void HostMemory::release_all(DeviceMemory& memory) {
  for (const auto& [begin, range] : ranges_) memory.release(range.device);
  ranges_.clear();
}

}  // namespace warpfold::host
