// SPDX-License-Identifier: Apache-2.0
// Parameters of inlined calls: those that are only ever accessed as separate scalars need no memory.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/decode_system_calls.h"
#include "warpfold/isa/decode/draft.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

class CallParameters {
 public:
  // Looks at every use of the .param variables that `function` declares in its body.
  explicit CallParameters(const ptx::Function& function);

  // By Function::variables: every access is a scalar load or store at a fixed offset, and no two overlap partially.
  const std::vector<bool>& in_registers() const { return in_registers_; }

  // Gives each scalar of those a virtual register of `kernel`.
  void allocate(DraftKernel& kernel);

  // The register of the scalar that `address` names; none if it lies in memory or is no call parameter.
  Ref find(const ptx::Operand& address) const;

 private:
  void note_access(const ptx::Operand& address, std::uint64_t bytes);
  void note_system_call(const ptx::Function& function, const SystemCallParts& call);

  std::vector<bool> in_registers_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> bytes_;  // variable and offset → size of the scalar
  std::map<std::pair<std::uint32_t, std::int64_t>, Ref> registers_;
};

}  // namespace warpfold::isa
