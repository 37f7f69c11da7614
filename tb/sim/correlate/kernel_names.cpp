// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/kernel_names.h"

#include <regex>

#include "tb/sim/console/labels.h"
#include "warpfold/common/symbol_name.h"

namespace warpfold::sim {

std::string qualified_kernel(const std::string& name) {
  static const std::regex number(R"( \[\d+\]$)"), unnamed("<unnamed>"), anonymous(R"(\(anonymous namespace\)::)"),
      casts(R"(\([a-z ]+\))"), blanks(" ");
  std::string text = std::regex_replace(shown_name(name), number, "");
  text = function_name(std::regex_replace(text, unnamed, "(anonymous namespace)"));
  for (const std::regex& what : {anonymous, casts, blanks}) text = std::regex_replace(text, what, "");
  return text;
}

std::string base_kernel(const std::string& qualified) {
  std::string text;
  unsigned depth = 0;
  for (const char c : qualified) {
    if (c == '<') ++depth;
    if (depth == 0) text += c;
    if (c == '>' && depth > 0) --depth;
  }
  const std::size_t colons = text.rfind("::");
  return colons == std::string::npos ? text : text.substr(colons + 2);
}

}  // namespace warpfold::sim
