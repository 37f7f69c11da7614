// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/detail.h"

#include <algorithm>
#include <charconv>

#include "warpfold/common/error.h"
#include "warpfold/isa/kernel_name.h"

namespace warpfold {
namespace {

// PTX ISA §4.4; what `covers` compares.
bool is_kernel_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  return letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool parse_index(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Detail Detail::parse(const std::string& text, const std::string& place, const std::string& key) {
  Detail detail;
  detail.text_ = text;
  if (text.empty()) return detail;
  const auto dash = text.find('-');
  const std::string_view view(text);
  if (parse_index(view.substr(0, dash), detail.first_)) {
    detail.last_ = detail.first_;
    const bool range = dash == std::string::npos || parse_index(view.substr(dash + 1), detail.last_);
    if (range && detail.first_ <= detail.last_) return detail;
  } else if (is_kernel_name(view)) {
    detail.kernel_ = text;
    return detail;
  }
  user_error("{}: {} = {}: must be a kernel's name, a launch such as 12, or a range such as 3-7", place, key, text);
}

bool Detail::covers(std::size_t launch, std::string_view kernel) const {
  if (kernel_.empty()) return launch >= first_ && launch <= last_;
  return isa::is_named(kernel, kernel_);
}

}  // namespace warpfold
