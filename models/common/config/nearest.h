// SPDX-License-Identifier: Apache-2.0
// What a user probably meant by a name that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold {

// Insertions, deletions, replacements and swaps of neighbours that turn one string into the other (optimal string
// alignment distance).
unsigned edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest distance, whatever the case of letters, the first of several; empty when there are no candidates.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// The end of an error message: "did you mean 'x'?" when one candidate is close, else "known are a, b, c".
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace warpfold
