// SPDX-License-Identifier: Apache-2.0
// A kernel while it is being decoded: micro-ops whose operands are still virtual registers.
#include "warpfold/isa/decode/draft.h"

#include <algorithm>

#include "warpfold/isa/decode/special_registers.h"

namespace warpfold::isa {
namespace {

Flow flow_of(Kind kind) {
  switch (kind) {
    case Kind::kBranch:
      return Flow::kBranch;
    case Kind::kExit:
      return Flow::kExit;
    case Kind::kTrap:
      return Flow::kTrap;
    default:
      return Flow::kNext;
  }
}

FlowOp flow_op(const Draft& draft, const DraftKernel& kernel) {
  FlowOp flow;
  flow.flow = flow_of(draft.op.kind);
  flow.target = draft.op.target;
  flow.varying = draft.varying;
  const auto read = [&](const Ref& ref) {
    if (ref.kind == Ref::Kind::kRegister) flow.reads.push_back(ref.index);
    if (ref.kind == Ref::Kind::kSpecial && is_thread_varying(kernel.specials[ref.index])) flow.varying = true;
  };
  for (const Ref& ref : draft.s) read(ref);
  read(draft.base);
  read(draft.guard);
  if (draft.guard.kind == Ref::Kind::kRegister) flow.guard = draft.guard.index;
  for (const Ref& ref : draft.d) {
    if (ref.kind == Ref::Kind::kRegister) flow.writes.push_back(ref.index);
  }
  return flow;
}

}  // namespace

std::vector<FlowOp> DraftKernel::flow() const {
  std::vector<FlowOp> flow;
  for (const Draft& op : ops) flow.push_back(flow_op(op, *this));
  return flow;
}

Ref DraftKernel::constant(std::uint64_t bits, bool wide) {
  const auto [entry, is_new] = constant_index_.try_emplace({bits, wide}, static_cast<std::uint32_t>(constants.size()));
  if (is_new) {
    constants.push_back(static_cast<std::uint32_t>(bits));
    if (wide) constants.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  return {Ref::Kind::kFixed, entry->second};
}

Ref DraftKernel::special(Special which) {
  const auto found = std::find(specials.begin(), specials.end(), which);
  const auto index = static_cast<std::uint32_t>(found - specials.begin());
  if (found == specials.end()) specials.push_back(which);
  return {Ref::Kind::kSpecial, index};
}

std::uint32_t DraftKernel::opcode(const std::string& text) {
  const auto [entry, is_new] = opcode_index_.try_emplace(text, static_cast<std::uint32_t>(opcodes.size()));
  if (is_new) opcodes.push_back(text);
  return entry->second;
}

}  // namespace warpfold::isa
