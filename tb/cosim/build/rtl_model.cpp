// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/rtl_model.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "tb/cosim/record/vectors.h"
#include "tb/cosim/record/verilator_coverage.h"
#include "tb/cosim/record/waves.h"
#include "tb/cosim/verilated/abi.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

template <class Entry>
const auto* entry_of(void* handle, const char* name) {
  auto* const entry = reinterpret_cast<Entry*>(dlsym(handle, name));
  check(entry != nullptr, "a verilated library lacks its entry point");
  return entry();
}

// Libraries stay loaded: several models share one, and it is small.
void* loaded(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) user_error("{}: cannot load it: {}; remove it to have it built anew", path, dlerror());
  return handle;
}

}  // namespace

const RtlRuntime& rtl_runtime() {
  return *entry_of<RtlRuntimeEntry>(loaded(build_rtl_runtime()), "warpfold_rtl_runtime");
}

struct RtlModel::Library {
  const RtlModule* module;
  const RtlRuntime* runtime;
  std::shared_ptr<void> context;
  std::shared_ptr<Waves::Impl> waves;
  void* model = nullptr;
  std::vector<std::pair<std::string, Pin>> pins;

  Library(const std::string& path, std::shared_ptr<Waves::Impl> shared_waves) : waves(std::move(shared_waves)) {
    void* const handle = loaded(path);
    module = entry_of<RtlModuleEntry>(handle, "warpfold_rtl_module");
    runtime = entry_of<RtlRuntimeEntry>(handle, "warpfold_rtl_runtime");
  }
  ~Library() {
    if (waves != nullptr) waves->finish();  // the file's writer reads the models
    if (model != nullptr) module->destroy(model);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

RtlModel::RtlModel(RtlSource source, std::string instance, unsigned seed, Waves* waves, Start start)
    : source_(std::move(source)), instance_(std::move(instance)), seed_(seed) {
  if (waves != nullptr) waves_ = waves->impl_;
  source_.waves = waves != nullptr;
  library_ = std::make_unique<Library>(build_rtl(source_), waves_);
  Library& library = *library_;
  if (waves_ != nullptr && waves_->context == nullptr) waves_->start(library.runtime);
  library.context = waves != nullptr
                        ? waves_->context
                        : std::shared_ptr<void>(library.runtime->new_context(false), library.runtime->delete_context);
  const int drawn = start == Start::kRandom ? static_cast<int>(2 * seed + 1) : 0;
  library.runtime->start(library.context.get(), drawn, start == Start::kOnes ? 1 : 0);
  std::string name = instance_;
  if (waves_ != nullptr) std::replace(name.begin(), name.end(), '.', ' ');  // between the scopes of Verilator's files
  const RtlPin* pins = nullptr;
  unsigned count = 0;
  library.model = library.module->create(library.context.get(), name.c_str(), &pins, &count);
  for (const RtlPin* port = pins; port != pins + count; ++port) {
    const Pin made(port->data, port->bits);
    library.pins.emplace_back(port->name, made);
    const std::string_view port_name = port->name;
    if (port->output) outputs_.emplace_back(port->name, made);
    if (port->output && port->follows_inputs) follow_inputs_.insert(port->name);
    if (!port->output && port_name != "clk_i" && port_name != "rst_ni") inputs_.push_back(made);
  }
  std::size_t bytes = 0;
  for (const Pin& input : inputs_) bytes += input.bytes();
  settled_on_.resize(bytes);
  clk_ = pin("clk_i");
  rst_n_ = pin("rst_ni");
  if (waves_ != nullptr) waves_->attach(*this, library.module, library.model);
  reset();
}

RtlModel::~RtlModel() = default;

Pin RtlModel::pin(std::string_view name) const {
  for (const auto& [known, pin] : library_->pins) {
    if (known == name) return pin;
  }
  throw InternalError(fmt::format("{}: no pin {}", instance_, name));
}

std::string RtlModel::inputs() const {
  std::string text;
  for (const RtlPort& port : source_.ports) {
    if (port.output || port.name == "clk_i" || port.name == "rst_ni") continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", port.name, pin(port.name).text());
  }
  return text;
}

void RtlModel::run(bool same_inputs) {
  library_->module->eval(library_->model, same_inputs);
  ++evals_;
  if (*library_->runtime->said) [[unlikely]] {
    hear();
  }
}

// A message of the model's: what it prints goes to standard error, what it stops for is an error.
void RtlModel::hear() {
  const auto line = [](std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    // "[0] %Error: file.sv:17: Assertion failed in …": the time is Verilator's, ours is the clock.
    const std::size_t mark = text.find("%Error: ");
    return mark == std::string::npos ? text : text.substr(mark + 8);
  };
  const std::string failure = line(library_->runtime->take_failure());
  const std::string output = line(library_->runtime->take_output());
  if (failure.empty()) {
    fmt::print(stderr, "{}: clock {}: {}\n", instance_, clocks_, output);
  } else {
    user_error("{}: clock {}: {}{}", instance_, clocks_, failure, leave_waveform());
  }
}

void RtlModel::reset() {
  for (Pin& input : inputs_) input.clear();
  rst_n_.set(0);
  for (unsigned i = 0; i < 2; ++i) {
    for (const unsigned level : {0U, 1U}) {
      clk_.set(level);
      run();
    }
  }
  clk_.set(0);
  rst_n_.set(1);
  run();
  clock_fell_ = true;
  take_inputs();
  if (source_.coverage && by_reset_.empty()) {
    by_reset_ = points();
    std::erase_if(by_reset_, [](const auto& point) { return !point.first.starts_with("toggle "); });
  }
  clocks_ = 0;
  evals_ = 0;
  journal_.clear();
  idle_at_.assign(1, 0);
  journal_begin_ = journal_end_ = 0;
}

void RtlModel::clock(std::uint64_t now_ps) {
  eval();
  if (vectors_ != nullptr) vectors_->edge();
  if (waves_ != nullptr) waves_->begin(*this, now_ps);
  if (!journal_file_.empty()) write_journal();
  clk_.set(1);
  ++clocks_;
  run(true);
  clk_.set(0);
  clock_fell_ = false;
}

void RtlModel::eval() {
  const bool same = !take_inputs();
  if (same && clock_fell_) return;
  run(same);
  clock_fell_ = true;
}

// Are they others than those that it settled on?
bool RtlModel::take_inputs() {
  bool others = false;
  unsigned char* at = settled_on_.data();
  for (const Pin& input : inputs_) {
    const unsigned bytes = input.bytes();
    if (std::memcmp(at, input.data(), bytes) != 0) {
      std::memcpy(at, input.data(), bytes);
      others = true;
    }
    at += bytes;
  }
  return others;
}

void RtlModel::keep_vectors(const std::string& folder, std::uint64_t period_ps) {
  vectors_ = std::make_unique<Vectors>(source_, *this, folder, period_ps);
}

void RtlModel::finish_vectors() { vectors_.reset(); }

void RtlModel::keep_journal(std::string fst_file) { journal_file_ = std::move(fst_file); }

void RtlModel::forget() {
  if (journal_file_.empty() || idle_at_.back() == journal_end_) return;
  idle_at_.push_back(journal_end_);
  while (idle_at_.size() > 1 && idle_at_[1] + kShownClocks <= journal_end_) idle_at_.pop_front();
}

void RtlModel::write_journal() {
  const auto append = [&](const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const unsigned char*>(data);
    journal_.insert(journal_.end(), from, from + bytes);
  };
  append(settled_on_.data(), settled_on_.size());
  append(&asked_, sizeof asked_);
  ++journal_end_;
  trim_journal();
}

// What is before the last idle clock that leaves enough to show goes, when it is most of the journal.
void RtlModel::trim_journal() {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const std::uint64_t clocks = journal_end_ - journal_begin_;
  std::uint64_t gone = std::max(idle_at_.front(), journal_begin_) - journal_begin_;
  if (gone < clocks / 2 || gone < kShownClocks) {
    if (journal_.size() <= kMost) return;
    gone = std::max(gone, clocks / 2);  // a block that is never idle: its last clocks are better than none
  }
  const std::size_t entry = journal_.size() / clocks;
  journal_.erase(journal_.begin(), journal_.begin() + static_cast<std::ptrdiff_t>(gone * entry));
  journal_begin_ += gone;
}

std::string RtlModel::leave_waveform() {
  if (waves_ != nullptr) {
    waves_->finish();
    return "; waveform: " + waves_->file;
  }
  if (journal_file_.empty()) return "";
  take_inputs();
  write_journal();
  try {
    replay();
  } catch (const UserError& why) {
    return fmt::format("; no waveform: {}", why.what());
  }
  return "; waveform: " + journal_file_;
}

void RtlModel::replay() {
  constexpr std::uint64_t kPeriod = 1000;
  const std::uint64_t clocks = journal_end_ - journal_begin_;
  const std::size_t entry = journal_.size() / clocks;
  const std::uint64_t from = std::max(idle_at_.front(), journal_begin_) - journal_begin_;
  Waves waves(journal_file_, kPeriod);
  if (clocks > kShownClocks) waves.show_from((clocks - kShownClocks) * kPeriod);
  RtlModel again(source_, instance_, seed_, &waves);
  const auto sockets = waves.signals(instance_ + "_sockets", Asked::signals());
  try {
    for (std::uint64_t clock = from; clock < clocks; ++clock) {
      if (clock != from) again.clock(clock * kPeriod);
      const unsigned char* at = journal_.data() + clock * entry;
      for (Pin& input : again.inputs_) {
        std::copy_n(at, input.bytes(), input.data());
        at += input.bytes();
      }
      Asked asked;
      std::memcpy(static_cast<void*>(&asked), at, sizeof asked);
      if (clock != from) sockets->clock(clock * kPeriod);
      asked.show(*sockets, clocks_ + 1 + clock - clocks);
      again.eval();
    }
  } catch (const UserError&) {  // the assertion that brought us here
  }
}

void RtlModel::write_coverage(const std::string& file) const {
  check(source_.coverage || source_.covers, "coverage is asked of a model that does not count it");
  if (!library_->runtime->write_coverage(library_->context.get(), file.c_str())) {
    user_error("{}: cannot write it", file);
  }
}

std::map<std::string, std::uint64_t> RtlModel::points() const {
  std::map<std::string, std::uint64_t> all;
  if (!source_.covers && !source_.coverage) return all;
  const Scratch scratch("coverage");
  write_coverage(scratch.file("coverage.dat"));
  for (const auto& [kind, word] : {std::pair{"user", "cover"}, {"line", "line"}, {"toggle", "toggle"}}) {
    for (const auto& [point, times] : coverage_counts(scratch.file("coverage.dat"), kind, instance_)) {
      const std::string name = fmt::format("{} {}", word, point);
      const auto before = by_reset_.find(name);
      all[name] = times - (before == by_reset_.end() ? 0 : before->second);
    }
  }
  return all;
}

void Asked::name(std::string_view text) {
  operation.fill(0);
  text = text.substr(0, operation.size());
  std::copy(text.rbegin(), text.rend(), operation.begin());
}

const std::vector<RtlPort>& Asked::signals() {
  static const std::vector<RtlPort> ports{{"cycle", 64}, {"clock", 64}, {"operation", 128}, {"block", 32}, {"pc", 32}};
  return ports;
}

void Asked::show(RtlModel& signals, std::uint64_t clock) const {
  signals.pin("cycle").set(cycle);
  signals.pin("clock").set(clock);
  std::memcpy(signals.pin("operation").data(), operation.data(), operation.size());
  signals.pin("block").set(block);
  signals.pin("pc").set(pc);
  signals.eval();  // or the writer of waveforms does not look at it
}

namespace {

[[noreturn]] void stop(RtlModel& model, const std::string& what) {
  const std::string waveform = model.leave_waveform();
  user_error("{}: the RTL {}; inputs: {}{}", model.instance(), what, model.inputs(), waveform);
}

}  // namespace

void mismatch(RtlModel& model, const std::string& operation, const std::string& expected, const std::string& got) {
  stop(model, fmt::format("differs from its C++ twin at clock {}: {}: expected {}, got {}", model.clocks(), operation,
                          expected, got));
}

void breach(RtlModel& model, const std::string& operation, const std::string& rule, const std::string& got) {
  stop(model, fmt::format("breaks its contract at clock {}: {}: {}: got {}", model.clocks(), operation, rule, got));
}

}  // namespace warpfold::cosim
