// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/adequacy.h"

#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::divergence {

AdequacyVerdict judge(const AdequacyQuery& query) {
  using Kind = AdequacyQuery::Kind;
  using Stage = AdequacyStage;
  const unsigned t = compacted_warps(*query.threads);
  const bool threshold = query.literal ? t < query.t_wct : t + query.t_wct <= query.warps;
  const bool fewer = t < query.warps;
  switch (query.kind) {
    case Kind::kFirstCame:
      return {t, t < query.n, t < query.n ? Stage::kWhole : Stage::kRest};
    case Kind::kAllCame:
      return {t, query.warps != 0 && (query.stage == Stage::kWhole ? threshold : fewer), query.stage};
    case Kind::kOtherPath:
      break;
  }
  return {t, query.stage == Stage::kFirst ? fewer : threshold, query.stage};
}

}  // namespace warpfold::divergence
