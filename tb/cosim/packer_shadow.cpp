// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/packer_shadow.h"

#include <fmt/format.h>

#include <bit>

namespace warpfold::cosim {

using divergence::Warp;
using isa::LaneMask;

PackerShadow::PackerShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                           const Size& size)
    : model_(session, "packer", core, {{"Lanes", size.lanes}, {"Rows", size.rows}},
             fmt::format("_scheduler{}", scheduler)),
      clock_(clock),
      lanes_(size.lanes),
      row_bits_(index_width(size.rows)),
      req_valid_(model_.pin("req_valid_i")),
      req_ready_(model_.pin("req_ready_o")),
      req_regroup_(model_.pin("req_regroup_i")),
      req_threads_(model_.pin("req_threads_i")),
      warp_valid_(model_.pin("warp_valid_o")),
      warp_ready_(model_.pin("warp_ready_i")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_last_(model_.pin("warp_last_o")) {
  model_.record.model_latency = 1;
}

void PackerShadow::packed(const std::vector<LaneMask>& threads, unsigned first_row, const std::vector<Warp>& subwarps) {
  const std::uint64_t now = clock_.edge_ps(clock_.current());
  model_.rtl().forget();
  req_threads_.clear();
  for (unsigned row = 0; row < threads.size(); ++row) req_threads_.set_field(row * lanes_, lanes_, threads[row]);
  req_regroup_.set(1);
  warp_ready_.set(0);
  SessionModel::Handshake handshake{req_valid_, req_ready_, warp_valid_};
  model_.took(model_.operate(now, handshake, "pack"), "pack");
  // The first waits for a clock, as where the issue port is taken.
  compare(subwarps.front(), first_row, subwarps.size() == 1);
  model_.clock(now);
  warp_ready_.set(1);
  model_.rtl().eval();
  for (const Warp& subwarp : subwarps) {
    const bool last = &subwarp == &subwarps.back();
    same("a sub-warp", 1, warp_valid_.get());
    compare(subwarp, first_row, last);
    model_.clock(now);
    model_.rtl().eval();
    if (last) same("another sub-warp", 0, warp_valid_.get());
    if (!last) model_.took(1 + model_.clock_until(now, warp_valid_, "pack"), "pack: the next sub-warp");
  }
}

void PackerShadow::compare(const Warp& expected, unsigned first_row, bool last) {
  same("lanes of the sub-warp", expected.mask, warp_mask_.get());
  same("the last sub-warp", last ? 1 : 0, warp_last_.get());
  for (LaneMask rest = expected.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    same("row of a thread", expected.row[lane] - first_row, warp_row_.field(lane * row_bits_, row_bits_));
  }
}

void PackerShadow::same(const char* what, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return;
  model_.session.differs(model_.rtl(), fmt::format("pack: {}", what), fmt::format("0x{:x}", expected),
                         fmt::format("0x{:x}", got));
}

}  // namespace warpfold::cosim
