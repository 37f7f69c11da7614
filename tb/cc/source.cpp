// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/source.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <regex>

namespace warpfold::cc {
namespace {

struct Cure {
  const char* sign;  // that a text without it needs none
  std::regex wrong;
  const char* right;
};

const std::array<Cure, 6>& cures() {
  static const std::array<Cure, 6> all = {{
      {"<<", std::regex("<<[ \t]+<|<[ \t]+<<"), "<<<"},
      {">>", std::regex(">>[ \t]+>([ \t]*\\()|>[ \t]+>>([ \t]*\\()"), ">>>$1$2"},
      {"__shared__", std::regex("__device__([ \t]+)__shared__|__shared__([ \t]+)__device__"), "$1$2__shared__"},
      {"__constant__", std::regex("__device__([ \t]+)__constant__|__constant__([ \t]+)__device__"), "$1$2__constant__"},
      {"__global__", std::regex("__device__([ \t]+)__global__|__global__([ \t]+)__device__"), "$1$2__global__"},
      {"__global__", std::regex("__host__([ \t]+)__global__|__global__([ \t]+)__host__"), "$1$2__global__"},
  }};
  return all;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Behind the literal that begins at `at`.
std::size_t literal_end(const std::string& text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Where % stands before a register's name in the instructions of the statement whose parenthesis is at `at`. What has
// no operands is taken as it stands by clang too.
std::vector<std::size_t> register_signs(const std::string& text, std::size_t at) {
  std::vector<std::size_t> signs;
  unsigned depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      const std::size_t end = literal_end(text, at);
      for (std::size_t i = at; i + 2 < end; ++i) {
        const bool doubled = text[i + 1] == '%';
        if (text[i] == '%' && is_letter(text[i + 1]) && is_letter(text[i + 2])) signs.push_back(i);
        if (text[i] == '%' && doubled) ++i;
      }
      at = end;
      continue;
    }
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return {};
    if (text[at] == ':' && depth == 1) return signs;
    ++at;
  }
  return {};
}

// clang takes %s for an operand's modifier where nvcc sees that the whole is none.
std::string with_register_signs_doubled(const std::string& text) {
  static const std::regex statement("\\b(asm|__asm|__asm__)\\s*(volatile|__volatile__)?\\s*\\(");
  std::string result;
  std::size_t done = 0;
  const auto end = std::sregex_iterator();
  for (auto match = std::sregex_iterator(text.begin(), text.end(), statement); match != end; ++match) {
    const auto parenthesis = static_cast<std::size_t>(match->position() + match->length() - 1);
    for (const std::size_t sign : register_signs(text, parenthesis)) {
      result.append(text, done, sign - done).append("%");
      done = sign;
    }
  }
  return result.append(text, done);
}

}  // namespace

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex directive("(^|\n)[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"");
  std::vector<std::string> names;
  const auto end = std::sregex_iterator();
  for (auto match = std::sregex_iterator(text.begin(), text.end(), directive); match != end; ++match) {
    names.push_back((*match)[2].str());
  }
  return names;
}

std::string overlay_of(const std::vector<Replacement>& replacements) {
  const auto quoted = [](const std::string& path) {
    std::string text = "'";
    for (const char c : path) text += c == '\'' ? std::string("''") : std::string(1, c);
    return text + "'";
  };
  std::string text = "{ 'version': 0, 'use-external-names': false, 'roots': [\n";
  for (const Replacement& one : replacements) {
    text += fmt::format("  {{ 'type': 'file', 'name': {}, 'external-contents': {} }},\n", quoted(one.original),
                        quoted(one.cured));
  }
  return text + "] }\n";
}

std::string normalised(std::string text) {
  if (text.find("asm") != std::string::npos) text = with_register_signs_doubled(text);
  for (const Cure& cure : cures()) {
    if (text.find(cure.sign) != std::string::npos) text = std::regex_replace(text, cure.wrong, cure.right);
  }
  return text;
}

}  // namespace warpfold::cc
