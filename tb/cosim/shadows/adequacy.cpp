// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/adequacy.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpfold::cosim {
namespace {

constexpr const char* kKinds[] = {"first_came", "all_came", "other_path"};

std::string text(const divergence::AdequacyVerdict& verdict) {
  return fmt::format("count {}, adequate {}, stage {}", verdict.count, verdict.adequate ? 1 : 0,
                     static_cast<unsigned>(verdict.stage));
}

std::string text(const divergence::AdequacyQuery& query) {
  std::string rows;
  for (const auto row : *query.threads) rows += fmt::format("{}0x{:x}", rows.empty() ? "" : " ", row);
  return fmt::format("kind {}, stage {}, {} warps, n {}, T_wct {} ({}), rows [{}]", static_cast<unsigned>(query.kind),
                     static_cast<unsigned>(query.stage), query.warps, query.n, query.t_wct,
                     query.literal ? "literal" : "saved", rows);
}

}  // namespace

RtlAdequacy::RtlAdequacy(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes, unsigned rows)
    : model_(session, "adequacy", core, {{"Lanes", lanes}, {"Rows", rows}}),
      clock_(clock),
      lanes_(lanes),
      handshake_{model_.pin("op_valid_i"), model_.pin("op_ready_o"), model_.pin("res_valid_o")},
      op_kind_(model_.pin("op_kind_i")),
      op_stage_(model_.pin("op_stage_i")),
      op_threads_(model_.pin("op_threads_i")),
      op_warps_(model_.pin("op_warps_i")),
      op_n_(model_.pin("op_n_i")),
      op_t_wct_(model_.pin("op_t_wct_i")),
      op_literal_(model_.pin("op_literal_i")),
      res_count_(model_.pin("res_count_o")),
      res_adequate_(model_.pin("res_adequate_o")),
      res_stage_(model_.pin("res_stage_o")) {
  model_.pin("res_ready_i").set(1);
  model_.record.model_latency = kClocks;
  Coverage& coverage = model_.record.coverage;
  counts_ = coverage.sizes("counts", 0, rows);
  for (const char* const kind : kKinds) {
    for (const char* const verdict : {"inadequate", "adequate"}) {
      verdicts_.push_back(coverage.event(fmt::format("{}_{}", kind, verdict)));
    }
  }
}

divergence::AdequacyVerdict RtlAdequacy::judge(const divergence::AdequacyQuery& query) {
  const divergence::AdequacyVerdict expected = divergence::judge(query);
  RtlModel& rtl = model_.rtl();
  rtl.forget();
  ask(query);
  model_.asks(kKinds[static_cast<unsigned>(query.kind)]);
  const std::uint64_t latency = model_.operate(clock_.edge_ps(clock_.current()), handshake_, "a query");
  const divergence::AdequacyVerdict got = answer();
  if (!(got == expected)) model_.session.differs(rtl, text(query), text(expected), text(got));
  model_.took(latency, text(query));
  model_.record.coverage.size(counts_, got.count);
  model_.record.coverage.count(verdicts_[2 * static_cast<unsigned>(query.kind) + (got.adequate ? 1 : 0)]);
  clocks.spend(static_cast<unsigned>(latency));
  return got;
}

void RtlAdequacy::ask(const divergence::AdequacyQuery& query) {
  op_threads_.clear();
  for (unsigned row = 0; row < query.threads->size(); ++row) {
    const auto lanes = (*query.threads)[row];
    if (lanes != 0) op_threads_.set_field(row * lanes_, lanes_, lanes);
  }
  op_kind_.set(static_cast<unsigned>(query.kind));
  op_stage_.set(static_cast<unsigned>(query.stage));
  op_warps_.set(query.warps);
  op_n_.set(query.n);
  op_t_wct_.set(query.t_wct);
  op_literal_.set(query.literal ? 1 : 0);
}

divergence::AdequacyVerdict RtlAdequacy::answer() {
  return {static_cast<unsigned>(res_count_.get()), static_cast<bool>(res_adequate_),
          static_cast<divergence::AdequacyStage>(res_stage_.get())};
}

}  // namespace warpfold::cosim
