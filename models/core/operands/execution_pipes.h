// SPDX-License-Identifier: Apache-2.0
// The pipes of an execution unit of Intel's Ivy Bridge, which is what a scheduler of `pipes: fpu_em` stands for
// (Intra-warp §2.2): FPU, EM and SEND.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "warpfold/common/clock/clock.h"
#include "warpfold/isa/kernel.h"

namespace warpfold {

enum class Pipe : std::uint8_t { kFpu, kEm, kSend };
inline constexpr unsigned kPipes = 3;

// The pipes that take an instruction. FPU: integers, moves, conversions, branches; single-precision arithmetic, which
// the EM pipe takes as well. EM: division, square root, sine and the like. SEND: memory, barriers, fences, the end of a
// thread. Double precision: EM only (decision: the paper does not say, Intel's chips of then have it in one of the
// two).
enum class PipeUse : std::uint8_t { kFpu, kFpuOrEm, kEm, kSend };
inline constexpr unsigned kPipeUses = 4;

inline PipeUse pipe_use(const isa::MicroOp& op) {
  switch (op.unit) {
    case isa::Unit::kAlu:
      return PipeUse::kFpu;
    case isa::Unit::kFloat:
      return PipeUse::kFpuOrEm;
    case isa::Unit::kSfu:
    case isa::Unit::kFp64:
    case isa::Unit::kCustom:
      return PipeUse::kEm;
    case isa::Unit::kMemory:
      return PipeUse::kSend;
    case isa::Unit::kControl:
      break;
  }
  return op.kind == isa::Kind::kBranch ? PipeUse::kFpu : PipeUse::kSend;
}

// When the pipes of one execution unit are free.
class ExecutionPipes {
 public:
  void start(Cycle at) { free_at_.fill(at); }

  // The pipe that takes the instruction first. A tie is EM's: more instructions are the FPU's alone.
  Pipe pipe_for(PipeUse use, Cycle now) const {
    switch (use) {
      case PipeUse::kFpu:
        return Pipe::kFpu;
      case PipeUse::kEm:
        return Pipe::kEm;
      case PipeUse::kSend:
        return Pipe::kSend;
      case PipeUse::kFpuOrEm:
        break;
    }
    return starts_at(Pipe::kEm, now) <= starts_at(Pipe::kFpu, now) ? Pipe::kEm : Pipe::kFpu;
  }
  // When the first lanes of what is issued now enter the pipe.
  Cycle starts_at(Pipe pipe, Cycle now) const { return std::max(now, free_at_[static_cast<unsigned>(pipe)]); }
  void hold(Pipe pipe, Cycle until) { free_at_[static_cast<unsigned>(pipe)] = until; }

 private:
  std::array<Cycle, kPipes> free_at_{};
};

}  // namespace warpfold
