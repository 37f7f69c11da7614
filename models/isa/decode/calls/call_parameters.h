// SPDX-License-Identifier: Apache-2.0
// Parameters of inlined calls: those that are only ever accessed as separate scalars need no memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/decode/families/decode_system_calls.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

class CallParameters {
 public:
  // Looks at every use of the .param variables that `function` declares in its body. `same_as`, by
  // Function::variables: what is said of one is said of the other, under that one's index; empty: each is itself.
  explicit CallParameters(const ptx::Function& function, std::span<const std::uint32_t> same_as = {});

  // By Function::variables: every access is a scalar load or store at a fixed offset, and no two overlap partially.
  const std::vector<bool>& in_registers() const { return in_registers_; }

  struct Scalar {
    std::int64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  // Of a variable that needs no memory.
  std::vector<Scalar> scalars(std::uint32_t variable) const;

  // Gives each scalar of those a virtual register of `kernel`.
  void allocate(DraftKernel& kernel);

  // The register of the scalar that `address` names; none if it lies in memory or is no call parameter.
  Ref find(const ptx::Operand& address) const;
  // The registers of a variable; none if it lies in memory.
  std::vector<Register> registers(std::uint32_t variable) const;

 private:
  void note_system_call(const ptx::Function& function, const SystemCallParts& call,
                        std::span<const std::uint32_t> same_as);
  void note_access(std::uint32_t variable, std::int64_t offset, std::uint64_t bytes);

  std::vector<bool> in_registers_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> bytes_;  // variable and offset → size of the scalar
  std::map<std::pair<std::uint32_t, std::int64_t>, Ref> registers_;
};

}  // namespace warpfold::isa
