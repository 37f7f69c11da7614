// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/config/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>

namespace warpfold {
namespace {

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

}  // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
  std::vector<unsigned> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const auto far = [low = lower(name)](const std::string& candidate) { return edit_distance(low, lower(candidate)); };
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const auto& a, const auto& b) { return far(a) < far(b); });
  return best == candidates.end() ? std::string() : *best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "none are known";
  std::vector<std::string> near;
  // A name that is more than twice as long as another is never near it; those that users' files hold may be megabytes.
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(near), [&](const std::string& candidate) {
    return name.size() <= 2 * candidate.size() && candidate.size() <= 2 * name.size();
  });
  const std::string best = nearest(name, near);
  // Half of the letters may be wrong; beyond that the nearest name is no hint.
  if (!near.empty() && edit_distance(lower(name), lower(best)) * 2 <= std::max(name.size(), best.size()))
    return fmt::format("did you mean '{}'?", best);
  std::string known;
  for (const std::string& candidate : candidates) known += (known.empty() ? "" : ", ") + candidate;
  return "known are " + known;
}

}  // namespace warpfold
