// SPDX-License-Identifier: Apache-2.0
// rtl/context_sorter.sv in the place of the model's sorter of contexts.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::cosim {

class RtlSorter final : public divergence::ContextSorter {
 public:
  static constexpr unsigned kPcBits = 16, kDepthBits = 8;

  // Of contexts of rows of `lanes`.
  RtlSorter(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes);
  // UserError where a place or a depth does not fit the RTL.
  divergence::ContextTriple sort(const divergence::ContextTriple& contexts) override;

 private:
  void ask(const divergence::ContextTriple& contexts);
  divergence::ContextTriple answer();
  void count(const divergence::ContextTriple& contexts, const divergence::ContextTriple& sorted);

  SessionModel model_;
  const ClockDomain& clock_;
  unsigned lanes_;
  SessionModel::Handshake handshake_;
  Pin op_mask_, op_pc_, op_depth_;
  Pin res_mask_, res_pc_, res_depth_;
  std::vector<Coverage::Index> pairs_;  // how two contexts lie to each other, by pair and relation
  Coverage::Index depths_, places_, holes_, all_merge_, contexts_, merges_, reordered_, apart_;
};

}  // namespace warpfold::cosim
