// SPDX-License-Identifier: Apache-2.0
// rtl/lane_register_access.sv beside the banks of a register file whose lanes have addresses of their own: what every
// instruction accesses goes to both, and is served in the same cycles.
#pragma once

#include <deque>
#include <vector>

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/core/operands/register_banks.h"

namespace warpfold::cosim {

class RegisterShadow final : public RegisterObserver {
 public:
  static constexpr unsigned kOperands = 3, kWords = 256;
  static RtlParameters sizes(const CoreParams& params);

  RegisterShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned file, const CoreParams& params);

  void accessed(const RegisterBanks::Words& words, const divergence::Warp& threads, isa::LaneMask lanes, Cycle from,
                Cycle last) override;

 private:
  using Slot = std::uint64_t;  // of a cycle n the accesses n * per_cycle and so on
  using Banks = std::vector<std::uint64_t>;

  // The first words, as many as the RTL has operands for. Returns the slot of the last.
  Slot serve(std::span<const isa::Word> words, Slot slot);
  Banks& taken(Slot slot);  // by those before
  void forget_before(Slot slot);

  SessionModel model_;
  const ClockDomain& clock_;
  unsigned banks_, per_cycle_, row_bits_, number_bits_;
  Pin row_words_, op_valid_, op_ready_, op_mask_, op_row_, op_reads_, op_number_, busy_, bank_enable_;
  std::deque<Banks> taken_;  // slots from first_ on
  Slot first_ = 0;
  Coverage::Index together_, several_, beside_, words_, rows_, in_banks_, one_row_, mixed_;
};

}  // namespace warpfold::cosim
