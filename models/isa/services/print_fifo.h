// SPDX-License-Identifier: Apache-2.0
// What kernels have printed and the program has not shown yet.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

#include "warpfold/isa/services/print_format.h"

namespace warpfold::isa {

// A ring as CUDA has it: what comes last pushes out what came first. The size bounds the records of calls (the format's
// address and each argument 8 bytes, strings whole), not the text that becomes of them.
class PrintFifo {
 public:
  static constexpr std::uint64_t kDefaultBytes = 1 << 20;  // CUDA's cudaLimitPrintfFifoSize

  std::uint64_t bytes() const { return bytes_; }
  // From the next call on; what is in there and no longer fits goes, the oldest first.
  void set_bytes(std::uint64_t bytes);

  // Returns where in the ring the call's record begins. One that is larger than the ring is dropped.
  std::uint64_t push(Printed printed);
  // Since the last write().
  std::uint64_t dropped() const { return dropped_; }

  // In the order of the calls; the FIFO is empty then.
  void write(std::FILE* to);

 private:
  struct Record {
    std::string text;
    std::uint64_t bytes = 0;
  };
  void make_room(std::uint64_t bytes);

  std::uint64_t bytes_ = kDefaultBytes;
  std::uint64_t used_ = 0, next_ = 0;  // bytes; where the next record begins
  std::uint64_t dropped_ = 0;          // calls
  std::deque<Record> records_;
};

}  // namespace warpfold::isa
