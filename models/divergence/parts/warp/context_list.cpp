// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/context_list.h"

#include <algorithm>

namespace warpfold::divergence {

ContextList::Step ContextList::step(ContextSorter& sorter, const Context& one, const Context& other) {
  Context waits;
  if (!empty()) {
    waits = first();
    last_to_first_.pop_back();
  }
  const ContextTriple sorted = sorter.sort({one, other, waits});
  const auto contexts = [](const ContextTriple& triple) {
    return static_cast<unsigned>(
        std::count_if(triple.begin(), triple.end(), [](const Context& context) { return context.mask != 0; }));
  };
  Step step{sorted[0], contexts({one, other, waits}) - contexts(sorted)};
  for (unsigned i = 1; i < kSortedContexts && sorted[i].mask != 0; ++i) step.merges += insert(sorted[i]) ? 1 : 0;
  return step;
}

bool ContextList::insert(const Context& context) {
  const auto same = std::find_if(last_to_first_.begin(), last_to_first_.end(),
                                 [&](const Context& other) { return other.place == context.place; });
  if (same == last_to_first_.end()) {
    const auto after = std::find_if(last_to_first_.begin(), last_to_first_.end(),
                                    [&](const Context& other) { return goes_before(other, context); });
    last_to_first_.insert(after, context);
    return false;
  }
  // Where its depth grows, it has another place in the order.
  Context both = *same;
  both.mask |= context.mask;
  both.depth = std::max(both.depth, context.depth);
  last_to_first_.erase(same);
  insert(both);
  return true;
}

}  // namespace warpfold::divergence
