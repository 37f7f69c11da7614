// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/written_bytes.h"

#include <algorithm>

namespace warpfold::isa {

// A page that nobody has written need not be there.
void WrittenBytes::set(Address at, std::uint64_t bytes, bool written) {
  const Address end = at + bytes;
  while (at < end) {
    const std::uint64_t first = at % kPage, count = std::min(kPage - first, end - at);
    Page* const page = written ? &global_.at(at) : global_.find(at);
    if (page != nullptr && count == kPage) {
      written ? page->set() : page->reset();
    } else if (page != nullptr) {
      for (std::uint64_t byte = first; byte < first + count; ++byte) page->set(byte, written);
    }
    at += count;
  }
}

bool WrittenBytes::is_written(Address at) {
  const Page* const page = global_.find(at);
  return page != nullptr && page->test(at % kPage);
}

void WrittenBytes::copied(Address to, Address from, std::uint64_t bytes) {
  const Allocation* const source = memory_.find(from);
  const bool defined = source == nullptr || !source->made_at.known();
  std::vector<bool> bits(bytes);
  for (std::uint64_t k = 0; k < bytes; ++k) bits[k] = defined || is_written(from + k);
  for (std::uint64_t k = 0; k < bytes; ++k) set(to + k, 1, bits[k]);
}

bool WrittenBytes::allows_global(const Touch& touch) {
  const Allocation* const allocation = memory_.find(touch.address);
  if (allocation == nullptr || !allocation->made_at.known() || allocation->home != Allocation::Home::kDevice)
    return true;
  for (unsigned element = 0; element < touch.bytes; element += touch.element_bytes) {
    bool any = false;
    for (unsigned k = 0; k < touch.element_bytes && !any; ++k) any = is_written(touch.address + element + k);
    if (!any) return false;
  }
  return true;
}

std::vector<bool>& WrittenBytes::bytes_of(const Touch& touch) {
  Block& block = blocks_[touch.block];
  std::vector<bool>& bytes = touch.space == Space::kShared ? block.shared : block.local[touch.thread];
  if (bytes.size() < touch.address + touch.bytes) bytes.resize(touch.address + touch.bytes, false);
  return bytes;
}

bool WrittenBytes::allows(const Touch& touch) {
  if (!touch.reads) return true;
  if (touch.space == Space::kGlobal) return allows_global(touch);
  const std::vector<bool>& bytes = bytes_of(touch);
  const unsigned unit = touch.space == Space::kLocal ? touch.bytes : touch.element_bytes;
  for (unsigned at = 0; at < touch.bytes; at += unit) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(touch.address + at);
    if (std::none_of(first, first + unit, [](bool written) { return written; })) return false;
  }
  return true;
}

void WrittenBytes::note(const Touch& touch) {
  if (!touch.writes) return;
  if (touch.space == Space::kGlobal) return set(touch.address, touch.bytes, true);
  std::vector<bool>& bytes = bytes_of(touch);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(touch.address), touch.bytes, true);
}

}  // namespace warpfold::isa
