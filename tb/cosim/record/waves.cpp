// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/waves.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

void open_and_close(const std::string& fst_file, const char* mode) {
  std::FILE* const file = std::fopen(fst_file.c_str(), mode);
  if (file == nullptr) user_error("{}: cannot write waveforms to it: {}", fst_file, std::strerror(errno));
  std::fclose(file);
}

}  // namespace

void Waves::Impl::start(const RtlRuntime* shared) {
  runtime = shared;
  context = std::shared_ptr<void>(runtime->new_context(true), runtime->delete_context);
  fst = runtime->new_waves();
}

void Waves::Impl::attach(const RtlModel& model, const RtlModule* module, void* verilated) {
  check(!open, "a model joins a waveform file that has begun");
  module->trace(verilated, fst);
  models.push_back({&model, module, verilated, model.pin("clk_i")});
}

void Waves::Impl::begin(const RtlModel& model, std::uint64_t at_ps) {
  check(at_ps >= now_ps, "time goes back in a waveform");
  if (at_ps > now_ps) {
    write_cycle();
    now_ps = at_ps;
    written = false;
    runtime->set_time(context.get(), at_ps);
  }
  for (Traced& traced : models) traced.clocked |= traced.model == &model;
}

// The clock is low while a cycle settles. In the file it rises at the cycle's beginning and falls half a period later,
// in those models that have been clocked.
void Waves::Impl::write_cycle() {
  if (written || fst == nullptr) return;
  if (now_ps < from_ps) {
    for (Traced& traced : models) traced.clocked = false;
    return;
  }
  if (!open && !runtime->open_waves(fst, file.c_str())) user_error("{}: cannot write waveforms to it", file);
  open = true;
  for (Traced& traced : models) traced.clk.set(traced.clocked ? 1 : 0);
  runtime->dump_waves(fst, now_ps);
  for (Traced& traced : models) {
    traced.clk.set(0);
    if (traced.clocked) traced.module->eval(traced.verilated, false);  // or the writer does not look at it again
    traced.clocked = false;
  }
  runtime->dump_waves(fst, now_ps + period_ps / 2);
  written = true;
}

void Waves::Impl::finish() {
  if (fst == nullptr) return;
  write_cycle();
  runtime->close_waves(fst);
  fst = nullptr;
}

Waves::Waves(std::string fst_file, std::uint64_t clock_period_ps) : impl_(std::make_shared<Impl>()) {
  impl_->file = std::move(fst_file);
  impl_->period_ps = clock_period_ps;
  open_and_close(impl_->file, "w");  // nothing older stays, should there be nothing to record
}

void Waves::require_writable(const std::string& fst_file) { open_and_close(fst_file, "a"); }

void Waves::show_from(std::uint64_t ps) { impl_->from_ps = ps; }

const RtlRuntime* Waves::runtime() const { return impl_->runtime; }

Waves::~Waves() { impl_->finish(); }

void Waves::finish() { impl_->finish(); }

std::unique_ptr<RtlModel> Waves::signals(const std::string& scope, const std::vector<RtlPort>& signals) {
  std::string text = "module signals (\n  input wire clk_i,\n  input wire rst_ni";
  for (const RtlPort& signal : signals) text += fmt::format(",\n  input wire [{}:0] {}", signal.bits - 1, signal.name);
  text += "\n);\nendmodule\n";
  RtlSource source;
  source.block = scope;
  source.top = "signals";
  source.files = {cache_directory() / ("signals-" + Hash().add(text).name() + ".sv")};
  source.ports = signals;
  source.ports.insert(source.ports.begin(), {{"clk_i"}, {"rst_ni"}});
  const Scratch scratch("signals");
  std::ofstream(scratch.file("sv")) << text;
  put_into_cache(scratch.file("sv"), source.files.back());
  return std::make_unique<RtlModel>(source, scope, 0, this);
}

}  // namespace warpfold::cosim
