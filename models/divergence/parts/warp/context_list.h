// SPDX-License-Identifier: Apache-2.0
// The contexts of a row that wait while another runs, in order: the cold context table of stackless reconvergence.
#pragma once

#include <vector>

#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::divergence {

class ContextList {
 public:
  bool empty() const { return last_to_first_.empty(); }
  unsigned size() const { return static_cast<unsigned>(last_to_first_.size()); }
  // Does what waits stay as it is when the running threads come to be `running`?
  bool lets_run(const Context& running) const {
    return empty() || (goes_before(running, first()) && running.place != first().place);
  }

  struct Step {
    Context next;       // runs from now on; none: no threads are left
    unsigned merges{};  // of two contexts
  };
  // The running context has become up to two; what does not run next waits.
  Step step(ContextSorter& sorter, const Context& one, const Context& other);
  // Threads come from elsewhere. Returns whether they joined a context that waits.
  bool insert(const Context& context);

 private:
  const Context& first() const { return last_to_first_.back(); }

  std::vector<Context> last_to_first_;
};

}  // namespace warpfold::divergence
