// SPDX-License-Identifier: Apache-2.0
// The ports of rtl/thread_compactor.sv.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::cosim {

struct CompactorPins {
  // Of a block of `rows` rows of `lanes`.
  CompactorPins(SessionModel& model, unsigned lanes_of_row, unsigned rows)
      : lanes(lanes_of_row),
        row_bits(index_width(rows)),
        req_valid(model.pin("req_valid_i")),
        req_ready(model.pin("req_ready_o")),
        req_regroup(model.pin("req_regroup_i")),
        req_threads(model.pin("req_threads_i")),
        warp_valid(model.pin("warp_valid_o")),
        warp_ready(model.pin("warp_ready_i")),
        warp_mask(model.pin("warp_mask_o")),
        warp_row(model.pin("warp_row_o")),
        warp_last(model.pin("warp_last_o")) {}

  void put_request(const std::vector<isa::LaneMask>& threads, bool regroup) {
    req_threads.clear();
    for (unsigned row = 0; row < threads.size(); ++row) {
      if (threads[row] != 0) req_threads.set_field(row * lanes, lanes, threads[row]);
    }
    req_regroup.set(regroup ? 1 : 0);
  }
  // Of the warp that is offered, counted from the request's first.
  unsigned row_in(unsigned lane) const { return static_cast<unsigned>(warp_row.field(lane * row_bits, row_bits)); }

  unsigned lanes, row_bits;
  Pin req_valid, req_ready, req_regroup, req_threads, warp_valid, warp_ready, warp_mask, warp_row, warp_last;
};

}  // namespace warpfold::cosim
