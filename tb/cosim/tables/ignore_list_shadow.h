// SPDX-License-Identifier: Apache-2.0
// rtl/ignore_list.sv beside a core's ignore list of the model: every operation goes to both, the answers are compared.
#pragma once

#include <vector>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/slices/ignore_list.h"

namespace warpfold::cosim {

class IgnoreListShadow final : public divergence::IgnoreListObserver, Shadow {
 public:
  using Shadow::kPcBits;

  IgnoreListShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned entries);

  void cleared() override;
  void looked_up(isa::Pc place, bool ignored) override;
  void was_fruitless(isa::Pc place, bool from_now_on) override;

 private:
  // Whose an entry is, as this saw it, and how many of its meetings were fruitless.
  struct Place {
    isa::Pc pc = isa::kNoPc;
    unsigned fruitless = 0;
  };
  Place& at(isa::Pc place) { return places_[place % places_.size()]; }

  std::vector<Place> places_;
  struct Points {
    Coverage::Index entries, bits, fruitless, ignored, unknown, other, replaced, ignored_replaced, more, clears_used;
  };
  Points points_;
  Pin op_pc_, ignored_;
};

}  // namespace warpfold::cosim
