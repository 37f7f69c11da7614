// SPDX-License-Identifier: Apache-2.0
// rtl/adequacy_unit.sv in the place of the model's adequacy unit.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/parts/block/adequacy.h"

namespace warpfold::cosim {

// A verdict follows from the query: a contract leaves nothing open. The model decides at once, the RTL takes its clocks
// for it: they are counted, and take no time of the machine.
class RtlAdequacy final : public divergence::AdequacyUnit {
 public:
  // Of blocks of up to `rows` rows of `lanes`.
  RtlAdequacy(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes, unsigned rows);
  divergence::AdequacyVerdict judge(const divergence::AdequacyQuery& query) override;

 private:
  void ask(const divergence::AdequacyQuery& query);
  divergence::AdequacyVerdict answer();

  SessionModel model_;
  const ClockDomain& clock_;
  unsigned lanes_;
  SessionModel::Handshake handshake_;
  Pin op_kind_, op_stage_, op_threads_, op_warps_, op_n_, op_t_wct_, op_literal_;
  Pin res_count_, res_adequate_, res_stage_;
  void count(const divergence::AdequacyQuery& query, const divergence::AdequacyVerdict& verdict);
  Coverage::Index counts_, warps_, rows_, literal_, saved_, at_n_, at_warps_, at_threshold_;
  std::vector<Coverage::Index> stages_;    // by kind and stage
  std::vector<Coverage::Index> verdicts_;  // by kind and verdict
};

}  // namespace warpfold::cosim
