// SPDX-License-Identifier: Apache-2.0
#include "tb/study/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/number.h"

namespace warpfold::study {
namespace {

constexpr unsigned kMostFactors = 23;

// Of Plackett and Burman 1946, by runs: the first row, whose cyclic shifts are the others; all low comes last.
const std::map<std::size_t, std::string>& generators() {
  static const std::map<std::size_t, std::string> rows{
      {4, "++-"},
      {8, "+++-+--"},
      {12, "++-+++---+-"},
      {16, "++++-+-++--+---"},
      {20, "++--++++-+-+----++-"},
      {24, "+++++-+-++--++--+-+----"},
  };
  return rows;
}

using Signs = std::vector<std::vector<bool>>;  // by run and factor; true: high

// Of the design's own, or the smallest that has room.
std::string first_row(const ConfigNode& design, std::size_t factors) {
  if (design.find("row") != nullptr) {
    const ConfigNode& row = design.value("row");
    const bool of_signs = row.scalar().find_first_not_of("+-") == std::string::npos;
    if (!of_signs || row.scalar().size() < factors) {
      row.reject(fmt::format("must be + and -, at least one for each of {} factors", factors));
    }
    return row.scalar();
  }
  const auto found =
      std::find_if(generators().begin(), generators().end(), [&](const auto& entry) { return entry.first > factors; });
  return found->second;
}

Signs plackett_burman(const ConfigNode& design, std::size_t factors) {
  const std::string row = first_row(design, factors);
  Signs signs(row.size() + 1, std::vector<bool>(factors, false));
  for (std::size_t run = 0; run < row.size(); ++run) {
    for (std::size_t factor = 0; factor < factors; ++factor) {
      signs[run][factor] = row[(factor + row.size() - run) % row.size()] == '+';
    }
  }
  return signs;
}

// The first factor changes fastest.
Signs full_factorial(std::size_t factors) {
  Signs signs(std::size_t{1} << factors, std::vector<bool>(factors));
  for (std::size_t run = 0; run < signs.size(); ++run) {
    for (std::size_t factor = 0; factor < factors; ++factor) signs[run][factor] = (run >> factor & 1) != 0;
  }
  return signs;
}

struct Generator {
  std::size_t factor;
  std::vector<std::size_t> product;
  bool negative = false;
};

std::size_t letter(char c, std::size_t factors, const ConfigNode& node) {
  const auto index = static_cast<std::size_t>(c - 'A');
  if (c < 'A' || index >= factors) node.reject(fmt::format("'{}' is no factor's letter", c));
  return index;
}

// "D=ABC", "E=-AB".
Generator generator_of(const ConfigNode& node, std::size_t factors) {
  const std::string& text = node.scalar();
  if (text.size() < 3 || text[1] != '=') node.reject("must be like D=ABC");
  Generator generator{letter(text[0], factors, node), {}, text[2] == '-'};
  for (const char c : text.substr(generator.negative ? 3 : 2)) {
    generator.product.push_back(letter(c, factors, node));
  }
  if (generator.product.empty()) node.reject("must be like D=ABC");
  return generator;
}

Signs fractional_factorial(const ConfigNode& design, std::size_t factors) {
  design.list("generators");
  std::vector<Generator> generators;
  for (const ConfigNode& node : design.find("generators")->nodes()) generators.push_back(generator_of(node, factors));
  const auto generated = [&](std::size_t factor) {
    return std::any_of(generators.begin(), generators.end(), [&](const Generator& g) { return g.factor == factor; });
  };
  std::vector<std::size_t> free;
  for (std::size_t factor = 0; factor < factors; ++factor) {
    if (!generated(factor)) free.push_back(factor);
  }
  Signs signs;
  for (const std::vector<bool>& base : full_factorial(free.size())) {
    std::vector<bool> run(factors);
    for (std::size_t i = 0; i < free.size(); ++i) run[free[i]] = base[i];
    for (const Generator& generator : generators) {
      bool high = !generator.negative;
      for (const std::size_t factor : generator.product) {
        if (generated(factor)) design.value("kind").reject("a generator is made of factors that have none themselves");
        if (!run[factor]) high = !high;
      }
      run[generator.factor] = high;
    }
    signs.push_back(run);
  }
  return signs;
}

// 0..31 are as many values.
void add_values(std::vector<std::string>& values, const ConfigNode& node) {
  const std::string& text = node.scalar();
  const auto dots = text.find("..");
  const auto first = dots == std::string::npos ? std::nullopt : number_in<std::int64_t>(text.substr(0, dots));
  const auto last = first ? number_in<std::int64_t>(text.substr(dots + 2)) : std::nullopt;
  if (!last) return values.push_back(text);
  if (*last < *first || *last - *first > 100'000) node.reject("must be a range such as 0..31");
  for (std::int64_t value = *first; value <= *last; ++value) values.push_back(std::to_string(value));
}

}  // namespace

const std::string* find(const Values& values, const std::string& key) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == key; });
  return found == values.end() ? nullptr : &found->second;
}

void set(Values& values, const std::string& key, const std::string& value) {
  std::erase_if(values, [&](const auto& entry) { return entry.first == key; });
  values.emplace_back(key, value);
}

