// SPDX-License-Identifier: Apache-2.0
// The two ways in which something can be wrong: the user's input, and our own code.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace warpfold {

// Something a user can cause and cure. The text is one line: what, where (file:line:column, or kernel, PTX line and
// thread), what to do. Programs print it as "warpfold: error: …" and leave with a non-zero status.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> text, Args&&... args) {
  throw UserError(fmt::format(text, std::forward<Args>(args)...));
}

// A broken promise of our own code. Stays on in release builds; keep it off per-lane loops.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The defaulted arguments are the caller's place (clang 14 lacks std::source_location with GCC 12's library).
inline void check(bool holds, const char* what, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    throw InternalError(fmt::format("{}:{}: internal check failed: {}", file, line, what));
  }
}

}  // namespace warpfold
