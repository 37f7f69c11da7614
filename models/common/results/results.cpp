// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "warpfold/common/error.h"
#include "warpfold/common/files/csv.h"
#include "warpfold/common/files/digest.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/host_usage.h"

namespace warpfold {
namespace {

// Writing costs as much as all kernels so far, so it may take at most this share of the time: thousands of launches
// then cost no more than a few.
constexpr int kTimeBetweenWrites = 20;
constexpr std::size_t kRowsInMemory = 1 << 16;  // bytes of launches.csv

std::string quoted(const std::string& text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), plain)) return nlohmann::json(text).dump();
  std::string out("\"");
  return out.append(text).append("\"");
}

void add_json(std::string& out, const std::string& object, const std::vector<StatRow>& rows, const char* indent) {
  out.append(indent).append(quoted(object)).append(": {");
  const char* comma = "\n";
  for (const StatRow& row : rows) {  // thousands of them, whose names are identifiers: nothing to escape
    out.append(comma).append(indent).append(" \"").append(row.info->name).append("\": ").append(row.value);
    comma = ",\n";
  }
  out.append("\n").append(indent).append("}");
}

// Behind another part of the file.
template <class Objects>
void add_objects(std::string& out, const char* part, const Objects& objects) {
  out.append(",\n \"").append(part).append("\": {");
  const char* comma = "\n";
  for (const auto& object : objects) {
    out += std::exchange(comma, ",\n");
    add_json(out, object.object, object.rows, "  ");
  }
  out += "\n }";
}

void add_csv(std::string& out, const std::string& object, const std::vector<StatRow>& rows) {
  const std::string start = csv_cell(object) + ",";
  for (const StatRow& row : rows) {
    out.append(start).append(row.info->name).append(",").append(row.value).append(",");
    out.append(csv_cell(row.info->unit)).append("\n");
  }
}

// With the comma behind it.
void add_cell(std::string& row, std::uint64_t value) {
  const fmt::format_int digits(value);
  row.append(digits.data(), digits.size());
  row.push_back(',');
}

std::string shape_json(const ResultWriter::Dimensions& block, const LaunchResources& resources,
                       std::uint64_t launches) {
  const nlohmann::ordered_json shape{{"block", block},
                                     {"registers_per_thread", resources.registers},
                                     {"spill_load_instructions", resources.spill_loads},
                                     {"spill_store_instructions", resources.spill_stores},
                                     {"spill_bytes_per_thread", resources.spill_bytes},
                                     {"shared_bytes_per_block", resources.shared_bytes},
                                     {"blocks_per_core", resources.blocks_per_core},
                                     {"limit", resources.limit},
                                     {"launches", launches}};
  return shape.dump();
}

// Of the calling host thread, counted by first calls: the system's numbers come again.
unsigned thread_number() {
  static std::atomic<unsigned> next = 0;
  thread_local const unsigned number = next++;
  return number;
}

}  // namespace

