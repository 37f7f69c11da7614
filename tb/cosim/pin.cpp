// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/pin.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpfold::cosim {

std::uint64_t Pin::field(unsigned lsb, unsigned count) const {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < count;) {
    const unsigned bit = lsb + done;
    const unsigned taken = std::min(8 - bit % 8, count - done);
    const std::uint64_t part = (data_[bit / 8] >> (bit % 8)) & ((1U << taken) - 1);
    value |= part << done;
    done += taken;
  }
  return value;
}

void Pin::set_field(unsigned lsb, unsigned count, std::uint64_t value) {
  for (unsigned done = 0; done < count;) {
    const unsigned bit = lsb + done;
    const unsigned taken = std::min(8 - bit % 8, count - done);
    const unsigned mask = ((1U << taken) - 1) << (bit % 8);
    const auto part = static_cast<unsigned>(value >> done) << (bit % 8);
    data_[bit / 8] = static_cast<unsigned char>((data_[bit / 8] & ~mask) | (part & mask));
    done += taken;
  }
}

std::string Pin::text() const {
  std::string digits;
  for (unsigned i = bytes(); i-- > 0;) digits += fmt::format("{:02x}", data_[i]);
  return "0x" + digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

}  // namespace warpfold::cosim
