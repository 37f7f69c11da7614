// SPDX-License-Identifier: Apache-2.0
// Which points there are: products, lists that go together, designs of experiments, links.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tb/study/axes.h"
#include "warpfold/common/error.h"

namespace warpfold::study {
namespace axes_test {

ConfigNode node(const std::string& text) {
  return ConfigNode::from_text(text, "x.yaml", ConfigNode::Lists::kOfAnything);
}

template <class Body>
std::string complaint(Body body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string text(const Values& values) {
  std::string out;
  for (const auto& [key, value] : values) {
    out.append(out.empty() ? 0 : 1, ' ');
    out += key + "=" + value;
  }
  return out;
}

TEST(Axes, TheLastChangesFastest) {
  const auto all = product({{{"a"}, {{"1"}, {"2"}}}, {{"b", "c"}, {{"x", "y"}, {"z", "w"}}}}, "here");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(text(all[0]), "a=1 b=x c=y");
  EXPECT_EQ(text(all[1]), "a=1 b=z c=w");
  EXPECT_EQ(text(all[3]), "a=2 b=z c=w");
  EXPECT_EQ(product({}, "here").size(), 1U);
}

TEST(Axes, TooManyPointsAreAMistake) {
  Axis thousand{{"a"}, std::vector<std::vector<std::string>>(1000, {"1"})};
  EXPECT_EQ(complaint([&] {
              product({thousand, thousand}, "x.yaml:3:5");
            }),
            "x.yaml:3:5: more than 200000 points: divide it into studies");
}

TEST(Axes, ListsGoTogether) {
  const std::vector<Axis> axes{{{"a"}, {{"1"}, {"2"}}}, {{"b"}, {{"x"}}}, {{"c"}, {{"3"}, {"4"}}}};
  const auto all = product(zip(axes, *node("zip: [[c, a]]").find("zip")), "here");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(text(all[0]), "c=3 a=1 b=x");
  EXPECT_EQ(text(all[1]), "c=4 a=2 b=x");
  EXPECT_EQ(complaint([&] { zip(axes, *node("zip: [[a, d]]").find("zip")); }),
            "x.yaml:1:7: zip[0]: no list 'd' in this part");
  EXPECT_EQ(complaint([&] { zip(axes, *node("zip: [[a, b]]").find("zip")); }),
            "x.yaml:1:7: zip[0]: a has 2 values and b has 1: lists that go together are as long as each other");
}

TEST(Axes, ValuesAreOneOrAListOrARange) {
  EXPECT_EQ(values_of(*node("a: 5").find("a")), (std::vector<std::string>{"5"}));
  EXPECT_EQ(values_of(*node("a: [5, x]").find("a")), (std::vector<std::string>{"5", "x"}));
  EXPECT_EQ(values_of(*node("a: [-1..2, 7]").find("a")), (std::vector<std::string>{"-1", "0", "1", "2", "7"}));
  EXPECT_EQ(values_of(*node("a: ../b..c").find("a")), (std::vector<std::string>{"../b..c"}));
  EXPECT_EQ(complaint([] { values_of(*node("a: 3..1").find("a")); }),
            "x.yaml:1:1: a = 3..1: must be a range such as 0..31");
  EXPECT_EQ(complaint([] { values_of(*node("a: []").find("a")); }), "x.yaml:1:1: a: an empty list");
  EXPECT_EQ(complaint([] { values_of(*node("a: [{b: 1}]").find("a")); }), "x.yaml:1:5: a[0]: expected a value");
}

// As signs, a run a line.
std::string signs(const Axis& axis) {
  std::string out;
  for (const auto& row : axis.rows) {
    for (const std::string& value : row) out.push_back(value == "hi" ? '+' : '-');
    out.push_back('\n');
  }
  return out;
}

Axis design(const std::string& kind, unsigned factors, const std::string& more = "") {
  std::string yaml = "design:\n  kind: " + kind + "\n" + more + "  factors:\n";
  for (unsigned i = 0; i < factors; ++i) yaml += "    f" + std::to_string(i) + ": [lo, hi]\n";
  return design_of(node(yaml).table("design"));
}

// Plackett and Burman's conditions: each factor is high in half of the runs, and any two are high together in a
// quarter.
TEST(Axes, PlackettBurmanDesignsAreOrthogonal) {
  const std::map<unsigned, std::size_t> runs{{3, 4}, {7, 8}, {8, 12}, {11, 12}, {15, 16}, {19, 20}, {23, 24}};
  for (const auto& [factors, expected] : runs) {
    const Axis axis = design("plackett-burman", factors);
    ASSERT_EQ(axis.rows.size(), expected);
    for (std::size_t a = 0; a < factors; ++a) {
      for (std::size_t b = a; b < factors; ++b) {
        std::size_t together = 0;
        for (const auto& row : axis.rows) together += row[a] == "hi" && row[b] == "hi" ? 1 : 0;
        EXPECT_EQ(together, a == b ? expected / 2 : expected / 4) << factors << ": " << a << ", " << b;
      }
    }
  }
}

TEST(Axes, PlackettBurmanOfEightRuns) {
  EXPECT_EQ(signs(design("plackett-burman", 7)),
            "+++-+--\n-+++-+-\n--+++-+\n+--+++-\n-+--+++\n+-+--++\n++-+--+\n-------\n");
  EXPECT_EQ(signs(design("plackett-burman", 7, "  row: +--+-++\n")),
            "+--+-++\n++--+-+\n+++--+-\n-+++--+\n+-+++--\n-+-+++-\n--+-+++\n-------\n");
}

TEST(Axes, Factorials) {
  EXPECT_EQ(signs(design("full-factorial", 2)), "--\n+-\n-+\n++\n");
  EXPECT_EQ(signs(design("fractional-factorial", 3, "  generators: [C=AB]\n")), "--+\n+--\n-+-\n+++\n");
  EXPECT_EQ(signs(design("fractional-factorial", 3, "  generators: [C=-AB]\n")), "---\n+-+\n-++\n++-\n");
}

TEST(Axes, MistakesInDesigns) {
  EXPECT_EQ(complaint([] { design("plackett-burmann", 3); }),
            "x.yaml:2:3: design.kind = plackett-burmann: no such design; did you mean 'plackett-burman'?");
  EXPECT_EQ(complaint([] { design("plackett-burman", 24); }),
            "x.yaml:2:3: design.kind = plackett-burman: wants 1 to 23 factors");
  EXPECT_EQ(complaint([] { design("full-factorial", 13); }),
            "x.yaml:2:3: design.kind = full-factorial: that many factors are for plackett-burman");
  EXPECT_EQ(complaint([] { design("fractional-factorial", 3, "  generators: [D=AB]\n"); }),
            "x.yaml:3:16: design.generators[0] = D=AB: 'D' is no factor's letter");
  EXPECT_EQ(complaint([] { design("fractional-factorial", 3, "  generators: [CAB]\n"); }),
            "x.yaml:3:16: design.generators[0] = CAB: must be like D=ABC");
  EXPECT_EQ(complaint([] { design("plackett-burman", 3, "  row: ++\n"); }),
            "x.yaml:3:3: design.row = ++: must be + and -, at least one for each of 3 factors");
  EXPECT_EQ(complaint([] { design_of(node("d: {kind: full-factorial, factors: {a: [1, 2, 3]}}").table("d")); }),
            "x.yaml:1:37: d.factors.a: a factor has a low and a high value: [8, 32]");
}

std::string link(const std::string& expression) {
  const std::map<std::string, std::string> known{{"a", "16"}, {"b", "3"}, {"policy", "AGE"}};
  return linked_value(expression, [&](const std::string& key) {
    if (!known.contains(key)) user_error("{}: no such parameter", key);
    return known.at(key);
  });
}

TEST(Axes, LinksAreEvaluatedFromLeftToRight) {
  EXPECT_EQ(link("= a"), "16");
  EXPECT_EQ(link("= policy"), "AGE");
  EXPECT_EQ(link("= a / 2"), "8");
  EXPECT_EQ(link("= 2 * a + 1"), "33");
  EXPECT_EQ(link("= a - b * 2"), "26");
  EXPECT_EQ(complaint([] { link("= a / b"); }), "'= a / b': 3 does not divide 16");
  EXPECT_EQ(complaint([] { link("= a / 0"); }), "'= a / 0': 0 does not divide 16");
  EXPECT_EQ(complaint([] { link("= policy + 1"); }), "'= policy + 1': AGE is no whole number");
  EXPECT_EQ(complaint([] { link("= c"); }), "c: no such parameter");
  EXPECT_EQ(complaint([] { link("= a ^ 2"); }),
            "'= a ^ 2': must be like '= core.warp_size', '= core.warp_size / 2' or '= 36 * core.warp_size + 1'");
  EXPECT_EQ(complaint([] { link("="); }).substr(0, 14), "'=': must be l");
}

}  // namespace axes_test
}  // namespace warpfold::study
