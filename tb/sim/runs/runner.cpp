// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include "tb/sim/runs/child.h"
#include "tb/sim/runs/identity.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> stopped = false;

std::size_t waiting(const std::vector<Point*>& points) {
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [](const Point* point) { return point->state == Point::State::kWaiting; }));
}

std::string output_of(const Point& point) { return fs::path(point.directory()) / "program.out"; }

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

void fail(Point& point, const std::string& reason) {
  point.state = Point::State::kWrong;
  point.reason = reason;
}

void conclude(Point& point, const Ending& ending, const std::string& excess) {
  try {
    if (!excess.empty()) {
      fail(point, excess);
    } else if (ending.ok()) {
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

// Resident, of all processes of a group. What ends while it is looked at counts nothing.
std::uint64_t memory_of_group(pid_t group) {
  std::uint64_t pages = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || getpgid(std::stoi(name)) != group) continue;
    std::uint64_t size = 0, resident = 0;
    if (std::ifstream(entry.path() / "statm") >> size >> resident) pages += resident;
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup says to go on
}

bool was_stopped() { return stopped; }

void end_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) std::signal(number, SIG_DFL);
  }
}

Runner::Runner(std::vector<Point*> points, unsigned jobs, Finished finished, Limits limits)
    : points_(std::move(points)), jobs_(jobs), policy_(finished), limits_(limits), progress_("runs", waiting(points_)) {
  running_.reserve(std::min<std::size_t>(jobs_, progress_.total()));  // what has been started is always in it
}

Runner::~Runner() {
  try {
    end_running();
  } catch (const std::exception&) {  // while another error is on its way; the keeper ends what is left
  }
}

void Runner::run_all() {
  if (stopped) return;  // another has said so: what this one would start again is kept, too
  for (;;) {
    start_some();
    if (running_.empty() && busy_.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    reap();
    show();
    if (stopped) return stop();
  }
  progress_.clear();
}

void Runner::start_some() {
  while (next_ < points_.size() && points_[next_]->state != Point::State::kWaiting) ++next_;
  for (std::size_t i = next_; i < points_.size() && running_.size() < jobs_; ++i) {
    Point& point = *points_[i];
    if (point.state != Point::State::kWaiting) continue;
    try {
      start_or_wait(point);
    } catch (const UserError& error) {  // a full disk, say: the other points go on
      busy_.erase(&point);
      fail(point, error.what());
      end(point);
    }
  }
}

void Runner::start_or_wait(Point& point) {
  std::optional<FileLock> lock = FileLock::take(lock_file(point));
  if (!lock) {
    if (busy_.insert(&point).second) {
      progress_.note(point.label() + ": another process runs it; waiting for its result");
    }
    return;
  }
  const bool waited = busy_.erase(&point) != 0;
  if ((waited || policy_ == Finished::kTake) && take_finished(point)) return end(point);
  if (decided_by(point) != point.options.decided_by) {
    user_error("its program, an input or the simulator has changed since the comparison began");
  }
  const std::string run_file = prepare(point);
  const pid_t child = start(point.program.command, run_file, output_of(point), point.program.directory);
  running_.push_back({child, &point, Clock::now(), std::move(*lock)});
  point.state = Point::State::kRunning;
}

void Runner::reap() {
  const bool look = limits_.memory_bytes != 0 && Clock::now() >= next_look_;
  if (look) next_look_ = Clock::now() + std::chrono::milliseconds(200);
  std::erase_if(running_, [&](const Running& running) {
    std::string excess = excess_of(running, look);
    std::optional<Ending> ending;
    if (excess.empty()) {
      ending = has_ended(running.child);
    } else {
      end_groups({running.child});
      ending.emplace();
    }
    if (!ending) return false;
    running.point->seconds = std::chrono::duration<double>(Clock::now() - running.since).count();
    conclude(*running.point, *ending, excess);
    if (!excess.empty()) remove_unfinished_files(running.point->directory());
    end(*running.point);
    return true;
  });
}

std::string Runner::excess_of(const Running& running, bool memory) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - running.since).count();
  if (limits_.seconds > 0 && seconds > limits_.seconds) {
    return fmt::format("it took longer than its limit of {} s", limits_.seconds);
  }
  if (memory && memory_of_group(running.child) > limits_.memory_bytes) {
    return fmt::format("it took more than its limit of {} MB of memory", limits_.memory_bytes / 1'000'000);
  }
  return "";
}

void Runner::end(Point& point) {
  progress_.advance();
  const bool good = point.state == Point::State::kDone;
  progress_.note(fmt::format("[{}/{}] {}: {}, {:.1f} s", progress_.done(), progress_.total(), point.label(),
                             good ? "ok" : "WRONG", point.seconds));
  if (on_end_) on_end_(point);
}

void Runner::show() {
  std::string doing;
  for (const Running& running : running_) {
    const std::chrono::duration<double> so_far = Clock::now() - running.since;
    doing += fmt::format("{}{} {:.0f} s", doing.empty() ? "" : "  ", running.point->label(), so_far.count());
  }
  progress_.show(doing);
}

void Runner::stop() {
  end_running();
  progress_.note("warpfold: interrupted; what has finished is kept");
}

// Nothing half written stays behind a program that is ended while it writes.
void Runner::end_running() {
  std::vector<pid_t> children;
  for (const Running& running : running_) children.push_back(running.child);
  end_groups(children);
  for (const Running& running : running_) {
    remove_unfinished_files(running.point->directory());
    running.point->state = Point::State::kWaiting;
  }
  running_.clear();
}

void run_each_once(const std::vector<Point*>& points, unsigned jobs, Finished finished) {
  std::map<std::string, Point*> once;
  std::vector<Point*> runs;
  for (Point* point : points) {
    if (once.emplace(point->directory(), point).second) runs.push_back(point);
  }
  Runner(runs, jobs, finished).run_all();
  for (Point* point : points) {
    const Point& run = *once.at(point->directory());
    point->state = run.state;
    point->reason = run.reason;
    point->stats = run.stats;
  }
}

}  // namespace warpfold::sim
