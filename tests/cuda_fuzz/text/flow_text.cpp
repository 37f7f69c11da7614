// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

using Kind = Statement::Kind;
using Level = Scope::Level;

namespace {

// Inside a branch or loop whose threads nobody knows.
Scope anyone(const Scope& scope) {
  Scope inner = scope;
  inner.level = Level::kThread;
  inner.mask.clear();
  inner.top = inner.callee_top = false;
  // The loop's other threads would wait for those who leave from here.
  if (!inner.loop_mask.empty()) inner.may_break = inner.may_continue = false;
  ++inner.indent;
  return inner;
}

Scope lanes(const Scope& scope, const std::string& mask) {
  Scope inner = anyone(scope);
  inner.level = Level::kWarp;
  inner.mask = inner.named = mask;
  inner.may_break = inner.may_continue = false;
  return inner;
}

Scope whole_block(const Scope& scope) {
  Scope inner = scope;
  inner.top = inner.callee_top = inner.may_break = inner.may_continue = false;
  ++inner.indent;
  return inner;
}

}  // namespace

void KernelText::list(const std::vector<Statement>& statements, Scope scope) {
  for (const Statement& each : statements) statement(each, scope);
}

void KernelText::statement(const Statement& statement, Scope& scope) {
  if (statement.kind == Kind::kAssign) {
    line(scope, "{}", assignment(statement.variable, text(statement.expressions[0], scope)));
  } else if (!flow(statement, scope)) {
    memory(statement, scope);
    meeting(statement, scope);
  }
}

bool KernelText::flow(const Statement& statement, Scope& scope) {
  switch (statement.kind) {
    case Kind::kIf:
      branch(statement, scope);
      return true;
    case Kind::kLoop:
      loop(statement, scope);
      return true;
    case Kind::kUntil:
      until(statement, scope);
      return true;
    case Kind::kSwitch:
      switch_over(statement, scope);
      return true;
    case Kind::kWalk:
      walk(statement, scope);
      return true;
    case Kind::kBreak:
      leave_loop(statement, scope);
      return true;
    case Kind::kContinue:
      go_on(statement, scope);
      return true;
    case Kind::kReturn:
      leave_kernel(statement, scope);
      return true;
    default:
      return false;
  }
}

bool KernelText::uniform(const Statement& statement, const Scope& scope) const {
  return statement.together && scope.level == Level::kBlock && (scope.mask.empty() || (statement.value & 0x100) != 0);
}
bool KernelText::masked(const Statement& statement, const Scope& scope) const {
  return statement.together && !scope.mask.empty();
}

void KernelText::branch(const Statement& statement, const Scope& scope) {
  if (uniform(statement, scope)) return uniform_branch(statement, scope);
  if (masked(statement, scope)) return masked_branch(statement, scope);
  const Scope inner = anyone(scope);
  line(scope, "if ({} & {:#x}u) {{", text(statement.expressions[0], scope), 1 + statement.value % 7);
  list(statement.bodies[0], inner);
  if (statement.bodies.size() > 1) {
    line(scope, "}} else {{");
    list(statement.bodies[1], inner);
  }
  line(scope, "}}");
}

void KernelText::uniform_branch(const Statement& statement, const Scope& scope) {
  line(scope, "if (((block_in_grid() + {}) & 1) == 0) {{", statement.value % 2);
  list(statement.bodies[0], whole_block(scope));
  if (statement.bodies.size() > 1) {
    line(scope, "}} else {{");
    list(statement.bodies[1], whole_block(scope));
  }
  line(scope, "}}");
}

void KernelText::masked_branch(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  line(scope, "const bool c{} = ({} & {:#x}u) != 0;", id, text(statement.expressions[0], scope),
       1 + statement.value % 7);
  line(scope, "const u32 m{0} = __ballot_sync({1}, c{0});", id, scope.named);
  line(scope, "if (c{}) {{", id);
  list(statement.bodies[0], lanes(scope, fmt::format("m{}", id)));
  if (statement.bodies.size() > 1) {
    line(scope, "}} else {{");
    list(statement.bodies[1], lanes(scope, fmt::format("({} & ~m{})", scope.mask, id)));
  }
  line(scope, "}}");
}

void KernelText::loop(const Statement& statement, const Scope& scope) {
  if (uniform(statement, scope)) return uniform_loop(statement, scope);
  if (masked(statement, scope)) return masked_loop(statement, scope);
  const unsigned id = fresh();
  line(scope, "const u32 n{} = {} % {}u;", id, text(statement.expressions[0], scope), 2 + statement.value % 4);
  line(scope, "for (u32 i{0} = 0; i{0} < n{0}; ++i{0}) {{", id);
  Scope inner = anyone(scope);
  inner.counter = fmt::format("i{}", id);
  inner.loop_mask.clear();
  inner.may_break = inner.may_continue = true;
  list(statement.bodies[0], inner);
  line(scope, "}}");
}

void KernelText::uniform_loop(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  line(scope, "for (u32 i{0} = 0; i{0} < (block_in_grid() + {1}) % 3 + 1; ++i{0}) {{", id, statement.value % 3);
  Scope inner = whole_block(scope);
  inner.counter = fmt::format("i{}", id);
  list(statement.bodies[0], inner);
  line(scope, "}}");
}

