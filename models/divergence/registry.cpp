// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/registry.h"

#include <algorithm>
#include <cctype>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/packing/schemes.h"

namespace warpfold::divergence {
namespace {

// Registration runs before main(), in no particular order of files.
std::vector<MechanismInfo>& table() {
  static std::vector<MechanismInfo> entries;
  return entries;
}

std::vector<std::string>& twice() {
  static std::vector<std::string> names;
  return names;
}

// "scc", or "pdom+scc" as tables name the two together: a packing of lanes, which goes with any mechanism.
void refuse_packing(std::string_view name) {
  std::string packing(name.substr(name.find('+') + 1));  // of no '+' all
  for (char& c : packing) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const PackingInfo& info : kPackings) {
    if (packing == info.name) {
      user_error("no mechanism '{}': {} packs the lanes of a warp, under any mechanism: --simd {}", name, packing,
                 packing);
    }
  }
}

}  // namespace

void Mechanism::compacted(unsigned /*block_slot*/, unsigned /*tag*/, const Warp& /*warp*/, bool /*last*/) {
  check(false, "a warp from the compactor for a mechanism that asked for none");
}

void Mechanism::spilled(unsigned /*owner*/) { check(false, "news of a spill for a mechanism that asked for none"); }

// The first of a name stays: code that runs before main(), or as a library is loaded, has nobody to throw to.
void add_mechanism(MechanismInfo info) {
  const auto place =
      std::lower_bound(table().begin(), table().end(), info.name,
                       [](const MechanismInfo& entry, const std::string& name) { return entry.name < name; });
  if (place != table().end() && place->name == info.name) return twice().push_back(info.name);
  table().insert(place, std::move(info));
}

const std::vector<MechanismInfo>& mechanisms() { return table(); }
const std::vector<std::string>& registered_twice() { return twice(); }

const MechanismInfo& find_mechanism(std::string_view name) {
  std::vector<std::string> names;
  for (const MechanismInfo& info : table()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  refuse_packing(name);
  user_error("no mechanism '{}': {}", name, suggestion(name, names));
}

}  // namespace warpfold::divergence
