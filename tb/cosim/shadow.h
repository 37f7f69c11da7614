// SPDX-License-Identifier: Apache-2.0
// What blocks have in common that take one operation at a time, be they in the model's place or beside it: each result
// is compared with the model's.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/warp.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::cosim {

class Shadow {
 public:
  static constexpr unsigned kPcBits = 16;

 protected:
  Shadow(Session& session, const ClockDomain& clock, std::string_view block, unsigned core,
         const RtlParameters& parameters, const std::string& part);

  // The operation that the other pins describe, from its first clock to its results.
  // Returns its clocks.
  unsigned operate(unsigned kind, const char* name, std::uint64_t block = 0, std::uint64_t pc = 0);
  // They are these, not those of the model: counted, and forbidden where the run wants it so.
  void took(const char* name, unsigned clocks_of_model, unsigned clocks);
  // Ends the run where the results differ.
  void same(const char* operation, const char* what, std::uint64_t expected, std::uint64_t got) {
    model_.same(operation, what, expected, got);
  }
  // UserError where the kernel is too long for the RTL. `lsb`: where the pin has several.
  void set_pc(Pin& pin, isa::Pc pc, unsigned lsb = 0);
  // The rows of a warp's threads in these lanes, each in its lane's field; the other fields stay.
  static void set_rows(Pin& pin, unsigned row_bits, const divergence::Warp& warp, isa::LaneMask lanes);
  // Reads those of its threads back.
  static void get_rows(const Pin& pin, unsigned row_bits, divergence::Warp& warp);
  // Of all the warp's threads.
  void same_rows(const char* operation, const Pin& pin, unsigned row_bits, const divergence::Warp& warp);

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
  std::vector<Coverage::Index> kinds_;  // those that are known, by their numbers
};

}  // namespace warpfold::cosim
