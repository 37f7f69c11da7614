// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/one_line.h"

#include <fmt/format.h>

namespace warpfold {
namespace {

constexpr std::size_t kLongest = 4000, kEnd = 1000;

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    out += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) {
  if (text.size() <= kLongest) return printable(text);
  return printable(text.substr(0, kLongest - kEnd)) + " ... " + printable(text.substr(text.size() - kEnd));
}

}  // namespace warpfold