ResultWriter::ResultWriter(StatRegistry& registry, RunInfo info) : registry_(&registry), info_(std::move(info)) {
  if (info_.directory.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(info_.directory, failed);
  if (failed) user_error("{}: cannot make this result directory: {}", info_.directory, failed.message());
  clear_results(info_.directory);
  write_whole_file(info_.directory + "/config.effective.yaml", info_.effective_config);
  write_whole_file(info_.directory + "/run.json", run_json());
}

void ResultWriter::find_places() {
  std::map<std::string, std::size_t, std::less<>> known;
  first_places_.assign(1, 0);
  std::size_t number = 0;
  for (StatGroup& group : registry_->groups()) {
    for (StatGroup::Entry& entry : group.entries()) {
      // Objects of a kind, which follow one another, declare the same: it is mostly the one after the last.
      if (++number >= statistics_.size() || statistics_[number].name != entry.info.name) {
        number = known.try_emplace(entry.info.name, statistics_.size()).first->second;
        if (number == statistics_.size()) statistics_.push_back(entry.info);
      }
      const StatInfo& first = statistics_[number];
      check(first.unit == entry.info.unit && first.combine == entry.info.combine, "one name, one unit and combination");
      places_.push_back({&entry, first.combine == Combine::kMax, number, 0, 0});
    }
    first_places_.push_back(places_.size());
  }
  derived_ = registry_->derived();
  for (const StatInfo& info : statistics_) counted_.push_back(&values_[info.name]);
  for (const DerivedStat& derived : derived_) check(!values_.contains(derived.info.name), "a figure has its own name");
  computed_.assign(derived_.size(), values_.end());
}

// From the first kernel on, no counter is added: a place is an entry of the registry as it stands.
void ResultWriter::freeze() {
  if (places_.empty()) {
    find_places();
    rows_ = launches_header();
  }
  bool known = registry_->groups().size() + 1 == first_places_.size();
  for (const StatGroup* group : registry_->changed()) {
    known = known && places_in(*group).size() == group->entries().size();
  }
  check(known, "counters are declared before the first kernel");
}

std::span<ResultWriter::Place> ResultWriter::places_in(const StatGroup& group) {
  const std::size_t first = first_places_.at(group.number());
  return {&places_[first], first_places_.at(group.number() + 1) - first};
}

void ResultWriter::keep_maxima() {
  for (Place& place : places_) {
    if (place.is_max) place.largest = std::max(place.largest, place.entry->counter.value());
  }
}

void ResultWriter::kernel_begin(const std::string& name, Dimensions grid, Dimensions block, LaunchResources resources) {
  check(!launch_ && !finished_, "kernels run one at a time, before the end of the run");
  launching_threads_.insert(thread_number());
  freeze();
  for (const StatGroup* group : registry_->changed()) {
    for (Place& place : places_in(*group)) {
      Counter& counter = place.entry->counter;
      place.at_begin = counter.value();
      if (!place.is_max) continue;
      place.largest = std::max(place.largest, counter.value());
      counter.reset();
    }
  }
  registry_->seen();
  launch_ = Launch{name, grid, block, std::move(resources)};
}

void ResultWriter::kernel_end() {
  check(launch_.has_value(), "a kernel that ends has begun");
  const Launch launch = std::move(*launch_);
  launch_.reset();
  take_launch();
  add_launch(launch);
  if (info_.directory.empty()) return;
  if (std::chrono::steady_clock::now() >= next_write_) return write_all();
  if (rows_.size() >= kRowsInMemory) write_launches();
}

void ResultWriter::take_launch() {
  last_values_.assign(statistics_.size(), 0);
  for (const StatGroup* group : registry_->changed()) {
    for (Place& place : places_in(*group)) {
      std::uint64_t& value = last_values_[place.statistic];
      const std::uint64_t now = place.entry->counter.value();
      value = place.is_max ? std::max(value, now) : value + (now - place.at_begin);
      if (place.is_max) place.largest = std::max(place.largest, now);
    }
  }
}

void ResultWriter::add_launch(const Launch& launch) {
  const auto [number, fresh] = kernel_numbers_.try_emplace(launch.kernel, kernels_.size());
  if (fresh) {
    kernels_.push_back({fmt::format("kernel.{}.{}", kernels_.size(), launch.kernel), {}, {}});
    kernels_.back().values.assign(statistics_.size(), 0);
  }
  Kernel& kernel = kernels_[number->second];
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    std::uint64_t& value = kernel.values[i];
    const std::uint64_t now = last_values_[i];
    value = statistics_[i].combine == Combine::kMax ? std::max(value, now) : value + now;
  }
  const auto same = [&](const Shape& s) { return s.block == launch.block && s.resources == launch.resources; };
  const auto shape = std::find_if(kernel.shapes.begin(), kernel.shapes.end(), same);
  if (shape == kernel.shapes.end()) {
    kernel.shapes.push_back({launch.block, launch.resources, 1});
  } else {
    ++shape->launches;
  }
  if (!info_.directory.empty()) add_row(number->second, launch);
  ++launches_;
}

std::string ResultWriter::launches_header() const {
  std::string out = "launch,kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared_bytes_per_block";
  for (const StatInfo& info : statistics_) out += "," + info.name;
  for (const DerivedStat& derived : derived_) out += "," + derived.info.name;
  return out + "\n";
}

void ResultWriter::add_row(std::size_t kernel, const Launch& launch) {
  add_cell(rows_, launches_);
  add_cell(rows_, kernel);
  for (const Dimensions& dimensions : {launch.grid, launch.block}) {
    for (const std::uint32_t size : dimensions) add_cell(rows_, size);
  }
  add_cell(rows_, launch.resources.shared_bytes);
  for (const std::uint64_t value : last_values_) add_cell(rows_, value);
  values_of(last_values_);
  for (const StatValues::iterator& figure : computed_) {
    if (figure != values_.end()) fmt::format_to(std::back_inserter(rows_), "{}", figure->second);
    rows_.push_back(',');
  }
  rows_.back() = '\n';
}

