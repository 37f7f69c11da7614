// SPDX-License-Identifier: Apache-2.0
// Every registered mechanism with every setting of its flags and choices, one changed at a time, for parameterised
// tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "warpfold/divergence/registry.h"

namespace warpfold {

struct MechanismVariant {
  std::string mechanism;
  std::vector<std::string> sets;  // "mechanism.compactor=false"

  // "compactor=false"
  std::vector<std::string> parameters() const {
    std::vector<std::string> texts;
    for (const std::string& set : sets) texts.push_back(set.substr(set.find('.') + 1));
    return texts;
  }
  std::string name() const {  // letters, digits and underscores only
    std::string text = mechanism;
    for (const std::string& set : sets) text += set.substr(set.find('.'));
    for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return text;
  }
};

inline std::ostream& operator<<(std::ostream& out, const MechanismVariant& variant) { return out << variant.name(); }

inline std::vector<std::string> values_of(const FieldView& field) {
  return field.kind == FieldKind::kFlag ? std::vector<std::string>{"true", "false"} : field.choices;
}

// `only`: of these mechanisms; empty: of all.
inline std::vector<MechanismVariant> variants_of(const std::vector<std::string>& only) {
  std::vector<MechanismVariant> variants;
  for (const divergence::MechanismInfo& info : divergence::mechanisms()) {
    if (!only.empty() && std::find(only.begin(), only.end(), info.name) == only.end()) continue;
    variants.push_back({info.name, {}});
    for (const FieldView& field : info.configure({}).parameters) {
      for (const std::string& value : values_of(field)) {
        if (value != field.value) variants.push_back({info.name, {fmt::format("mechanism.{}={}", field.path, value)}});
      }
    }
  }
  return variants;
}
inline std::vector<MechanismVariant> mechanism_variants() { return variants_of({}); }

// Each number of each mechanism at the smallest and at the largest value that it may have.
inline std::vector<MechanismVariant> extreme_variants() {
  std::vector<MechanismVariant> variants;
  for (const divergence::MechanismInfo& info : divergence::mechanisms()) {
    for (const FieldView& field : info.configure({}).parameters) {
      if (field.kind != FieldKind::kWhole) continue;
      for (const std::string& end : {field.lowest, field.highest}) {
        variants.push_back({info.name, {fmt::format("mechanism.{}={}", field.path, end)}});
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

// Those under which a warp takes time: the oracle only counts.
inline std::vector<MechanismVariant> timed_mechanisms() {
  std::vector<MechanismVariant> variants = plain_mechanisms();
  std::erase_if(variants, [](const MechanismVariant& variant) { return variant.mechanism == "oracle"; });
  return variants;
}

// Both sides of a branch may meet at a fence of their warp, each at a place of its own, which PTX leaves free; a stack
// runs one before the other. Under these, who waits lets the other side come.
inline bool lets_the_other_side_come(const std::string& mechanism) {
  static const std::set<std::string> those{"dwf", "dwf-wb", "dws",       "frontier", "harp",
                                           "stc", "its",    "multipath", "sbi",      "swi"};
  return those.contains(mechanism);
}

// What a machine has to be like for a mechanism that issues several warps in a cycle, where as it comes it refuses
// them.
inline std::vector<std::string> sets_on(const std::string& machine, const std::string& mechanism,
                                        unsigned warp_size = 32) {
  static const std::set<std::string> those{"dwr", "sbi", "swi", "vws"};
  std::vector<std::string> sets;
  if (machine == "ivb2013" && those.contains(mechanism)) sets = {"core.pipes=unified", "core.lane_packing=none"};
  if (mechanism == "dwr" && warp_size < 8) sets.push_back("mechanism.slice=" + std::to_string(warp_size));
  return sets;
}

// One side of a branch runs before the other, in blocks or in warps of 128 threads, under the others: whoever waits
// there for those on the other side keeps them back.
inline bool lets_warps_take_roles(const std::string& mechanism) {
  static const std::set<std::string> not_those{"lwm", "tbc", "tbc-lcp"};
  return !not_those.contains(mechanism);
}

}  // namespace warpfold
