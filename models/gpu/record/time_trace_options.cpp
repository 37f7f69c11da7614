// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/time_trace_options.h"

#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "warpfold/common/error.h"
#include "warpfold/common/number.h"

namespace warpfold {
namespace {

constexpr std::uint64_t kLongest = 1'000'000'000'000;  // cycles, of which a host simulates fewer in a year
constexpr std::uint64_t kLargest = 1'000'000;          // MB
constexpr std::uint64_t kMostCores = 1'000'000;

std::uint64_t number_up_to(const std::string& text, std::uint64_t most, const char* unit, const std::string& what) {
  const auto value = number_in<std::uint64_t>(text);
  if (!value || *value == 0 || *value > most) user_error("{} {}: must be in [1, {}] {}", what, text, most, unit);
  return *value;
}

// "3" or "3-5", both ends included.
std::optional<std::pair<std::uint64_t, std::uint64_t>> range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number_in<std::uint64_t>(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in<std::uint64_t>(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last >= kMostCores) return std::nullopt;
  return std::pair{*first, *last};
}

template <class Visit>
void for_each_range(const std::string& cores, Visit visit) {
  std::istringstream list(cores);
  for (std::string item; std::getline(list, item, ',');) visit(range(item));
}

bool is_core_list(const std::string& text) {
  if (text == "all" || text == "none") return true;
  bool good = !text.empty() && !text.ends_with(',');
  for_each_range(text, [&](const auto& cores) { good = good && cores.has_value(); });
  return good;
}

}  // namespace

TimeTraceOptions TimeTraceOptions::parse(const Words& words, const std::string& place) {
  TimeTraceOptions options;
  options.on = true;
  if (!words.every.empty()) {
    options.every = number_up_to(words.every, kLongest, "cycles", place + "trace-every");
  }
  if (!words.limit.empty()) options.limit_mb = number_up_to(words.limit, kLargest, "MB", place + "trace-limit");
  if (!words.window.empty()) {
    const std::size_t dash = words.window.find('-');
    const std::string_view text = words.window;
    const auto first = number_in<std::uint64_t>(text.substr(0, dash));
    const bool open = dash + 1 == text.size();
    const auto last = dash == std::string::npos ? std::nullopt
                      : open                    ? kNever
                                                : number_in<std::uint64_t>(text.substr(dash + 1));
    if (!first || !last || *last <= *first || *first > kLongest || (!open && *last > kLongest)) {
      user_error("{}trace-window {}: must be cycles of the run such as 10000-20000, or 10000- for all that follow",
                 place, text);
    }
    options.window_ = words.window;
    options.first = *first;
    options.last = *last;
  }
  if (!words.launches.empty()) {
    options.launches = Detail::parse(words.launches, place + "trace-launches", "launches");
  }
  if (!words.cores.empty()) {
    if (!is_core_list(words.cores)) {
      user_error("{}trace-cores {}: must be cores such as 0,3-5, or all, or none", place, words.cores);
    }
    options.cores = words.cores;
  }
  return options;
}

TimeTraceOptions TimeTraceOptions::load(const ConfigNode& table) {
  table.only({"every", "window", "launches", "cores", "limit"});
  const auto word = [&](const char* key) { return table.value(key).scalar(); };
  return parse({word("every"), word("window"), word("launches"), word("cores"), word("limit")}, table.place() + ": ");
}

std::string TimeTraceOptions::run_file() const {
  const auto quoted = [](const std::string& text) { return config_detail::quoted(text); };
  return fmt::format("  trace:\n    every: {}\n    window: {}\n    launches: {}\n    cores: {}\n    limit: {}\n", every,
                     quoted(window_), quoted(launches.text()), quoted(cores), limit_mb);
}

std::vector<bool> TimeTraceOptions::traced_of(std::size_t machine_cores) const {
  std::vector<bool> traced(machine_cores, cores == "all");
  if (cores == "all" || cores == "none") return traced;
  for_each_range(cores, [&](const auto& some) {
    if (some->second >= machine_cores) {
      user_error("--trace-cores {}: the machine's cores are 0 to {}", cores, machine_cores - 1);
    }
    for (std::size_t core = some->first; core <= some->second; ++core) traced[core] = true;
  });
  return traced;
}

}  // namespace warpfold
