// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/kept_run.h"

#include <algorithm>
#include <fstream>

#include "tb/sim/runs/point.h"
#include "tb/sim/tables/stats_shape.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

bool has_results(const fs::path& directory) { return fs::exists(directory / "run.json"); }

template <class Json>
Json read_object(const fs::path& path) {
  std::ifstream in(path);
  Json json = Json::parse(in, nullptr, false);
  if (!json.is_object()) user_error("{}: not whole: run it again", path.string());
  return json;
}

}  // namespace

std::vector<fs::path> runs_in(const std::string& path) {
  if (!fs::is_directory(path)) user_error("{}: there is no such folder of results", path);
  if (has_results(path)) return {fs::absolute(path).lexically_normal()};
  std::vector<fs::path> runs;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_directory() && has_results(entry.path()))
      runs.push_back(fs::absolute(entry.path()).lexically_normal());
  }
  if (runs.empty()) user_error("{}: no results (a run.json) in it", path);
  std::sort(runs.begin(), runs.end());
  return runs;
}

KeptRun read_run(const fs::path& directory) {
  const auto run = read_object<nlohmann::ordered_json>(directory / "run.json");
  KeptRun kept;
  kept.key = value_in(run, "key", std::string());
  kept.decided_by = run.value("decided_by", nlohmann::ordered_json());
  if (kept.key.empty() || !kept.decided_by.is_object()) {
    user_error("{}: no key in its run.json, so nobody knows what it may be compared with: run it again, or remove it",
               directory.string());
  }
  const auto rtl = run.find("rtl");
  kept.rtl = rtl != run.end() && rtl->is_object() ? *rtl : nlohmann::ordered_json::object();
  const std::string outcome = value_in(run, kOutcome, std::string());
  if (outcome != kGood) kept.trouble = outcome.empty() ? "not finished" : outcome;
  if (kept.trouble.empty() || fs::exists(directory / "config.effective.yaml")) {
    kept.options = RunOptions::load_file(directory / "config.effective.yaml");
  }
  if (kept.trouble.empty()) {
    const auto stats = read_object<nlohmann::json>(directory / "stats.json");
    const std::string wrong = wrong_in_statistics(stats);
    if (!wrong.empty()) {
      user_error("{}: not as a run leaves it: {}: run it again", (directory / "stats.json").string(), wrong);
    }
    kept.total = stats.value("total", nlohmann::json::object());
  }
  return kept;
}

}  // namespace warpfold::sim
