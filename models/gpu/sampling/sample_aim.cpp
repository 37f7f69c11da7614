// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/sample_aim.h"

#include <charconv>

#include "warpfold/common/error.h"

namespace warpfold {

SampleAim SampleAim::parse(const std::string& text, const std::string& place) {
  SampleAim aim;
  if (text.empty()) return aim;
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool read = error == std::errc() && end + 1 == text.data() + text.size() && *end == '%';
  if (!read || !(percent > 0 && percent < 100)) {
    user_error("{} {}: must be a percentage above 0% and below 100%, such as 3%", place, text);
  }
  aim.text_ = text;
  aim.share_ = percent / 100;
  return aim;
}

}  // namespace warpfold
