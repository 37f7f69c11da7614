// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/block_placement.h"

#include <algorithm>
#include <utility>

namespace warpfold::isa {
namespace {

using Index = std::size_t;
constexpr Index kNone = ~Index{0};

class Placement {
 public:
  explicit Placement(DraftKernel& kernel) : kernel_(kernel) {
    split();
    thread_jumps();
    chain();
  }

  // Each jump that a place can be found for goes; those behind a branch first, since all turns of a loop pass them.
  void drop_jumps() {
    for (const bool behind_branch : {true, false}) {
      for (Index b = 0; b < blocks_.size(); ++b) {
        if (!blocks_[b].live || jump_of(b) == kNone || is_behind_branch(b) != behind_branch) continue;
        if (follow(b, jump_of(b))) {
          blocks_[b].ops.pop_back();
        } else if (behind_branch) {
          turn_around(b - 1);
        }
      }
    }
  }

  // Can control go from the instruction to the one behind it?
  static bool goes_on(const Draft& draft) {
    const bool leaves = draft.op.kind == Kind::kBranch || draft.op.kind == Kind::kExit || draft.op.kind == Kind::kTrap;
    return !leaves || draft.guard.kind != Ref::Kind::kNone;
  }

  void write() {
    std::vector<Index> order;
    for (Index b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].live || head_[b] != b || before_[b] != kNone) continue;
      for (Index head = b; head != kNone; head = after_[head]) {
        for (Index i = head; i < blocks_.size() && head_[i] == head; ++i) {
          if (blocks_[i].live) order.push_back(i);
        }
      }
    }
    std::vector<Pc> begin(blocks_.size() + 1, 0);
    Pc pc = 0;
    for (const Index b : order) {
      begin[b] = pc;
      pc += static_cast<Pc>(blocks_[b].ops.size());
    }
    begin.back() = pc;  // the kernel's end
    kernel_.ops.clear();
    for (const Index b : order) {
      for (Draft& draft : blocks_[b].ops) {
        if (draft.op.kind == Kind::kBranch) draft.op.target = begin[draft.op.target];
        kernel_.ops.push_back(std::move(draft));
      }
    }
  }

 private:
  struct Block {
    std::vector<Draft> ops;  // a branch's target is the index of a block
    bool live = true;        // something goes or falls here
  };

  // Branches end blocks.
  void split() {
    std::vector<Draft>& ops = kernel_.ops;
    std::vector<bool> leads(ops.size() + 1, false);
    leads[0] = true;
    for (Pc pc = 0; pc < ops.size(); ++pc) {
      if (ops[pc].op.kind == Kind::kBranch) leads[ops[pc].op.target] = leads[pc + 1] = true;
      if (!goes_on(ops[pc])) leads[pc + 1] = true;
    }
    std::vector<Index> block_at(ops.size() + 1, 0);
    for (Pc pc = 0; pc < ops.size(); ++pc) {
      if (leads[pc]) blocks_.emplace_back();
      block_at[pc] = blocks_.size() - 1;
      blocks_.back().ops.push_back(std::move(ops[pc]));
    }
    block_at[ops.size()] = blocks_.size();
    for (Block& block : blocks_) {
      MicroOp& last = block.ops.back().op;
      if (last.kind == Kind::kBranch) last.target = static_cast<Pc>(block_at[last.target]);
    }
  }

  // Where the unconditional `bra` at a block's end goes; kNone: there is none. Inlined calls and returns stay as they
  // are, and so do jumps to the kernel's end.
  Index jump_of(Index b) const {
    if (blocks_[b].ops.empty()) return kNone;
    const Draft& last = blocks_[b].ops.back();
    const bool jumps = last.op.kind == Kind::kBranch && last.guard.kind == Ref::Kind::kNone &&
                       kernel_.opcodes[last.op.text].starts_with("bra") && last.op.target < blocks_.size();
    return jumps ? last.op.target : kNone;
  }

  bool falls_through(Index b) const { return blocks_[b].ops.empty() || goes_on(blocks_[b].ops.back()); }

  // A block of nothing but a jump, behind a branch that can turn around.
  bool is_behind_branch(Index b) const {
    return b > 0 && blocks_[b].ops.size() == 1 && blocks_[b - 1].live && falls_through(b - 1) &&
           !blocks_[b - 1].ops.empty() && blocks_[b - 1].ops.back().op.kind == Kind::kBranch;
  }

  void thread_jumps() {
    for (Block& block : blocks_) {
      MicroOp& last = block.ops.back().op;
      if (last.kind != Kind::kBranch) continue;
      for (Index hops = 0; hops < blocks_.size() && last.target < blocks_.size(); ++hops) {
        if (blocks_[last.target].ops.size() != 1 || jump_of(last.target) == kNone) break;
        last.target = static_cast<Pc>(jump_of(last.target));
      }
    }
    // Blocks of a jump that nothing goes to any more.
    std::vector<bool> wanted(blocks_.size() + 1, false);
    wanted[0] = true;
    for (Index b = 0; b < blocks_.size(); ++b) {
      if (falls_through(b)) wanted[b + 1] = true;
      if (blocks_[b].ops.back().op.kind == Kind::kBranch) wanted[blocks_[b].ops.back().op.target] = true;
    }
    for (Index b = 0; b < blocks_.size(); ++b) {
      if (!wanted[b] && blocks_[b].ops.size() == 1 && jump_of(b) != kNone) blocks_[b].live = false;
    }
  }

  // Blocks that fall into each other stay together: a chain, named after its first block.
  void chain() {
    head_.resize(blocks_.size());
    for (Index b = 0; b < blocks_.size(); ++b) {
      const bool continues = b > 0 && blocks_[b - 1].live && falls_through(b - 1);
      head_[b] = continues ? head_[b - 1] : b;
    }
    before_.assign(blocks_.size(), kNone);
    after_.assign(blocks_.size(), kNone);
  }

  // Lets the chain that begins with `next` come behind the chain that ends with `last`, if that is possible.
  bool follow(Index last, Index next) {
    const Index chain = head_[last];
    if (head_[next] != next || next == 0 || before_[next] != kNone || after_[chain] != kNone) return false;
    for (Index i = chain; i != kNone; i = before_[i]) {
      if (i == next) return false;  // it comes before already
    }
    after_[chain] = next;
    before_[next] = chain;
    return true;
  }

  // `@p bra A; bra B;` becomes `@!p bra B;` with A behind it.
  void turn_around(Index branch) {
    Draft& last = blocks_[branch].ops.back();
    const Index jump = branch + 1, target = last.op.target;
    if (target >= blocks_.size() || !follow(jump, target)) return;
    last.op.target = static_cast<Pc>(jump_of(jump));
    last.op.guard_negated = !last.op.guard_negated;
    blocks_[jump].ops.clear();
  }

  DraftKernel& kernel_;
  std::vector<Block> blocks_;
  std::vector<Index> head_;            // by block: the first of its chain
  std::vector<Index> before_, after_;  // by head: the chains around its chain
};

}  // namespace

void place_blocks(DraftKernel& kernel) {
  // A kernel without a last `ret` ends behind its last line, and only there.
  if (kernel.ops.empty() || Placement::goes_on(kernel.ops.back())) return;
  Placement placement(kernel);
  placement.drop_jumps();
  placement.write();
}

}  // namespace warpfold::isa
