// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/services/system_services.h"

#include <cstdio>

#include "warpfold/common/warning.h"

namespace warpfold::isa {

void SystemServices::show() {
  const std::uint64_t dropped = fifo.dropped();
  fifo.write(stdout);  // the program's own stream, so that its lines and the kernels' keep their order
  if (dropped != 0) {
    warn(
        fmt::format("printf in kernels: {} calls are not shown, the oldest: a launch's did not fit {} bytes "
                    "(cudaLimitPrintfFifoSize)",
                    dropped, fifo.bytes()));
  }
  if (complaints_.empty()) return;
  std::fflush(stdout);
  for (const std::string& line : complaints_) std::fprintf(stderr, "%s\n", line.c_str());
  complaints_.clear();
}

}  // namespace warpfold::isa
