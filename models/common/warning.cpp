// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/warning.h"

#include <cstdio>
#include <mutex>
#include <set>

namespace warpfold {

void warn(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "warpfold: warning: %s\n", text.c_str());
}

void warn_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) warn(text);
}

}  // namespace warpfold
