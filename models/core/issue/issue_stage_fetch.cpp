// SPDX-License-Identifier: Apache-2.0
// Instructions that come through a cache: the part of the issue stage that cores have whose fetch does not always hit.
#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

using divergence::WarpId;

// Where the instruction that the warp is at is not there yet, fetched() says when it is.
void IssueStage::ask_for_next(WarpId id, FetchRequest::Kind kind) {
  Slot& slot = slots_[id];
  if (slot.fetching) --slot.port->fetching;
  FetchRequest wanted{kind, id, warps_.warp(id).pc};
  slot.fetching = request(*fetch_socket, wanted) == tlm::TLM_ACCEPTED;
  if (slot.fetching) ++slot.port->fetching;
}

tlm::tlm_sync_enum IssueStage::fetched(unsigned /*port*/, FetchRequest& fetch, tlm::tlm_phase& /*phase*/) {
  Slot& slot = slots_[fetch.warp];
  slot.fetching = false;
  --slot.port->fetching;
  refresh(fetch.warp);
  wake();
  return tlm::TLM_COMPLETED;
}

}  // namespace warpfold
