// SPDX-License-Identifier: Apache-2.0
// The buffers into which a program has messages about its modules written (CU_JIT_ERROR_LOG_BUFFER and its kin).
#pragma once

#include <cstddef>
#include <string_view>

#include "warpfold/host/include/cuda.h"

namespace warpfold::host::driver {

// As long as it lives, `names` and `values` of its making stay the program's.
class JitLogs {
 public:
  JitLogs() = default;
  // Both buffers are empty texts from then on. Options without a buffer do nothing here.
  JitLogs(unsigned count, const CUjit_option* names, void** values);
  // A line, as far as there is room; the option of the size says how many bytes there are.
  void error(std::string_view line);

 private:
  struct Log {
    char* text = nullptr;
    void** size = nullptr;  // the option's value: the room at first
    std::size_t room = 0, used = 0;
  };
  static void empty(Log& log);
  Log error_, information_;
};

}  // namespace warpfold::host::driver
