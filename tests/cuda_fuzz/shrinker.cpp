// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/shrinker.h"

#include <algorithm>
#include <set>
#include <string>

#include "tests/cuda_fuzz/text/render.h"

namespace warpfold::cuda_fuzz {
namespace {

using List = std::vector<Statement>;
template <class T>
using Yield = std::function<void(T)>;

// Candidates that are compiled together. The first ones leave out most, and mostly one of them fails.
constexpr std::size_t kFirst = 6, kAtOnce = 24;

Expression simple(Type type) {
  static constexpr std::uint64_t kOne[kTypes] = {1, 1, 1, 1, 1, 1, 1, 1, 0x3f800000, 0x3ff0000000000000};
  return {Expression::Kind::kConstant, type, kOne[static_cast<std::size_t>(type)], nullptr, {}};
}

void smaller_expressions(const Expression& expression, const Yield<Expression>& yield) {
  if (expression.kind == Expression::Kind::kConstant) return;
  yield(simple(expression.type));
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    if (expression.operands[i].type == expression.type) yield(expression.operands[i]);
    smaller_expressions(expression.operands[i], [&](Expression operand) {
      Expression changed = expression;
      changed.operands[i] = std::move(operand);
      yield(std::move(changed));
    });
  }
}

void smaller_lists(const List& list, const Yield<List>& yield);

void smaller_statements(const Statement& statement, const Yield<Statement>& yield) {
  for (std::size_t i = 0; i < statement.bodies.size(); ++i) {
    smaller_lists(statement.bodies[i], [&](List body) {
      Statement changed = statement;
      changed.bodies[i] = std::move(body);
      yield(std::move(changed));
    });
  }
  if (statement.bodies.size() > 1) {
    Statement changed = statement;
    changed.bodies.pop_back();
    yield(std::move(changed));
  }
  for (std::size_t i = 0; i < statement.expressions.size(); ++i) {
    smaller_expressions(statement.expressions[i], [&](Expression expression) {
      Statement changed = statement;
      changed.expressions[i] = std::move(expression);
      yield(std::move(changed));
    });
  }
}

List replaced(const List& list, std::size_t at, std::size_t count, const List& by) {
  List made(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(at));
  made.insert(made.end(), by.begin(), by.end());
  made.insert(made.end(), list.begin() + static_cast<std::ptrdiff_t>(at + count), list.end());
  return made;
}

void smaller_lists(const List& list, const Yield<List>& yield) {
  for (std::size_t length = list.size(); length > 0; length /= 2) {
    for (std::size_t at = 0; at + length <= list.size(); at += length) yield(replaced(list, at, length, {}));
  }
  for (std::size_t at = 0; at < list.size(); ++at) {
    for (const List& body : list[at].bodies) yield(replaced(list, at, 1, body));
  }
  for (std::size_t at = 0; at < list.size(); ++at) {
    smaller_statements(list[at], [&](Statement statement) { yield(replaced(list, at, 1, {std::move(statement)})); });
  }
}

void smaller_shapes(const Shape& shape, const Yield<Shape>& yield) {
  const unsigned threads = shape.block_threads();
  for (const unsigned fewer : {1u, 2u, 8u, 32u, 64u, threads}) {
    if (fewer < threads || (fewer == threads && shape.block[0] != threads)) yield({shape.grid, {fewer, 1, 1}});
  }
  for (const unsigned fewer : {1u, 2u, shape.blocks()}) {
    if (fewer < shape.blocks() || (fewer == shape.blocks() && shape.grid[0] != fewer))
      yield({{fewer, 1, 1}, shape.block});
  }
}

std::size_t expression_size(const Expression& expression) {
  std::size_t size = 1;
  for (const Expression& operand : expression.operands) size += expression_size(operand);
  return size;
}

}  // namespace

std::vector<Kernel> smaller(const Kernel& kernel) {
  std::vector<Kernel> found;
  const auto with = [&](auto change) {
    Kernel changed = kernel;
    change(changed);
    found.push_back(std::move(changed));
  };
  smaller_lists(kernel.body, [&](List body) { with([&](Kernel& changed) { changed.body = std::move(body); }); });
  for (std::size_t i = 0; i < kernel.functions.size(); ++i) {
    smaller_lists(kernel.functions[i],
                  [&](List body) { with([&](Kernel& changed) { changed.functions[i] = std::move(body); }); });
  }
  if (!kernel.functions.empty()) with([](Kernel& changed) { changed.functions.pop_back(); });
  if (kernel.launches > 1) with([](Kernel& changed) { changed.launches = 1; });
  smaller_shapes(kernel.shape, [&](Shape shape) { with([&](Kernel& changed) { changed.shape = shape; }); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Kernel& a, const Kernel& b) { return a.statements() < b.statements(); });
  return found;
}

Kernel shrink(Kernel kernel, const Fails& fails, unsigned rounds) {
  std::string text = render(kernel, "k").code;
  std::set<std::string> known{text};
  for (bool better = true; better;) {
    better = false;
    std::vector<Kernel> candidates;
    std::size_t at_once = kFirst;
    const auto ask = [&] {
      --rounds;
      at_once = std::min(2 * at_once, kAtOnce);
      const std::vector<bool> failing = fails(candidates);
      const auto first = std::find(failing.begin(), failing.end(), true);
      better = first != failing.end();
      if (better) kernel = std::move(candidates[static_cast<std::size_t>(first - failing.begin())]);
      candidates.clear();
    };
    for (Kernel& next : smaller(kernel)) {
      if (rounds == 0) return kernel;
      std::string changed = render(next, "k").code;
      if (changed == text && next.statements() < kernel.statements()) {  // what was left out had no text where it stood
        kernel = std::move(next);
        better = true;
      } else if (known.insert(std::move(changed)).second) {
        candidates.push_back(std::move(next));
        if (candidates.size() == at_once) ask();
      }
      if (better) break;
    }
    if (!better && !candidates.empty() && rounds > 0) ask();
    text = render(kernel, "k").code;
  }
  return kernel;
}

}  // namespace warpfold::cuda_fuzz