void ResultWriter::kernel_failed(const std::string& why) {
  check(launch_.has_value(), "a kernel that fails has begun");
  launch_.reset();
  faults_.push_back(why);
  for (const StatGroup* group : registry_->changed()) {
    for (Place& place : places_in(*group)) {
      place.entry->counter.reset();
      if (!place.is_max) place.entry->counter += place.at_begin;
    }
  }
}

void ResultWriter::launch_refused(const std::string& why) {
  if (++refusals_ == 1) first_refusal_ = why;
}

void ResultWriter::move_to(StatRegistry& fresh) {
  check(!launch_, "a machine is replaced between kernels");
  registry_->settle();
  std::size_t place = 0;
  registry_ = &fresh;
  for (StatGroup& group : fresh.groups()) {
    for (StatGroup::Entry& entry : group.entries()) {
      const Counter counted = places_.at(place).entry->counter;
      check(places_[place].entry->info.name == entry.info.name, "machines of one make count the same");
      places_[place++].entry = &entry;
      entry.counter = counted;
    }
  }
  check(place == places_.size(), "machines of one make count the same");
}

void ResultWriter::finish() {
  if (finished_) return;
  launch_.reset();  // ended by an error: it has no figures
  finished_ = true;
  if (!info_.directory.empty()) write_all();
}

std::vector<std::uint64_t> ResultWriter::totals() {
  freeze();
  keep_maxima();
  std::vector<std::uint64_t> out(statistics_.size(), 0);
  for (const Place& place : places_) {
    std::uint64_t& value = out[place.statistic];
    value = place.is_max ? std::max(value, place.largest) : value + place.entry->counter.value();
  }
  return out;
}

// For every launch: names take their places once.
const StatValues& ResultWriter::values_of(const std::vector<std::uint64_t>& combined) {
  for (StatValues::iterator& figure : computed_) {
    if (figure != values_.end()) values_.erase(std::exchange(figure, values_.end()));
  }
  for (std::size_t i = 0; i < combined.size(); ++i) *counted_[i] = static_cast<double>(combined[i]);
  for (std::size_t i = 0; i < derived_.size(); ++i) {
    const double value = derived_[i].compute(values_);
    if (std::isfinite(value)) computed_[i] = values_.insert_or_assign(derived_[i].info.name, value).first;
  }
  return values_;
}

StatValues ResultWriter::total() { return values_of(totals()); }

StatValues ResultWriter::last_launch() {
  check(launches_ != 0 && !launch_, "a kernel has ended");
  return values_of(last_values_);
}

std::vector<StatRow> ResultWriter::rows_of(const std::vector<std::uint64_t>& combined) {
  std::vector<StatRow> rows;
  for (std::size_t i = 0; i < combined.size(); ++i) rows.push_back({&statistics_[i], std::to_string(combined[i])});
  values_of(combined);
  for (std::size_t i = 0; i < derived_.size(); ++i) {
    if (computed_[i] != values_.end()) rows.push_back({&derived_[i].info, fmt::format("{}", computed_[i]->second)});
  }
  return rows;
}

std::vector<ResultWriter::ObjectRows> ResultWriter::module_rows() const {
  std::vector<ObjectRows> out;
  std::size_t place = 0;
  for (const StatGroup& group : registry_->groups()) {
    if (group.entries().empty()) continue;
    if (group.object().empty()) {
      place += group.entries().size();
      continue;
    }
    std::vector<StatRow> rows;
    rows.reserve(group.entries().size());
    for (const StatGroup::Entry& entry : group.entries()) {
      const Place& at = places_[place++];
      rows.push_back({&entry.info, std::to_string(at.is_max ? at.largest : entry.counter.value())});
    }
    out.push_back({group.object(), std::move(rows)});
  }
  return out;
}

ResultWriter::Tables ResultWriter::tables() {
  Tables tables{rows_of(totals()), {}, module_rows()};
  for (const Kernel& kernel : kernels_) tables.kernels.push_back({kernel.object, rows_of(kernel.values)});
  return tables;
}

std::string ResultWriter::json(const Tables& tables) const {
  std::string out = "{\n";
  add_json(out, "total", tables.total, " ");
  if (info_.sampling) out += ",\n \"sampling\": " + info_.sampling();
  add_objects(out, "kernels", tables.kernels);
  out += ",\n \"resources\": {";
  const char* comma = "\n";
  for (const Kernel& kernel : kernels_) {
    out += fmt::format("{}  {}: [", comma, quoted(kernel.object));
    const char* between = "";
    for (const Shape& shape : kernel.shapes) {
      out += std::exchange(between, ",\n   ") + shape_json(shape.block, shape.resources, shape.launches);
    }
    out += "]";
    comma = ",\n";
  }
  out += "\n }";
  add_objects(out, "modules", tables.modules);
  out += ",\n \"statistics\": {";
  comma = "\n";
  const auto describe = [&](const StatInfo& info) {
    out.append(comma).append("  ").append(quoted(info.name)).append(": {\"unit\": ").append(quoted(info.unit));
    out.append(", \"meaning\": ").append(quoted(info.meaning)).append("}");
    comma = ",\n";
  };
  for (const StatInfo& info : statistics_) describe(info);
  for (const DerivedStat& derived : derived_) describe(derived.info);
  return out + "\n }\n}\n";
}

