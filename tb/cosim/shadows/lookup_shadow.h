// SPDX-License-Identifier: Apache-2.0
// rtl/ready_lookup.sv and rtl/waiting_lookup.sv beside a scheduler's Lookup tables of HARP: every operation goes to
// both, their results are compared.
#pragma once

#include <optional>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/harp/harp_lookup.h"

namespace warpfold::cosim {

class ReadyShadow final : Shadow {
 public:
  // Of warps of `lanes` of a core of `rows`.
  ReadyShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
              unsigned rows, unsigned entries);

  void took(const divergence::ReadyLookup& after, const std::array<divergence::Warp, 2>& sides,
            const std::array<divergence::Warp, 2>& left);
  void popped(const divergence::ReadyLookup& after, const divergence::Warp& warp);

 private:
  void same_queue(const char* operation, const divergence::ReadyLookup& after);
  void count(const divergence::Warp& side);

  unsigned lanes_, row_bits_, entries_;
  std::vector<divergence::Warp> before_;  // what was in the queue before the operation
  struct Points {
    Coverage::Index used, filled, full, of_pc, joins, joins_in_part, taken, rows;
  };
  Points points_;
  Pin op_mask_, op_pc_, op_row_;
  Pin res_left_, used_, warp_mask_, warp_row_, warp_pc_;
};

class WaitingShadow final : Shadow {
 public:
  WaitingShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
                unsigned rows, unsigned entries);

  void issued(const divergence::WaitingLookup& after, divergence::WarpId id, const divergence::Warp& warp,
              divergence::WaitingLookup::Outcome outcome);
  void completed(const divergence::WaitingLookup& after, unsigned entry, const divergence::Warp& warp, bool last);

 private:
  struct Entry {
    isa::Pc pc = 0;
    isa::LaneMask lanes = 0;
    unsigned in_flight = 0;
  };
  struct Points {
    Coverage::Index used, filled, merges, full, entries, in_flight, taken, last, not_last, rows;
  };
  unsigned row_bits_;
  std::vector<Entry> entries_;  // what is in them before the operation
  Points points_;
  Pin op_mask_, op_pc_, op_row_, op_entry_;
  Pin res_merged_, res_full_, res_entry_, res_last_, used_, warp_mask_, warp_row_, warp_pc_;
};

// Those of the two that the run asks for and the scheduler has.
class LookupShadow final : public divergence::LookupObserver {
 public:
  static constexpr unsigned kPcBits = Shadow::kPcBits;

  LookupShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
               unsigned rows, unsigned ready_entries, unsigned waiting_entries);

  void took(const divergence::ReadyLookup& after, const std::array<divergence::Warp, 2>& sides,
            const std::array<divergence::Warp, 2>& left) override;
  void popped(const divergence::ReadyLookup& after, const divergence::Warp& warp) override;
  void issued(const divergence::WaitingLookup& after, divergence::WarpId id, const divergence::Warp& warp,
              divergence::WaitingLookup::Outcome outcome) override;
  void completed(const divergence::WaitingLookup& after, unsigned entry, const divergence::Warp& warp,
                 bool last) override;

 private:
  std::optional<ReadyShadow> ready_;
  std::optional<WaitingShadow> waiting_;
};

}  // namespace warpfold::cosim
