// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/tables/ignore_list_shadow.h"

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

namespace {

enum ListOp : unsigned { kClearList, kLook, kFruitlessMeeting };

}  // namespace

IgnoreListShadow::IgnoreListShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned entries)
    : Shadow(session, clock, "ignore-list", core, {{"Entries", entries}, {"PcWidth", kPcBits}}, ""),
      places_(entries),
      op_pc_(model_.pin("op_pc_i")),
      ignored_(model_.pin("ignored_o")) {
  operations({"clear", "look", "fruitless"});
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_of_places", 0, entries - 1),
             coverage.sizes("bits_of_pcs", 0, kPcBits),
             coverage.sizes("fruitless_meetings_of_places", 1, divergence::IgnoreList::kFruitless),
             coverage.event("places_looked_up_and_ignored"),
             coverage.event("looks_at_unknown_places"),
             coverage.event("looks_at_another_places_entry"),
             coverage.event("places_that_replace_another"),
             coverage.event("ignored_places_that_are_replaced"),
             coverage.event("fruitless_meetings_of_ignored_places"),
             coverage.event("clears_of_a_used_list")};
}

void IgnoreListShadow::cleared() {
  const auto used = [](const Place& place) { return place.pc != isa::kNoPc; };
  model_.record.coverage.count_if(std::any_of(places_.begin(), places_.end(), used), points_.clears_used);
  places_.assign(places_.size(), {});
  model_.rtl().forget();
  operate(kClearList, "clear");
}

void IgnoreListShadow::looked_up(isa::Pc place, bool ignored) {
  Coverage& coverage = model_.record.coverage;
  const Place& found = at(place);
  coverage.size(points_.entries, static_cast<unsigned>(place % places_.size()));
  coverage.size(points_.bits, static_cast<unsigned>(std::bit_width(place)));
  coverage.count_if(ignored, points_.ignored);
  coverage.count_if(found.pc == isa::kNoPc, points_.unknown);
  coverage.count_if(found.pc != isa::kNoPc && found.pc != place, points_.other);
  set_pc(op_pc_, place);
  operate(kLook, "look");
  same("look", "the place is ignored", ignored ? 1 : 0, ignored_.get());
}

void IgnoreListShadow::was_fruitless(isa::Pc place, bool from_now_on) {
  Coverage& coverage = model_.record.coverage;
  Place& found = at(place);
  const bool known = found.pc == place, enough = found.fruitless == divergence::IgnoreList::kFruitless;
  coverage.count_if(!known && found.pc != isa::kNoPc, points_.replaced);
  coverage.count_if(!known && enough, points_.ignored_replaced);
  coverage.count_if(known && enough, points_.more);
  if (!known) found = {place, 0};
  if (!known || !enough) coverage.size(points_.fruitless, ++found.fruitless);
  set_pc(op_pc_, place);
  operate(kFruitlessMeeting, "fruitless");
  same("fruitless", "the place is ignored from now on", from_now_on ? 1 : 0, ignored_.get());
}

}  // namespace warpfold::cosim
