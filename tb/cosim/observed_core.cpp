// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/observed_core.h"

#include <fmt/format.h>

#include <bit>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::cosim {

using enum CoreSignal;

ObservedCore::Hung::Hung(Session& session, unsigned core, const HungBlock& block)
    : model(session, block.name, core, block.source) {
  for (const auto& [port, signal] : block.inputs) inputs.emplace_back(model.pin(port), signal);
  for (const auto& [name, pin] : model.rtl().outputs()) {
    if (pin.bits() == 1) ones.emplace_back(pin, &model.record.high[name]);
  }
}

ObservedCore::ObservedCore(Session& session, const ClockDomain& clock, unsigned core, const CoreParams& params)
    : clock_(clock), core_(core), schedulers_(params.schedulers) {
  for (const RtlOptions::Block& block : session.options().blocks) {
    if (is_hung(block.name)) hung_.emplace_back(session, core, hung_block(block, params.warp_size));
  }
}

void ObservedCore::event(CoreSignal first) {
  const Cycle now = clock_.current();
  if (pending_ && (now != at_ || values_[static_cast<std::size_t>(first)] != 0)) settle();
  pending_ = true;
  at_ = now;
  set(kCycle, now);
  set(first, 1);
}

void ObservedCore::settle() {
  if (!pending_) return;
  pending_ = false;
  for (Hung& hung : hung_) {
    for (auto& [pin, signal] : hung.inputs) pin.set(values_[static_cast<std::size_t>(signal)]);
    hung.model.rtl().eval();
    for (auto& [pin, clocks] : hung.ones) *clocks += pin ? 1 : 0;
    hung.model.clock(clock_.edge_ps(at_));
    hung.model.rtl().eval();
    ++hung.model.record.operations;
  }
  values_.fill(0);
}

void ObservedCore::issued(const Instruction& instruction, Cycle /*now*/, Cycle /*cycles*/) {
  event(kIssue);
  set(kIssueWarp, instruction.warp);
  set(kIssueScheduler, instruction.warp % schedulers_);
  set(kIssuePc, instruction.pc);
  set(kIssueMask, instruction.active);
  set(kIssueExecuted, instruction.executed);
  if (instruction.threads != nullptr && instruction.active != 0) {
    set(kIssueRow, divergence::lowest_row(*instruction.threads));
    set(kIssueOneRow, divergence::from_one_row(*instruction.threads) ? 1 : 0);
  }
  if (instruction.op->kind == isa::Kind::kBranch) {
    set(kBranch, 1);
    set(kBranchTaken, instruction.taken);
    set(kBranchTarget, instruction.op->target);
    set(kBranchReconvergence, instruction.op->reconvergence);
  }
  if (!accesses_memory(*instruction.op) || instruction.outcome == nullptr || instruction.executed == 0) return;
  set(kAccess, 1);
  set(kAccessStore, instruction.op->kind == isa::Kind::kStore ? 1 : 0);
  set(kAccessAddress, instruction.outcome->address[static_cast<unsigned>(std::countr_zero(instruction.executed))]);
  set(kAccessBytes, instruction.outcome->access_bytes);
}

void ObservedCore::completed(const Instruction& instruction, Cycle /*now*/) {
  event(kCompleted);
  set(kCompletedWarp, instruction.warp);
  set(kCompletedPc, instruction.pc);
}

void ObservedCore::sent(const tlm::tlm_generic_payload& request, Cycle /*now*/) {
  event(kRequest);
  set(kRequestWrite, request.is_write() ? 1 : 0);
  set(kRequestAddress, request.get_address());
  set(kRequestBytes, request.get_data_length());
}

void ObservedCore::answered(const tlm::tlm_generic_payload& request, Cycle /*now*/) {
  event(kAnswer);
  set(kAnswerAddress, request.get_address());
}

void ObservedCore::record(const TraceRecord& record) {
  if (record.core != core_) return;
  switch (record.event) {
    case TraceEvent::kWarpInsert:
      event(kInsert);
      set(kInsertWarp, record.warp);
      set(kInsertPc, record.pc);
      return set(kInsertMask, record.mask);
    case TraceEvent::kWarpRemove:
      event(kRemove);
      return set(kRemoveWarp, record.warp);
    case TraceEvent::kCompact:
      event(kCompact);
      set(kCompactBlock, record.block & ~std::uint32_t{0});
      return set(kCompactPc, record.pc);
    case TraceEvent::kCompacted:
      event(kCompacted);
      set(kCompactedMask, record.mask);
      return set(kCompactedLast, record.other);
    case TraceEvent::kBarrierWait:
      event(kBarrier);
      return set(kBarrierWarp, record.warp);
    case TraceEvent::kBarrierOpen:
      return event(kBarrierOpen);
    default:
      return;
  }
}

}  // namespace warpfold::cosim
