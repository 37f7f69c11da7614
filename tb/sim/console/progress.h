// SPDX-License-Identifier: Apache-2.0
// How far something is, with its rate and the time that is left: on a terminal one line that is written over, elsewhere
// a plain line now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace warpfold::sim {

// "[40/120] 3.2 blocks/s, 25 s left"; rate and time left are not told before anything is done, nor is a total of 0,
// which nobody knows. `before`: how many of those done had been before the `seconds` began.
std::string progress_text(std::uint64_t done, std::uint64_t total, const std::string& unit, double seconds,
                          std::uint64_t before = 0);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // Where it is shown, and by which clock.
  struct Stage {
    std::function<unsigned()> columns;  // of the terminal; 0: it is none
    std::function<void(const std::string&)> say;
    std::function<Clock::time_point()> now;
  };
  static Stage standard_error();  // with --quiet nothing is shown

  // `unit` is what is counted, "runs"; `total` is 0 where nobody knows it.
  Progress(std::string unit, std::uint64_t total, Stage stage = standard_error());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void advance_to(std::uint64_t done) { done_ = done; }
  void advance() { ++done_; }
  std::uint64_t done() const { return done_; }
  std::uint64_t total() const { return total_; }

  bool due() const { return stage_.now() >= next_; }
  // Called as often as one likes; does something when it is due. `doing` is what is being done, as far as the line has
  // room for it.
  void show(const std::string& doing);
  // At once, a line of its own; without its end.
  void note(const std::string& line);
  // Takes the line away that is written over, before others write.
  void clear();

 private:
  std::string unit_;
  std::uint64_t total_, done_ = 0;
  Stage stage_;
  Clock::time_point begin_, next_;
  bool shown_ = false;  // the line that is written over is there
};

}  // namespace warpfold::sim
