// SPDX-License-Identifier: Apache-2.0
// Parameters as tables: one line per field gives key, unit, range and meaning, and drives parsing, range checks, the
// dump of the effective configuration and the documentation.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <type_traits>

namespace warpfold {

// Bounds of a field are inclusive; they are of the field's type (ignored for bool and enums).
template <class P, class T>
struct Field {
  const char* key;
  const char* unit;  // "cycles", "bytes", "entries", "MHz", … ("" for flags and choices)
  T P::*member;
  T lowest, highest;
  const char* meaning;
  bool power_of_two = false;
};

template <class P, class T>
constexpr Field<P, T> field(const char* key, const char* unit, T P::*member, std::type_identity_t<T> lowest,
                            std::type_identity_t<T> highest, const char* meaning) {
  return {key, unit, member, lowest, highest, meaning, false};
}

template <class P, class T>
constexpr Field<P, T> power_of_two(const char* key, const char* unit, T P::*member, std::type_identity_t<T> lowest,
                                   std::type_identity_t<T> highest, const char* meaning) {
  return {key, unit, member, lowest, highest, meaning, true};
}

template <class P>
constexpr Field<P, bool> flag(const char* key, bool P::*member, const char* meaning) {
  return {key, "", member, false, true, meaning, false};
}

// An enum's spellings, in the order of its values from 0: specialise Choices<E> with `names`.
template <class E>
struct Choices;

template <class P, class E>
requires std::is_enum_v<E>
constexpr Field<P, E> choice(const char* key, E P::*member, const char* meaning) {
  return {key, "", member, E{}, E{}, meaning, false};
}

// Text: any, such as a path.
template <class P>
struct TextField {
  const char* key;
  std::string P::*member;
  const char* meaning;
};

template <class P>
constexpr TextField<P> text(const char* key, std::string P::*member, const char* meaning) {
  return {key, member, meaning};
}

// A nested table: `key` holds the fields of S. In an optional one whatever is absent keeps its default; everywhere else
// every key must be given, so that a machine file says all there is to say.
template <class P, class S>
struct Section {
  const char* key;
  S P::*member;
  const char* meaning;
  bool optional = false;
};

template <class P, class S>
constexpr Section<P, S> section(const char* key, S P::*member, const char* meaning) {
  return {key, member, meaning, false};
}

template <class P, class S>
constexpr Section<P, S> optional_section(const char* key, S P::*member, const char* meaning) {
  return {key, member, meaning, true};
}

}  // namespace warpfold
