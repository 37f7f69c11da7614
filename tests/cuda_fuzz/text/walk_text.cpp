// SPDX-License-Identifier: Apache-2.0
// Walks through a graph. Those who walk together, the block, some lanes of a warp or a thread alone, share the word
// that chooses the next node, so that all arrive at a node and may meet there, whatever the graph is like.
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

using Level = Scope::Level;
using Callee = Scope::Callee;

constexpr unsigned kDeep = 36;  // calls

struct KernelText::Walk {
  enum class Form : std::uint8_t { kSwitch, kJumps, kRecursion, kPointers, kVirtual };
  const Statement& statement;
  unsigned id;
  Scope node;  // what each node finds
  Form form = static_cast<Form>(statement.value % 5);
  std::size_t nodes = statement.bodies.size();
  bool again = (statement.value & 0x100) != 0;  // nodes that are called call the next one themselves
  unsigned steps = 2 + (statement.value >> 9) % 6;

  // Which of two or more follow a node.
  std::size_t next(std::size_t from, unsigned choice) const {
    return (statement.value >> 5) * 31 % (2 + from + nodes * choice) % nodes;
  }
  // What calls pass beside the number of steps that are left. A call through a pointer could go to any function of its
  // translation unit with such parameters, so walks differ in them.
  std::string extra(const char* four, const char* eight) const {
    std::string text;
    for (unsigned bits = 1 + (statement.value >> 12) % 255; bits > 1; bits >>= 1)
      text += (bits & 1) != 0 ? four : eight;
    return text;
  }
};

void KernelText::walk(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  line(scope, "{{");
  Walk walk{statement, id, walkers(statement, scope, id)};
  // Deeper than the stacks of most mechanisms, so that parts of these go to memory.
  const bool nests = walk.form == Walk::Form::kRecursion || (walk.form >= Walk::Form::kPointers && walk.again);
  if (nests && (statement.value >> 9) % 3 == 0 && kernel_.shape.threads() <= 256) walk.steps = kDeep;
  const Scope& inner = walk.node;
  switch (walk.form) {
    case Walk::Form::kSwitch:
      line(inner, "u32 at{0} = w{0} % {1}u;", id, walk.nodes);
      line(inner, "for (u32 left{0} = {1}u + w{0} % 4u; left{0} > 0; --left{0}) {{", id, walk.steps);
      nodes_of_switch(walk);
      line(inner, "}}");
      break;
    case Walk::Form::kJumps:
      jumps(walk);
      break;
    case Walk::Form::kRecursion:
      recursion(walk);
      break;
    default:
      calls(walk);
  }
  line(inner, "{}", assignment(statement.variable, fmt::format("w{}", id)));
  line(scope, "}}");
}

// Who walks together, and the word that they begin with.
Scope KernelText::walkers(const Statement& statement, const Scope& scope, unsigned id) {
  Scope inner = scope;
  inner.top = inner.may_break = inner.may_continue = false;
  ++inner.indent;
  inner.counter = fmt::format("left{}", id);
  const std::string start = text(statement.expressions[0], scope);
  if (scope.level == Level::kBlock && (scope.mask.empty() || (statement.value & 0x60000) == 0)) {
    line(inner, "u32 w{} = (u32)__syncthreads_count(({} & 1u) != 0) + block_in_grid() * 77u;", id, start);
  } else if (scope.level != Level::kThread && !scope.mask.empty()) {
    const bool scattered = kernel_.scattered && (statement.value & 0x80000) != 0;
    line(inner, "const u32 m{} = {}(t & 31, {}u) & {};", id, scattered ? "scattered_group" : "group",
         2u << (statement.value >> 20) % 5, scope.mask);
    line(inner, "u32 w{0} = __shfl_sync(m{0}, {1}, __ffs((s32)m{0}) - 1);", id, start);
    inner.level = Level::kWarp;
    inner.mask = inner.named = fmt::format("m{}", id);
  } else {
    line(inner, "u32 w{} = {};", id, start);
    inner.level = Level::kThread;
    inner.mask.clear();
  }
  return inner;
}

