// SPDX-License-Identifier: Apache-2.0
// What the loops of a run's kernels would cost on a token stack, as a file (docs/token-stack.md).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "warpfold/divergence/prediction/token_prediction.h"
#include "warpfold/gpu/run/run_recorder.h"

namespace warpfold {

inline constexpr const char* kTokenFile = "token_stack.json";  // in the result directory

// Runs of mechanisms that keep static warps.
class TokenRecorder final : public RunRecorder {
 public:
  TokenRecorder(std::string path, const divergence::TokenStackParams& params)
      : path_(std::move(path)), params_(params) {}
  void launch_started(const isa::Kernel& kernel) override;
  void record(const TraceRecord& record) override;
  void finish() override;  // WriteError

 private:
  // By kernel, in the order of their first launches; what tells loops of it apart.
  using Key = std::tuple<std::size_t, isa::Pc, std::uint32_t, unsigned>;
  struct Loop {
    std::string file;  // of its source; empty: the line is the PTX's
    std::uint32_t line = 0;
    divergence::LoopTokens figures;
  };

  void collect();

  const std::string path_;
  const divergence::TokenStackParams params_;
  const isa::Kernel* kernel_ = nullptr;
  std::unique_ptr<divergence::TokenPrediction> prediction_;  // of the kernel that was launched last
  std::vector<Key> keys_;                                    // of its loops
  std::vector<std::string> kernels_;
  std::map<Key, Loop> loops_;
};

}  // namespace warpfold
