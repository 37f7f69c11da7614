// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tb/cosim/hung_block.h"
#include "tb/cosim/record/exchange.h"
#include "tb/cosim/record/verilator_coverage.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cosim {
namespace {

// Longer than any of these blocks works on one operation.
constexpr std::uint64_t kMostClocks = 100'000;

}  // namespace

RtlSource counted(RtlSource source, const RtlOptions& options) {
  source.coverage = !options.out.empty();
  source.covers = has_covers(source.files);
  return source;
}

void BlockRecord::latency(std::uint64_t clocks) {
  least_latency = std::min(least_latency, clocks);
  most_latency = std::max(most_latency, clocks);
}

Coverage BlockRecord::all_coverage() {
  for (const auto& [who, tally] : tallies) tally();
  std::map<std::string, std::uint64_t> counts = points;
  for (const RtlModel* const model : models) {
    for (const auto& [point, times] : model->points()) counts[point] += times;
  }
  Coverage all = coverage;
  for (const auto& [point, times] : counts) {
    const std::size_t bit = point.starts_with("toggle ") ? point.rfind('[') : point.npos;
    if (bit == point.npos) {
      all.count(all.event(point), times);
    } else {
      const auto number = static_cast<unsigned>(std::stoul(point.substr(bit + 1)));
      all.size(all.sizes(point.substr(0, bit), number, number), number, times);
    }
  }
  return all;
}

std::uint64_t BlockRecord::clocks() const {
  std::uint64_t sum = 0;
  for (const RtlModel* model : models) sum += model->clocks();
  return sum;
}

Session::Session(const RtlOptions& options, std::uint64_t clock_period_ps, const ClockDomain* clock)
    : options_(options), period_ps_(clock_period_ps), clock_(clock) {
  for (const RtlOptions::Block& block : options.blocks) {
    BlockRecord& record = records_.emplace_back();
    record.name = is_hung(block.name) ? block.name : rtl_block(block.name).name;
    record.files = block.files;
  }
  if (!options.waves.empty()) waves_ = std::make_unique<Waves>(options.waves, period_ps_);
}

const BlockRecord* Session::find(std::string_view block) const {
  const auto same = [&](const BlockRecord& record) { return record.name == block; };
  const auto found = std::find_if(records_.begin(), records_.end(), same);
  return found != records_.end() ? &*found : nullptr;
}

BlockRecord& Session::record(std::string_view block) {
  const BlockRecord* const found = find(block);
  check(found != nullptr, "an RTL block is used that the run did not ask for");
  return const_cast<BlockRecord&>(*found);
}

std::unique_ptr<RtlModel> Session::make(std::string_view block, unsigned core, const RtlParameters& parameters,
                                        const std::string& part) {
  return make(block, core, rtl_source(block, parameters, record(block).files), part);
}

std::unique_ptr<RtlModel> Session::make(std::string_view block, unsigned core, RtlSource source,
                                        const std::string& part) {
  BlockRecord& own = record(block);
  const bool begun = last_ps_ != 0;  // a file takes no models once it has begun
  Waves* const waves = core == 0 && !begun ? waves_.get() : nullptr;
  source = counted(std::move(source), options_);
  source.coverage |= !coverage_.empty();
  auto model =
      std::make_unique<RtlModel>(source, fmt::format("core{}.{}{}", core, source.block, part), core + 1, waves);
  model->keep_journal(std::filesystem::absolute(model->instance() + ".fst"));
  model->reset();
  if (waves != nullptr && !options_.out.empty()) {
    const std::string folder = fmt::format("{}/{}", options_.out, model->instance());
    model->keep_vectors(folder, period_ps_);
    write_whole_file(folder + "/block.sdc", sdc_of(source, period_ps_));
    for_tools_.emplace(model->instance(), source);
  }
  if (!coverage_.empty()) model->write_coverage(fmt::format("{}/{}.reset.dat", coverage_, block));
  own.models.push_back(model.get());
  return model;
}

void Session::gone(RtlModel& model) {
  for (BlockRecord& record : records_) {
    if (std::erase(record.models, &model) == 0) continue;
    for (const auto& [point, times] : model.points()) record.points[point] += times;
    if (!coverage_.empty()) model.write_coverage(fmt::format("{}/{}.dat", coverage_, record.name));
  }
}

std::unique_ptr<RtlModel> Session::signals(unsigned core, const std::string& scope, const std::vector<RtlPort>& ports) {
  if (core != 0 || waves_ == nullptr) return nullptr;
  return waves_->signals(fmt::format("core{}.{}", core, scope), ports);
}

std::uint64_t Session::next_ps(std::uint64_t core_ps) {
  last_ps_ = std::max(core_ps, last_ps_ + period_ps_);
  return last_ps_;
}

void Session::finish_waves() {
  if (waves_ == nullptr) return;
  waves_->finish();
  for (const BlockRecord& record : records_) {
    for (RtlModel* const model : record.models) model->finish_vectors();
  }
  const auto instances = std::exchange(for_tools_, {});
  if (instances.empty()) return;
  for (const BlockRecord& record : records_) {  // a model's file has the counts of all cores
    if (record.models.empty()) continue;
    record.models[0]->write_coverage(fmt::format("{}/{}.dat", options_.out, record.name));
  }
  exchange_waves(*waves_->runtime(), options_.waves, instances, options_.out);
}

void Session::differs(RtlModel& model, const std::string& operation, const std::string& expected,
                      const std::string& got) {
  finish_waves();
  mismatch(model, operation, expected, got);
}

void Session::breaks(RtlModel& model, const std::string& operation, const std::string& rule, const std::string& got) {
  finish_waves();
  breach(model, operation, rule, got);
}

