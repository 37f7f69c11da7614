// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/results/trace_event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "warpfold/common/files/whole_file.h"

namespace warpfold {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

}  // namespace

TraceEventFile::TraceEventFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "we")) {
  if (file_ == nullptr) cannot_write(path_, errno);
  std::setvbuf(file_, nullptr, _IONBF, 0);
  text_ = "[";
  flush();  // an empty file is none that a viewer knows
}

// What its owner has not closed was not finished, or could not be written.
TraceEventFile::~TraceEventFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void TraceEventFile::flush() {
  if (file_ == nullptr || text_.empty()) return;
  if (std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size()) {
    written_ += text_.size();
    text_.clear();
    return;
  }
  const int why = errno;
  [[maybe_unused]] const int ignored = ftruncate(fileno(file_), static_cast<off_t>(written_));
  std::fclose(std::exchange(file_, nullptr));
  text_.clear();
  cannot_write(path_, why);
}

void TraceEventFile::close() {
  if (file_ == nullptr) return;
  text_ += "\n]\n";
  flush();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) cannot_write(path_, errno);
}

void TraceEventFile::number(std::string_view key, std::uint64_t value) {
  text_ += key;
  const fmt::format_int digits(value);
  text_.append(digits.data(), digits.size());
}

void TraceEventFile::open_event(char phase, unsigned process, Cycle at) {
  text_ += bytes() > 1 ? ",\n{\"ph\":\"" : "\n{\"ph\":\"";
  text_ += phase;
  number("\",\"pid\":", process);
  number(",\"ts\":", at);
}

void TraceEventFile::close_event() {
  text_ += '}';
  if (file_ == nullptr) text_.clear();
  if (text_.size() >= kBuffer) flush();
}

void TraceEventFile::name_process(unsigned process, std::string_view name, unsigned place) {
  open_event('M', process, 0);
  text_ += R"(,"name":"process_name","args":{"name":)" + json_string(name) + "}";
  close_event();
  open_event('M', process, 0);
  number(R"(,"name":"process_sort_index","args":{"sort_index":)", place);
  text_ += '}';
  close_event();
}

void TraceEventFile::name_thread(const Track& track, std::string_view name, unsigned place) {
  open_event('M', track.process, 0);
  number(",\"tid\":", track.thread);
  text_ += R"(,"name":"thread_name","args":{"name":)" + json_string(name) + "}";
  close_event();
  open_event('M', track.process, 0);
  number(",\"tid\":", track.thread);
  number(R"(,"name":"thread_sort_index","args":{"sort_index":)", place);
  text_ += '}';
  close_event();
}

void TraceEventFile::slice(const Track& track, Cycle at, Cycle cycles, std::string_view what) {
  open_event('X', track.process, at);
  number(",\"tid\":", track.thread);
  number(",\"dur\":", cycles);
  (text_ += ',') += what;
  close_event();
}

void TraceEventFile::begin(const Track& track, Cycle at, std::string_view what) {
  open_event('B', track.process, at);
  number(",\"tid\":", track.thread);
  (text_ += ',') += what;
  close_event();
}

void TraceEventFile::end(const Track& track, Cycle at) {
  open_event('E', track.process, at);
  number(",\"tid\":", track.thread);
  close_event();
}

void TraceEventFile::instant(const Track& track, Cycle at, std::string_view what) {
  open_event('i', track.process, at);
  number(",\"tid\":", track.thread);
  (text_ += ",\"s\":\"t\",") += what;
  close_event();
}

void TraceEventFile::async_begin(unsigned process, std::uint64_t id, Cycle at, std::string_view what) {
  open_event('b', process, at);
  fmt::format_to(std::back_inserter(text_), ",\"tid\":{},\"id\":\"{:#x}\",{}", process, id, what);
  close_event();
}

void TraceEventFile::async_end(unsigned process, std::uint64_t id, Cycle at, std::string_view what) {
  open_event('e', process, at);
  fmt::format_to(std::back_inserter(text_), ",\"tid\":{},\"id\":\"{:#x}\",{}", process, id, what);
  close_event();
}

void TraceEventFile::counter(unsigned process, Cycle at, std::string_view name, std::string_view series) {
  open_event('C', process, at);
  ((((text_ += ",\"name\":\"") += name) += "\",\"args\":{") += series) += '}';
  close_event();
}

std::string trace_event(std::string_view name, std::string_view category, std::string_view arguments) {
  std::string text = "\"name\":" + json_string(name) + ",\"cat\":" + json_string(category);
  if (!arguments.empty()) ((text += ",\"args\":{") += arguments) += '}';
  return text;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace warpfold
