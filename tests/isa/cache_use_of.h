// SPDX-License-Identifier: Apache-2.0
// What an instruction of a kernel says to the caches.
#pragma once

#include <algorithm>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {

// Of the first access of memory beyond the core.
inline CacheUse cache_use_of(const std::string& body) {
  PtxFixture fixture(kernel_text(body + " ret;"));
  const auto& ops = fixture.kernel().ops;
  const auto access = std::find_if(ops.begin(), ops.end(), [](const MicroOp& op) {
    return op.kind == Kind::kLoad || (op.kind == Kind::kStore && op.space == Space::kGlobal);
  });
  return access == ops.end() ? CacheUse() : access->cache;
}

}  // namespace warpfold::isa
