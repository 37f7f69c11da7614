// SPDX-License-Identifier: Apache-2.0
// What the configuration loader accepts, and the text of every complaint.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <tuple>

#include "warpfold/common/config/config.h"
#include "warpfold/common/error.h"

namespace warpfold {

enum class Policy : std::uint8_t { kRoundRobin, kGreedy };

template <>
struct Choices<Policy> {
  static constexpr std::array names{"round_robin", "greedy"};
};

namespace config_test {

struct Core {
  unsigned warp_size = 32;
  std::int32_t offset = -3;
  double scale = 0.5;
  bool bypass = false;
  Policy policy = Policy::kGreedy;
  static constexpr auto fields() {
    return std::tuple{power_of_two("warp_size", "lanes", &Core::warp_size, 1, 64, "threads per warp"),
                      field("offset", "cycles", &Core::offset, -8, 8, "an offset"),
                      field("scale", "", &Core::scale, 0.0, 1.0, "a fraction"),
                      flag("bypass", &Core::bypass, "go around"), choice("policy", &Core::policy, "who goes first")};
  }
};

struct Extra {
  std::uint64_t entries = 7;
  unsigned ways = 2;
  static constexpr auto fields() {
    return std::tuple{field("entries", "entries", &Extra::entries, 1, ~std::uint64_t{0}, "how many"),
                      field("ways", "ways", &Extra::ways, 1, 8, "how wide")};
  }
};

// Parameters that others extend: their table begins with its base's.
struct Base {
  unsigned depth = 3;
  static constexpr auto fields() { return std::tuple{field("depth", "entries", &Base::depth, 1, 9, "how deep")}; }
};
struct Derived : Base {
  std::string file = "a b";
  static constexpr auto fields() {
    return std::tuple_cat(Base::fields(), std::tuple{text("file", &Derived::file, "where from")});
  }
};

struct Machine {
  unsigned cores = 30;
  Core core;
  Extra extra;
  static constexpr auto fields() {
    return std::tuple{field("cores", "cores", &Machine::cores, 1, 1024, "how many cores"),
                      section("core", &Machine::core, "one core"),
                      optional_section("extra", &Machine::extra, "may be left out")};
  }
};

const char* const kGood =
    "cores: 4  # few\n"
    "core:\n"
    "  warp_size: 16\n"
    "  offset: -5\n"
    "  scale: 0.25\n"
    "  bypass: true\n"
    "  policy: round_robin\n";

Machine parse(const std::string& text) {
  Machine machine;
  load(machine, ConfigNode::from_text(text, "m.yaml"));
  return machine;
}

// The message with which `text`, after the overrides, is refused.
std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    ConfigNode node = ConfigNode::from_text(text, "m.yaml");
    for (const auto& set : sets) node.set(set);
    Machine machine;
    load(machine, node);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Config, ReadsEveryKindOfField) {
  const Machine m = parse(kGood);
  EXPECT_EQ(m.cores, 4U);
  EXPECT_EQ(m.core.warp_size, 16U);
  EXPECT_EQ(m.core.offset, -5);
  EXPECT_EQ(m.core.scale, 0.25);
  EXPECT_TRUE(m.core.bypass);
  EXPECT_EQ(m.core.policy, Policy::kRoundRobin);
  EXPECT_EQ(m.extra.entries, 7U);  // optional: keeps its default
}

TEST(Config, OptionalSectionMayBePartial) {
  const Machine m = parse(std::string(kGood) + "extra:\n  ways: 5\n");
  EXPECT_EQ(m.extra.ways, 5U);
  EXPECT_EQ(m.extra.entries, 7U);
}

TEST(Config, HexadecimalAndTheLargestValue) {
  const Machine m = parse(std::string(kGood) + "extra: {entries: 0xffffffffffffffff}\n");
  EXPECT_EQ(m.extra.entries, ~std::uint64_t{0});
  EXPECT_EQ(refusal(std::string(kGood) + "extra: {entries: 18446744073709551616}\n"),
            "m.yaml:8:9: extra.entries = 18446744073709551616: must be in [1, 18446744073709551615] entries");
}

TEST(Config, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(refusal(with("warp_size", "wrap_size")),
            "m.yaml:3:3: core.wrap_size: unknown key; did you mean 'warp_size'?");
  EXPECT_EQ(refusal(std::string(kGood) + "zzzzzzzz: 1\n"),
            "m.yaml:8:1: zzzzzzzz: unknown key; known are cores, core, extra");
}

TEST(Config, OutOfRangeAndNotAPowerOfTwo) {
  EXPECT_EQ(refusal(with("warp_size: 16", "warp_size: 33")),
            "m.yaml:3:3: core.warp_size = 33: must be a power of two in [1, 64] lanes");
  EXPECT_EQ(refusal(with("warp_size: 16", "warp_size: 128")),
            "m.yaml:3:3: core.warp_size = 128: must be a power of two in [1, 64] lanes");
  EXPECT_EQ(refusal(with("-5", "-9")), "m.yaml:4:3: core.offset = -9: must be in [-8, 8] cycles");
  EXPECT_EQ(refusal(with("0.25", "1.01")), "m.yaml:5:3: core.scale = 1.01: must be in [0, 1]");
  EXPECT_EQ(refusal(with("0.25", "nan")), "m.yaml:5:3: core.scale = nan: must be in [0, 1]");
}

TEST(Config, BoundsThemselvesAreLegal) {
  EXPECT_EQ(parse(with("warp_size: 16", "warp_size: 64")).core.warp_size, 64U);
  EXPECT_EQ(parse(with("warp_size: 16", "warp_size: 1")).core.warp_size, 1U);
  EXPECT_EQ(parse(with("-5", "-8")).core.offset, -8);
}

TEST(Config, WrongTypes) {
  EXPECT_EQ(refusal(with("cores: 4", "cores: four")),
            "m.yaml:1:1: cores = four: must be a whole number: in [1, 1024] cores");
  for (const char* number : {"1e3", "+4", "0x-4", "-0x4", "0x", "' 4'", "'4 '", "4k", "18446744073709551617"}) {
    EXPECT_EQ(refusal(with("cores: 4", fmt::format("cores: {}", number))).substr(0, 18), "m.yaml:1:1: cores ")
        << number;
  }
  EXPECT_EQ(refusal(with("cores: 4", "cores: 0x10")), "accepted");
  EXPECT_EQ(refusal(with("-5", "0x-5")).substr(0, 24), "m.yaml:4:3: core.offset ");
  EXPECT_EQ(refusal(with("0.25", "inf")), "m.yaml:5:3: core.scale = inf: must be in [0, 1]");
  EXPECT_EQ(refusal(with("cores: 4", "cores: 4.5")),
            "m.yaml:1:1: cores = 4.5: must be a whole number: in [1, 1024] cores");
  EXPECT_EQ(refusal(with("cores: 4", "cores: -4")), "m.yaml:1:1: cores = -4: must be in [1, 1024] cores");
  EXPECT_EQ(refusal(with("cores: 4", "cores:")),
            "m.yaml:1:1: cores = (nothing): must be a whole number: in [1, 1024] cores");
  EXPECT_EQ(refusal(with("true", "yes")), "m.yaml:6:3: core.bypass = yes: must be true or false");
  EXPECT_EQ(refusal(with("0.25", "half")), "m.yaml:5:3: core.scale = half: must be a number in [0, 1]");
  EXPECT_EQ(refusal(with("round_robin", "lottery")),
            "m.yaml:7:3: core.policy = lottery: must be round_robin or greedy");
  EXPECT_EQ(refusal(with("cores: 4", "cores: {a: 1}")), "m.yaml:1:1: cores: expected a single value, found a table");
  EXPECT_EQ(refusal(with("cores: 4", "cores: [1, 2]")), "m.yaml:1:1: cores: expected a single value, found a list");
  EXPECT_EQ(refusal("cores: 4\ncore: 5\n"), "m.yaml:2:1: core = 5: expected a table of keys");
}

TEST(Config, MissingKeysAndTables) {
  EXPECT_EQ(refusal(with("  offset: -5\n", "")),
            "m.yaml:2:1: core.offset: this key is missing (an offset); give in [-8, 8] cycles");
  EXPECT_EQ(refusal("cores: 4\n"), "m.yaml:1:1: core: this table is missing");
}

TEST(Config, KeyGivenTwice) {
  EXPECT_EQ(refusal(with("cores: 4", "cores: 4\ncores: 5")), "m.yaml:2:1: cores: given twice");
}

TEST(Config, GarbageAndUnreadableFiles) {
  EXPECT_EQ(refusal("cores: [1"), "m.yaml:2:1: while parsing a flow sequence: did not find expected ',' or ']'");
  EXPECT_EQ(refusal("just words\n"), "m.yaml:1:1: expected a table of 'key: value' lines");
  EXPECT_EQ(refusal(""), "m.yaml:1:1: expected a table of 'key: value' lines");
  EXPECT_THROW(ConfigNode::from_file("/nonexistent/m.yaml"), UserError);
  EXPECT_THROW(ConfigNode::from_file("/"), UserError);
}

TEST(Config, SetOverridesWithTheSameChecks) {
  ConfigNode node = ConfigNode::from_text(kGood, "m.yaml");
  node.set("core.warp_size=8");
  node.set("extra.ways=3");
  Machine m;
  load(m, node);
  EXPECT_EQ(m.core.warp_size, 8U);
  EXPECT_EQ(m.extra.ways, 3U);
  EXPECT_EQ(refusal(kGood, {"core.warp_size=33"}),
            "--set: core.warp_size = 33: must be a power of two in [1, 64] lanes");
  EXPECT_EQ(refusal(kGood, {"core.wrap_size=8"}), "--set: core.wrap_size: unknown key; did you mean 'warp_size'?");
  EXPECT_EQ(refusal(kGood, {"cor.warp_size=8"}), "--set: cor: unknown key; did you mean 'core'?");
  EXPECT_EQ(refusal(kGood, {"cores.x=8"}), "--set: cores.x: 'cores' is a single value, not a table");
  EXPECT_EQ(refusal(kGood, {"core=8"}), "--set: core = 8: expected a table of keys");
  EXPECT_EQ(refusal(kGood, {"core"}), "--set core: expected key=value, such as core.warp_size=16");
}

// As in a file: what walks tables calls itself.
TEST(Config, SetGoesNoDeeperThanFiles) {
  ConfigNode node;
  std::string key = "a";
  for (int depth = 0; depth < 32; ++depth) key += ".a";
  node.set(key + "=1");
  EXPECT_THROW(node.set(key + ".a=1"), UserError);
  for (int depth = 0; depth < 100'000; ++depth) key += ".a";
  EXPECT_THROW(node.set(key + "=1"), UserError);
}

TEST(Config, DumpLoadsAgain) {
  Machine m = parse(kGood);
  m.core.scale = 0.1;
  m.extra.entries = 1234567890123;
  const std::string text = dump(m);
  EXPECT_NE(text.find("  warp_size: 16  # lanes; threads per warp\n"), std::string::npos) << text;
  const Machine again = parse(text);
  EXPECT_EQ(dump(again), text);
  EXPECT_EQ(again.core.scale, 0.1);
  EXPECT_EQ(again.extra.entries, 1234567890123U);
  EXPECT_EQ(again.core.policy, Policy::kRoundRobin);
}

TEST(Config, NodeTextLoadsAgain) {
  ConfigNode node = ConfigNode::from_text("name: 'a: b # c'\ntable: {x: 1, y: {}, z: [p, '- q'], e: []}\n", "n.yaml");
  const ConfigNode again = ConfigNode::from_text(node.text(), "n.yaml");
  EXPECT_EQ(again.value("name").scalar(), "a: b # c");
  EXPECT_EQ(again.table("table").value("x").scalar(), "1");
  EXPECT_TRUE(again.table("table").table("y").children().empty());
  EXPECT_EQ(again.table("table").list("z"), (std::vector<std::string>{"p", "- q"}));
  EXPECT_TRUE(again.table("table").list("e").empty());
  EXPECT_THROW(again.list("name"), UserError);
  EXPECT_THROW(ConfigNode::from_text("a: [[1]]\n", "n.yaml"), UserError);
}

TEST(Config, TextIsTakenAsItIs) {
  Derived params;
  load(params, ConfigNode::from_text("depth: 5\nfile: 'x: y # \'\'z.yaml'\n", "d.yaml"));
  EXPECT_EQ(params.depth, 5U);
  EXPECT_EQ(params.file, "x: y # 'z.yaml");
  for (const char* file : {"x: y # 'z.yaml", "", "true", "~", "plain/path.yaml", "null", "...", "---", "-", "- q", " a",
                           "a ", "-5", "a\nb"}) {
    params.file = file;
    Derived again;
    load(again, ConfigNode::from_text(dump(params), "d.yaml"));
    EXPECT_EQ(again.file, file) << dump(params);
  }
  load(params, ConfigNode::from_text("depth: 5\nfile:\n", "d.yaml"));
  EXPECT_EQ(params.file, "") << "nothing is the empty text";
}

TEST(Config, TextIsMissedAndRefusedAsOtherValuesAre) {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      Derived params;
      load(params, ConfigNode::from_text(text, "d.yaml"));
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("depth: 5\n"), "d.yaml:1:1: file: this key is missing (where from); give text");
  EXPECT_EQ(refused("depth: 5\nfile: [a]\n"), "d.yaml:2:1: file: expected a single value, found a list");
  EXPECT_EQ(refused("file: a\n"), "d.yaml:1:1: depth: this key is missing (how deep); give in [1, 9] entries");
  Derived params;
  load_optional(params, ConfigNode::from_text("{}\n", "d.yaml"));
  EXPECT_EQ(params.file, "a b");
  EXPECT_EQ(fields_of(params)[1].value, "a b");
  EXPECT_EQ(fields_of(params)[1].legal(), "text");
}

std::string text_refusal(const std::string& text) {
  try {
    ConfigNode::from_text(text, "m.yaml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Config, AliasesStandForWhatTheyName) {
  const ConfigNode node = ConfigNode::from_text("a: &a {x: 1, l: &l [p, &q r]}\nb: *a\nc: *l\nd: [*q, s]\n", "m.yaml");
  EXPECT_EQ(node.table("b").value("x").scalar(), "1");
  EXPECT_EQ(node.table("b").value("x").path(), "b.x");
  EXPECT_EQ(node.table("b").list("l"), (std::vector<std::string>{"p", "r"}));
  EXPECT_EQ(node.list("c"), (std::vector<std::string>{"p", "r"}));
  EXPECT_EQ(node.list("d"), (std::vector<std::string>{"r", "s"}));
  EXPECT_EQ(node.find("b")->place(), "m.yaml:2:1");
}

TEST(Config, SaysWhatATextOfTablesCannotHave) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "m.yaml:1:1: expected a table of 'key: value' lines"},
      {"# nothing\n", "m.yaml:1:1: expected a table of 'key: value' lines"},
      {"- a\n", "m.yaml:1:1: expected a table of 'key: value' lines"},
      {"a\n", "m.yaml:1:1: expected a table of 'key: value' lines"},
      {"\xef\xbb\xbf"
       "a: 1\r\nb: 2\r\n",
       "accepted"},
      {"a: 1\n---\nb: 2\n", "m.yaml:2:1: a second document; a file holds one"},
      {"a: 1\n...\n", "accepted"},
      {"cores: &c\n  x: *c\n", "m.yaml:2:6: cores.x: an alias to what it stands in"},
      {"a: [b, [c]]\n", "m.yaml:1:8: a: a list holds single values only"},
      {"a: [b, ~]\n", "m.yaml:1:8: a: a list holds single values only"},
      {"cores: 1\nx: *c\n", "m.yaml:2:4: x: an alias to nothing before it"},
      {"a: \xff\n", "m.yaml: byte 4: invalid leading UTF-8 octet"},
      {"a: {b: 1}\nc: &c [1]\nd: [*c]\n", "m.yaml:3:5: d: a list holds single values only"},
      {"a:\n  ? [b]\n  : c\n", "m.yaml:2:5: a: a key is a single word"},
      {"a: \"b\\0c\"\n", "m.yaml:1:4: a: a text with a NUL character: take it out"},
      {"\"a\\0\": c\n", "m.yaml:1:1: a text with a NUL character: take it out"},
      {"~: 1\n", "m.yaml:1:1: a key is a single word"},
      {"a: 1\nb: 2\na: 3\n", "m.yaml:3:1: a: given twice"},
      {"a: 1\n\tb: 2\n", "m.yaml:2:1: while scanning a plain scalar: found a tab character that violates indentation"},
  };
  for (const auto& expected : cases) EXPECT_EQ(text_refusal(expected.text), expected.error) << expected.text;
}

