// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/packer_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

using divergence::Warp;
using isa::LaneMask;

PackerShadow::PackerShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                           const Size& size)
    : model_(session, "packer", core, {{"Lanes", size.lanes}, {"Rows", size.rows}},
             fmt::format("_scheduler{}", scheduler)),
      clock_(clock),
      pins_(model_, size.lanes, size.rows),
      rows_(model_.record.coverage.sizes("rows_per_request", 1, size.rows)),
      subwarps_(model_.record.coverage.sizes("subwarps_per_request", 1, size.rows)),
      places_(model_.record.coverage.sizes("rows_of_threads", 0, size.rows - 1)),
      lanes_(model_.record.coverage.sizes("lanes_of_threads", 0, size.lanes - 1)) {
  model_.record.model_latency = 1;
}

void PackerShadow::packed(const std::vector<LaneMask>& threads, unsigned first_row, const std::vector<Warp>& subwarps) {
  const std::uint64_t now = clock_.edge_ps(clock_.current());
  model_.rtl().forget();
  Coverage& coverage = model_.record.coverage;
  coverage.size(rows_, static_cast<unsigned>(
                           std::count_if(threads.begin(), threads.end(), [](LaneMask row) { return row != 0; })));
  coverage.size(subwarps_, static_cast<unsigned>(subwarps.size()));
  for (unsigned row = 0; row < threads.size(); ++row) {
    if (threads[row] != 0) coverage.size(places_, row);
    coverage.each(lanes_, threads[row]);
  }
  pins_.put_request(threads, true);
  pins_.warp_ready.set(0);
  SessionModel::Handshake handshake{pins_.req_valid, pins_.req_ready, pins_.warp_valid};
  model_.took(model_.operate(now, handshake, "pack"), "pack");
  // The first waits for a clock, as where the issue port is taken.
  compare(subwarps.front(), first_row, subwarps.size() == 1);
  model_.clock(now);
  pins_.warp_ready.set(1);
  model_.rtl().eval();
  for (const Warp& subwarp : subwarps) {
    const bool last = &subwarp == &subwarps.back();
    model_.same("pack", "a sub-warp", 1, pins_.warp_valid.get());
    compare(subwarp, first_row, last);
    model_.clock(now);
    model_.rtl().eval();
    if (last) model_.same("pack", "another sub-warp", 0, pins_.warp_valid.get());
    if (!last) model_.took(1 + model_.clock_until(now, pins_.warp_valid, "pack"), "pack: the next sub-warp");
  }
}

void PackerShadow::compare(const Warp& expected, unsigned first_row, bool last) {
  model_.same("pack", "lanes of the sub-warp", expected.mask, pins_.warp_mask.get());
  model_.same("pack", "the last sub-warp", last ? 1 : 0, pins_.warp_last.get());
  for (LaneMask rest = expected.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    model_.same("pack", "row of a thread", expected.row[lane] - first_row, pins_.row_in(lane));
  }
}

}  // namespace warpfold::cosim
