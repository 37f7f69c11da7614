// SPDX-License-Identifier: Apache-2.0
// Accesses to what threads of several cores share, in two steps: which addresses, and later the values.
#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {

// True: the outcome says where it accesses memory; settle() does the rest.
bool Executor::put_off(const MicroOp& op, Outcome& outcome) {
  if (stays_here(op, outcome)) return false;
  if (laters_ == later_.size()) later_.emplace_back();
  Later& later = later_[laters_++];
  later.op = op;
  later.lanes = *lanes_;
  std::copy_n(lanes_->row, width_, later.rows.begin());
  later.active = active_;
  const bool wide = op.element_bytes == 8;
  keep(later.op.base, op.base_wide || op.image.dimensions != 0);
  for (unsigned k = 0; k < op.s_count; ++k) {
    const bool coordinate = op.image.dimensions != 0 && k < op.image.coordinates();
    keep(later.op.s[k], wide && !coordinate);
  }
  return true;
}

// Is it for memory that this core alone has? If not, the outcome says which memory. Behind one that is put off, those of
// shared memory are, too: some of its lanes may be for that.
bool Executor::stays_here(const MicroOp& op, Outcome& outcome) {
  if (op.space == Space::kParam || op.space == Space::kConst || op.space == Space::kLocal) return true;
  if (op.space == Space::kShared && laters_ == 0) return true;
  if (op.image.dimensions != 0) {
    find_texels(op, outcome);
    return false;
  }
  Access access = access_of(op, outcome);
  resolve(access);
  const bool mixed = access.where == host_.data();
  if (mixed || outcome.space == Space::kGlobal) return false;
  return outcome.space != Space::kShared || laters_ == 0;
}

// Names a constant with the operand's present values.
void Executor::keep(Word& word, bool wide) {
  if (word == kNoWord || word >= kConstant) return;
  const std::size_t first = launch_->kernel->constants.size() + kept_;
  const unsigned words = wide ? 2 : 1;
  kept_ += words;
  if (constants_.size() < first + words) constants_.resize(first + words);
  for (unsigned k = 0; k < words; ++k) {
    std::copy_n(source(static_cast<Word>(word + k), source_[0]), width_, constants_[first + k].begin());
  }
  word = static_cast<Word>(kConstant + first);
}

void Executor::settle() {
  for (std::size_t n = 0; n < laters_; ++n) {
    Later& later = later_[n];
    later.lanes.row = later.rows.data();
    begin(later.lanes);
    active_ = later.active;
    first_ = static_cast<unsigned>(std::countr_zero(active_));
    write_through_ = one_row_ && (threads_->row_[row_index_].exists & ~active_) == 0;
    access(later.op, unseen_);
  }
  laters_ = kept_ = 0;
}

}  // namespace warpfold::isa
