// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/operands/register_banks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using isa::LaneMask;

namespace {

constexpr unsigned kMostBanks = 64;
constexpr std::uint64_t kFirstSlots = 8;

}  // namespace

RegisterBanks::RegisterBanks(const CoreParams& params)
    : banks_(params.register_banks),
      per_cycle_(params.register_file.accesses_per_cycle),
      lane_addresses_(params.register_file.decoder == BankDecoder::kLane),
      by_row_(params.register_file.mapping == BankMapping::kWordAndRow),
      taken_(kFirstSlots * banks_),
      slots_(kFirstSlots) {}

RegisterBanks::Words RegisterBanks::words_of(const std::vector<isa::Word>& words, unsigned registers) const {
  std::size_t count = words.size();
  while (count > 0 && words[count - 1] >= registers) --count;
  const std::span<const isa::Word> in_banks(words.data(), count);
  if (count <= per_cycle_) return {in_banks, count == 0 ? 0U : 1U};
  std::array<unsigned, kMostBanks> accesses{};
  unsigned most = 0;
  for (const isa::Word word : in_banks) most = std::max(most, ++accesses[word & (banks_ - 1)]);
  return {in_banks, (most + per_cycle_ - 1) / per_cycle_};
}

Cycle RegisterBanks::reserve_beside_others(const Words& words, const divergence::Warp& threads, LaneMask lanes,
                                           Cycle now, Cycle from) {
  if (std::exchange(unmarked_, false)) {
    forget_before(end_);  // all of it is older, and past
    first_ = end_ = std::min(last_.from, now) * per_cycle_;
    mark(last_.words, last_.threads, last_.lanes, last_.from);
  }
  forget_before(now * per_cycle_);
  const Cycle last = mark(words, threads, lanes, from);
  free_from_ = std::max(free_from_, last + 1);
  return last;
}

// Calls take(offset, lanes) for each access that a register w of the lanes' threads costs: of `lanes` in bank
// (w + offset) mod banks. Lanes with addresses of their own are served together where they are of one bank; otherwise
// those of one row are, which keep all other lanes of the bank from being served.
template <class Take>
void RegisterBanks::for_each_access(const divergence::Warp& threads, LaneMask lanes, Take take) const {
  if (!lane_addresses_) {
    divergence::for_each_row(threads, lanes, [&](unsigned row, LaneMask) { take(by_row_ ? row : 0, ~LaneMask{0}); });
    return;
  }
  if (!by_row_ || threads.one_row) {
    take(by_row_ ? threads.row[static_cast<unsigned>(std::countr_zero(lanes))] : 0U, lanes);
    return;
  }
  std::array<LaneMask, kMostBanks> lanes_of;  // by bank of register 0, where `used` has it
  std::uint64_t used = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned bank = threads.row[static_cast<unsigned>(std::countr_zero(rest))] & (banks_ - 1);
    const LaneMask others = (used >> bank & 1) != 0 ? lanes_of[bank] : 0;
    lanes_of[bank] = others | (rest & ~(rest - 1));
    used |= std::uint64_t{1} << bank;
  }
  for (; used != 0; used &= used - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(used));
    take(bank, lanes_of[bank]);
  }
}

Cycle RegisterBanks::mark(const Words& words, const divergence::Warp& threads, LaneMask lanes, Cycle from) {
  const Slot begin = from * per_cycle_;
  Slot last = begin;
  for_each_access(threads, lanes, [&](unsigned offset, LaneMask served) {
    for (const isa::Word word : words.words) {
      last = std::max(last, take((word + offset) & (banks_ - 1), served, begin));
    }
  });
  return last / per_cycle_;
}

// Returns when the last of the lanes is served.
RegisterBanks::Slot RegisterBanks::take(unsigned bank, LaneMask lanes, Slot slot) {
  for (;; ++slot) {
    while (slot - first_ >= slots_) grow();
    LaneMask& busy = taken(slot)[bank];
    const LaneMask served = lanes & ~busy;
    busy |= served;
    lanes &= ~served;
    if (lanes == 0) break;
  }
  end_ = std::max(end_, slot + 1);
  return slot;
}

void RegisterBanks::forget_before(Slot slot) {
  for (; first_ < std::min(slot, end_); ++first_) std::fill_n(taken(first_), banks_, 0);
  first_ = std::max(first_, slot);
  end_ = std::max(end_, first_);
}

void RegisterBanks::grow() {
  std::vector<LaneMask> wider(2 * slots_ * banks_);
  for (Slot slot = first_; slot < end_; ++slot) {
    std::copy_n(taken(slot), banks_, &wider[(slot & (2 * slots_ - 1)) * banks_]);
  }
  taken_ = std::move(wider);
  slots_ *= 2;
}

}  // namespace warpfold
