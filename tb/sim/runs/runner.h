// SPDX-License-Identifier: Apache-2.0
// Points as processes, several at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/sim/console/progress.h"
#include "tb/sim/runs/point.h"
#include "warpfold/common/files/file_lock.h"

namespace warpfold::sim {

// From here on SIGINT, SIGTERM and SIGHUP (unless nohup has said otherwise) end run_all() in good order.
void stop_on_signals();
bool was_stopped();
void end_on_signals();  // as usual again

// What a point may take; 0: as much as it likes.
struct Limits {
  double seconds = 0;
  std::uint64_t memory_bytes = 0;  // resident, of its processes together
};

// What becomes of a point that has a good result of the very same run already.
enum class Finished { kRunAgain, kTake };

// Runs those of `points` that wait, `jobs` at a time, and shows how far they are. A point whose directory another
// process has locked waits: what that one leaves is this one's result too, since it has the same key.
class Runner {
 public:
  Runner(std::vector<Point*> points, unsigned jobs, Finished finished, Limits limits = {});
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  // Called with each point that has ended, well or not.
  void on_end(std::function<void(Point&)> call) { on_end_ = std::move(call); }
  void run_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t child;
    Point* point;
    Clock::time_point since;
    FileLock lock;
  };

  void start_some();
  void start_or_wait(Point& point);
  void reap();
  std::string excess_of(const Running& running, bool memory) const;
  void end(Point& point);
  void show();
  void stop();
  void end_running();

  std::vector<Point*> points_;
  std::vector<Running> running_;
  std::set<const Point*> busy_;  // those that other processes run
  unsigned jobs_;
  Finished policy_;
  Limits limits_;
  std::function<void(Point&)> on_end_;
  Progress progress_;
  std::size_t next_ = 0;  // that may wait to be run
  Clock::time_point next_look_{};
};

// The same for points some of which may be one and the same run: it is made once, and all of them have its result.
void run_each_once(const std::vector<Point*>& points, unsigned jobs, Finished finished);

}  // namespace warpfold::sim
