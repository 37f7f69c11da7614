// SPDX-License-Identifier: Apache-2.0
// The points of a part of a study: products of lists, some of which go together, less what is left out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/config/config.h"

namespace warpfold::study {

// Things that change together: a row gives each of `keys` a value.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> rows;
};

using Values = std::vector<std::pair<std::string, std::string>>;  // by key, in the axes' order
const std::string* find(const Values& values, const std::string& key);
void set(Values& values, const std::string& key, const std::string& value);  // at the end, in the place of another
inline bool of_mechanism(const std::string& key) { return key.starts_with("mechanism."); }

// More than this is a mistake of the file's.
inline constexpr std::size_t kMostPoints = 200'000;

// Every combination of a row of each axis, the last axis fastest. UserError: more than kMostPoints.
std::vector<Values> product(const std::vector<Axis>& axes, const std::string& place);

// Puts axes of one key together that `groups` (a list of lists of keys) names: first row with first row.
std::vector<Axis> zip(std::vector<Axis> axes, const ConfigNode& groups);

// Designs of experiments over factors with a low and a high value (docs/study-files.md): `design` is the table of a
// study file. The rows' order is the textbooks'.
Axis design_of(const ConfigNode& design);
const std::vector<std::string>& designs();  // their kinds

// The value of "= core.warp_size / 2": whole numbers and values of other keys, from left to right. UserError.
using Lookup = std::function<std::string(const std::string& key)>;
std::string linked_value(const std::string& expression, const Lookup& lookup);
inline bool is_link(const std::string& value) { return value.starts_with("="); }

// The single value or the list of values that stands there; 0..31 stands for 32 of them.
std::vector<std::string> values_of(const ConfigNode& node);

}  // namespace warpfold::study
