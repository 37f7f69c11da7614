// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/stats_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpfold::sim {
namespace {

// kernel.<n>.<name>
bool names_kernel(std::string_view object) {
  constexpr std::string_view kStart = "kernel.";
  constexpr std::size_t kMostDigits = 9;
  if (!object.starts_with(kStart)) return false;
  object.remove_prefix(kStart.size());
  const std::size_t digits = std::min(object.find_first_not_of("0123456789"), object.size());
  return digits > 0 && digits <= kMostDigits && digits < object.size() && object[digits] == '.';
}

std::string wrong_in_figures(const std::string& object, const nlohmann::json& figures) {
  if (!figures.is_object()) return object + " is no table";
  for (const auto& [name, value] : figures.items()) {
    if (!value.is_number()) return fmt::format("{}: {} is no number", object, name);
  }
  return "";
}

// Of a shape of a kernel's blocks: its size, what it takes, what limits its blocks, and how often it was launched.
std::string wrong_in_shape(const std::string& object, const nlohmann::json& shape) {
  if (!shape.is_object()) return object + " is no table";
  for (const auto& [name, value] : shape.items()) {
    const bool text = name == "limit";
    if (text ? !value.is_string() : !value.is_number() && !value.is_array()) {
      return fmt::format("{}: {} is no {}", object, name, text ? "text" : "number");
    }
  }
  if (!shape.contains("limit")) return object + " has no limit";
  const auto launches = shape.find("launches");
  return launches != shape.end() && launches->is_number_unsigned() ? "" : object + " has no number of launches";
}

std::string wrong_in_shapes(const std::string& object, const nlohmann::json& shapes) {
  if (!shapes.is_array()) return object + " is no list";
  for (const nlohmann::json& shape : shapes) {
    if (std::string wrong = wrong_in_shape(object, shape); !wrong.empty()) return wrong;
  }
  return "";
}

template <class Check>
std::string wrong_in_objects(const nlohmann::json& stats, const char* part, Check check) {
  const auto objects = stats.find(part);
  if (objects == stats.end()) return "";
  if (!objects->is_object()) return std::string(part) + " is no table";
  for (const auto& [object, content] : objects->items()) {
    if (!names_kernel(object)) return fmt::format("{}: {} is no kernel", part, object);
    if (std::string wrong = check(object, content); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string wrong_in_statistics(const nlohmann::json& stats) {
  if (!stats.is_object()) return "no table of statistics";
  if (const auto total = stats.find("total"); total != stats.end()) {
    if (std::string wrong = wrong_in_figures("total", *total); !wrong.empty()) return wrong;
  }
  if (std::string wrong = wrong_in_objects(stats, "kernels", wrong_in_figures); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_in_objects(stats, "resources", wrong_in_shapes); !wrong.empty()) return wrong;
  if (!stats.contains("kernels")) return "";
  if (!stats.contains("total") || !stats.contains("resources")) return "no total, or no resources";
  for (const auto& [object, figures] : stats["kernels"].items()) {
    if (!stats["resources"].contains(object)) return object + " has no resources";
  }
  return "";
}

}  // namespace warpfold::sim
