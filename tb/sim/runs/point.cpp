// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/point.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "tb/sim/runs/identity.h"
#include "tb/sim/tables/stats_shape.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/results.h"
#include "warpfold/gpu/record/token_recorder.h"
#include "warpfold/gpu/run/plugins.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Nothing where there is no such file.
std::string text_of(const Point& point, const char* name) {
  const fs::path path = fs::path(point.directory()) / name;
  std::ifstream in(path);
  if (!in && fs::exists(path)) user_error("{}: cannot read this file: {}", path.string(), std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

Json read_run(const Point& point) { return Json::parse(text_of(point, "run.json"), nullptr, false); }

// Without its modules, most of the file, which nobody asks for here.
nlohmann::json read_statistics(const Point& point) {
  using nlohmann::json;
  const auto wanted = [](int depth, json::parse_event_t event, const json& parsed) {
    return depth != 1 || event != json::parse_event_t::key || parsed != "modules";
  };
  return json::parse(text_of(point, "stats.json"), wanted, false);
}

void make_directory(const Point& point) {
  std::error_code failed;
  fs::create_directories(point.directory(), failed);
  if (failed) user_error("{}: cannot make this result directory: {}", point.directory(), failed.message());
}

std::string first_fault(const Json& run) {
  const auto found = run.find("kernel_faults");
  const bool any = found != run.end() && found->is_array() && !found->empty() && found->front().is_string();
  return any ? found->front().get<std::string>() : "";
}

std::uint64_t checked_errors(const Json& run) {
  const auto check = run.find("check");
  return check == run.end() ? 0 : value_in(*check, "errors", std::uint64_t{0});
}

}  // namespace

void file_in(Point& point, const fs::path& directory) {
  check_boundary(point.options, plugged_memory() != nullptr);
  point.place = directory;
  point.options.out = fs::absolute(directory).lexically_normal();
  point.options.decided_by = decided_by(point);
}

void file_under_key(Point& point, const fs::path& results) {
  file_in(point, results / point.program.name / point.name());
  const std::string key = result_key(point.options.decided_by);
  point.place = fs::path(point.place) / key;
  point.options.out = fs::path(point.options.out) / key;
}

std::string lock_file(const Point& point) {
  make_directory(point);
  return fs::path(point.directory()) / ".lock";
}

std::string prepare(const Point& point) {
  make_directory(point);
  clear_results(point.directory());
  for (const char* const file : {"program.out", kTokenFile, kTimeTraceFile})
    remove_file(fs::path(point.directory()) / file);
  const std::string run_file = fs::path(point.directory()) / "run.yaml";
  write_whole_file(run_file, point.options.run_file());
  return run_file;
}

void collect(Point& point) {
  point.stats = read_statistics(point);
  const Json run = read_run(point);
  point.state = Point::State::kWrong;
  if (const std::string fault = first_fault(run); !fault.empty()) {
    point.reason = fault;  // the program may have gone on as if nothing had happened
  } else if (const std::uint64_t errors = checked_errors(run); errors != 0) {
    point.reason = fmt::format("the checker found errors: {} (check.findings in run.json)", errors);
  } else if (!point.stats.is_object() || point.stats.value("kernels", nlohmann::json()).empty()) {
    point.reason = "it launched no kernel (built by warpfold-cc? warpfold's options come before it)";
  } else if (!value_in(run, "finished", false)) {
    point.reason = "it left before its results were complete (by _exit?)";
  } else if (const std::string wrong = wrong_in_statistics(point.stats); !wrong.empty()) {
    point.reason = "its stats.json is not as a run leaves it: " + wrong;
  } else {
    point.state = Point::State::kDone;
    point.threads = value_in(run, "launching_threads", 1U);
    point.refused = value_in(run.value("refused_launches", Json::object()), "count", std::uint64_t{0});
  }
}

void note_outcome(const Point& point) {
  Json run = read_run(point);
  if (!run.is_object()) {  // it never came to its first launch
    run = {{"finished", false},
           {"key", result_key(point.options.decided_by)},
           {"decided_by", Json::parse(point.options.decided_by)}};
  }
  run[kOutcome] = point.state == Point::State::kDone ? kGood : "WRONG: " + point.reason;
  write_whole_file(fs::path(point.directory()) / "run.json",
                   run.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string outcome(const Point& point) {
  const Json run = read_run(point);
  const bool same = run.is_object() && value_in(run, "key", std::string()) == result_key(point.options.decided_by);
  return same ? value_in(run, kOutcome, std::string()) : "";
}

bool take_finished(Point& point) {
  if (outcome(point) != kGood) return false;
  collect(point);
  if (point.state != Point::State::kDone) point.state = Point::State::kWaiting;
  return point.state == Point::State::kDone;
}

}  // namespace warpfold::sim
