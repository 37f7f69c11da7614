// SPDX-License-Identifier: Apache-2.0
// Skipping what does not matter to execution, without losing the place when it is cut short.
#include "warpfold/ptx/directives.h"

#include <algorithm>

namespace warpfold::ptx {
namespace {

bool is_directive_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string_view directive_at(const SourceText& source, const char* at) {
  if (at == source.end() || *at != '.') return {};
  const char* to = std::find_if_not(at + 1, source.end(), is_directive_char);
  return {at, static_cast<std::size_t>(to - at)};
}

void skip_statement(const SourceText& source, const char*& at) {
  bool in_string = false;
  for (; at != source.end(); ++at) {
    if (*at == '"') in_string = !in_string;
    if (*at == ';' && !in_string) {
      ++at;
      return;
    }
  }
  source.fail(at, "expected ';'");
}

bool skip_directive(const SourceText& source, const char*& at, std::string_view directive) {
  if (directive == ".loc" || directive == ".file") {
    // These two end with their line, not with a semicolon.
    at = std::find(at, source.end(), '\n');
    return true;
  }
  if (directive == ".pragma") {
    skip_statement(source, at);
    return true;
  }
  if (directive == ".section") {
    const char* start = at;
    at = std::find(at, source.end(), '}');
    if (at == source.end()) source.fail(start, ".section is never closed");
    ++at;
    return true;
  }
  return false;
}

}  // namespace warpfold::ptx
