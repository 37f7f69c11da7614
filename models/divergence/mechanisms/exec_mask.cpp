// SPDX-License-Identifier: Apache-2.0
// Exec-mask: divergence in software, as AMD's GCN, CDNA and RDNA have it. The compiler keeps masks in scalar registers
// and makes scalar instructions narrow and widen the register EXEC of a wavefront (LLVM's AMDGPU back end).
//
// The walk is PDOM's that runs the fall-through side first. Beside it each branch that may diverge has its scalar
// instructions, whether its lanes part or not; they are no instructions here, but the warp is held for their slots, all
// of a branch's where it is resolved. A side that no lane takes is jumped over only if that pays: a short one issues
// with an empty mask.
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/likely_points.h"
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

namespace warpfold::divergence {
namespace {

struct ExecMaskParams {
  unsigned skip_threshold = 12, if_slots = 2, else_slots = 2, end_slots = 1, loop_slots = 2;
  static constexpr auto fields() {
    using P = ExecMaskParams;
    constexpr unsigned kMost = 10'000;
    return std::tuple{
        field("skip_threshold", "instructions", &P::skip_threshold, 0, kMost,
              "a side with fewer, none of them slow or a branch, issues even if no lane takes it"),
        field("if_slots", "cycles", &P::if_slots, 0, kMost, "of the scalar instructions where an if begins"),
        field("else_slots", "cycles", &P::else_slots, 0, kMost, "where its other side begins, if it has one"),
        field("end_slots", "cycles", &P::end_slots, 0, kMost, "where an if ends, or a loop"),
        field("loop_slots", "cycles", &P::loop_slots, 0, kMost, "of each round of a loop")};
  }
  // Masks live in scalar registers; the stack's pcs are the program's. Each scheduler has a unit for the masks of its
  // warps. What else a scalar unit does (branches, loads, addresses) is the core's, as under PDOM, and so are compares,
  // which bring conditions.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned lanes = geometry.core.warp_size, rows = geometry.rows();
    return {{{"exec masks", table(rows, lanes), 1, {{"warp_instructions"}, {"exec_mask_slots"}}},
             {"saved masks", table(rows * geometry.stack_entries, lanes), 1, {{"exec_mask_slots"}}}},
            {{"mask_unit", {{"Lanes", lanes}}, geometry.core.schedulers}},
            {}};
  }
};

// Would executing it with an empty mask do harm or take long, so that LLVM keeps the jump over it
// (SIPreEmitPeephole.cpp, mustRetainExeczBranch)? Votes stand for readlane, which an empty mask leaves undefined.
bool is_jumped_over(const isa::MicroOp& op) {
  switch (op.kind) {
    case isa::Kind::kLoad:
    case isa::Kind::kStore:
    case isa::Kind::kAtomic:
      return op.space != isa::Space::kShared;
    case isa::Kind::kCompute:
    case isa::Kind::kFence:
    case isa::Kind::kClock:
      return false;
    default:
      return true;
  }
}

class ExecMask final : public WarpReconvergence {
 public:
  ExecMask(const ExecMaskParams& params, const Geometry& geometry, Core& core)
      : WarpReconvergence({BranchOrder::kNotTakenFirst}, geometry, core),
        params_(params),
        core_(core),
        slots_(core.stats().counter("exec_mask_slots", "cycles", "that warps were held for scalar instructions")),
        empty_slots_(core.stats().counter("exec_mask_empty_slots", "cycles",
                                          "that warps were held for a side that no lane takes")) {}

  void kernel_started(const isa::Kernel& kernel) override {
    WarpReconvergence::kernel_started(kernel);
    costs_.assign(kernel.end(), {});
    for (Pc pc = 0; pc < kernel.end(); ++pc) {
      if (kernel.ops[pc].kind == isa::Kind::kBranch && kernel.ops[pc].may_diverge) costs_[pc] = cost_of(kernel, pc);
    }
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const LaneMask active = core_.warp(id).mask;
    const bool taken = (branch.taken & active) != 0, falls_through = (active & ~branch.taken) != 0;
    WarpReconvergence::branch_resolved(id, without_likely_point(branch));
    const Cost& cost = costs_[branch.pc];
    const unsigned scalar = cost.always + (taken ? 0 : cost.if_not_taken);
    const unsigned empty = (taken ? 0 : cost.empty_taken) + (falls_through ? 0 : cost.empty_fall_through);
    slots_ += scalar;
    empty_slots_ += empty;
    core_.hold(id, scalar + empty);
  }

 private:
  struct Cost {
    unsigned always = 0, if_not_taken = 0;
    unsigned empty_taken = 0, empty_fall_through = 0;  // where no lane takes that side
  };

  Cost cost_of(const isa::Kernel& kernel, Pc pc) const {
    const isa::MicroOp& op = kernel.ops[pc];
    if (op.target <= pc) return {params_.loop_slots, params_.end_slots, 0, 0};
    const bool has_else = op.target != op.reconvergence && pc + 1 != op.reconvergence;
    return {params_.if_slots + (has_else ? params_.else_slots : 0) + params_.end_slots, 0,
            short_side(kernel, op.target, op.reconvergence), short_side(kernel, pc + 1, op.reconvergence)};
  }

  // Instructions from `pc` to where the sides meet; none where they are jumped over. Jumps to what lies ahead are
  // layout.
  unsigned short_side(const isa::Kernel& kernel, Pc pc, Pc meets) const {
    unsigned length = 0;
    while (pc != meets) {
      if (pc >= kernel.end()) return 0;
      const isa::MicroOp& op = kernel.ops[pc];
      if (op.kind == isa::Kind::kBranch && op.guard == isa::kNoWord && op.target > pc) {
        pc = op.target;
        continue;
      }
      if (is_jumped_over(op) || ++length >= params_.skip_threshold) return 0;
      ++pc;
    }
    return length;
  }

  ExecMaskParams params_;
  Core& core_;
  std::vector<Cost> costs_;  // by pc
  Counter &slots_, &empty_slots_;
};

const Register<ExecMaskParams, ExecMask> exec_mask_registration(
    "exec-mask", "masks in software: PDOM's walk and scalar instructions, as AMD",
    "LLVM, AMDGPU back end: SILowerControlFlow, SIPreEmitPeephole");

}  // namespace
}  // namespace warpfold::divergence
