// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/mask_recorder.h"

#include "warpfold/core/instruction.h"

namespace warpfold {

MaskRecorder::MaskRecorder(const std::string& path, const CoreParams& core)
    : core_(core), writer_(path, {core.warp_size, core.simd_width}) {}

void MaskRecorder::launch_started(const isa::Kernel& kernel) {
  kernel_ = &kernel;
  writer_.kernel_started(kernel.name);
}

void MaskRecorder::record(const TraceRecord& record) {
  if (record.event != TraceEvent::kIssue) return;
  const isa::MicroOp& op = kernel_->ops[record.pc];
  const isa::LaneMask mask = execution_mask(op, record.other, record.mask);
  writer_.add({mask, core_.warp_size, core_.unit_lanes(op)}, op.bits);
}

}  // namespace warpfold
