// SPDX-License-Identifier: Apache-2.0
// Every registered mechanism with every setting of its flags and choices, one changed at a time, for parameterised
// tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "models/divergence/registry.h"
#include "models/gpu/run_options.h"

namespace warpfold {

struct MechanismVariant {
  std::string mechanism;
  std::vector<std::string> sets;  // "mechanism.compactor=false"

  std::string name() const {  // letters, digits and underscores only
    std::string text = mechanism;
    for (const std::string& set : sets) text += set.substr(set.find('.'));
    for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return text;
  }
};

inline std::ostream& operator<<(std::ostream& out, const MechanismVariant& variant) { return out << variant.name(); }

// "AGE, RRB or SRR" → its words; none when the legal values are a range.
inline std::vector<std::string> values_of(const std::string& legal) {
  if (legal.find(" or ") == std::string::npos || legal.find_first_of("0123456789") != std::string::npos) return {};
  std::vector<std::string> values;
  std::istringstream words(legal);
  for (std::string word; words >> word;) {
    if (word == "or") continue;
    if (word.back() == ',') word.pop_back();
    values.push_back(word);
  }
  return values;
}

inline std::vector<MechanismVariant> mechanism_variants() {
  std::vector<MechanismVariant> variants;
  for (const divergence::MechanismInfo& info : divergence::mechanisms()) {
    variants.push_back({info.name, {}});
    const auto defaults = RunOptions::resolve("tbc2011", info.name, {}).mechanism_parameters;
    for (const FieldView& field : info.configure(defaults).parameters) {
      for (const std::string& value : values_of(field.legal)) {
        if (value != field.value) variants.push_back({info.name, {fmt::format("mechanism.{}={}", field.path, value)}});
      }
    }
  }
  return variants;
}

// Parameters by default.
inline std::vector<MechanismVariant> plain_mechanisms() {
  std::vector<MechanismVariant> variants;
  for (const divergence::MechanismInfo& info : divergence::mechanisms()) variants.push_back({info.name, {}});
  return variants;
}

}  // namespace warpfold
