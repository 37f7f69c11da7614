// SPDX-License-Identifier: Apache-2.0
// Which functions a kernel can reach, and which of them may come to call themselves.
#include "warpfold/isa/decode/calls/call_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <utility>

#include "warpfold/isa/decode/calls/register_arguments.h"
#include "warpfold/isa/decode/compounds/compound.h"

namespace warpfold::isa {
namespace {

// Code must not run into what is appended behind it: a body that does not end with a jump gets the `ret` that its end
// means.
void end_with_return(ptx::Function& function) {
  auto& code = function.instructions;
  const auto is_jump = [](const ptx::Instruction& i) {
    return !i.guard.present && (i.name == "ret" || i.name == "exit" || i.name == "bra" || i.name == "trap");
  };
  const bool label_at_end = std::any_of(function.labels.begin(), function.labels.end(),
                                        [&](const ptx::Label& label) { return label.instruction == code.size(); });
  if (!code.empty() && is_jump(code.back()) && !label_at_end) return;
  ptx::Instruction end;
  end.name = "ret";
  end.where = code.empty() ? function.where : code.back().where;
  code.push_back(std::move(end));
}

}  // namespace

CallGraph::CallGraph(const ptx::Module& module, const ptx::Function& entry) : module_(module), entry_(lowered(entry)) {
  std::vector<FunctionIndex> work = callees_of(entry_);
  while (!work.empty()) {
    const FunctionIndex function = work.back();
    work.pop_back();
    const auto [place, is_new] = nodes_.try_emplace(function);
    if (!is_new) continue;
    Node& node = place->second;
    node.body = lowered(module.functions[function]);
    node.callees = callees_of(node.body);
    work.insert(work.end(), node.callees.begin(), node.callees.end());
  }
  find_components();
}

ptx::Function CallGraph::lowered(const ptx::Function& function) {
  ptx::Function result = function;
  end_with_return(result);
  end_allocations(result);
  if (has_register_arguments(result)) write_register_arguments(module_, result);
  split_wide_registers(result);
  take_cache_policies(result);
  if (has_compounds(result)) lower_compounds(result);
  if (!has_indirect_jumps(result)) return result;
  if (!targets_) targets_ = address_taken(module_);
  lower_indirect_jumps(module_, *targets_, result);
  return result;
}

std::vector<FunctionIndex> CallGraph::callees_of(const ptx::Function& function) const {
  std::vector<FunctionIndex> callees;
  for (const ptx::Instruction& instruction : function.instructions) {
    const ptx::Operand* const callee = instruction.name == "call" ? callee_of(instruction) : nullptr;
    if (callee == nullptr || callee->refers != ptx::Refers::kFunction) continue;
    if (module_.functions[callee->index].has_body) callees.push_back(callee->index);
  }
  std::sort(callees.begin(), callees.end());
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  return callees;
}

void CallGraph::find_components() {
  std::map<FunctionIndex, std::size_t> vertex;
  for (const auto& [function, node] : nodes_) vertex.emplace(function, vertex.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(nodes_.size());
  for (const auto& [function, node] : nodes_) {
    for (const FunctionIndex callee : node.callees) add_edge(vertex[function], vertex[callee], graph);
  }
  std::vector<std::size_t> component(nodes_.size());
  const std::size_t count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
  std::vector<unsigned> members(count, 0);
  for (const std::size_t c : component) ++members[c];
  for (auto& [function, node] : nodes_) {
    node.component = component[vertex[function]];
    const bool calls_itself = std::binary_search(node.callees.begin(), node.callees.end(), function);
    node.recursive = members[node.component] > 1 || calls_itself;
  }
}

}  // namespace warpfold::isa
