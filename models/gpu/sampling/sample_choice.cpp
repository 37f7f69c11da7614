// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/sample_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "warpfold/common/error.h"
#include "warpfold/common/number.h"

namespace warpfold {
SampleChoice SampleChoice::parse(const std::string& text, const std::string& place) {
  SampleChoice choice;
  choice.text_ = text;
  if (text.empty()) return choice;
  const auto misread = [&] {
    user_error("{} {}: must be a percentage above 0% and below 100%, such as 3%, or launches, such as 0-3,7,12", place,
               text);
  };
  if (text.back() == '%') {
    const auto percent = number_in<double>(std::string_view(text).substr(0, text.size() - 1));
    if (!percent || !(*percent > 0 && *percent < 100)) misread();
    choice.share_ = *percent / 100;
    return choice;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view range = rest.substr(0, rest.find(','));
    const auto dash = range.find('-');
    const auto first = number_in<std::size_t>(range.substr(0, dash));
    const auto last = dash == range.npos ? first : number_in<std::size_t>(range.substr(dash + 1));
    const bool ascends =
        first && last && *first <= *last && (choice.ranges_.empty() || choice.ranges_.back().second < *first);
    if (!ascends || range.size() + 1 == rest.size()) misread();  // a comma ends it
    choice.ranges_.emplace_back(*first, *last);
    rest.remove_prefix(std::min(range.size() + 1, rest.size()));
  }
  return choice;
}

std::string SampleChoice::text_of(const std::vector<std::size_t>& launches) {
  std::string text;
  for (std::size_t i = 0; i < launches.size();) {
    std::size_t end = i + 1;
    while (end < launches.size() && launches[end] == launches[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", launches[i]);
    if (end - i > 1) text += fmt::format("-{}", launches[end - 1]);
    i = end;
  }
  return text;
}

bool SampleChoice::covers(std::size_t launch) const {
  const auto range =
      std::partition_point(ranges_.begin(), ranges_.end(), [&](const auto& r) { return r.second < launch; });
  return range != ranges_.end() && range->first <= launch;
}

}  // namespace warpfold
