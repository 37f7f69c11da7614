// SPDX-License-Identifier: Apache-2.0
// Configuration: YAML text into parameter structs, checked against their tables (params.h), and back.
//
// Every complaint is one line: place, key path, value, what is legal:
//   machines/tbc2011.yaml:14:3: core.warp_size = 33: must be a power of two in [1, 64] lanes
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/common/config/params.h"

namespace warpfold {

// A table of keys, one scalar, or a list of scalars, with the place that it came from. Keys keep the order of the file.
class ConfigNode {
 public:
  ConfigNode() = default;
  // A list holds single values, or whatever there may be (`nodes`) where that is said.
  enum class Lists : std::uint8_t { kOfValues, kOfAnything };
  static ConfigNode from_file(const std::string& path, Lists lists = Lists::kOfValues);
  // `name` stands in error messages where a file's name would.
  static ConfigNode from_text(const std::string& text, const std::string& name, Lists lists = Lists::kOfValues);

  // Applies "core.warp_size=16" as if the file said so; the place of that value is "--set".
  void set(std::string_view assignment);
  // The same with the key and the value apart, from `place`.
  void set(std::string_view key, std::string_view value, const std::string& place);
  void set(std::string_view key, const ConfigNode& value);

  bool is_table() const { return table_; }
  bool is_list() const { return list_; }
  const std::string& scalar() const { return scalar_; }
  const std::vector<std::pair<std::string, ConfigNode>>& children() const { return children_; }
  const ConfigNode* find(std::string_view key) const;

  // The child table `key`; an error when it is absent or a scalar.
  const ConfigNode& table(std::string_view key) const;
  const ConfigNode& value(std::string_view key) const;               // the child scalar, likewise
  const std::vector<std::string>& list(std::string_view key) const;  // the child list, likewise
  const std::vector<ConfigNode>& nodes() const { return nodes_; }    // of a list, read with kOfAnything
  std::string place() const;                                         // "file:line:column", or "--set"
  unsigned line() const { return line_; }                            // of its key, from 1; 0: a place without lines
  const std::string& path() const { return path_; }                  // "core.warp_size"; empty at the root
  std::string path_of(std::string_view key) const;

  // Complains about the first key that is not in `known`.
  void only(const std::vector<std::string>& known) const;
  // place: path = value: what
  [[noreturn]] void reject(const std::string& what) const;

  // As YAML, without comments.
  std::string text(unsigned indent = 0) const;

 private:
  friend class ConfigReader;
  bool table_ = true, list_ = false;
  std::string scalar_;
  std::vector<std::string> items_;  // of a list, those that are single values
  std::vector<ConfigNode> nodes_;
  std::vector<std::pair<std::string, ConfigNode>> children_;
  std::string file_, path_;
  unsigned line_ = 0, column_ = 0;  // from 1; 0: a place without lines
  void adopt(const std::string& path);
};

// What a key of a file takes.
enum class FieldKind : std::uint8_t {
  kFlag,
  kWhole,
  kReal,
  kChoice,
  kText,      // with `choices`: those, or another
  kTable,     // of the keys below it; of any keys, if there are none
  kTables,    // a list of such tables
  kNamed,     // a table of any names: tables of the keys below it, or values, if there are none
  kValues,    // a single value or a list of them; with `choices`: those, or others
  kList,      // of single values
  kAnything,  // a list of whatever there may be
};

// What a table of keys says about one of them: what the dump, the documentation and the schema print.
struct FieldView {
  std::string path;  // "core.warp_size"; below a list or names it is without index and name: "points.part"
  std::string unit, value, meaning;
  FieldKind kind = FieldKind::kText;
  std::string lowest = "", highest = "";  // of numbers; empty: none
  bool power_of_two = false;
  std::vector<std::string> choices = {};
  bool optional = false;  // need not be given

