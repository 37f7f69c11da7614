// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/detail.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/common/number.h"
#include "warpfold/isa/kernel_name.h"

namespace warpfold {
namespace {

// PTX ISA §4.4; what `covers` compares.
bool is_kernel_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  return letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Detail Detail::parse(const std::string& text, const std::string& place, const std::string& key) {
  Detail detail;
  detail.text_ = text;
  if (text.empty()) return detail;
  const auto dash = text.find('-');
  const std::string_view view(text);
  if (const auto first = number_in<std::size_t>(view.substr(0, dash))) {
    const auto last = dash == std::string::npos ? first : number_in<std::size_t>(view.substr(dash + 1));
    detail.first_ = *first;
    detail.last_ = last.value_or(0);
    if (last && first <= last) return detail;
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
