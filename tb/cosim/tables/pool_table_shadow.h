// SPDX-License-Identifier: Apache-2.0
// rtl/pool_table.sv beside a core's pools of spare-time compaction: every operation goes to both; whose pool threads go
// to, whether it has all lanes, and which one gives is compared.
#pragma once

#include <vector>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/pool_table.h"
#include "warpfold/divergence/taps.h"

namespace warpfold::cosim {

class PoolTableShadow final : public divergence::PoolTableObserver, Shadow {
 public:
  struct Size {
    unsigned lanes, rows;
    divergence::PoolTableShape shape;
  };
  static RtlParameters parameters(const Size& size);

  PoolTableShadow(Session& session, const ClockDomain& clock, unsigned core, const Size& size);

  void added(const divergence::Warp& threads, unsigned group, unsigned pool, bool full) override;
  void given(unsigned pool, const divergence::Warp& threads, bool full) override;
  void picked(const std::vector<bool>& among, bool by_age, Cycle now, unsigned pool) override;
  void ticked(Cycle now, bool busy, unsigned pool) override;

 private:
  static constexpr unsigned kAgeBits = 16;
  static constexpr unsigned kTicksUnseen = 15;  // in which nothing is due: the RTL is asked again after so many

  void set_threads(const divergence::Warp& threads);
  void set_among(const std::vector<bool>& among);
  void same_used(const char* operation);

  const unsigned row_bits_;
  std::vector<unsigned> counts_;  // threads of each pool
  bool fresh_ = false;            // a pool waits for its first tick
  unsigned unseen_ = 0;           // ticks since the last that the RTL was told of
  struct Points {
    Coverage::Index used, filled, full_table, pools, rows, lanes, threads, groups, full, full_still, freed, partly,
        by_age, most, one_of_many, none, late, busy;
  };
  Points points_;
  Pin op_mask_, op_row_, op_pc_, op_group_, op_pool_, op_among_, op_by_age_, op_now_, res_ok_, res_pool_, res_full_,
      used_;
};

}  // namespace warpfold::cosim