  bool section() const { return kind == FieldKind::kTable; }  // only path and meaning
  std::string legal() const;                                  // in words
  FieldView within(std::string low, std::string high = "") const;
};

// Rows for keys of files that no parameter table reads: those that may be there, and those that must.
FieldView may_have(std::string path, FieldKind kind, std::string meaning, std::vector<std::string> choices = {});
FieldView must_have(std::string path, FieldKind kind, std::string meaning, std::vector<std::string> choices = {});

// The keys of `fields` that lie in the table `prefix` ("" or such as "core."), as ConfigNode::only() takes them.
std::vector<std::string> keys_below(const std::vector<FieldView>& fields, const std::string& prefix);

std::string dump(const std::vector<FieldView>& fields);  // YAML with comments; loads again

namespace config_detail {

bool read_flag(const ConfigNode& value);
std::int64_t read_signed(const ConfigNode& value, std::int64_t lowest, std::int64_t highest, const char* unit);
std::uint64_t read_unsigned(const ConfigNode& value, std::uint64_t lowest, std::uint64_t highest, bool power_of_two,
                            const char* unit);
double read_real(const ConfigNode& value, double lowest, double highest, const char* unit);
std::size_t read_choice(const ConfigNode& value, const char* const* names, std::size_t count);
[[noreturn]] void missing(const ConfigNode& table, const FieldView& field);

std::string quoted(const std::string& text);  // as a YAML scalar, whatever it holds
std::string real_text(double value);
std::string choices_text(const std::vector<std::string>& names);

template <class E>
std::size_t choice_index(E value) {
  return static_cast<std::size_t>(static_cast<std::underlying_type_t<E>>(value));
}

template <class P, class T>
T read(const Field<P, T>& field, const ConfigNode& value) {
  if constexpr (std::is_enum_v<T>) {
    const auto& names = Choices<T>::names;
    return static_cast<T>(read_choice(value, std::data(names), std::size(names)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return read_flag(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(read_real(value, field.lowest, field.highest, field.unit));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(read_signed(value, field.lowest, field.highest, field.unit));
  } else {
    return static_cast<T>(read_unsigned(value, field.lowest, field.highest, field.power_of_two, field.unit));
  }
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return real_text(value);
  } else {
    return std::to_string(value);
  }
}

template <class P, class T>
FieldView view(const Field<P, T>& field, const T& value, const std::string& path) {
  FieldView v{path, field.unit, "", field.meaning, FieldKind::kWhole};
  if constexpr (std::is_enum_v<T>) {
    const auto& names = Choices<T>::names;
    v.kind = FieldKind::kChoice;
    v.value = std::data(names)[choice_index(value)];
    v.choices.assign(std::begin(names), std::end(names));
  } else if constexpr (std::is_same_v<T, bool>) {
    v.kind = FieldKind::kFlag;
    v.value = value ? "true" : "false";
  } else {
    if constexpr (std::is_floating_point_v<T>) v.kind = FieldKind::kReal;
    v.value = number_text(value);
    v.lowest = number_text(field.lowest);
    v.highest = number_text(field.highest);
    v.power_of_two = field.power_of_two;
  }
  return v;
}

template <class P>
FieldView view(const TextField<P>& field, const std::string& value, const std::string& path) {
  return {path, "", quoted(value), field.meaning};
}

template <class Q>
void load_table(Q& params, const ConfigNode& table, bool optional);

// Q is P or derived from it: tables of derived parameters append to those of their base.
template <class Q, class P, class T>
void load_item(Q& params, const Field<P, T>& field, const ConfigNode& table, bool optional) {
  if (table.find(field.key) != nullptr) {
    params.*field.member = read(field, table.value(field.key));
  } else if (!optional) {
    missing(table, view(field, params.*field.member, table.path_of(field.key)));
  }
}

template <class Q, class P>
void load_item(Q& params, const TextField<P>& field, const ConfigNode& table, bool optional) {
  if (table.find(field.key) != nullptr) {
    params.*field.member = table.value(field.key).scalar();
  } else if (!optional) {
    missing(table, view(field, params.*field.member, table.path_of(field.key)));
  }
}

template <class Q, class P, class S>
void load_item(Q& params, const Section<P, S>& section, const ConfigNode& table, bool optional) {
  const bool may_lack = optional || section.optional;
  if (table.find(section.key) == nullptr && may_lack) return;
  load_table(params.*section.member, table.table(section.key), may_lack);
}

template <class Q>
void load_table(Q& params, const ConfigNode& table, bool optional) {
  std::apply(
      [&](const auto&... item) {
        table.only({item.key...});
        (load_item(params, item, table, optional), ...);
      },
      Q::fields());
}

template <class Q>
void view_table(const Q& params, const std::string& prefix, bool optional, std::vector<FieldView>& out);

template <class Q, class F>
void view_item(const Q& params, const F& field, const std::string& prefix, bool optional, std::vector<FieldView>& out) {
  out.push_back(view(field, params.*field.member, prefix + field.key));
  out.back().optional = optional;
}

template <class Q, class P, class S>
void view_item(const Q& params, const Section<P, S>& section, const std::string& prefix, bool optional,
               std::vector<FieldView>& out) {
  const bool may_lack = optional || section.optional;
  out.push_back({prefix + section.key, "", "", section.meaning, FieldKind::kTable});
  out.back().optional = may_lack;
  view_table(params.*section.member, prefix + section.key + ".", may_lack, out);
}

template <class Q>
void view_table(const Q& params, const std::string& prefix, bool optional, std::vector<FieldView>& out) {
  std::apply([&](const auto&... item) { (view_item(params, item, prefix, optional, out), ...); }, Q::fields());
}

}  // namespace config_detail

// Fills `params`, a struct with `static constexpr auto fields()` (a tuple of Field, TextField and Section), from
// `table`.
template <class P>
void load(P& params, const ConfigNode& table) {
  config_detail::load_table(params, table, false);
}

// As load(), where a key that is absent keeps the value that `params` has.
template <class P>
void load_optional(P& params, const ConfigNode& table) {
  config_detail::load_table(params, table, true);
}

// All fields with the values of `params`, in the order of the tables.
template <class P>
std::vector<FieldView> fields_of(const P& params, const std::string& prefix = "") {
  std::vector<FieldView> out;
  config_detail::view_table(params, prefix, false, out);
  return out;
}

template <class P>
std::string dump(const P& params) {
  return dump(fields_of(params));
}

}  // namespace warpfold
