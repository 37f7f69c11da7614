// SPDX-License-Identifier: Apache-2.0
// Spill code: values for which there is no register live in the thread's local memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/registers/live_ranges.h"

namespace warpfold::isa {

// Spills whole virtual registers, as Chaitin's allocator does (PLDI 1982): each instruction that reads one has it
// loaded into a temporary register of its own before, each that writes one stores that behind. Those go first that
// relieve the crowded places at the lowest count of such loads and stores, a loop counting tenfold.
class Spiller {
 public:
  enum class Result : std::uint8_t {
    kSpilled,     // code was added: live ranges have changed
    kNoneNeeded,  // nowhere more than the wanted words are live
    kStuck,       // somewhere they are, in registers that single instructions need
  };

  // Slots are laid behind the `local_bytes` of the kernel's own variables.
  Spiller(DraftKernel& kernel, std::uint32_t local_bytes) : kernel_(kernel), local_bytes_(local_bytes) {}

  // `flow` and `cfg` are the kernel's as it stands. Branches, and their reconvergence points, follow the code they
  // name.
  Result spill(const Cfg& cfg, std::span<const FlowOp> flow, unsigned words);

  std::uint32_t local_bytes() const { return local_bytes_; }
  Pc crowded() const { return crowded_; }  // kStuck: the instruction where most words are live

 private:
  // Words that are live at each position of live_ranges.h.
  using Pressure = std::vector<unsigned>;
  struct Candidate {
    Register reg = kNoRegister;
    double cost = 0;                     // loads and stores, weighted
    std::vector<std::uint64_t> touched;  // positions at which it needs a register all the same
  };
  struct Slot {
    std::uint32_t offset = 0;
    bool used = false;
  };

  Pressure pressure(std::span<const Range> ranges) const;
  std::vector<Candidate> candidates(const Cfg& cfg, std::span<const FlowOp> flow) const;
  std::vector<Register> choose(std::vector<Candidate> candidates, std::span<const Range> ranges, Pressure& live,
                               unsigned words) const;
  std::vector<Slot> give_slots(std::span<const Register> chosen, std::span<const Range> ranges);
  void rewrite(std::span<const Slot> slots);
  Register use_temporary(Draft& draft, Register spilled, bool& reads, bool& writes);
  Draft access(Kind kind, Register temporary, const Slot& slot, std::uint32_t line);

  DraftKernel& kernel_;
  std::uint32_t local_bytes_;
  Pc crowded_ = 0;
};

}  // namespace warpfold::isa
