// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/point.h"

#include <filesystem>
#include <fstream>

#include "models/common/error.h"
#include "models/common/results.h"
#include "tb/sim/stats_shape.h"

namespace warpfold::sim {

namespace fs = std::filesystem;

std::string prepare(const Point& point) {
  std::error_code failed;
  fs::create_directories(point.directory(), failed);
  if (failed) user_error("{}: cannot make this result directory: {}", point.directory(), failed.message());
  for (const char* name : {"stats.json", "stats.csv", "run.json", "config.effective.yaml", "program.out"}) {
    fs::remove(fs::path(point.directory()) / name, failed);
  }
  const std::string run_file = fs::path(point.directory()) / "run.yaml";
  write_whole_file(run_file, point.options.run_file());
  return run_file;
}

namespace {

nlohmann::json read_json(const Point& point, const char* name) {
  std::ifstream in(fs::path(point.directory()) / name);
  return nlohmann::json::parse(in, nullptr, false);
}

}  // namespace

void collect(Point& point) {
  point.stats = read_json(point, "stats.json");
  const nlohmann::json run = read_json(point, "run.json");
  point.state = Point::State::kWrong;
  if (!point.stats.is_object() || point.stats.value("kernels", nlohmann::json()).empty()) {
    point.reason = "it launched no kernel (was it built by warpfold-cc?)";
  } else if (!says_finished(run)) {
    point.reason = "it left before its results were complete (by _exit?)";
  } else if (const std::string wrong = wrong_in_statistics(point.stats); !wrong.empty()) {
    point.reason = "its stats.json is not as a run leaves it: " + wrong;
  } else {
    point.state = Point::State::kDone;
  }
}

}  // namespace warpfold::sim
