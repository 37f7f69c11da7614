// SPDX-License-Identifier: Apache-2.0
// A table from names to what they stand for, searched without making strings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "warpfold/ptx/ast.h"

namespace warpfold::ptx {

struct Named {
  Refers refers = Refers::kNothing;
  std::uint32_t index = 0;
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

using NameTable = std::unordered_map<std::string, Named, NameHash, std::equal_to<>>;

}  // namespace warpfold::ptx
