// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/stats_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpfold::sim {
namespace {

using Json = nlohmann::json;

// kernel.<n>.<name>
bool names_launch(std::string_view object) {
  constexpr std::string_view kStart = "kernel.";
  constexpr std::size_t kMostDigits = 9;
  if (!object.starts_with(kStart)) return false;
  object.remove_prefix(kStart.size());
  const std::size_t digits = std::min(object.find_first_not_of("0123456789"), object.size());
  return digits > 0 && digits <= kMostDigits && digits < object.size() && object[digits] == '.';
}

std::string wrong_in_figures(const std::string& object, const Json& figures) {
  if (!figures.is_object()) return object + " is no table";
  for (const auto& [name, value] : figures.items()) {
    if (!value.is_number()) return fmt::format("{}: {} is no number", object, name);
  }
  return "";
}

// Beside its figures a launch has its shape, and what limits its blocks.
std::string wrong_in_launch(const std::string& object, const Json& launch) {
  if (!launch.is_object()) return object + " is no table";
  for (const auto& [name, value] : launch.items()) {
    const bool text = name == "limit";
    if (text ? !value.is_string() : !value.is_number() && !value.is_array()) {
      return fmt::format("{}: {} is no {}", object, name, text ? "text" : "number");
    }
  }
  return launch.contains("limit") ? "" : object + " has no limit";
}

template <class Check>
std::string wrong_in_objects(const Json& stats, const char* part, Check check) {
  const auto objects = stats.find(part);
  if (objects == stats.end()) return "";
  if (!objects->is_object()) return std::string(part) + " is no table";
  for (const auto& [object, content] : objects->items()) {
    if (!names_launch(object)) return fmt::format("{}: {} is no launch", part, object);
    if (std::string wrong = check(object, content); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string wrong_in_statistics(const Json& stats) {
  if (!stats.is_object()) return "no table of statistics";
  if (const auto total = stats.find("total"); total != stats.end()) {
    if (std::string wrong = wrong_in_figures("total", *total); !wrong.empty()) return wrong;
  }
  if (std::string wrong = wrong_in_objects(stats, "kernels", wrong_in_figures); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_in_objects(stats, "launches", wrong_in_launch); !wrong.empty()) return wrong;
  if (!stats.contains("kernels")) return "";
  if (!stats.contains("total") || !stats.contains("launches")) return "no total, or no launches";
  for (const auto& [object, launch] : stats["launches"].items()) {
    if (!stats["kernels"].contains(object)) return object + " is no kernel";
  }
  return "";
}

}  // namespace warpfold::sim
