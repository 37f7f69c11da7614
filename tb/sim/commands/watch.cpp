// SPDX-License-Identifier: Apache-2.0
// `warpfold watch`: a study's report, or a run's launches, as a page that is made again while they go.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/labels.h"
#include "tb/sim/console/output.h"
#include "tb/sim/console/progress.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/runs/runner.h"
#include "tb/sim/tables/stats_shape.h"
#include "tb/study/report_data.h"
#include "tb/study/store.h"
#include "tb/study/views.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/file_lock.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/core/issue/slot_causes.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using WatchClock = std::chrono::steady_clock;

constexpr std::size_t kMostNamed = 4, kMostStretches = 24;
constexpr auto kWatchNap = std::chrono::milliseconds(50);
constexpr int kShareOfLooks = 4;  // of the time, one part at most goes into looking

// What is seen of a folder: a report's data, and a line on how far it is.
struct Seen {
  Json data;
  std::string line;
};

// A store, of which the study is shown that was started last.
class WatchedStudy {
 public:
  WatchedStudy(fs::path folder, const fs::path& page)
      : folder_(std::move(folder)), links_(study::way(fs::absolute(page).parent_path(), folder_)) {}

  fs::path lock() const { return folder_ / study::kStudyLock; }

  Seen look(bool goes) {
    study::Store store = study::Store::as_it_is(folder_);
    const std::optional<study::Study> study = started_last(store);
    if (!study) {
      return {study::page_without_points("watch", folder_.string(), "No study has been started in this store yet.",
                                         Json::array()),
              "no study yet"};
    }
    Seen seen{study::report_data(*study, store, links_), progress(store, *study, goes)};
    seen.data["run"] = study->file + (study->quick ? " --quick" : "");
    return seen;
  }

 private:
  // As it stands in the store: its file may have changed.
  static std::optional<study::Study> started_last(study::Store& store) {
    const study::Rows found = store.query(
        "SELECT name, file, title, question, definition, baseline_mechanism FROM study ORDER BY rowid DESC LIMIT 1",
        store.folder());
    if (found.rows.empty()) return std::nullopt;
    const auto cell = [&](std::size_t i) { return found.rows.front().at(i).value_or(""); };
    study::Study study;
    study.name = cell(0);
    study.file = cell(1);
    study.title = cell(2);
    study.question = cell(3);
    study.definition = Json::parse(cell(4));
    study.baseline_mechanism = cell(5);
    study.quick = study.name == fs::path(study.file).stem().string() + "-quick";
    for (const Json& figure : study.definition.value("figures", Json::array())) {
      study.figures.push_back({figure.at("name"), figure.at("sql"), study.file});
    }
    return study;
  }

  std::string progress(study::Store& store, const study::Study& study, bool goes) {
    const study::Rows states = store.query(
        fmt::format(
            "SELECT coalesce(r.state, 'missing'), count(DISTINCT p.key) FROM point p LEFT JOIN run r ON r.key = "
            "p.key WHERE p.study = {} AND p.key IS NOT NULL GROUP BY 1",
            study::quoted(study.name)),
        store.folder());
    std::map<std::string, std::uint64_t> runs;
    for (const auto& row : states.rows) runs[*row[0]] = std::stoull(*row[1]);
    const std::uint64_t ended = runs["ok"] + runs["failed"];
    if (study.name != name_) {  // another one has been started
      name_ = study.name;
      before_ = ended;
      begin_ = WatchClock::now();
    }
    const std::chrono::duration<double> watched = WatchClock::now() - begin_;
    std::string text =
        progress_text(ended, ended + runs["missing"], "runs", watched.count(), std::min(before_, ended)) +
        fmt::format("; {} finished, {} failed", runs["ok"], runs["failed"]);
    if (goes) {
      text += running(store, study.name);
    } else if (runs["missing"] != 0) {
      text += fmt::format(", {} missing; to go on: warpfold study run {} --store {}", runs["missing"], study.file,
                          folder_.string());
    }
    return text;
  }

  // Whoever makes a run holds the lock of its directory.
  std::string running(study::Store& store, const std::string& study) const {
    std::set<std::string> missing;
    for (const auto& row : store
                               .query(fmt::format("SELECT key FROM point WHERE study = {} AND key NOT IN (SELECT key "
                                                  "FROM run)",
                                                  study::quoted(study)),
                                      store.folder())
                               .rows) {
      missing.insert(row[0].value_or(""));
    }
    std::vector<std::string> names;
    std::error_code gone;
    for (fs::recursive_directory_iterator at(folder_, gone), end; at != end; at.increment(gone)) {
      if (at.depth() < 2) continue;
      at.disable_recursion_pending();  // <program>/<mechanism>/<key>
      const fs::path& path = at->path();
      if (!missing.contains(path.filename()) || !FileLock::is_held(path / ".lock")) continue;
      names.push_back(fmt::format("{} {}", path.parent_path().parent_path().filename().string(),
                                  path.parent_path().filename().string()));
    }
    std::string text = fmt::format(", {} running", names.size());
    if (names.empty()) return text;
    const bool more = names.size() > kMostNamed;
    names.resize(std::min(names.size(), kMostNamed));
    return text + fmt::format(": {}{}", fmt::join(names, ", "), more ? ", …" : "");
  }