namespace {

using Json = nlohmann::ordered_json;

Json policies(const BlockRecord::Policy& rtl, const BlockRecord::Policy& model) {
  return {{"warps", {{"rtl", rtl.warps}, {"model", model.warps}}},
          {"rows_of_warps", {{"rtl", rtl.rows}, {"model", model.rows}}},
          {"cycles", {{"rtl", rtl.cycles}, {"model", model.cycles}}}};
}

// Of a block without a twin: how long each output of one bit was high, and what the outputs are now, core by core.
Json outputs_of(const BlockRecord& record) {
  Json outputs = Json::object();
  if (record.models.empty()) return outputs;
  for (const auto& [name, pin] : record.models[0]->outputs()) {
    Json& out = outputs[name] = Json::object();
    if (const auto found = record.high.find(name); found != record.high.end()) out["high_clocks"] = found->second;
    for (const RtlModel* model : record.models) out["last"].push_back(model->pin(name).text());
  }
  return outputs;
}

void tell_results(const BlockRecord& record, const char* check, Json& out) {
  out["check"] = check;
  if (record.most_latency != 0) {
    out["latency_clocks"] = {record.least_latency, record.most_latency};
    out["model_latency_clocks"] = record.model_latency;
  }
  if (record.late_cycles != 0) out["late_cycles"] = record.late_cycles;
  if (record.model_policy.warps != 0) out["policy"] = policies(record.rtl_policy, record.model_policy);
  if (record.operations == 0) out["note"] = "did nothing: neither the mechanism nor the lane packing uses it here";
  if (record.overflows != 0) out["note"] = fmt::format("{} stacks grew deeper than the RTL's", record.overflows);
}

void tell_coverage(const Coverage& coverage, Json& out) {
  if (coverage.empty()) return;
  out["exercised"] = coverage.json();
  if (const auto none = coverage.not_exercised(); !none.empty()) out["not_exercised"] = none;
  if (auto why = coverage.unreachable(); !why.empty()) out["unreachable"] = std::move(why);
}

}  // namespace

std::string Session::json() {
  Json all = Json::object();
  for (BlockRecord& record : records_) {
    Json& out = all[record.name] = Json::object();
    if (record.files.size() == 1) out["file"] = record.files[0];
    if (record.files.size() > 1) out["files"] = record.files;
    out["clocks"] = record.clocks();
    out["operations"] = record.operations;
    if (is_hung(record.name)) {
      out["outputs"] = outputs_of(record);
    } else {
      tell_results(record, Choices<RtlCheck>::names[static_cast<std::size_t>(options_.check)], out);
    }
    if (record.operations != 0 || is_hung(record.name)) tell_coverage(record.all_coverage(), out);
  }
  return all.dump();
}

namespace {

// What is recorded settles in each clock, to be seen.
bool are_registered(const RtlModel& model) {
  const auto follows = [&](const auto& output) {
    return !output.first.ends_with("ready_o") && model.follows_inputs(output.first);
  };
  return !model.recorded() && std::none_of(model.outputs().begin(), model.outputs().end(), follows);
}

}  // namespace

SessionModel::SessionModel(Session& of, std::string_view block, unsigned core, const RtlParameters& parameters,
                           const std::string& part)
    : session(of),
      record(of.record(block)),
      model_(of.make(block, core, parameters, part)),
      sockets_(of.signals(core, fmt::format("{}{}_sockets", block, part), Asked::signals())),
      results_are_registered_(are_registered(*model_)) {}

SessionModel::SessionModel(Session& of, std::string_view block, unsigned core, RtlSource source)
    : session(of),
      record(of.record(block)),
      model_(of.make(block, core, std::move(source))),
      results_are_registered_(are_registered(*model_)) {}

SessionModel::~SessionModel() { session.gone(*model_); }

void SessionModel::clock(std::uint64_t core_ps) {
  model_->asked().cycle = session.cycle();
  model_->clock(session.next_ps(core_ps));
  if (sockets_ != nullptr) model_->asked().show(*sockets_, model_->clocks());
}

void SessionModel::eval() {
  model_->eval();
  if (beside) beside();
}

void SessionModel::asks(std::string_view operation, std::uint64_t block, std::uint64_t pc) {
  Asked& asked = model_->asked();
  asked.name(operation);
  asked.block = static_cast<std::uint32_t>(block);
  asked.pc = static_cast<std::uint32_t>(pc);
}

std::uint64_t SessionModel::operate(std::uint64_t core_ps, Handshake& pins, const char* what) {
  pins.valid.set(1);
  eval();
  clock_until(core_ps, pins.ready, what);
  clock(core_ps);
  pins.valid.set(0);
  if (!results_are_registered_) eval();
  ++record.operations;
  return 1 + clock_until(core_ps, pins.done, what);
}

void SessionModel::same(const char* operation, const char* what, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return;
  session.differs(*model_, fmt::format("{}: {}", operation, what), fmt::format("0x{:x}", expected),
                  fmt::format("0x{:x}", got));
}

void SessionModel::took(std::uint64_t clocks, const std::string& operation) {
  record.latency(clocks);
  if (!session.cycle_exact() || clocks == record.model_latency) return;
  session.differs(*model_, operation, fmt::format("a result after {} clocks", record.model_latency),
                  fmt::format("it after {}", clocks));
}

std::uint64_t SessionModel::clock_until(std::uint64_t core_ps, Pin done, const char* what) {
  std::uint64_t clocks = 0;
  for (; !done; ++clocks) {
    if (clocks == kMostClocks) {
      session.differs(*model_, what, "an answer", fmt::format("none for {} clocks", kMostClocks));
    }
    clock(core_ps);
    eval();
  }
  return clocks;
}

}  // namespace warpfold::cosim
