// SPDX-License-Identifier: Apache-2.0
// The sorter of stackless reconvergence: of the contexts that an instruction leaves behind and the first of those that
// wait, which runs next, and which threads have met? It compares, merges and sorts three, as the unit of Collange's
// Simty does; its RTL is rtl/context_sorter.sv.
#pragma once

#include <array>

#include "warpfold/divergence/parts/unit_clocks.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

// Threads of a row that are at one place.
struct Context {
  unsigned depth = 0;  // the deeper goes first
  Pc place = 0;        // of two as deep the one that comes first in the code, as it is laid out
  LaneMask mask = 0;   // none: there is no context

  bool operator==(const Context&) const = default;
};

// Depth before place: Simty swaps where either says so, which is no order where the deeper has the higher place.
inline bool goes_before(const Context& a, const Context& b) {
  return a.depth > b.depth || (a.depth == b.depth && a.place < b.place);
}

inline constexpr unsigned kSortedContexts = 3;
using ContextTriple = std::array<Context, kSortedContexts>;

// The contexts among three whose threads are distinct, first to last, then empty ones. Those at one place become one,
// as deep as the deepest of them.
ContextTriple sort_contexts(const ContextTriple& contexts);

// The sorter as a part of a core that RTL can stand in for.
class ContextSorter {
 public:
  static constexpr unsigned kClocks = 2;  // compared, then sorted
  virtual ~ContextSorter() = default;
  virtual ContextTriple sort(const ContextTriple& contexts) {
    clocks.spend(kClocks);
    return sort_contexts(contexts);
  }
  SpentClocks clocks;
};

}  // namespace warpfold::divergence
