// SPDX-License-Identifier: Apache-2.0
// Which functions a kernel can reach, and which of them may come to call themselves.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "warpfold/isa/decode/calls/indirect_jumps.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

class CallGraph {
 public:
  CallGraph(const ptx::Module& module, const ptx::Function& entry);

  const ptx::Module& module() const { return module_; }
  // The kernel and the functions that it reaches, with direct calls of variables and two-way branches only, none of
  // which runs over its end.
  const ptx::Function& entry() const { return entry_; }
  const ptx::Function& body(FunctionIndex function) const { return nodes_.at(function).body; }

  // Is there a chain of calls from the function to itself? Functions of one component all reach each other.
  bool recursive(FunctionIndex function) const { return nodes_.at(function).recursive; }
  std::size_t component(FunctionIndex function) const { return nodes_.at(function).component; }

 private:
  struct Node {
    ptx::Function body;
    std::vector<FunctionIndex> callees;  // with a body
    std::size_t component = 0;
    bool recursive = false;
  };
  ptx::Function lowered(const ptx::Function& function);
  std::vector<FunctionIndex> callees_of(const ptx::Function& function) const;
  void find_components();

  const ptx::Module& module_;
  std::optional<std::vector<FunctionIndex>> targets_;  // of indirect calls, once there is one
  ptx::Function entry_;
  std::map<FunctionIndex, Node> nodes_;
};

}  // namespace warpfold::isa