// Time and memory are bounded whatever a text unfolds to.
TEST(Config, TextsWithoutMeasure) {
  std::string many, bomb = "l0: &l0 {a: 1}\n", lists = "a: &a [x]\n";
  for (unsigned i = 0; i < 500'000; ++i) many += fmt::format("key{}: 1\n", i);
  EXPECT_EQ(text_refusal(many), "m.yaml:10001:1: key10000: more than 10000 keys");
  for (unsigned i = 1; i < 12; ++i) {
    bomb += fmt::format("l{}: &l{} {{", i, i);
    for (unsigned k = 0; k < 12; ++k) bomb += fmt::format("k{}: *l{}, ", k, i - 1);
    bomb += "}\n";
  }
  EXPECT_EQ(text_refusal(bomb), "m.yaml:6:14: l5.k0: aliases multiply the file's values beyond measure");
  const std::string deep(100'000, '{');
  EXPECT_EQ(text_refusal("a: " + deep), "m.yaml:1:5: a: a key is a single word");
  std::string nested;
  for (unsigned i = 0; i < 100'000; ++i) nested += "{a: ";
  const std::string said = text_refusal("a: " + nested);
  EXPECT_TRUE(said.ends_with(".a.a: tables nested more than 32 deep")) << said;
  const std::string opened(100'000, '['), closed(100'000, ']');
  EXPECT_EQ(text_refusal("a: " + opened + closed), "m.yaml:1:5: a: a list holds single values only");
  EXPECT_NE(text_refusal("a: " + opened), "accepted");
}

TEST(Config, FileErrorsNameTheFile) {
  const std::string path = testing::TempDir() + "warpfold_config_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << "cores: 0\n";
  Machine m;
  try {
    load(m, ConfigNode::from_file(path));
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), path + ":1:1: cores = 0: must be in [1, 1024] cores");
  }
  std::remove(path.c_str());
}

TEST(Config, ListsOfAnythingKeepTheirPlaces) {
  const char* const text = "a:\n  - {b: 1}\n  - [2, {c: 3}]\n  - 4\n";
  const ConfigNode root = ConfigNode::from_text(text, "f.yaml", ConfigNode::Lists::kOfAnything);
  const auto& nodes = root.find("a")->nodes();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].value("b").path() + " " + nodes[0].value("b").place(), "a[0].b f.yaml:2:6");
  EXPECT_EQ(nodes[1].nodes()[1].value("c").path(), "a[1][1].c");
  EXPECT_EQ(root.list("a"), std::vector<std::string>{"4"});
  try {
    ConfigNode::from_text(text, "f.yaml");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:2:5: a: a list holds single values only");
  }
}

}  // namespace config_test
}  // namespace warpfold
