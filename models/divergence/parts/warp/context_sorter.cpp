// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/context_sorter.h"

#include <algorithm>
#include <utility>

namespace warpfold::divergence {
namespace {

void merge(Context& into, Context& from) {
  if (into.mask == 0 || from.mask == 0 || into.place != from.place) return;
  into.mask |= from.mask;
  into.depth = std::max(into.depth, from.depth);
  from = Context();
}

void exchange(Context& first, Context& second) {
  if (second.mask != 0 && (first.mask == 0 || goes_before(second, first))) std::swap(first, second);
}

}  // namespace

ContextTriple sort_contexts(const ContextTriple& contexts) {
  auto [a, b, c] = contexts;
  for (Context* const one : {&a, &b, &c}) {
    if (one->mask == 0) *one = Context();
  }
  merge(a, b);
  merge(a, c);
  merge(b, c);
  exchange(a, b);
  exchange(b, c);
  exchange(a, b);
  return {a, b, c};
}

}  // namespace warpfold::divergence
