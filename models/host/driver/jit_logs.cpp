// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/driver/jit_logs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace warpfold::host::driver {

JitLogs::JitLogs(unsigned count, const CUjit_option* names, void** values) {
  if (names == nullptr || values == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    Log& log =
        names[i] == CU_JIT_ERROR_LOG_BUFFER || names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES ? error_ : information_;
    switch (names[i]) {
      case CU_JIT_ERROR_LOG_BUFFER:
      case CU_JIT_INFO_LOG_BUFFER:
        log.text = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        log.size = &values[i];
        log.room = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
        break;
      case CU_JIT_WALL_TIME: {  // loading takes no time in the model
        const float none = 0;
        std::memcpy(&values[i], &none, sizeof none);
        break;
      }
      default:
        break;
    }
  }
  empty(error_);
  empty(information_);
}

void JitLogs::empty(Log& log) {
  if (log.text == nullptr || log.size == nullptr || log.room == 0) {
    log.room = 0;
    return;
  }
  *log.text = 0;
  *log.size = nullptr;
}

void JitLogs::error(std::string_view line) {
  if (error_.room == 0) return;
  const auto add = [&](std::string_view text) {
    const std::size_t bytes = std::min(text.size(), error_.room - 1 - error_.used);
    std::memcpy(error_.text + error_.used, text.data(), bytes);
    error_.used += bytes;
  };
  if (error_.used > 0) add("\n");
  add(line);
  error_.text[error_.used] = 0;
  *error_.size = reinterpret_cast<void*>(std::uintptr_t{error_.used});
}

}  // namespace warpfold::host::driver
