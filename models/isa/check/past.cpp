// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/past.h"

#include <algorithm>
#include <functional>

namespace warpfold::isa {
namespace {

std::uint32_t block_of(std::uint64_t who) { return static_cast<std::uint32_t>(who >> 11); }

}  // namespace

Past::Ref Past::of_everybody(std::uint32_t until) {
  auto past = std::make_shared<Past>();
  past->all_ = until;
  return past;
}

Past::Ref Past::of(const std::vector<std::uint64_t>& who, std::uint32_t until) {
  auto past = std::make_shared<Past>();
  for (const std::uint64_t each : who) past->entries_.push_back({each, until});
  return past;
}

Past::Ref Past::join(const Ref& a, const Ref& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  auto past = std::make_shared<Past>();
  past->all_ = std::max(a->all_, b->all_);
  past->entries_.reserve(a->entries_.size() + b->entries_.size());
  Entry block;  // the last one that is of all of a block: its actors come behind it
  const auto add = [&](const Entry& entry) {
    if (entry.who == whole(block_of(entry.who))) block = entry;
    const bool known =
        entry.who != block.who && block_of(entry.who) == block_of(block.who) && entry.until <= block.until;
    if (entry.until > past->all_ && !known) past->entries_.push_back(entry);
  };
  auto x = a->entries_.begin(), y = b->entries_.begin();
  while (x != a->entries_.end() && y != b->entries_.end()) {
    if (x->who == y->who) {
      add({x->who, std::max(x->until, y->until)});
      ++x, ++y;
    } else {
      add(x->who < y->who ? *x++ : *y++);
    }
  }
  std::for_each(x, a->entries_.end(), add);
  std::for_each(y, b->entries_.end(), add);
  if (past->entries_.size() > kMost) past->round_up();
  return past;
}

void Past::round_up() {
  std::vector<Entry> blocks;
  for (const Entry& entry : entries_) {
    const std::uint64_t block = whole(block_of(entry.who));
    if (blocks.empty() || blocks.back().who != block) blocks.push_back({block, 0});
    blocks.back().until = std::max(blocks.back().until, entry.until);
  }
  entries_ = std::move(blocks);
  if (entries_.size() <= kMost) return;
  std::vector<std::uint32_t> times;
  for (const Entry& entry : entries_) times.push_back(entry.until);
  std::nth_element(times.begin(), times.begin() + kMost / 2, times.end(), std::greater<>());
  all_ = times[kMost / 2];
  std::erase_if(entries_, [&](const Entry& entry) { return entry.until <= all_; });
}

std::uint32_t Past::until(std::uint64_t who) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), who,
                                      [](const Entry& entry, std::uint64_t key) { return entry.who < key; });
  return found != entries_.end() && found->who == who ? found->until : 0;
}

bool Past::has(std::uint32_t block, unsigned actor, std::uint32_t time) const {
  return time <= all_ || time <= until(whole(block)) || time <= until(Past::actor(block, actor));
}

}  // namespace warpfold::isa
