// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/console/labels.h"

#include <algorithm>
#include <map>
#include <regex>

#include "warpfold/common/symbol_name.h"

namespace warpfold::sim {
namespace {

std::vector<std::string> names_in(const std::vector<Facts>& things) {
  std::vector<std::string> names;
  for (const Facts& facts : things) {
    for (const auto& [name, unused] : facts) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string said_of(const Facts& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
  return found == facts.end() ? "" : found->second;
}

}  // namespace

std::vector<std::string> told_apart(const std::vector<Facts>& things) {
  std::vector<std::string> labels(things.size());
  std::vector<std::size_t> classes(things.size(), 0);  // of things with one label so far
  std::size_t count = 1;
  for (const std::string& name : names_in(things)) {
    std::map<std::pair<std::size_t, std::string>, std::size_t> finer;
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < things.size(); ++i) {
      next.push_back(finer.try_emplace({classes[i], said_of(things[i], name)}, finer.size()).first->second);
    }
    if (finer.size() == count) continue;
    count = finer.size();
    classes = std::move(next);
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::string said = said_of(things[i], name);
      if (!said.empty()) labels[i] += (labels[i].empty() ? "" : ", ") + said;
    }
  }
  return labels;
}

std::string function_name(std::string_view demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  if (demangled.starts_with("void ")) demangled.remove_prefix(5);  // told of templates only
  unsigned depth = 0;
  std::size_t end = 0;
  for (; end < demangled.size(); ++end) {
    if (demangled[end] == '<') ++depth;
    if (demangled[end] == '>' && depth > 0) --depth;
    if (demangled[end] != '(' || depth > 0) continue;
    if (!demangled.substr(end).starts_with(kAnonymous)) break;
    end += kAnonymous.size() - 1;
  }
  return std::string(demangled.substr(0, end));
}

std::string short_function_name(std::string_view demangled) {
  constexpr std::size_t kLong = 60;
  static const std::regex qualifiers("([A-Za-z_0-9]+|\\(anonymous namespace\\))::");
  std::string name = function_name(demangled);
  if (name.size() > kLong) name = std::regex_replace(name, qualifiers, "");
  if (name.size() > kLong) name.replace(kLong - 3, std::string::npos, "...");
  return name;
}

std::string readable_kernel(const std::string& name) {
  const std::string shown = shown_name(name);
  return shown == name ? name : short_function_name(shown);
}

}  // namespace warpfold::sim