  const fs::path folder_;
  const std::string links_;
  std::string name_;
  std::uint64_t before_ = 0;  // that had ended when it was first seen
  WatchClock::time_point begin_;
};

// A run's directory. It has what the run has written: launches that have ended, now and then.
class WatchedRun {
 public:
  explicit WatchedRun(fs::path folder) : folder_(std::move(folder)) {}

  fs::path lock() const { return folder_ / ".lock"; }

  Seen look(bool goes) {
    read_launches();
    const Json run = read("run.json");
    const std::string where = fmt::format(
        "Results in {}. A launch leaves nothing to read before it ends, and files are written now and then: the newest "
        "launches may not be here yet.",
        folder_.string());
    if (!run.is_object()) {
      return {study::page_without_points("watch", folder_.string(), where, Json::array()),
              goes ? "its program has not come to a launch" : "its program launched no kernel"};
    }
    std::vector<std::string> words;
    for (const Json& word : run.value("command", Json::array())) words.push_back(word.get<std::string>());
    if (!words.empty()) words.front() = fs::path(words.front()).filename().string();
    return {study::page_without_points(
                "watch",
                fmt::format("{} on {} under {}", fmt::join(words, " "), value_in(run, "machine", std::string("?")),
                            value_in(run, "mechanism", std::string("?"))),
                where, figures()),
            progress(run, goes)};
  }

 private:
  // Some launches that follow one another, and what the issue slots of their schedulers went to: issue, then causes.
  struct Stretch {
    std::uint64_t first = 0, launches = 0;
    double slots = 0;
    std::array<double, 1 + kSlotCauses> went{};
    void add(const Stretch& other) {
      launches += other.launches;
      slots += other.slots;
      for (std::size_t i = 0; i < went.size(); ++i) went[i] += other.went[i];
    }
  };
  struct KernelSoFar {
    std::uint64_t launches = 0;
    double cycles = 0, slots = 0, issued = 0;
  };

  Json read(const char* name) const {
    std::ifstream in(folder_ / name);
    return Json::parse(in, nullptr, false);
  }

  // What has come since the last look, in whole lines.
  void read_launches() {
    std::ifstream in(folder_ / "launches.csv");
    in.seekg(read_);
    for (std::string line; std::getline(in, line) && !in.eof();) {
      read_ += static_cast<std::streamoff>(line.size() + 1);
      std::vector<std::string_view> cells;
      for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
        to = line.find(',', from);
        cells.push_back(std::string_view(line).substr(from, to == std::string::npos ? to : to - from));
      }
      if (places_.empty()) {
        for (std::size_t i = 0; i < cells.size(); ++i) places_[std::string(cells[i])] = i;
      } else if (cells.size() == places_.size()) {
        add_launch(cells);
      }
    }
  }

  void add_launch(const std::vector<std::string_view>& cells) {
    const auto cell = [&](const char* name) {
      const auto at = places_.find(name);
      double value = 0;
      if (at != places_.end()) std::from_chars(cells[at->second].begin(), cells[at->second].end(), value);
      return value;
    };
    Stretch one{launches_++, 1, cell("cycles") * cell("schedulers"), {}};
    one.went[0] = one.slots;
    for (std::size_t i = 0; i < kSlotCauses; ++i) {
      one.went[i + 1] = cell(kSlotCauseNames[i].first);
      one.went[0] -= one.went[i + 1];
    }
    KernelSoFar& kernel = kernels_[static_cast<unsigned>(cell("kernel"))];
    ++kernel.launches;
    kernel.cycles += cell("cycles");
    kernel.slots += one.slots;
    kernel.issued += one.went[0];
    if (!stretches_.empty() && stretches_.back().launches < width_) return stretches_.back().add(one);
    if (stretches_.size() == kMostStretches) {  // twice as long from here on
      for (std::size_t i = 0; i < kMostStretches / 2; ++i) {
        stretches_[i] = stretches_[2 * i];
        stretches_[i].add(stretches_[2 * i + 1]);
      }
      stretches_.resize(kMostStretches / 2);
      width_ *= 2;
    }
    stretches_.push_back(one);
  }

  Json figures() const {
    Json figures = Json::array();
    if (places_.contains("cycles") && !stretches_.empty()) figures.push_back(slots_figure());
    if (!kernels_.empty()) figures.push_back(kernels_figure());
    return figures;
  }

  Json slots_figure() const {
    Json rows = Json::array();
    for (const Stretch& one : stretches_) {
      const std::uint64_t last = one.first + one.launches - 1;
      const std::string label = last == one.first ? fmt::format("{}", last) : fmt::format("{}–{}", one.first, last);
      for (std::size_t i = 0; i < one.went.size() && one.slots > 0; ++i) {
        if (one.went[i] <= 0) continue;
        rows.push_back({label, i == 0 ? "issue" : kSlotCauseNames[i - 1].first + 5, one.went[i] / one.slots});
      }
    }
    return {{"name", "slots"},
            {"title", "Issue slots over time"},
            {"where", "of launches in their order, from 0; causes: docs/explain.md"},
            {"chart",
             {{"kind", "stacked"},
              {"x", "launches"},
              {"y", "share"},
              {"colour", "went to"},
              {"format", ".0%"},
              {"x_title", "launches"}}},
            {"columns", {"launches", "went to", "share"}},
            {"rows", std::move(rows)}};
  }

  Json kernels_figure() const {
    std::map<unsigned, std::string> names;
    const Json stats = read("stats.json");
    const Json kernels = stats.is_object() ? stats.value("kernels", Json::object()) : Json::object();
    for (const auto& [object, unused] : kernels.items()) {
      const std::size_t dot = object.find('.', 7);  // kernel.<n>.<name>
      unsigned number = 0;
      if (dot == std::string::npos) continue;
      std::from_chars(object.data() + 7, object.data() + dot, number);
      names[number] = readable_kernel(object.substr(dot + 1));
    }
    Json rows = Json::array();
    for (const auto& [number, kernel] : kernels_) {
      const std::string name = names.contains(number) ? names.at(number) : fmt::format("kernel {}", number);
      rows.push_back(
          {name, kernel.launches, kernel.cycles, kernel.slots > 0 ? Json(kernel.issued / kernel.slots) : Json()});
    }
    return {{"name", "kernels"},
            {"title", "Kernels so far"},
            {"chart", {{"kind", "table"}}},
            {"columns", {"kernel", "launches", "cycles", "share of slots that issue"}},
            {"rows", std::move(rows)}};
  }

  std::string progress(const Json& run, bool goes) const {
    const Json seconds = run.value(Json::json_pointer("/host/wall_seconds"), Json());
    const std::uint64_t launches = value_in(run, "launches", std::uint64_t{0});
    double cycles = 0;
    for (const auto& [number, kernel] : kernels_) cycles += kernel.cycles;
    std::string text = progress_text(launches, 0, "launches", seconds.is_number() ? seconds.get<double>() : 0) +
                       fmt::format("; {:.4g} cycles", cycles);
    if (goes) return text + "; how many come is known to the program alone, so no time left is told";
    return text + "; outcome: " + value_in(run, kOutcome, std::string("none, it was killed"));
  }

  const fs::path folder_;
  std::streamoff read_ = 0;                    // of launches.csv
  std::map<std::string, std::size_t> places_;  // of its columns
  std::uint64_t launches_ = 0, width_ = 1;
  std::vector<Stretch> stretches_;  // each but the last of `width_` launches
  std::map<unsigned, KernelSoFar> kernels_;
};