// At a node, what they have in common becomes part of the word.
void KernelText::steer(const Walk& walk, const Scope& scope, std::size_t node) {
  const std::string word = fmt::format("w{}", walk.id);
  line(scope, "{0} = {0} * 1664525u + 1013904223u;", word);
  const unsigned way = (walk.statement.value >> (node + 3)) % 8;
  const std::string own = way == 3 && !in_function() ? fmt::format("atomicAdd(&{}[g], {})", array("own32"), word) : "";
  if (scope.level == Level::kBlock) {
    if (way < 5) line(scope, "{} += (u32)__syncthreads_count(({} & 1u) != 0);", word, variable(0));
    return;
  }
  if (scope.mask.empty()) {
    if (!own.empty()) line(scope, "{} += {};", word, own);
    return;
  }
  const std::string& mask = scope.mask;
  switch (way) {
    case 0:
      return line(scope, "{} ^= __ballot_sync({}, ({} & 1u) != 0);", word, mask, variable(0));
    case 1:
      return line(scope, "{0} += __shfl_sync({1}, {2}, (s32)member({1}, {0}));", word, mask, variable(1));
    case 2:
      return line(scope, "{0} += reduce_add({1}, {2});", word, mask, variable(2));
    case 3:
      if (own.empty()) return;
      line(scope, "u32 q{} = 0;", walk.id);
      line(scope, "if ((t & 31) == member({}, 0)) q{} = {};", mask, walk.id, own);
      return line(scope, "{0} += __shfl_sync({1}, q{2}, (s32)member({1}, 0));", word, mask, walk.id);
    case 4:
      return line(scope, "{0} += __match_any_sync({1}, {0});", word, mask);
    case 5:
      return line(scope, "__syncwarp({});", mask);
    default:
      return;
  }
}

void KernelText::nodes_of_switch(const Walk& walk) {
  Scope inner = walk.node;
  inner.indent += 2;
  line(walk.node, "  switch (at{}) {{", walk.id);
  for (std::size_t i = 0; i < walk.nodes; ++i) {
    line(walk.node, "    {}: {{", i + 1 == walk.nodes ? "default" : fmt::format("case {}", i));
    list(walk.statement.bodies[i], inner);
    steer(walk, inner, i);
    line(inner, "at{0} = (w{0} >> 7) % 3 == 0 ? {1}u : (w{0} >> 7) % 3 == 1 ? {2}u : {3}u;", walk.id, walk.next(i, 0),
         walk.next(i, 1), walk.next(i, 2));
    line(walk.node, "    }} break;");
  }
  line(walk.node, "  }}");
}

// Mostly no graph that structured code could have.
void KernelText::jumps(const Walk& walk) {
  const Scope& scope = walk.node;
  line(scope, "u32 left{0} = {1}u + w{0} % 4u;", walk.id, walk.steps);
  line(scope, "switch (w{} % 3) {{", walk.id);
  for (std::size_t i = 1; i < walk.nodes; ++i) line(scope, "  case {1}: goto n{0}_{1};", walk.id, i);
  line(scope, "  default: break;");
  line(scope, "}}");
  Scope inner = scope;
  ++inner.indent;
  for (std::size_t i = 0; i < walk.nodes; ++i) {
    line(scope, "n{}_{}: {{", walk.id, i);
    list(walk.statement.bodies[i], inner);
    steer(walk, inner, i);
    line(inner, "if (left{0}-- == 0) goto end{0};", walk.id);
    line(inner, "if ((w{0} >> 7) % 3 == 0) goto n{0}_{1};", walk.id, walk.next(i, 0));
    line(inner, "if ((w{0} >> 7) % 3 == 1) goto n{0}_{1};", walk.id, walk.next(i, 1));
    line(scope, "}}");
  }
  line(scope, "end{}:;", walk.id);
}

// The second half of what a node does: some of those who came may return before the others.
void KernelText::rest_of_node(const Walk& walk, std::size_t node, Scope scope) {
  const auto& body = walk.statement.bodies[node];
  scope.callee_top = scope.callee == Callee::kTogether;
  list({body.begin() + static_cast<std::ptrdiff_t>(body.size() / 2), body.end()}, scope);
}

