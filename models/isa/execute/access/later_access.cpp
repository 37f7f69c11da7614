// SPDX-License-Identifier: Apache-2.0
// Accesses to what threads of several cores share, in two steps: which addresses, and later the values.
#include <algorithm>
#include <bit>

#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {

// True: the outcome says where it accesses memory; settle() does the rest.
bool Executor::put_off(const MicroOp& op, std::uint64_t cycle, Outcome& outcome) {
  if (stays_here(op, outcome)) return false;
  if (last_later_ - first_later_ == later_.size()) {
    std::rotate(later_.begin(), later_.begin() + static_cast<std::ptrdiff_t>(place_of(first_later_)), later_.end());
    last_later_ -= first_later_;
    first_later_ = 0;
    later_.resize(std::max<std::size_t>(64, 2 * later_.size()));
  }
  Later& later = later_[place_of(last_later_++)];
  later.op = op;
  later.cycle = cycle;
  later.lanes = *lanes_;
  std::copy_n(lanes_->row, width_, later.rows.begin());
  later.active = active_;
  later.kept = 0;
  keep(later, later.op.base, op.base_wide || op.image.dimensions != 0);
  for (unsigned k = 0; k < op.s_count; ++k) {
    const bool coordinate = op.image.dimensions != 0 && k < op.image.coordinates();
    keep(later, later.op.s[k], op.element_bytes >= 8 && !coordinate);
  }
  return true;
}

// Is it for memory that this core alone has? If not, the outcome says which memory. Behind one that is put off and has
// lanes in shared or local memory, all of these are put off, too: they have to see each other in order.
bool Executor::stays_here(const MicroOp& op, Outcome& outcome) {
  if (op.space == Space::kParam || op.space == Space::kConst) return true;
  if ((op.space == Space::kShared || op.space == Space::kLocal) && !mixed_later_) return true;
  if (op.image.dimensions != 0) {
    find_texels(op, outcome);
    return false;
  }
  Access access = access_of(op, outcome);
  reaches_others_ = reaches_own_ = false;
  resolve(access);
  if (outcome.space != Space::kGlobal && !reaches_others_) {
    const bool written = outcome.space == Space::kShared || outcome.space == Space::kLocal || reaches_own_;
    return !mixed_later_ || !written;
  }
  mixed_later_ |= reaches_own_;
  return false;
}

// Names a constant that will have the operand's present values.
void Executor::keep(Later& later, Word& word, bool wide) {
  if (word == kNoWord || word >= kConstant) return;
  const unsigned first = later.kept;
  later.kept += wide ? 2 : 1;
  if (later.operands.size() < later.kept) later.operands.resize(later.kept);
  for (unsigned k = first; k < later.kept; ++k) {
    const Word from = static_cast<Word>(word + (k - first));
    std::copy_n(source(from, source_[0]), width_, later.operands[k].begin());
  }
  word = static_cast<Word>(kConstant + launch_->kernel->constants.size() + first);
}

bool Executor::settles_writes(std::uint64_t before) const {
  for (std::size_t n = first_later_; n != last_later_; ++n) {
    const Later& later = later_[place_of(n)];
    if (later.cycle >= before) break;
    if (later.op.kind != Kind::kLoad) return true;
  }
  return false;
}

void Executor::settle(std::uint64_t before) {
  const std::size_t first = launch_->kernel->constants.size();
  for (; first_later_ != last_later_; ++first_later_) {
    Later& later = later_[place_of(first_later_)];
    if (later.cycle >= before) return;
    if (constants_.size() < first + later.kept) {
      constants_.resize(first + later.kept);
      steps_.assign(steps_.size(), {});  // they know where constants were
    }
    for (unsigned k = 0; k < later.kept; ++k) {
      std::copy_n(later.operands[k].begin(), later.lanes.width, constants_[first + k].begin());
    }
    later.lanes.row = later.rows.data();
    begin(later.lanes);
    active_ = later.active;
    first_ = static_cast<unsigned>(std::countr_zero(active_));
    write_through_ = one_row_ && (threads_->row_[row_index_].exists & ~active_) == 0;
    access(later.op, unseen_);
  }
  mixed_later_ = false;
}

}  // namespace warpfold::isa
