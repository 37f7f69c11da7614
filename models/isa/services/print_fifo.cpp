// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/services/print_fifo.h"

#include <utility>

namespace warpfold::isa {

void PrintFifo::make_room(std::uint64_t bytes) {
  while (!records_.empty() && used_ + bytes > bytes_) {
    used_ -= records_.front().bytes;
    records_.pop_front();
    ++dropped_;
  }
}

void PrintFifo::set_bytes(std::uint64_t bytes) {
  bytes_ = bytes;
  next_ = 0;
  make_room(0);
}

std::uint64_t PrintFifo::push(Printed printed) {
  if (printed.bytes > bytes_) {
    ++dropped_;
    return next_;
  }
  make_room(printed.bytes);
  const std::uint64_t begin = next_ + printed.bytes <= bytes_ ? next_ : 0;
  next_ = begin + printed.bytes;
  used_ += printed.bytes;
  records_.push_back({std::move(printed.text), printed.bytes});
  return begin;
}

void PrintFifo::write(std::FILE* to) {
  for (const Record& record : records_) std::fwrite(record.text.data(), 1, record.text.size(), to);
  records_.clear();
  used_ = next_ = dropped_ = 0;
}

}  // namespace warpfold::isa