// Before each turn those who go on tell one another.
void KernelText::masked_loop(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  line(scope, "const u32 n{} = {} % {}u;", id, text(statement.expressions[0], scope), 2 + statement.value % 4);
  line(scope, "u32 m{} = {};", id, scope.named);
  line(scope, "for (u32 i{0} = 0;; ++i{0}) {{", id);
  Scope inner = lanes(scope, fmt::format("m{}", id));
  inner.counter = fmt::format("i{}", id);
  inner.loop_mask = inner.mask;
  inner.may_break = inner.may_continue = true;
  line(inner, "m{0} = __ballot_sync(m{0}, i{0} < n{0});", id);
  line(inner, "if (i{0} >= n{0}) break;", id);
  list(statement.bodies[0], inner);
  line(scope, "}}");
}

void KernelText::until(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  line(scope, "u32 i{} = {} % {}u;", id, text(statement.expressions[0], scope), 2 + statement.value % 3);
  line(scope, "do {{");
  Scope inner = anyone(scope);
  inner.counter = fmt::format("i{}", id);
  inner.loop_mask.clear();
  inner.may_break = inner.may_continue = true;
  list(statement.bodies[0], inner);
  line(scope, "}} while (i{}-- != 0);", id);
}

void KernelText::switch_over(const Statement& statement, const Scope& scope) {
  const unsigned id = fresh();
  const bool known = masked(statement, scope);
  const std::size_t cases = statement.bodies.size();
  line(scope, "const u32 x{} = {} % {}u;", id, text(statement.expressions[0], scope), cases + 1);
  if (known) line(scope, "const u32 m{0} = __match_any_sync({1}, x{0});", id, scope.named);
  line(scope, "switch (x{}) {{", id);
  Scope inner = known ? lanes(scope, fmt::format("m{}", id)) : anyone(scope);
  inner.may_break = false;  // it would leave the switch
  ++inner.indent;
  for (std::size_t i = 0; i < cases; ++i) {
    const bool last = i + 1 == cases && (statement.value & 1) != 0;
    line(scope, "{}: {{", last ? "default" : fmt::format("case {}", i));
    list(statement.bodies[i], inner);
    const bool falls_through = !known && (statement.value >> (i + 1) & 1) != 0;
    line(scope, "}} {}", falls_through ? "// falls through" : "break;");
  }
  line(scope, "}}");
}

void KernelText::leave_loop(const Statement& statement, Scope& scope) {
  if (!scope.may_break) return;
  const std::string condition =
      fmt::format("({} & 3u) == {}u", text(statement.expressions[0], scope), statement.value % 4);
  if (scope.loop_mask.empty() || scope.mask.empty()) return line(scope, "if ({}) break;", condition);
  const unsigned id = fresh();
  line(scope, "const bool c{} = {};", id, condition);
  line(scope, "{0} = __ballot_sync({0}, !c{1});", scope.loop_mask, id);
  line(scope, "if (c{}) break;", id);
}

// The others of the loop's turn go on without these; the next turn is for all.
void KernelText::go_on(const Statement& statement, Scope& scope) {
  if (!scope.may_continue) return;
  const std::string condition =
      fmt::format("({} & 3u) == {}u", text(statement.expressions[0], scope), statement.value % 4);
  if (scope.loop_mask.empty() || scope.mask.empty()) return line(scope, "if ({}) continue;", condition);
  const unsigned id = fresh();
  line(scope, "const bool c{} = {};", id, condition);
  line(scope, "const u32 m{0} = __ballot_sync({1}, !c{0});", id, scope.mask);
  line(scope, "if (c{}) continue;", id);
  scope.mask = scope.named = fmt::format("m{}", id);
  scope.may_break = false;  // those who went on would not know
}

void KernelText::leave_kernel(const Statement& statement, Scope& scope) {
  const std::string condition =
      fmt::format("({} & 7u) == {}u", text(statement.expressions[0], scope), statement.value % 8);
  if (scope.callee != Scope::Callee::kNone) return leave_callee(condition, scope);
  if (in_function()) return line(scope, "if ({}) return t * 7;", condition);
  if (kernel_.meetings == Meetings::kWarps && !scope.top) return;
  if (kernel_.meetings != Meetings::kNone && !kernel_.returns) return;
  returned_ = true;
  if (kernel_.meetings != Meetings::kWarps) return line(scope, "if ({}) {{ @FINISH@ return; }}", condition);
  const unsigned id = fresh();
  line(scope, "const bool c{} = {};", id, condition);
  line(scope, "const u32 m{0} = __ballot_sync({1}, !c{0});", id, scope.named);
  line(scope, "if (c{}) {{ @FINISH@ return; }}", id);
  scope.mask = fmt::format("m{}", id);
  if ((statement.value & 0x200) != 0) scope.named = scope.mask;
}

// Those who stay know who they are, where warps do; the caller sees all of them again.
void KernelText::leave_callee(const std::string& condition, Scope& scope) {
  if (scope.callee == Scope::Callee::kAlone) return line(scope, "if ({}) return;", condition);
  if (!scope.callee_top) return;
  if (scope.mask.empty()) {
    scope.level = Level::kThread;
    return line(scope, "if ({}) return;", condition);
  }
  const unsigned id = fresh();
  line(scope, "const bool c{} = {};", id, condition);
  line(scope, "const u32 m{0} = __ballot_sync({1}, !c{0});", id, scope.named);
  line(scope, "if (c{}) return;", id);
  scope.level = Level::kWarp;
  scope.mask = scope.named = fmt::format("m{}", id);
}

}  // namespace warpfold::cuda_fuzz