void KernelText::first_half(const Walk& walk, std::size_t node, const Scope& scope) {
  const auto& body = walk.statement.bodies[node];
  list({body.begin(), body.begin() + static_cast<std::ptrdiff_t>(body.size() / 2)}, scope);
  steer(walk, scope, node);
}

Scope KernelText::called(const Walk& walk) const {
  Scope inner = walk.node;
  inner.callee = inner.level == Level::kThread ? Callee::kAlone : Callee::kTogether;
  ++inner.indent;
  return inner;
}

// A function that calls itself at every node.
void KernelText::recursion(const Walk& walk) {
  const Scope& scope = walk.node;
  Scope inner = called(walk);
  line(scope, "auto walk{0} = [&](auto& self, u32 at{0}, u32 left{0}) __noinline__ -> void {{", walk.id);
  const auto each_node = [&](auto body) {
    line(inner, "switch (at{}) {{", walk.id);
    Scope node = inner;
    node.indent += 2;
    for (std::size_t i = 0; i < walk.nodes; ++i) {
      line(inner, "  {}: {{", i + 1 == walk.nodes ? "default" : fmt::format("case {}", i));
      body(i, node);
      line(inner, "  }} break;");
    }
    line(inner, "}}");
  };
  each_node([&](std::size_t i, const Scope& node) { first_half(walk, i, node); });
  line(inner, "if (left{0} > 0) self(self, (w{0} >> 7) % {1}u, left{0} - 1);", walk.id, walk.nodes);
  each_node([&](std::size_t i, const Scope& node) { rest_of_node(walk, i, node); });
  line(scope, "}};");
  line(scope, "walk{0}(walk{0}, w{0} % {1}u, {2}u + w{0} % 4u);", walk.id, walk.nodes, walk.steps);
}

void KernelText::calls(const Walk& walk) {
  const Scope& scope = walk.node;
  const bool pointers = walk.form == Walk::Form::kPointers;
  const unsigned id = walk.id;
  const std::string types = walk.extra(", u32", ", u64"), template_types = types.empty() ? "" : types.substr(2);
  const std::string call =
      fmt::format(fmt::runtime(pointers ? "nodes{0}[{1}].code(nodes{0}[{1}].self, left{0} - 1{2});"
                                        : "nodes{0}[{1}]->go(left{0} - 1{2});"),
                  id, fmt::format("(w{} >> 7) % {}u", id, walk.nodes), walk.extra(", 5u", ", 7ull"));
  line(scope, "{}<{}>{} nodes{}[{}];", pointers ? "Code" : "Place", template_types, pointers ? "" : "*", id,
       walk.nodes);
  Scope inner = called(walk);
  for (std::size_t i = 0; i < walk.nodes; ++i) {
    line(scope, "auto n{0}_{1} = [&](u32 left{0}, u32 extra{0}) {{", id, i);
    line(inner, "w{0} += extra{0};", id);
    first_half(walk, i, inner);
    if (walk.again) line(inner, "if (left{} > 0) {}", id, call);
    rest_of_node(walk, i, inner);
    line(scope, "}};");
    if (pointers) {
      line(scope, "nodes{0}[{1}] = {{run_code<decltype(n{0}_{1}){2}>, &n{0}_{1}}};", id, i, types);
    } else {
      line(scope, "PlaceOf<decltype(n{0}_{1}){2}> place{0}_{1}(n{0}_{1});", id, i, types);
      line(scope, "nodes{0}[{1}] = &place{0}_{1};", id, i);
    }
  }
  if (walk.again) {
    line(scope, "const u32 left{0} = {1}u + w{0} % 4u;", id, walk.steps);
    line(scope, "{}", call);
  } else {
    line(scope, "for (u32 left{0} = {1}u + w{0} % 4u; left{0} > 0; --left{0}) {2}", id, walk.steps, call);
  }
}

}  // namespace warpfold::cuda_fuzz
