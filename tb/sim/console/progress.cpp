// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/console/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "tb/sim/console/output.h"

namespace warpfold::sim {
namespace {

using namespace std::chrono_literals;

// Nothing is shown of what is over at once; a terminal can be read five times a second, a log hardly ever.
constexpr Progress::Clock::duration kFirst = 500ms, kOnTerminal = 200ms, kElsewhere = 30s;
constexpr const char* kEraseLine = "\r\x1b[K";

// "3.2 blocks/s", "14.0 runs/min".
std::string rate_text(double per_second, const std::string& unit) {
  constexpr std::pair<double, const char*> kSpans[] = {{1, "s"}, {60, "min"}};
  for (const auto& [seconds, name] : kSpans) {
    if (per_second * seconds >= 1) return fmt::format("{:.1f} {}/{}", per_second * seconds, unit, name);
  }
  return fmt::format("{:.1f} {}/h", per_second * 3600, unit);
}

std::string time_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::ceil(seconds));
  if (all < 60) return fmt::format("{} s", all);
  if (all < 3600) return fmt::format("{} min {} s", all / 60, all % 60);
  return fmt::format("{} h {} min", all / 3600, all % 3600 / 60);
}

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t total, const std::string& unit, double seconds,
                          std::uint64_t before) {
  std::string text = total == 0 ? fmt::format("[{}]", done) : fmt::format("[{}/{}]", done, total);
  if (done <= before || seconds <= 0) return text;
  const double rate = static_cast<double>(done - before) / seconds;
  text += fmt::format(" {}", rate_text(rate, unit));
  if (total > done) text += fmt::format(", {} left", time_text(static_cast<double>(total - done) / rate));
  return text;
}

Progress::Stage Progress::standard_error() {
  if (quiet()) return {[] { return 0U; }, [](const std::string&) {}, Clock::now};
  return {[] { return terminal_columns(STDERR_FILENO); }, say, Clock::now};
}

Progress::Progress(std::string unit, std::uint64_t total, Stage stage)
    : unit_(std::move(unit)), total_(total), stage_(std::move(stage)), begin_(stage_.now()) {
  next_ = begin_ + (stage_.columns() != 0 ? kFirst : kElsewhere);
}

void Progress::show(const std::string& doing) {
  const Clock::time_point now = stage_.now();
  if (now < next_) return;
  const std::chrono::duration<double> so_far = now - begin_;
  const unsigned columns = stage_.columns();
  const std::string line = fmt::format("{}  {}", progress_text(done_, total_, unit_, so_far.count()), doing);
  if (columns == 0) {
    stage_.say(line + "\n");
    next_ = now + kElsewhere;
    return;
  }
  // Not into the last column, from which some terminals go on to the next line.
  stage_.say(fmt::format("{}{:.{}}", kEraseLine, line, columns - 1));
  shown_ = true;
  next_ = now + kOnTerminal;
}

void Progress::note(const std::string& line) {
  clear();
  stage_.say(line + "\n");
}

void Progress::clear() {
  if (shown_) stage_.say(kEraseLine);
  shown_ = false;
}

}  // namespace warpfold::sim
