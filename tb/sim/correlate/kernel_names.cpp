// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/kernel_names.h"

#include "tb/sim/console/labels.h"
#include "warpfold/common/symbol_name.h"

namespace warpfold::sim {

namespace {

constexpr const char* kAnonymous = "(anonymous namespace)";

void replace_each(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

// "(int)" of "copy<(int)4>", as nvcc's tools write arguments.
std::string without_casts(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '(' ? text.find_first_not_of("abcdefghijklmnopqrstuvwxyz ", at + 1) : at;
    if (end != at && end != std::string::npos && text[end] == ')') {
      at = end;
    } else {
      kept += text[at];
    }
  }
  return kept;
}

}  // namespace

std::string qualified_kernel(const std::string& name) {
  std::string text = shown_name(name);
  if (const std::size_t number = text.rfind(" ["); number != std::string::npos && text.ends_with(']')) {
    text.resize(number);
  }
  replace_each(text, "<unnamed>", kAnonymous);
  text = function_name(text);
  replace_each(text, std::string(kAnonymous) + "::", "");
  text = without_casts(text);
  std::erase(text, ' ');
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
