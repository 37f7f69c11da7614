// SPDX-License-Identifier: Apache-2.0
// The execution masks of a run, for a mask trace (docs/intra-warp.md).
#pragma once

#include <string>

#include "warpfold/core/core_params.h"
#include "warpfold/divergence/packing/mask_trace.h"
#include "warpfold/gpu/run/run_recorder.h"

namespace warpfold {

// Sees every issued instruction as the statistics of lane packing do (core/lane_statistics.h).
class MaskRecorder final : public RunRecorder {
 public:
  MaskRecorder(const std::string& path, const CoreParams& core);
  void launch_started(const isa::Kernel& kernel) override;
  void record(const TraceRecord& record) override;
  void finish() override { writer_.close(); }

 private:
  const CoreParams& core_;
  divergence::MaskTraceWriter writer_;
  const isa::Kernel* kernel_ = nullptr;
};

}  // namespace warpfold
