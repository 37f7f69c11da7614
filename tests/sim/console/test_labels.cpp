// SPDX-License-Identifier: Apache-2.0
// Labels of things that differ in a few properties.
#include <gtest/gtest.h>

#include "tb/sim/console/labels.h"

namespace warpfold::sim {
namespace labels_test {

using Labels = std::vector<std::string>;

Facts machine(const std::string& name, const std::string& width, const std::string& seed) {
  return {{"machine", name}, {"width", "width=" + width}, {"seed", "seed=" + seed}};
}

TEST(Labels, NothingIsSaidOfWhatIsAlike) {
  EXPECT_EQ(told_apart({}), Labels{});
  EXPECT_EQ(told_apart({machine("a", "8", "1")}), Labels{""});
  EXPECT_EQ(told_apart({machine("a", "8", "1"), machine("a", "8", "1")}), (Labels{"", ""}));
}

// Machines of different names differ in many values, of which none needs to be told.
TEST(Labels, TheFirstFactsThatTellThingsApart) {
  EXPECT_EQ(told_apart({machine("a", "8", "1"), machine("b", "16", "2")}), (Labels{"a", "b"}));
  EXPECT_EQ(told_apart({machine("a", "8", "1"), machine("a", "16", "2")}), (Labels{"width=8", "width=16"}));
  EXPECT_EQ(told_apart({machine("a", "8", "1"), machine("b", "8", "1"), machine("a", "8", "2")}),
            (Labels{"a, seed=1", "b, seed=1", "a, seed=2"}));
}

TEST(Labels, ThingsWithoutAFact) {
  EXPECT_EQ(told_apart({{{"size", "small"}}, {{"arguments", "7"}}, {}}), (Labels{"small", "7", ""}));
}

TEST(Labels, FunctionsAreNamedShortly) {
  EXPECT_EQ(short_function_name("expand(int*, int)"), "expand");
  EXPECT_EQ(short_function_name("void ns::copy<int, (anonymous namespace)::T<3> >(int*)"),
            "ns::copy<int, (anonymous namespace)::T<3> >");
  EXPECT_EQ(short_function_name("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
  EXPECT_EQ(short_function_name("ns::(anonymous namespace)::k(int)"), "ns::(anonymous namespace)::k");
  EXPECT_EQ(short_function_name("void library::detail::kernel<library::Sum<int>, (anonymous namespace)::Mine>(int*)"),
            "kernel<Sum<int>, Mine>");
  EXPECT_EQ(short_function_name("void ns::k<" + std::string(80, 'x') + ">(int*)"), "k<" + std::string(55, 'x') + "...");
  EXPECT_EQ(short_function_name("a->b"), "a->b");
}

}  // namespace labels_test
}  // namespace warpfold::sim
