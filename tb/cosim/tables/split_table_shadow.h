// SPDX-License-Identifier: Apache-2.0
// rtl/split_table.sv beside the splits of a core's rows, as the model of dynamic warp subdivision has them: entries
// follow the splits; where there is room, where a split goes and whom it joins is compared.
#pragma once

#include <map>
#include <vector>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/split_table.h"

namespace warpfold::cosim {

class SplitTableShadow final : public divergence::SplitTableObserver, Shadow {
 public:
  struct Size {
    unsigned lanes, rows, entries;
  };
  static RtlParameters parameters(const Size& size);

  SplitTableShadow(Session& session, const ClockDomain& clock, unsigned core, const Size& size);

  void asked(unsigned row, bool has_room) override;
  void changed(unsigned row, std::span<const divergence::Split> splits) override;
  void came(unsigned row, const divergence::Split& split, std::span<const divergence::Split> others,
            divergence::WarpId found) override;

 private:
  static constexpr unsigned kPointBits = 6;
  struct Entry {
    unsigned row = 0;
    divergence::Split split;
    unsigned index = 0;  // in the RTL's table
  };

  unsigned splits_of(unsigned row) const;
  void set_split(unsigned row, const divergence::Split& split);
  void enter(unsigned row, const divergence::Split& split);
  void move(Entry& entry, const divergence::Split& split);
  void leave(divergence::WarpId slot);
  void same_counts(const char* operation, unsigned row);

  const unsigned entries_;
  std::map<divergence::WarpId, Entry> table_;                                    // by slot of the warp buffer
  std::map<divergence::WarpId, std::pair<unsigned, divergence::Split>> beyond_;  // those that found the table full
  struct Points {
    Coverage::Index used, filled, full, splits, rows, entered, room, no_room, one_left, joins, joins_without, alone,
        near, several, bits;
  };
  Points points_;
  Pin op_row_, op_entry_, op_own_, op_pc_, op_point_, op_mask_, op_stands_, res_ok_, res_entry_, res_mask_, res_left_,
      used_;
};

}  // namespace warpfold::cosim
