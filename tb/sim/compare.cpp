// SPDX-License-Identifier: Apache-2.0
// `warpfold compare`: programs under several mechanisms, a process per point.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "tb/sim/child.h"
#include "tb/sim/commands.h"
#include "tb/sim/identity.h"
#include "tb/sim/output.h"
#include "tb/sim/point.h"
#include "tb/sim/setup.h"
#include "tb/sim/table.h"
#include "warpfold/common/error.h"
#include "warpfold/common/file_lock.h"
#include "warpfold/common/whole_file.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupted = false;

// What a program said last that looks like an error, or last of all.
std::string last_words(const std::string& path) {
  std::ifstream in(path);
  std::string last, error;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    last = line;
    if (line.find("error") != std::string::npos || line.starts_with("FAIL")) error = line;
  }
  return error.empty() ? last : error;
}

// Runs points as processes, `jobs` at a time, and shows how far they are. A point whose directory another process has
// locked waits: what that one leaves is this one's result too, since it has the same key.
class Runner {
 public:
  Runner(std::vector<Point>& points, unsigned jobs) : points_(points), jobs_(jobs), tty_(isatty(STDERR_FILENO) == 1) {
    for (const Point& point : points_) to_run_ += point.state == Point::State::kWaiting ? 1 : 0;
    running_.reserve(std::min<std::size_t>(jobs_, to_run_));  // what has been started is always in it
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner() {
    try {
      end_running();
    } catch (const std::exception&) {  // while another error is on its way; the keeper ends what is left
    }
  }

  void run_all() {
    for (;;) {
      start_some();
      if (running_.empty() && busy_.empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      reap();
      show();
      if (interrupted) return stop();
    }
    if (tty_) tell("\r\x1b[K");
  }

 private:
  struct Running {
    pid_t child;
    Point* point;
    Clock::time_point since;
    FileLock lock;
  };

  void start_some() {
    for (Point& point : points_) {
      if (running_.size() >= jobs_) return;
      if (point.state != Point::State::kWaiting) continue;
      try {
        start_or_wait(point);
      } catch (const UserError& error) {  // a full disk, say: the other points go on
        busy_.erase(&point);
        fail(point, error.what());
        tell_verdict(point);
      }
    }
  }

  void start_or_wait(Point& point) {
    std::optional<FileLock> lock = FileLock::take(lock_file(point));
    if (!lock) {
      if (busy_.insert(&point).second)
        show_line("{}: another process runs it; waiting for its result\n", point.label());
      return;
    }
    if (busy_.erase(&point) != 0 && take_finished(point)) return tell_verdict(point);
    if (decided_by(point) != point.options.decided_by) {
      user_error("its program, an input or the simulator has changed since the comparison began");
    }
    const std::string run_file = prepare(point);
    const pid_t child = start(point.program.command, run_file, output_of(point));
    running_.push_back({child, &point, Clock::now(), std::move(*lock)});
    point.state = Point::State::kRunning;
  }

  static void fail(Point& point, const std::string& reason) {
    point.state = Point::State::kWrong;
    point.reason = reason;
  }

  static std::string output_of(const Point& point) { return fs::path(point.directory()) / "program.out"; }

  void reap() {
    std::erase_if(running_, [&](const Running& running) {
      const auto ending = has_ended(running.child);
      if (!ending) return false;
      running.point->seconds = std::chrono::duration<double>(Clock::now() - running.since).count();
      finish(*running.point, *ending);
      tell_verdict(*running.point);
      return true;
    });
  }

  static void finish(Point& point, const Ending& ending) {
    try {
      if (ending.ok()) {
        collect(point);
      } else {
        const std::string said = last_words(output_of(point));
        fail(point, said.empty() ? ending.text() : fmt::format("{} ({})", said, ending.text()));
      }
      note_outcome(point);
    } catch (const UserError& error) {
      if (point.state != Point::State::kWrong) fail(point, error.what());
    }
  }

  void tell_verdict(const Point& point) {
    ++finished_;
    const char* const verdict = point.state == Point::State::kDone ? "ok" : "WRONG";
    show_line("[{}/{}] {}: {}, {:.1f} s\n", finished_, to_run_, point.label(), verdict, point.seconds);
  }

  // A line of its own, in the place of the one that is written over.
  template <class... Args>
  void show_line(fmt::format_string<Args...> text, Args&&... args) const {
    if (quiet()) return;
    tell("{}{}", tty_ ? "\r\x1b[K" : "", fmt::format(text, std::forward<Args>(args)...));
  }

  // On a terminal, one line that is written over.
  void show() {
    if (quiet() || !tty_ || Clock::now() < next_show_) return;
    next_show_ = Clock::now() + std::chrono::milliseconds(200);
    std::string line = fmt::format("[{}/{}]", finished_, to_run_);
    for (const Running& running : running_) {
      const std::chrono::duration<double> so_far = Clock::now() - running.since;
      line += fmt::format("  {} {:.0f} s", running.point->label(), so_far.count());
    }
    tell("\r\x1b[K{:.110}", line);
  }

  void stop() {
    end_running();
    show_line("warpfold: interrupted; what has finished is kept\n");
  }

  // Nothing half written stays behind a program that is ended while it writes.
  void end_running() {
    std::vector<pid_t> children;
    for (const Running& running : running_) children.push_back(running.child);
    end_groups(children);
    for (const Running& running : running_) remove_unfinished_files(running.point->directory());
    running_.clear();
  }

  std::vector<Point>& points_;
  std::vector<Running> running_;
  std::set<const Point*> busy_;  // those that other processes run
  unsigned jobs_;
  bool tty_;
  std::size_t to_run_ = 0, finished_ = 0;
  Clock::time_point next_show_{};
};

constexpr const char* kBaseline = "pdom";

std::vector<std::string> mechanisms_of(const CompareCommand& command) {
  if (command.mechanisms.empty()) {
    if (command.simd.empty())
      user_error("--mechanisms is required: a,b,… or all; or --simd, which compares lane packings");
    return {kBaseline};
  }
  std::vector<std::string> known{kBaseline};  // first: speed-ups are against it
  for (const auto& info : divergence::mechanisms()) {
    if (info.name != kBaseline) known.push_back(info.name);
  }
  return names_in("--mechanisms", command.mechanisms, known,
                  [](const std::string& name) { divergence::find_mechanism(name); });
}

bool is_set(const std::string& text) {
  return text.find(':') != std::string::npos && text.find_first_of("/ ") == std::string::npos;
}

// Sets of workloads in the place of their members; a workload of several sets comes once.
std::vector<std::string> programs_of(const CompareCommand& command) {
  std::vector<std::string> programs;
  for (const std::string& text : command.programs) {
    if (!is_set(text)) {
      programs.push_back(text);
      continue;
    }
    for (const std::string& name : workloads_of(text)) {
      if (std::find(programs.begin(), programs.end(), name) == programs.end()) programs.push_back(name);
    }
  }
  return programs;
}

Point point_of(const CompareCommand& command, const Program& program, const std::string& mechanism,
               const std::string& packing) {
  Point point;
  point.program = program;
  point.packing = packing;
  point.options = RunOptions::resolve(command.machine, mechanism, with_packing(command.sets, packing));
  apply_timing(point.options, command.timing, command.detail);
  apply_code(point.options, command.code);
  apply_rtl(point.options, command.rtl, command.rtl_check, "");
  file_under_key(point, command.out);
  point.reason = why_not(point.options);
  if (!point.reason.empty()) point.state = Point::State::kNotApplicable;
  return point;
}

// Programs of one name are shown as they were given.
void tell_apart(std::vector<Program>& programs, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto alike = [&](const Program& other) { return other.name == programs[i].name; };
    if (std::count_if(programs.begin(), programs.end(), alike) > 1) programs[i].title = texts[i];
  }
}

std::vector<Program> programs_to_run(const CompareCommand& command) {
  const std::vector<std::string> texts = programs_of(command);
  std::vector<Program> programs;
  for (const std::string& text : texts) programs.push_back(find_program(text, command.size));
  tell_apart(programs, texts);
  return programs;
}

// Everything is resolved and checked before the first process starts.
std::vector<Point> points_of(const CompareCommand& command, const std::vector<std::string>& mechanisms,
                             const std::vector<std::string>& packings) {
  std::vector<Point> points;
  std::map<std::string, std::string> taken;  // directory → program
  for (const Program& program : programs_to_run(command)) {
    for (const std::string& mechanism : mechanisms) {
      for (const std::string& packing : packings) {
        points.push_back(point_of(command, program, mechanism, packing));
        const auto [other, fresh] = taken.try_emplace(points.back().directory(), program.shown());
        if (!fresh) user_error("{} and {} are one and the same run: give it once", other->second, program.shown());
      }
    }
  }
  return points;
}

// People get a table for each program, programs one of all rows.
Report report_of(const std::vector<Point>& points, std::size_t variants, const CompareCommand& command) {
  Report report;
  ReportTable all;
  std::vector<std::vector<const Point*>> by_program;
  for (std::size_t i = 0; i < points.size(); i += variants) {
    std::vector<const Point*>& own = by_program.emplace_back();
    for (std::size_t k = 0; k < variants; ++k) own.push_back(&points[i + k]);
    ReportTable table = comparison_table(own);
    if (all.columns.empty()) all.columns = table.columns;
    all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    table.audience = kPeople;
    table.title = fmt::format("{} on {}", points[i].program.shown(), points[i].options.machine_name);
    table.footer = filling_warning(own) + threads_warning(own) + refusals_warning(own);
    report.tables.push_back(std::move(table));
  }
  all.name = report.tables.front().name;
  all.audience = kPrograms;
  report.tables.push_back(std::move(all));
  const bool functional = command.timing == Choices<Timing>::names[static_cast<std::size_t>(Timing::kFunctional)];
  if (by_program.size() > 1 && !functional) report.tables.push_back(speedup_table(by_program));
  if (by_program.size() > 1 && functional) {
    for (ReportTable& table : savings_tables(by_program)) report.tables.push_back(std::move(table));
  }
  return report;
}

void print_tables(const std::vector<Point>& points, std::size_t variants, const CompareCommand& command) {
  deliver(report_of(points, variants, command), command.output);
  if (quiet() || command.output.asked()) return;
  std::string places;  // that could be made
  for (const Point& point : points) {
    const bool ran = point.state != Point::State::kNotApplicable;
    if (ran && std::filesystem::is_directory(point.place)) places += fmt::format("  {}/\n", point.place);
  }
  if (!places.empty()) fmt::print("\nresults in\n{}", places);
}

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup says to go on
}

}  // namespace

int compare(const CompareCommand& command) {
  if (command.programs.empty()) user_error("no program given: warpfold compare [options] WORKLOAD…");
  command.output.format();  // before anything runs
  const std::vector<std::string> mechanisms = mechanisms_of(command);
  const std::vector<std::string> packings = packings_in(command.simd);
  std::vector<Point> points = points_of(command, mechanisms, packings);
  stop_on_signals();
  Runner(points, command.jobs).run_all();
  print_tables(points, mechanisms.size() * packings.size(), command);
  for (const Point& point : points) {
    if (point.state != Point::State::kDone && point.state != Point::State::kNotApplicable) return 1;
  }
  return 0;
}

}  // namespace warpfold::sim
