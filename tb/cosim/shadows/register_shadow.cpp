// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/register_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

using divergence::Warp;
using isa::LaneMask;

namespace {

// More clocks than an instruction could ever wait for others.
constexpr unsigned kLongestAccess = 10'000;

}  // namespace

RtlParameters RegisterShadow::sizes(const CoreParams& params) {
  const bool by_row = params.register_file.mapping == BankMapping::kWordAndRow;
  return {{"Lanes", params.warp_size}, {"Banks", params.register_banks},
          {"Operands", kOperands},     {"Rows", params.rows()},
          {"Words", kWords},           {"ByRow", by_row ? 1 : 0}};
}

RegisterShadow::RegisterShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned file,
                               const CoreParams& params)
    : model_(session, "registers", core, sizes(params), fmt::format("_file{}", file)),
      clock_(clock),
      banks_(params.register_banks),
      per_cycle_(params.register_file.accesses_per_cycle),
      row_bits_(index_width(params.rows())),
      number_bits_(index_width(kWords) + index_width(params.register_banks)),
      row_words_(model_.pin("row_words_i")),
      op_valid_(model_.pin("op_valid_i")),
      op_ready_(model_.pin("op_ready_o")),
      op_mask_(model_.pin("op_mask_i")),
      op_row_(model_.pin("op_row_i")),
      op_reads_(model_.pin("op_reads_i")),
      op_number_(model_.pin("op_number_i")),
      busy_(model_.pin("busy_i")),
      bank_enable_(model_.pin("bank_enable_o")),
      together_(model_.record.coverage.event("accesses_of_one_clock")),
      several_(model_.record.coverage.event("accesses_of_several_clocks")),
      beside_(model_.record.coverage.event("clocks_beside_other_accesses")),
      words_(model_.record.coverage.sizes("registers_per_access", 1, kOperands)),
      rows_(model_.record.coverage.sizes("rows_of_threads", 0, params.rows() - 1)),
      in_banks_(model_.record.coverage.sizes("words_in_banks", 0, kWords / params.rows() - 1)),
      one_row_(model_.record.coverage.event("accesses_of_one_row")),
      mixed_(model_.record.coverage.event("accesses_of_mixed_rows")) {}

// What more words than the RTL has operands for take is what instructions one after the other take.
void RegisterShadow::accessed(const RegisterBanks::Words& words, const Warp& threads, LaneMask lanes, Cycle from,
                              Cycle last) {
  if (words.words.empty() || lanes == 0) return;
  // Nobody asks for what is past: `from` is not before the cycle that runs.
  forget_before(clock_.current() * per_cycle_);
  if (taken_.empty()) model_.rtl().forget();
  Coverage& coverage = model_.record.coverage;
  op_mask_.set(lanes);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    op_row_.set_field(lane * row_bits_, row_bits_, threads.row[lane]);
    coverage.size(rows_, threads.row[lane]);
  }
  coverage.count(threads.one_row ? one_row_ : mixed_);
  for (const isa::Word word : words.words) coverage.size(in_banks_, word / banks_);
  row_words_.set(words.words.back() / banks_ + 1);
  Slot served = from * per_cycle_;
  for (std::size_t i = 0; i < words.words.size(); i += kOperands) {
    const auto some = words.words.subspan(i, std::min<std::size_t>(kOperands, words.words.size() - i));
    served = std::max(served, serve(some, from * per_cycle_));
  }
  ++model_.record.operations;
  const Cycle cycle = served / per_cycle_;
  if (cycle == last) return;
  model_.session.differs(model_.rtl(), "access",
                         fmt::format("the last word 0x{:x} cycles after the first", last - from),
                         fmt::format("0x{:x}", cycle - from));
}

RegisterShadow::Slot RegisterShadow::serve(std::span<const isa::Word> words, Slot slot) {
  model_.record.coverage.size(words_, static_cast<unsigned>(words.size()));
  op_reads_.set((1U << words.size()) - 1);
  for (std::size_t o = 0; o < words.size(); ++o) {
    if (words[o] >> number_bits_ != 0) {
      user_error("{}: register {} does not fit the RTL's {} bits: run without --rtl registers", model_.rtl().instance(),
                 words[o], number_bits_);
    }
    op_number_.set_field(static_cast<unsigned>(o) * number_bits_, number_bits_, words[o]);
  }
  op_valid_.set(1);
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  for (unsigned clocks = 0;; ++clocks, ++slot) {
    if (clocks == kLongestAccess) model_.session.differs(model_.rtl(), "access", "an end", "none");
    Banks& others = taken(slot);
    const bool beside = std::any_of(others.begin(), others.end(), [](std::uint64_t banks) { return banks != 0; });
    model_.record.coverage.count_if(beside, beside_);
    std::memcpy(busy_.data(), others.data(), busy_.bytes());
    model_.rtl().eval();
    Banks enabled(others.size());
    std::memcpy(enabled.data(), bank_enable_.data(), bank_enable_.bytes());
    const bool last = static_cast<bool>(op_ready_);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if ((others[i] & enabled[i]) != 0) {
        model_.session.differs(model_.rtl(), "access", fmt::format("none of the busy banks 0x{:x}", others[i]),
                               fmt::format("0x{:x}", enabled[i]));
      }
      others[i] |= enabled[i];
    }
    model_.clock(now_ps);
    if (!last) continue;
    model_.record.coverage.count(clocks == 0 ? together_ : several_);
    break;
  }
  op_valid_.set(0);
  model_.rtl().eval();
  return slot;
}

RegisterShadow::Banks& RegisterShadow::taken(Slot slot) {
  while (slot - first_ >= taken_.size()) taken_.emplace_back((bank_enable_.bits() + 63) / 64);
  return taken_[slot - first_];
}

void RegisterShadow::forget_before(Slot slot) {
  while (first_ < slot && !taken_.empty()) {
    taken_.pop_front();
    ++first_;
  }
  first_ = std::max(first_, slot);
}

}  // namespace warpfold::cosim