std::vector<Values> product(const std::vector<Axis>& axes, const std::string& place) {
  std::vector<Values> all{{}};
  for (const Axis& axis : axes) {
    if (all.size() * axis.rows.size() > kMostPoints) {
      user_error("{}: more than {} points: divide it into studies", place, kMostPoints);
    }
    std::vector<Values> next;
    for (const Values& values : all) {
      for (const auto& row : axis.rows) {
        next.push_back(values);
        for (std::size_t i = 0; i < row.size(); ++i) next.back().emplace_back(axis.keys[i], row[i]);
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<Axis> zip(std::vector<Axis> axes, const ConfigNode& groups) {
  for (const ConfigNode& group : groups.nodes()) {
    const std::vector<std::string> keys = values_of(group);
    Axis together;
    std::size_t at = axes.size();
    for (const std::string& key : keys) {
      const auto axis = std::find_if(axes.begin(), axes.end(),
                                     [&](const Axis& one) { return one.keys.size() == 1 && one.keys.front() == key; });
      if (axis == axes.end()) user_error("{}: {}: no list '{}' in this part", group.place(), group.path(), key);
      if (!together.keys.empty() && axis->rows.size() != together.rows.size()) {
        user_error("{}: {}: {} has {} values and {} has {}: lists that go together are as long as each other",
                   group.place(), group.path(), together.keys.front(), together.rows.size(), key, axis->rows.size());
      }
      at = std::min(at, static_cast<std::size_t>(axis - axes.begin()));
      together.rows.resize(axis->rows.size());
      together.keys.push_back(key);
      for (std::size_t i = 0; i < axis->rows.size(); ++i) together.rows[i].push_back(axis->rows[i].front());
      axes.erase(axis);
    }
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(std::min(at, axes.size())), together);
  }
  return axes;
}

const std::vector<std::string>& designs() {
  static const std::vector<std::string> kinds{"plackett-burman", "full-factorial", "fractional-factorial"};
  return kinds;
}

Axis design_of(const ConfigNode& design) {
  const std::vector<std::string>& kinds = designs();
  const ConfigNode& kind = design.value("kind");
  if (std::find(kinds.begin(), kinds.end(), kind.scalar()) == kinds.end()) {
    kind.reject(fmt::format("no such design; {}", suggestion(kind.scalar(), kinds)));
  }
  const ConfigNode& factors = design.table("factors");
  Axis axis;
  std::vector<std::vector<std::string>> levels;
  for (const auto& [key, node] : factors.children()) {
    axis.keys.push_back(key);
    levels.push_back(values_of(node));
    if (levels.back().size() != 2) {
      user_error("{}: {}: a factor has a low and a high value: [8, 32]", node.place(), node.path());
    }
  }
  if (levels.empty() || levels.size() > kMostFactors) kind.reject(fmt::format("wants 1 to {} factors", kMostFactors));
  constexpr std::size_t kMostFull = 12;
  if (kind.scalar() != kinds[0] && levels.size() > kMostFull) kind.reject("that many factors are for plackett-burman");
  const Signs signs = kind.scalar() == kinds[0]   ? plackett_burman(design, levels.size())
                      : kind.scalar() == kinds[1] ? full_factorial(levels.size())
                                                  : fractional_factorial(design, levels.size());
  for (const std::vector<bool>& run : signs) {
    axis.rows.emplace_back();
    for (std::size_t i = 0; i < levels.size(); ++i) axis.rows.back().push_back(levels[i][run[i] ? 1 : 0]);
  }
  return axis;
}

std::string linked_value(const std::string& expression, const Lookup& lookup) {
  std::istringstream words(expression.substr(1));
  const auto fail = [&] {
    user_error("'{}': must be like '= core.warp_size', '= core.warp_size / 2' or '= 36 * core.warp_size + 1'",
               expression);
  };
  const auto number = [&](const std::string& word) {
    const std::string text = number_in<std::int64_t>(word) ? word : lookup(word);
    const auto value = number_in<std::int64_t>(text);
    if (!value) user_error("'{}': {} is no whole number", expression, text);
    return *value;
  };
  std::string word, operation;
  if (!(words >> word)) fail();
  if (words.eof()) return number_in<std::int64_t>(word) ? word : lookup(word);  // of any type
  std::int64_t value = number(word);
  while (words >> operation) {
    if (!(words >> word)) fail();
    const std::int64_t right = number(word);
    if (operation == "*") {
      value *= right;
    } else if (operation == "+") {
      value += right;
    } else if (operation == "-") {
      value -= right;
    } else if (operation != "/") {
      fail();
    } else if (right == 0 || value % right != 0) {
      user_error("'{}': {} does not divide {}", expression, right, value);
    } else {
      value /= right;
    }
  }
  return std::to_string(value);
}

std::vector<std::string> values_of(const ConfigNode& node) {
  if (node.is_table()) user_error("{}: {}: expected a value or a list of values", node.place(), node.path());
  std::vector<std::string> values;
  if (!node.is_list()) add_values(values, node);
  for (const ConfigNode& item : node.nodes()) {
    if (item.is_table() || item.is_list()) user_error("{}: {}: expected a value", item.place(), item.path());
    add_values(values, item);
  }
  if (values.empty()) user_error("{}: {}: an empty list", node.place(), node.path());
  return values;
}

}  // namespace warpfold::study
