// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/adequacy.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpfold::cosim {
namespace {

constexpr const char* kKinds[] = {"first_came", "all_came", "other_path"};
constexpr const char* kStages[] = {"first", "whole", "rest"};

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
  coverage.cannot("operations_back_to_back", Coverage::kOneAtATime);
  coverage.cannot("results_that_wait", Coverage::kTakesAtOnce);
  counts_ = coverage.sizes("counts", 0, rows);
  warps_ = coverage.sizes("warps", 0, rows);
  rows_ = coverage.sizes("rows_of_threads", 0, rows - 1);
  literal_ = coverage.event("thresholds_of_what_is_left");
  saved_ = coverage.event("thresholds_of_what_is_saved");
  at_n_ = coverage.event("as_many_as_came_first");
  at_warps_ = coverage.event("as_many_as_there_are");
  at_threshold_ = coverage.event("just_at_the_threshold");
  for (const char* const kind : kKinds) {
    for (const char* const verdict : {"inadequate", "adequate"}) {
      verdicts_.push_back(coverage.event(fmt::format("{}_{}", kind, verdict)));
    }
    for (const char* const stage : kStages) {
      stages_.push_back(coverage.event(fmt::format("{}_in_stage_{}", kind, stage)));
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
  count(query, got);
  clocks.spend(static_cast<unsigned>(latency));
  return got;
}

// Where a comparison is off by one shows only where its sides are equal.
void RtlAdequacy::count(const divergence::AdequacyQuery& query, const divergence::AdequacyVerdict& verdict) {
  Coverage& coverage = model_.record.coverage;
  const auto kind = static_cast<std::size_t>(query.kind);
  coverage.size(counts_, verdict.count);
  coverage.size(warps_, query.warps);
  for (unsigned row = 0; row < query.threads->size(); ++row) {
    if ((*query.threads)[row] != 0) coverage.size(rows_, row);
  }
  coverage.count(verdicts_[2 * kind + (verdict.adequate ? 1 : 0)]);
  coverage.count(stages_[std::size(kStages) * kind + static_cast<std::size_t>(query.stage)]);
  coverage.count(query.literal ? literal_ : saved_);
  coverage.count_if(verdict.count == query.n, at_n_);
  coverage.count_if(verdict.count == query.warps, at_warps_);
  const unsigned compared = verdict.count + (query.literal ? 0 : query.t_wct);
  coverage.count_if(compared == (query.literal ? query.t_wct : query.warps), at_threshold_);
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
