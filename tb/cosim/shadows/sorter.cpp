// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/sorter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tb/cosim/contract.h"
#include "warpfold/common/error.h"

namespace warpfold::cosim {

using divergence::Context;
using divergence::ContextTriple;
using divergence::kSortedContexts;

namespace {

constexpr const char* kRelations[] = {"deeper",         "less_deep", "as_deep_lower",
                                      "as_deep_higher", "one_place", "one_place_other_depth"};

std::size_t relation(const Context& a, const Context& b) {
  if (a.place == b.place) return a.depth == b.depth ? 4 : 5;
  if (a.depth != b.depth) return a.depth > b.depth ? 0 : 1;
  return a.place < b.place ? 2 : 3;
}

std::string text(const ContextTriple& contexts) {
  std::string text;
  for (const Context& one : contexts) {
    if (one.mask != 0) text += fmt::format(" depth {} place {} mask 0x{:x};", one.depth, one.place, one.mask);
  }
  return "contexts" + text;
}

}  // namespace

RtlSorter::RtlSorter(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes)
    : model_(session, "sorter", core, {{"Lanes", lanes}, {"PcWidth", kPcBits}, {"DepthWidth", kDepthBits}}),
      clock_(clock),
      lanes_(lanes),
      handshake_{model_.pin("op_valid_i"), model_.pin("op_ready_o"), model_.pin("res_valid_o")},
      op_mask_(model_.pin("op_mask_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_depth_(model_.pin("op_depth_i")),
      res_mask_(model_.pin("res_mask_o")),
      res_pc_(model_.pin("res_pc_o")),
      res_depth_(model_.pin("res_depth_o")) {
  model_.pin("res_ready_i").set(1);
  model_.record.model_latency = kClocks;
  Coverage& coverage = model_.record.coverage;
  coverage.cannot("operations_back_to_back", Coverage::kOneAtATime);
  coverage.cannot("results_that_wait", Coverage::kTakesAtOnce);
  contexts_ = coverage.sizes("contexts", 1, kSortedContexts);
  depths_ = coverage.sizes("depths", 0, (1U << kDepthBits) - 1);
  places_ = coverage.sizes("bits_of_places", 0, kPcBits);
  for (const char* const pair : {"0_1", "0_2", "1_2"}) {
    for (const char* const relation : kRelations) {
      pairs_.push_back(coverage.event(fmt::format("contexts_{}_{}", pair, relation)));
    }
  }
  holes_ = coverage.event("contexts_behind_an_empty_one");
  merges_ = coverage.event("merges");
  all_merge_ = coverage.event("all_three_merge");
  reordered_ = coverage.event("others_go_first");
  apart_ = coverage.event("three_stay_apart");
}

ContextTriple RtlSorter::sort(const ContextTriple& contexts) {
  RtlModel& rtl = model_.rtl();
  rtl.forget();
  ask(contexts);
  model_.asks("sort", 0, contexts[0].place);
  const std::uint64_t latency = model_.operate(clock_.edge_ps(clock_.current()), handshake_, "contexts");
  const ContextTriple got = answer();
  if (model_.session.contract()) {
    const std::string rule = broken_by(contexts, got);
    if (!rule.empty()) model_.session.breaks(rtl, text(contexts), rule, text(got));
  } else {
    const ContextTriple expected = divergence::sort_contexts(contexts);
    if (got != expected) model_.session.differs(rtl, text(contexts), text(expected), text(got));
  }
  count(contexts, got);
  model_.took(latency, text(contexts));
  clocks.spend(static_cast<unsigned>(latency));
  return got;
}

void RtlSorter::count(const ContextTriple& contexts, const ContextTriple& sorted) {
  const auto number = [](const ContextTriple& triple) {
    return static_cast<unsigned>(std::count_if(triple.begin(), triple.end(), [](const Context& c) { return c.mask; }));
  };
  Coverage& coverage = model_.record.coverage;
  coverage.size(contexts_, number(contexts));
  for (const Context& one : contexts) {
    if (one.mask == 0) continue;
    coverage.size(depths_, one.depth);
    coverage.size(places_, static_cast<unsigned>(std::bit_width(one.place)));
  }
  std::size_t pair = 0;
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    if (contexts[a].mask != 0 && contexts[b].mask != 0) {
      coverage.count(pairs_[pair * std::size(kRelations) + relation(contexts[a], contexts[b])]);
    }
    coverage.count_if(contexts[a].mask == 0 && contexts[b].mask != 0, holes_);
    ++pair;
  }
  coverage.count(merges_, number(contexts) - number(sorted));
  coverage.count_if(number(contexts) == kSortedContexts && number(sorted) == 1, all_merge_);
  coverage.count_if(contexts[0].mask != 0 && (sorted[0].mask & contexts[0].mask) == 0, reordered_);
  coverage.count_if(number(sorted) == kSortedContexts, apart_);
}

void RtlSorter::ask(const ContextTriple& contexts) {
  for (unsigned i = 0; i < kSortedContexts; ++i) {
    const Context& one = contexts[i];
    if (one.place >> kPcBits != 0 || one.depth >> kDepthBits != 0) {
      user_error(
          "{}: place {} at depth {} does not fit the RTL's {} and {} bits: run a smaller kernel, or without "
          "--rtl sorter",
          model_.rtl().instance(), one.place, one.depth, kPcBits, kDepthBits);
    }
    op_mask_.set_field(i * lanes_, lanes_, one.mask);
    op_pc_.set_field(i * kPcBits, kPcBits, one.place);
    op_depth_.set_field(i * kDepthBits, kDepthBits, one.depth);
  }
}

ContextTriple RtlSorter::answer() {
  ContextTriple sorted;
  for (unsigned i = 0; i < kSortedContexts; ++i) {
    sorted[i].mask = res_mask_.field(i * lanes_, lanes_);
    sorted[i].place = static_cast<isa::Pc>(res_pc_.field(i * kPcBits, kPcBits));
    sorted[i].depth = static_cast<unsigned>(res_depth_.field(i * kDepthBits, kDepthBits));
  }
  return sorted;
}

}  // namespace warpfold::cosim
