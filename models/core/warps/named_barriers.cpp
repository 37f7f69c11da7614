// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/named_barriers.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {

void NamedBarriers::arrive(const Name& name, const Threads& arriving, std::optional<unsigned> holding,
                           const std::string& place) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Entry& entry) {
    return entry.name.block == name.block && entry.name.barrier == name.barrier;
  });
  Entry& entry = found != open_.end() ? *found : open_.emplace_back(Entry{.name = name});
  if (entry.name.threads != name.threads) {
    user_error("{}: barrier {} of {} threads (0: all of the block), at which others wait for {}", place, name.barrier,
               name.threads, entry.name.threads);
  }
  entry.arrived.resize(std::max(entry.arrived.size(), arriving.size()), 0);
  for (std::size_t warp = 0; warp < arriving.size(); ++warp) entry.arrived[warp] |= arriving[warp];
  if (holding) entry.holding = entry.holding.value_or(0) + *holding;
}

void NamedBarriers::wait(const Name& name, const WaitingThreads& waiting) {
  const auto entry = std::find_if(open_.begin(), open_.end(), [&](const Entry& e) { return e.name == name; });
  check(entry != open_.end(), "who waits at a barrier has arrived there");
  entry->waited.push_back(waiting);
  waiting_ += static_cast<unsigned>(std::popcount(waiting.threads.mask));
}

unsigned NamedBarriers::Entry::threads() const {
  unsigned count = 0;
  for (const std::uint32_t of_warp : arrived) count += static_cast<unsigned>(std::popcount(of_warp));
  return count;
}

// Who has arrived may have exited since.
bool NamedBarriers::is_full(const Entry& entry, const Threads& live) {
  unsigned counted = 0;
  bool all = true;
  for (std::size_t warp = 0; warp < live.size(); ++warp) {
    const std::uint32_t arrived = warp < entry.arrived.size() ? entry.arrived[warp] : 0;
    all &= (live[warp] & ~arrived) == 0;
    if (arrived != 0) counted += static_cast<unsigned>(std::popcount(arrived | ~live[warp]));
  }
  return entry.name.threads == 0 ? all : counted >= entry.name.threads;
}

std::optional<NamedBarriers::Entry> NamedBarriers::take_full(unsigned block, const Threads& live) {
  const auto full = std::find_if(open_.begin(), open_.end(),
                                 [&](const Entry& entry) { return entry.name.block == block && is_full(entry, live); });
  if (full == open_.end()) return std::nullopt;
  Entry taken = std::move(*full);
  open_.erase(full);
  for (const WaitingThreads& waited : taken.waited) {
    waiting_ -= static_cast<unsigned>(std::popcount(waited.threads.mask));
  }
  return taken;
}

// What only arrivals are left at when their block ends is gone with it.
void NamedBarriers::block_started(unsigned block) {
  std::erase_if(open_, [&](const Entry& entry) { return entry.name.block == block; });
}

}  // namespace warpfold
