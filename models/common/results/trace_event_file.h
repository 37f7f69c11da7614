// SPDX-License-Identifier: Apache-2.0
// Files in the array form of Chrome's trace event format, which Perfetto and chrome://tracing open.
//
// An event goes to the file whole: one whose writer is killed lacks no more than its last events and the closing
// bracket, which the format lets it lack. Memory does not grow with the file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "warpfold/common/clock/cycle.h"

namespace warpfold {

class TraceEventFile {
 public:
  // Where an event is drawn. Viewers know process and thread 0 as something else.
  struct Track {
    unsigned process = 1, thread = 1;
  };

  // WriteError, as of all that writes: one line. A file that could not be written ends with its last whole event.
  explicit TraceEventFile(std::string path);
  ~TraceEventFile();
  TraceEventFile(const TraceEventFile&) = delete;
  TraceEventFile& operator=(const TraceEventFile&) = delete;

  // `place`: where it is to be shown among the others.
  void name_process(unsigned process, std::string_view name, unsigned place);
  void name_thread(const Track& track, std::string_view name, unsigned place);

  // `what`: members of the event, as what() makes them. The format counts microseconds: a cycle is one.
  void slice(const Track& track, Cycle at, Cycle cycles, std::string_view what);
  void begin(const Track& track, Cycle at, std::string_view what);
  void end(const Track& track, Cycle at);
  void instant(const Track& track, Cycle at, std::string_view what);
  // Slices that may overlap: those of one id in a category follow one another.
  void async_begin(unsigned process, std::uint64_t id, Cycle at, std::string_view what);
  void async_end(unsigned process, std::uint64_t id, Cycle at, std::string_view what);
  // `series`: members, name and number.
  void counter(unsigned process, Cycle at, std::string_view name, std::string_view series);

  std::uint64_t bytes() const { return written_ + text_.size(); }
  void flush();
  void close();  // with its bracket
  bool closed() const { return file_ == nullptr; }

 private:
  void open_event(char phase, unsigned process, Cycle at);
  void number(std::string_view key, std::uint64_t value);
  void close_event();

  const std::string path_;
  std::FILE* file_;
  std::string text_;           // not yet in the file
  std::uint64_t written_ = 0;  // bytes that are
};

// A name, a category and members of the arguments.
std::string trace_event(std::string_view name, std::string_view category, std::string_view arguments = "");

// With its quotes; what is no UTF-8 is replaced.
std::string json_string(std::string_view text);

}  // namespace warpfold
