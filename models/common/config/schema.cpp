// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/config/schema.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <utility>

namespace warpfold {
namespace {

using Json = nlohmann::ordered_json;

const Json& single_value() {
  static const Json value{{"type", {"string", "number", "boolean"}}};
  return value;
}

// Those, or another: an editor offers the names, and takes a path.
Json one_of(const std::vector<std::string>& choices) {
  if (choices.empty()) return single_value();
  return {{"anyOf", Json::array({Json{{"enum", choices}}, single_value()})}};
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json one_or_list_of(const Json& value) { return {{"anyOf", Json::array({value, list_of(value)})}}; }

Json powers_of_two(const FieldView& field) {
  Json powers = Json::array();
  const std::uint64_t lowest = std::stoull(field.lowest), highest = std::stoull(field.highest);
  for (std::uint64_t power = 1; power != 0 && power <= highest; power <<= 1) {
    if (power >= lowest) powers.push_back(power);
  }
  return {{"enum", std::move(powers)}};
}

// As a file has it: 64 is a number.
Json choices_of(const FieldView& field) {
  Json choices = Json::array();
  for (const std::string& text : field.choices) {
    const Json value = Json::parse(text, nullptr, false);
    choices.push_back(value.is_number() ? value : Json(text));
  }
  return {{"enum", std::move(choices)}};
}

// No bound, or one beyond what every reader of JSON holds exactly, is none.
Json number(const FieldView& field) {
  if (field.power_of_two) return powers_of_two(field);
  Json schema{{"type", field.kind == FieldKind::kWhole ? "integer" : "number"}};
  const Json lowest = Json::parse(field.lowest, nullptr, false), highest = Json::parse(field.highest, nullptr, false);
  if (lowest.is_number()) schema["minimum"] = lowest;
  if (highest.is_number() && highest.get<double>() < 0x1p53) schema["maximum"] = highest;
  return schema;
}

class Builder {
 public:
  Builder(const std::vector<FieldView>& fields, SchemaKeys keys) : fields_(fields), keys_(keys) {}

  Json table(const std::string& prefix) const {
    Json properties = Json::object(), required = Json::array();
    for (const FieldView& field : fields_) {
      const std::string key = field.path.substr(std::min(prefix.size(), field.path.size()));
      if (!field.path.starts_with(prefix) || key.find('.') != std::string::npos) continue;
      properties[key] = described(field);
      if (!field.optional && keys_ == SchemaKeys::kComplete) required.push_back(key);
    }
    Json schema{{"type", "object"}};
    if (properties.empty()) return schema;  // of any keys
    schema["properties"] = std::move(properties);
    schema["additionalProperties"] = false;
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
  }

 private:
  Json described(const FieldView& field) const {
    Json schema = value(field);
    const char* const gap = field.unit.empty() ? "" : "; ";
    schema["description"] = field.unit + gap + field.meaning;
    return schema;
  }

  Json value(const FieldView& field) const {
    const std::string below = field.path + ".";
    switch (field.kind) {
      case FieldKind::kFlag:
        return {{"type", "boolean"}};
      case FieldKind::kWhole:
      case FieldKind::kReal:
        return number(field);
      case FieldKind::kChoice:
        return choices_of(field);
      case FieldKind::kText:
        return one_of(field.choices);
      case FieldKind::kTable:
        return table(below);
      case FieldKind::kTables:
        return list_of(table(below));
      case FieldKind::kNamed:
        return {{"type", "object"},
                {"additionalProperties",
                 keys_below(fields_, below).empty() ? one_or_list_of(single_value()) : table(below)}};
      case FieldKind::kValues:
        return one_or_list_of(one_of(field.choices));
      case FieldKind::kList:
        return list_of(one_of(field.choices));
      case FieldKind::kAnything:
        return {{"type", "array"}};
    }
    std::abort();
  }

  const std::vector<FieldView>& fields_;
  SchemaKeys keys_;
};

}  // namespace

FieldView FieldView::within(std::string low, std::string high) const {
  FieldView field = *this;
  field.lowest = std::move(low);
  field.highest = std::move(high);
  return field;
}

FieldView may_have(std::string path, FieldKind kind, std::string meaning, std::vector<std::string> choices) {
  FieldView field = must_have(std::move(path), kind, std::move(meaning), std::move(choices));
  field.optional = true;
  return field;
}

FieldView must_have(std::string path, FieldKind kind, std::string meaning, std::vector<std::string> choices) {
  FieldView field{std::move(path), "", "", std::move(meaning), kind};
  field.choices = std::move(choices);
  return field;
}

std::vector<std::string> keys_below(const std::vector<FieldView>& fields, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const FieldView& field : fields) {
    if (!field.path.starts_with(prefix)) continue;
    std::string key = field.path.substr(prefix.size());
    if (key.find('.') == std::string::npos) keys.push_back(std::move(key));
  }
  return keys;
}

Json schema_of(const std::vector<FieldView>& fields, SchemaKeys keys) { return Builder(fields, keys).table(""); }

}  // namespace warpfold
