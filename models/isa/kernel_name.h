// SPDX-License-Identifier: Apache-2.0
// Which kernel a user means by a name.
#pragma once

#include <string>
#include <string_view>

namespace warpfold::isa {

// Is `name`, as the user wrote it in the source, that of the kernel, as the PTX has it? Its C++ mangling is, too.
inline bool is_named(std::string_view kernel, std::string_view name) {
  // Itanium C++ ABI §5.1.2: a source name is its length followed by its letters.
  const std::string mangled = std::to_string(name.size()) + std::string(name);
  return !name.empty() && (kernel == name || kernel.find(mangled) != std::string_view::npos);
}

// Is it one of several names, separated by commas?
inline bool is_among(std::string_view kernel, std::string_view names) {
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    if (is_named(kernel, names.substr(0, comma))) return true;
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
  }
  return false;
}

}  // namespace warpfold::isa