void write_watch_page(const fs::path& page, const Json& data) {
  const std::string text = study::report_page(data);
  try {
    write_whole_file(page, text);
  } catch (const WriteError& error) {
    throw WriteError(fmt::format("{}; name another page by --out", error.what()));
  }
}

template <class Watched>
int watch_until_its_end(Watched watched, const WatchCommand& command, const fs::path& page) {
  stop_on_signals();
  for (bool first = true;; first = false) {
    const auto begin = WatchClock::now();
    const bool goes = FileLock::is_held(watched.lock());  // asked first: what has ended by then has left all there is
    Seen seen = watched.look(goes);
    const bool last = !goes || was_stopped();
    const std::string when = fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
    seen.line = fmt::format("{} {}: {}",
                            !goes  ? "Ended; seen at"
                            : last ? "Watched until"
                                   : "Goes on at",
                            when, seen.line);
    seen.data["watch"] = {{"line", seen.line}, {"reload", last ? 0 : command.every}};
    write_watch_page(page, seen.data);
    if (first) fmt::print("{}\n", page.string());
    if (last) fmt::print("{}\n", seen.line);
    std::fflush(stdout);
    if (last) return 0;
    const auto end = WatchClock::now();
    const auto pause = std::max<WatchClock::duration>(
        std::chrono::duration_cast<WatchClock::duration>(std::chrono::duration<double>(command.every)),
        (kShareOfLooks - 1) * (end - begin));
    while (WatchClock::now() < end + pause && !was_stopped() && FileLock::is_held(watched.lock())) {
      std::this_thread::sleep_for(kWatchNap);
    }
  }
}

}  // namespace

int watch(const WatchCommand& command) {
  const fs::path folder = command.folder;
  const fs::path page = command.out.empty() ? folder / "watch.html" : fs::path(command.out);
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  if (!fs::is_directory(folder)) {
    user_error("{}: there is no such folder: name that of a study's --store or of a run's --out", command.folder);
  }
  if (has("store.sqlite")) return watch_until_its_end(WatchedStudy(folder, page), command, page);
  if (!has("run.yaml") && !has("run.json")) {
    user_error(
        "{}: neither a study's store nor a run's results are in this folder: start warpfold study run --store {} or "
        "warpfold run --out {}",
        command.folder, command.folder, command.folder);
  }
  return watch_until_its_end(WatchedRun(folder), command, page);
}

}  // namespace warpfold::sim
