// SPDX-License-Identifier: Apache-2.0
// Whether result files are what a run leaves, asked before figures are taken out of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

namespace warpfold::sim {

// What is not as it should be in the total, the kernels and the launches, those of them that there are; empty: nothing.
std::string wrong_in_statistics(const nlohmann::json& stats);

// What `object` says of `name`, or `otherwise` where it says nothing, or something of another type.
template <class Json, class T>
T value_in(const Json& object, const char* name, T otherwise) {
  const auto found = object.find(name);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->template get<T>() : otherwise;
  } else if constexpr (std::is_unsigned_v<T>) {
    return found->is_number_unsigned() ? found->template get<T>() : otherwise;
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return found->is_string() ? found->template get<T>() : otherwise;
  }
}

}  // namespace warpfold::sim
