// SPDX-License-Identifier: Apache-2.0
// What the shadows have in common: blocks beside the model that take one operation at a time, whose results are
// compared.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/common/clock.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::cosim {

class Shadow {
 public:
  static constexpr unsigned kPcBits = 16;

 protected:
  Shadow(Session& session, const ClockDomain& clock, std::string_view block, unsigned core,
         const RtlParameters& parameters, const std::string& part);

  // The operation that the other pins describe, from its first clock to its results.
  void operate(unsigned kind, const char* name, std::uint64_t block = 0, std::uint64_t pc = 0);
  // Ends the run where the results differ.
  void same(const char* operation, const char* what, std::uint64_t expected, std::uint64_t got);
  // UserError where the kernel is too long for the RTL.
  void set_pc(Pin& pin, isa::Pc pc);

  // Operations that a run may come across, in the order of their numbers, for its coverage.
  template <std::size_t Count>
  void operations(const char* const (&names)[Count]) {
    for (const char* const name : names) kinds_.push_back(model_.record.coverage.event(name));
  }

  SessionModel model_;

 private:
  const ClockDomain& clock_;
  SessionModel::Handshake handshake_;
  Pin op_kind_;
  std::vector<Coverage::Index> kinds_;  // those seen so far and those below
};

}  // namespace warpfold::cosim
