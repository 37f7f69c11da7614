// SPDX-License-Identifier: Apache-2.0
// Writes one kernel. What may stand where follows from the scope: who arrives there together, and whether a warp knows.
#pragma once

#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_fuzz/text/render.h"

namespace warpfold::cuda_fuzz {

struct Scope {
  // Who arrives: the whole block, but for threads that have ended; those of a warp in `mask`; anyone.
  enum class Level : std::uint8_t { kBlock, kWarp, kThread };
  Level level = Level::kThread;
  std::string mask;            // of the lanes that arrive; empty: not known
  std::string named;           // what collectives name: these, or also threads that have ended
  bool top = false;            // the kernel's own list of statements
  std::string counter = "0u";  // of the innermost loop
  std::string loop_mask;       // what the innermost loop goes on with; empty: its warps do not know
  bool may_break = false, may_continue = false;
  // In a function of a walk: whether its threads came alone or together; and its own list, where those may part.
  enum class Callee : std::uint8_t { kNone, kAlone, kTogether };
  Callee callee = Callee::kNone;
  bool callee_top = false;
  unsigned indent = 1;
};

class KernelText {
 public:
  KernelText(const Kernel& kernel, std::string name) : kernel_(kernel), name_(std::move(name)) {}
  Text make();

 private:
  // The kernel, or one of its functions: what its code so far has mentioned.
  struct Context {
    int function = -1;
    std::string code;
    std::set<std::size_t> variables;
    std::set<std::string> arrays;  // local, shared and of the result
  };

  // kernel_text.cpp: the frame
  std::string function_text(std::size_t index);
  std::string declarations(Context& context, const std::set<std::size_t>& variables);
  std::string prologue();
  std::string epilogue();
  std::string finish_function(Text& text);
  std::string launch_function();
  std::string pointers(Text& text);
  void region(Text& text, const std::string& name, unsigned elements, unsigned bytes, bool per_thread);
  std::string initial(std::size_t variable) const;

  // expression_text.cpp
  std::string text(const Expression& expression, const Scope& scope);
  std::string constant(const Expression& expression) const;
  std::string special(const Expression& expression, const Scope& scope) const;
  std::string variable(std::size_t index);
  std::string array(const std::string& name);  // mentions it
  // "u0 = (u32)(…);"
  std::string assignment(std::size_t variable, const std::string& value);

  // flow_text.cpp
  void list(const std::vector<Statement>& statements, Scope scope);
  void statement(const Statement& statement, Scope& scope);
  bool flow(const Statement& statement, Scope& scope);
  void branch(const Statement& statement, const Scope& scope);
  void uniform_branch(const Statement& statement, const Scope& scope);
  void masked_branch(const Statement& statement, const Scope& scope);
  void loop(const Statement& statement, const Scope& scope);
  void uniform_loop(const Statement& statement, const Scope& scope);
  void masked_loop(const Statement& statement, const Scope& scope);
  void until(const Statement& statement, const Scope& scope);
  void switch_over(const Statement& statement, const Scope& scope);
  void leave_loop(const Statement& statement, Scope& scope);
  void go_on(const Statement& statement, Scope& scope);
  void leave_kernel(const Statement& statement, Scope& scope);
  void leave_callee(const std::string& condition, Scope& scope);
  bool uniform(const Statement& statement, const Scope& scope) const;
  bool masked(const Statement& statement, const Scope& scope) const;

  // walk_text.cpp
  struct Walk;
  void walk(const Statement& statement, const Scope& scope);
  Scope walkers(const Statement& statement, const Scope& scope, unsigned id);
  void steer(const Walk& walk, const Scope& scope, std::size_t node);
  void nodes_of_switch(const Walk& walk);
  void jumps(const Walk& walk);
  void recursion(const Walk& walk);
  void calls(const Walk& walk);
  Scope called(const Walk& walk) const;
  void first_half(const Walk& walk, std::size_t node, const Scope& scope);
  void rest_of_node(const Walk& walk, std::size_t node, Scope scope);

  // memory_text.cpp
  void memory(const Statement& statement, const Scope& scope);
  void load(const Statement& statement, const Scope& scope);
  void fetch(const Statement& statement, const Scope& scope);
  void vector_load(const Statement& statement, const Scope& scope);
  void vector_store(const Statement& statement, const Scope& scope);
  void local(const Statement& statement, const Scope& scope);
  void call(const Statement& statement, const Scope& scope);
  void atomic_own(const Statement& statement, const Scope& scope);
  void atomic_common(const Statement& statement, const Scope& scope);
  void ticket(const Statement& statement, const Scope& scope);
  void compare_and_swap(const Statement& statement, const Scope& scope);
  void lock(const Statement& statement, const Scope& scope);
  std::string counters(const Statement& statement, unsigned bits);

  // meeting_text.cpp
  void meeting(const Statement& statement, const Scope& scope);
  void exchange(const Statement& statement, const Scope& scope);
  static std::string put(const char* type, const std::string& places, const std::string& value);
  void vote(const Statement& statement, const Scope& scope);
  void shuffle(const Statement& statement, const Scope& scope);
  void reduce(const Statement& statement, const Scope& scope);
  void matrix(const Statement& statement, const Scope& scope);
  void match(const Statement& statement, const Scope& scope);
  void aggregate(const Statement& statement, const Scope& scope);
  void last_block(const Statement& statement, const Scope& scope);
  void synchronise(const Statement& statement, const Scope& scope);

  // group_text.cpp
  void named_barrier(const Statement& statement, const Scope& scope);
  void team(const Statement& statement, const Scope& scope);
  void roles(const Statement& statement, const Scope& scope);
  void tile(const Statement& statement, const Scope& scope);
  void tile_exchange(const Statement& statement, const Scope& scope, unsigned id);
  void tile_shuffle(const Statement& statement, const Scope& scope, unsigned id, unsigned size);
  void tile_vote(const Statement& statement, const Scope& scope, unsigned id);
  void tile_reduce(const Statement& statement, const Scope& scope, unsigned id, unsigned size);

  template <class... Args>
  void line(const Scope& scope, fmt::format_string<Args...> format, Args&&... args) {
    context_->code += std::string(2 * scope.indent, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  unsigned fresh() { return names_++; }
  bool in_function() const { return context_->function >= 0; }

  const Kernel& kernel_;
  std::string name_;
  Context* context_ = nullptr;
  unsigned names_ = 10;      // behind those of the variables
  bool last_block_ = false;  // once a kernel
  bool returned_ = false;    // some threads may have ended
};

}  // namespace warpfold::cuda_fuzz
