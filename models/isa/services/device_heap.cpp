// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/services/device_heap.h"

#include <algorithm>
#include <iterator>

#include "warpfold/common/error.h"

namespace warpfold::isa {

bool DeviceHeap::set_bytes(std::uint64_t bytes) {
  if (taken_) return false;
  bytes_ = bytes;
  return true;
}

void DeviceHeap::take_memory() {
  taken_ = true;
  const std::uint64_t usable = bytes_ / kAlignment * kAlignment;
  if (usable == 0) return;
  const Address begin = memory_.allocate(usable, "the kernels' heap");
  if (begin == 0) {
    user_error(
        "a kernel asks for memory, but of the {} bytes for the heap of kernels (cudaLimitMallocHeapSize) the device "
        "has "
        "{} left; make the heap smaller or the device's memory larger",
        bytes_, memory_.free_bytes());
  }
  free_.emplace(begin, usable);
}

Address DeviceHeap::allocate(std::uint64_t bytes) {
  if (!taken_) take_memory();
  if (bytes > bytes_) return 0;
  const std::uint64_t room =
      kHeaderBytes + (std::max<std::uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  const auto gap = std::find_if(free_.begin(), free_.end(), [&](const auto& extent) { return extent.second >= room; });
  if (gap == free_.end()) return 0;
  const auto [begin, size] = *gap;
  free_.erase(gap);
  if (size > room) free_.emplace(begin + room, size - room);
  used_.emplace(begin, room);
  return begin + kHeaderBytes;
}

bool DeviceHeap::release(Address block) {
  const auto found = used_.find(block - kHeaderBytes);
  if (found == used_.end()) return false;
  auto gap = free_.insert(*found).first;
  used_.erase(found);
  const auto after = std::next(gap);
  if (after != free_.end() && gap->first + gap->second == after->first) {
    gap->second += after->second;
    free_.erase(after);
  }
  if (gap == free_.begin()) return true;
  const auto before = std::prev(gap);
  if (before->first + before->second == gap->first) {
    before->second += gap->second;
    free_.erase(gap);
  }
  return true;
}

}  // namespace warpfold::isa