std::string ResultWriter::csv(const Tables& tables) {
  std::string out = "object,stat,value,unit\n";
  add_csv(out, "total", tables.total);
  for (const ObjectRows& kernel : tables.kernels) add_csv(out, kernel.object, kernel.rows);
  for (const ObjectRows& module : tables.modules) add_csv(out, module.object, module.rows);
  return out;
}

std::uint64_t ResultWriter::counted(const char* name) const {
  std::uint64_t sum = 0;
  for (const Place& place : places_) {
    if (statistics_[place.statistic].name == name) sum += place.entry->counter.value();
  }
  return sum;
}

std::string ResultWriter::run_json() const {
  const HostUsage used = host_usage();
  using Json = nlohmann::ordered_json;
  Json out = Json::object();  // a null that becomes an object and finds no memory for it aborts when it goes
  out["finished"] = finished_;
  if (!info_.decided_by.empty()) {
    out["key"] = result_key(info_.decided_by);
    out["decided_by"] = Json::parse(info_.decided_by);
  }
  out["command"] = command_line();
  out["machine"] = info_.machine;
  out["mechanism"] = info_.mechanism;
  out["timing"] = info_.timing;
  out["code"] = info_.code;
  out["launches"] = launches_;
  out["launching_threads"] = launching_threads_.size();
  if (!faults_.empty()) out["kernel_faults"] = faults_;
  if (refusals_ != 0) out["refused_launches"] = {{"count", refusals_}, {"first", first_refusal_}};
  if (info_.sampling) out["sampling"] = Json::parse(info_.sampling());
  if (info_.check) out["check"] = Json::parse(info_.check());
  if (info_.rtl) out["rtl"] = Json::parse(info_.rtl());
  Json& host = out["host"] = Json::object();
  host["cpu_seconds"] = used.cpu_seconds;
  host["wall_seconds"] = used.wall_seconds;
  host["peak_rss_bytes"] = used.peak_rss_bytes;
  host["thread_instructions_per_cpu_second"] = static_cast<double>(counted("thread_instructions")) / used.cpu_seconds;
  host["cycles_per_cpu_second"] = static_cast<double>(counted("cycles")) / used.cpu_seconds;
  out["versions"] = build_versions();
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";  // a command line may hold any bytes
}

void ResultWriter::write_launches() {
  const std::string directory = std::exchange(info_.directory, "");  // what fails now is not tried again at the end
  append_to_file(directory + "/launches.csv", rows_);
  rows_.clear();
  info_.directory = directory;
}

// At the end of a run that has launched no more, they are as they stand.
void ResultWriter::write_statistics(const std::string& directory) {
  freeze();
  registry_->settle();
  std::vector<std::uint64_t> counts{launches_};
  for (const Place& place : places_) counts.push_back(place.entry->counter.value());
  if (counts == written_ && !info_.sampling) return;
  const Tables all = tables();
  write_whole_file(directory + "/stats.json", json(all));
  write_whole_file(directory + "/stats.csv", csv(all));
  written_ = std::move(counts);
}

void ResultWriter::write_all() {
  const auto begin = std::chrono::steady_clock::now();
  write_launches();
  const std::string directory = std::exchange(info_.directory, "");
  write_statistics(directory);
  if (info_.profile) write_whole_file(directory + "/profile.json", info_.profile());
  write_whole_file(directory + "/run.json", run_json());
  info_.directory = directory;
  const auto end = std::chrono::steady_clock::now();
  next_write_ = end + kTimeBetweenWrites * (end - begin);
}

std::string result_key(const std::string& decided_by) {
  constexpr std::size_t kDigits = 12;
  return Sha256().update(decided_by).hex().substr(0, kDigits);
}

// run.json first: without it there is no result, whatever else is still there.
void clear_results(const std::string& directory) {
  for (const char* name :
       {"run.json", "stats.json", "stats.csv", "launches.csv", "profile.json", "config.effective.yaml"}) {
    remove_file(directory + "/" + name);
  }
  remove_unfinished_files(directory);
}

}  // namespace warpfold
