// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/token_recorder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpfold/common/files/whole_file.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold {

using divergence::Generation;
using divergence::LoopTokens;
using divergence::TokenCounts;

// A kernel is decoded anew when its module is loaded again: what is at the same place need not be the same.
void TokenRecorder::launch_started(const isa::Kernel& kernel) {
  collect();
  kernel_ = &kernel;
  prediction_ = std::make_unique<divergence::TokenPrediction>(kernel, params_.on_chip_tokens, params_.spill_tokens);
  const auto number =
      static_cast<std::size_t>(std::find(kernels_.begin(), kernels_.end(), kernel.name) - kernels_.begin());
  if (number == kernels_.size()) kernels_.push_back(kernel.name);
  for (const LoopTokens& loop : prediction_->loops()) {
    const bool none = loop.header == isa::kNoPc;
    const std::uint32_t line = none ? 0 : kernel.ops[loop.header].line;
    keys_.emplace_back(number, none ? 0 : loop.header + 1, line, loop.depth);
    const auto [at, fresh] = loops_.try_emplace(keys_.back());
    if (!fresh) continue;
    at->second.figures = loop;
    at->second.line = line;
    const ptx::SourceLine source = kernel.sources && !none ? kernel.sources->at(line) : ptx::SourceLine{};
    if (source.line == 0) continue;
    at->second.file = source.file;
    at->second.line = source.line;
  }
}

void TokenRecorder::collect() {
  if (prediction_ == nullptr) return;
  const std::vector<LoopTokens> loops = prediction_->loops();
  for (std::size_t i = 0; i < loops.size(); ++i) {
    LoopTokens& sum = loops_.at(keys_[i]).figures;
    sum.iterations += loops[i].iterations;
    sum.tokens.add(loops[i].tokens);
  }
  keys_.clear();
  prediction_.reset();
}

void TokenRecorder::record(const TraceRecord& record) {
  if (record.event != TraceEvent::kIssue && record.event != TraceEvent::kBranch) return;
  const std::uint64_t warp = std::uint64_t{record.core} << 32 | record.warp;
  const isa::MicroOp& op = kernel_->ops[record.pc];
  const bool guarded = op.guard != isa::kNoWord;
  if (record.event == TraceEvent::kBranch) {
    if (guarded) prediction_->decided(warp, record.other, record.mask);
    return;
  }
  if (record.pc == 0 && !prediction_->runs(warp)) prediction_->start(warp, record.other);
  if (guarded && op.kind == isa::Kind::kExit) prediction_->decided(warp, record.other, record.mask);
}

void TokenRecorder::finish() {
  using Json = nlohmann::ordered_json;
  collect();
  Json loops = Json::array();
  for (const auto& [key, loop] : loops_) {
    const TokenCounts& tokens = loop.figures.tokens;
    Json json = {{"kernel", kernels_[std::get<0>(key)]}};
    if (!loop.file.empty()) json["file"] = loop.file;
    if (loop.line != 0) json[loop.file.empty() ? "ptx_line" : "line"] = loop.line;
    json["depth"] = loop.figures.depth;
    json["iterations"] = loop.figures.iterations;
    json["sync_pushes"] = tokens.sync_pushes;
    json["div_pushes"] = tokens.div_pushes;
    json["pops"] = tokens.pops;
    json["deepest"] = tokens.deepest;
    json["spills"] = tokens.spills;
    json["reloads"] = tokens.reloads;
    for (const Generation generation : {Generation::kKepler, Generation::kMaxwell}) {
      json["cycles"][Choices<Generation>::names[static_cast<std::size_t>(generation)]] =
          cycles_of(tokens, params_.measured(generation), params_.ssy_cycles);
    }
    loops.push_back(std::move(json));
  }
  write_whole_file(path_, Json{{"loops", std::move(loops)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace warpfold
