// SPDX-License-Identifier: Apache-2.0
// Memory that the host does not have, told as what it was wanted for.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {

// What containers throw when memory cannot be had, or could never be.
inline bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const std::length_error*>(&error) != nullptr;
}

// Runs `body`, whose allocations the user's input decides. If there is no memory for them, that is a user error with
// the text that `describe` makes: how much, and what for.
template <class Describe, class Body>
decltype(auto) with_memory_for(Describe describe, Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  user_error("out of memory: {}", describe());
}

}  // namespace warpfold
