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

constexpr std::string_view kBlanks = " \t\n\r";

// Begin of the word that ends before `end`, which is `end` where none does.
std::size_t word_begin(const std::string& text, std::size_t end) {
  while (end > 0 && (is_letter(text[end - 1]) || std::isdigit(static_cast<unsigned char>(text[end - 1])) != 0)) --end;
  return end;
}

// Whether a pointer or a reference comes before the declared name ends, from `at` on.
bool comes_to_pointer(const std::string& text, std::size_t at) {
  unsigned depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (depth > 0) continue;
    if (c == '*' || c == '&') return true;
    if (std::string_view("(){};,=").find(c) != std::string_view::npos) return false;
  }
  return false;
}

// Whether the word at [begin, end) stands where no pointer or reference is: nvcc ignores it there. Behind a name it is
// right if that stands for a pointer's type, unless a sign of its own follows.
bool is_misplaced(const std::string& text, std::size_t begin, std::size_t end) {
  static const std::regex specifier("const|volatile|static|extern|inline|register"),
      plain("char|short|int|long|signed|unsigned|float|double|bool|void");
  std::string word;
  std::size_t at = begin;
  do {
    at = text.find_last_not_of(kBlanks, at == 0 ? std::string::npos : at - 1);
    if (begin == 0 || at == std::string::npos) return comes_to_pointer(text, end);
    const std::size_t first = word_begin(text, at + 1);
    word = text.substr(first, at + 1 - first);
    if (!word.empty()) at = first;
  } while (at > 0 && std::regex_match(word, specifier));
  if (std::regex_match(word, plain)) return true;
  if (word.empty() && std::string_view("(,;{}<").find(text[at]) != std::string_view::npos)
    return comes_to_pointer(text, end);
  if (word.empty() && text[at] != '>') return false;
  static const std::regex pointer_next("\\s*((const|volatile)\\b\\s*)*[*&]");
  return std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), pointer_next,
                           std::regex_constants::match_continuous);
}

std::string without_misplaced_restrict(std::string text) {
  // A macro for it is a name for it.
  static const std::regex macro("(?:^|\n)[ \t]*#[ \t]*define[ \t]+(\\w+)[ \t]+__restrict(?:__)?[ \t]*(?=[\r\n])");
  std::string names = "__restrict__|__restrict";
  for (auto found = std::sregex_iterator(text.begin(), text.end(), macro); found != std::sregex_iterator(); ++found)
    names += "|" + (*found)[1].str();
  const std::regex sign("\\b(" + names + ")\\b");
  std::vector<std::pair<std::size_t, std::size_t>> wrong;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), sign); found != std::sregex_iterator(); ++found) {
    const auto begin = static_cast<std::size_t>(found->position()), end = begin + found->length();
    const std::size_t line = text.rfind('\n', begin) + 1;  // 0 where there is none
    if (text[std::min(text.find_first_not_of(" \t", line), begin)] == '#') continue;
    if (is_misplaced(text, begin, end)) wrong.emplace_back(begin, end - begin);
  }
  for (const auto& [begin, size] : wrong) text.replace(begin, size, size, ' ');
  return text;
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

std::vector<Place> places_of_host_constants(const std::string& messages) {
  static const std::regex message(
      "(?:^|\n)([^\n]+):([0-9]+):([0-9]+): error: dynamic initialization is not supported for");
  std::vector<Place> places;
  for (auto found = std::sregex_iterator(messages.begin(), messages.end(), message); found != std::sregex_iterator();
       ++found) {
    const Place place{(*found)[1].str(), std::stoul((*found)[2].str()), std::stoul((*found)[3].str())};
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);  // once a template
  }
  return places;
}

std::string with_plain_variable(std::string text, const Place& place) {
  std::size_t name = 0;
  for (std::size_t line = 1; line < place.line; ++line) name = text.find('\n', name) + 1;
  name = std::min(name + place.column - 1, text.size());
  static constexpr std::string_view kWord = "constexpr";
  const std::size_t at = text.rfind(kWord, name);
  if (at == std::string::npos || text.find_first_of(";{}", at) < name) return text;  // within a macro
  const std::size_t end = text.find_last_of(";{}", at), statement = end == std::string::npos ? 0 : end + 1;
  const auto says = [&](std::string_view word) { return text.find(word, statement) < name; };
  // A member has its value in its class only if it is inline.
  return text.replace(at, kWord.size(), says("static") && !says("inline") ? "inline   " : "         ");
}

std::string normalised(std::string text) {
  if (text.find("asm") != std::string::npos) text = with_register_signs_doubled(text);
  if (text.find("__restrict") != std::string::npos) text = without_misplaced_restrict(text);
  for (const Cure& cure : cures()) {
    if (text.find(cure.sign) != std::string::npos) text = std::regex_replace(text, cure.wrong, cure.right);
  }
  return text;
}

}  // namespace warpfold::cc
