// SPDX-License-Identifier: Apache-2.0
// `warpfold schema`: what a validator makes of it, beside what the program itself says of the same file.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "tb/study/study.h"
#include "tests/common/command_line.h"
#include "warpfold/common/config/config.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/host/launch_file/ptx_launch_file.h"

namespace warpfold {
namespace schema_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// 0x is a number of YAML's, which JSON has in decimals.
Json in_decimals(Json value) {
  if (value.is_structured()) {
    for (Json& item : value) item = in_decimals(std::move(item));
  } else if (value.is_string() && value.get<std::string>().starts_with("0x")) {
    value = std::stoull(value.get<std::string>(), nullptr, 16);
  }
  return value;
}

Json file(const std::string& kind, const std::string& name) {
  return in_decimals(study::json_of(ConfigNode::from_file(find_config(kind, name), ConfigNode::Lists::kOfAnything)));
}

// The first yaml block of a page that begins with `first`.
std::string documented(const char* page, const std::string& first) {
  std::ifstream in(fs::path(WARPFOLD_DOCS) / page);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = text.find(first);
  return text.substr(begin, text.find("```", begin) - begin);
}

bool refuses(const std::function<void()>& read) {
  try {
    read();
  } catch (const UserError&) {
    return true;
  }
  return false;
}

class Schema : public CommandLineTest {
 protected:
  nlohmann::json schema(const std::string& what) const {
    const Result printed = warpfold("schema " + what);
    EXPECT_EQ(printed.status, 0) << printed.err;
    return nlohmann::json::parse(printed.out);
  }
};

class Validator {
 public:
  explicit Validator(const nlohmann::json& schema) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), schema_);
  }
  // What is wrong; empty: nothing.
  std::string complaint(const Json& ordered) const {
    const nlohmann::json value = nlohmann::json::parse(ordered.dump());
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), &results)) return "";
    std::string all;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const std::string& part : error.context) all += part;
      all += ": " + error.description + "\n";
    }
    return all;
  }

 private:
  valijson::Schema schema_;
};

// "core.warp_size" → /core/warp_size
Json::json_pointer pointer(const std::string& path) {
  std::string text = "/" + path;
  std::replace(text.begin(), text.end(), '.', '/');
  return Json::json_pointer(text);
}

TEST_F(Schema, TakesTheFilesThatComeWithIt) {
  const Validator machine(schema("machine")), study(schema("study")), launch(schema("launch"));
  for (const std::string& name : config_names("machines"))
    EXPECT_EQ(machine.complaint(file("machines", name)), "") << name;
  for (const std::string& name : config_names("mechanisms")) {
    const Validator mechanism(schema(name));
    EXPECT_EQ(mechanism.complaint(file("mechanisms", name)), "") << name;
  }
  for (const std::string& name : config_names("studies")) EXPECT_EQ(study.complaint(file("studies", name)), "") << name;
  const auto text = [](const std::string& yaml) {
    return study::json_of(ConfigNode::from_text(yaml, "t.yaml", ConfigNode::Lists::kOfAnything));
  };
  EXPECT_EQ(study.complaint(text(documented("study-files.md", "title: Two"))), "");
  EXPECT_EQ(launch.complaint(text(documented("launch-files.md", "kernel: saxpy"))), "");
  EXPECT_EQ(machine.complaint(text(documented("editors.md", "base: volta"))), "");
}

// At each bound of each number both take the value, one beyond both refuse it; so with choices and flags.
TEST_F(Schema, HasTheBoundsOfTheProgram) {
  const Validator machine(schema("machine"));
  const RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  const Json whole = in_decimals(study::json_of(ConfigNode::from_text(dump(options.machine), "m.yaml")));
  ASSERT_EQ(machine.complaint(whole), "");
  const auto both = [&](const FieldView& field, const std::string& value, bool good) {
    Json changed = whole;
    changed[pointer(field.path)] = study::scalar_json(value);
    EXPECT_EQ(machine.complaint(changed).empty(), good) << field.path << " = " << value;
    ConfigNode node = ConfigNode::from_text(dump(options.machine), "m.yaml");
    node.set(field.path, value, "test");
    MachineConfig read;
    EXPECT_EQ(refuses([&] { load(read, node); }), !good) << field.path << " = " << value;
  };
  unsigned numbers = 0;
  for (const FieldView& field : fields_of(options.machine)) {
    if (field.section() || field.kind == FieldKind::kText) continue;
    both(field, "nonsense", false);
    for (const std::string& choice : field.choices) both(field, choice, true);
    if (field.kind != FieldKind::kWhole && field.kind != FieldKind::kReal) continue;
    ++numbers;
    both(field, field.lowest, true);
    if (field.highest.size() < 19) both(field, field.highest, true);  // the validator has signed ones
    if (field.lowest != "0") both(field, "0", false);
    both(field, "-1", false);
    if (field.kind == FieldKind::kWhole) both(field, "1.5", false);
    if (field.highest.size() < 16) both(field, fmt::format("{}", std::stod(field.highest) * 2 + 1), false);
    if (field.power_of_two && std::stoull(field.highest) > 3) both(field, "3", false);
  }
  EXPECT_GT(numbers, 150U);
}

// `table`: where such a table lies in a file, as a JSON pointer, by what its keys are called.
struct TableOf {
  std::string keys, at;
};

// A key that nobody knows, and a needed one that is not there, in each table: both refuse them.
void hold_to_parser(const Validator& validator, const std::vector<FieldView>& fields, const Json& good,
                    const std::vector<TableOf>& tables, const std::function<void(const std::string&)>& read) {
  ASSERT_EQ(validator.complaint(good), "");
  ASSERT_NO_THROW(read(good.dump()));
  for (const auto& [keys, at] : tables) {
    const Json::json_pointer where(at);
    const auto both_refuse = [&](const Json& changed) {
      EXPECT_NE(validator.complaint(changed), "") << changed;
      EXPECT_TRUE(refuses([&] { read(changed.dump()); })) << changed;
    };
    Json changed = good;
    changed[where]["unheard_of"] = 1;
    both_refuse(changed);
    for (const std::string& key : keys_below(fields, keys)) {
      const auto is_key = [&](const FieldView& field) { return field.path == keys + key; };
      if (std::find_if(fields.begin(), fields.end(), is_key)->optional) continue;
      changed = good;
      ASSERT_EQ(changed[where].erase(key), 1U) << at << " " << key;
      both_refuse(changed);
    }
  }
}

TEST_F(Schema, OfStudiesKnowsAndNeedsTheKeysOfTheProgram) {
  const Json good = Json::parse(R"({"title": "t", "baseline": {"mechanism": "pdom"}, "limits": {"minutes": 0.5},
    "points": [{"part": "main", "machine": "tbc2011", "mechanism": ["pdom", "tbc"], "workload": "bfs", "seeds": [7],
                "design": {"kind": "plackett-burman", "factors": {"core.simd_width": [8, 32]}}}],
    "quick": {"seeds": 1},
    "figures": [{"name": "n", "title": "t", "sql": "SELECT 1 AS a", "chart": {"kind": "bars", "x": "a"}}]})");
  const auto read = [&](const std::string& text) {
    write_file("s.yaml", text);
    study::load_study(directory_ / "s.yaml", false);
    study::load_study(directory_ / "s.yaml", true);
  };
  const Validator validator(schema("study"));
  hold_to_parser(validator, study::study_keys(), good,
                 {{"", ""},
                  {"baseline.", "/baseline"},
                  {"limits.", "/limits"},
                  {"points.", "/points/0"},
                  {"points.design.", "/points/0/design"},
                  {"quick.", "/quick"},
                  {"figures.", "/figures/0"},
                  {"figures.chart.", "/figures/0/chart"}},
                 read);
  Json changed = good;
  changed["figures"][0]["chart"]["kind"] = "pie";
  EXPECT_NE(validator.complaint(changed), "");
  EXPECT_TRUE(refuses([&] { read(changed.dump()); }));
}

TEST_F(Schema, OfLaunchesKnowsAndNeedsTheKeysOfTheProgram) {
  const Json good = Json::parse(R"({"grid": [1], "block": [32], "buffers": {"x": {"type": "f32", "count": 4}},
    "arguments": ["x", "s32 5"], "outputs": {"x": {"print": 2}}, "checks": {"x": {"equals": 0}}})");
  const auto read = [&](const std::string& text) {
    write_file("l.yaml", text);
    host::read_launch_description(directory_ / "l.yaml", 1U << 20);
  };
  const Validator validator(schema("launch"));
  hold_to_parser(validator, host::launch_keys(), good,
                 {{"", ""}, {"buffers.", "/buffers/x"}, {"outputs.", "/outputs/x"}, {"checks.", "/checks/x"}}, read);
  for (const auto& [at, value] : std::vector<std::pair<const char*, Json>>{{"/buffers/x/type", "f16"},
                                                                           {"/buffers/x/count", 0},
                                                                           {"/outputs/x/print", -1},
                                                                           {"/shared_bytes", 1ULL << 32},
                                                                           {"/grid", 1}}) {
    Json changed = good;
    changed[Json::json_pointer(at)] = value;
    EXPECT_NE(validator.complaint(changed), "") << at;
    EXPECT_TRUE(refuses([&] { read(changed.dump()); })) << at;
  }
}

// Keys of the core that a mechanism wants are held to the core's bounds, too.
TEST_F(Schema, OfAMechanismHasItsParametersAndTheCores) {
  const Validator tstbc(schema("tstbc"));
  EXPECT_EQ(tstbc.complaint({{"n", 8}, {"core", {{"warp_policy", "RRB"}}}}), "");
  EXPECT_NE(tstbc.complaint({{"core", {{"warp_policy", "FIFO"}}}}), "");
  EXPECT_NE(tstbc.complaint({{"n", "many"}}), "");
  EXPECT_NE(tstbc.complaint({{"nn", 8}}), "");
}

TEST_F(Schema, AMachineWithoutABaseIsComplete) {
  const Validator machine(schema("machine"));
  EXPECT_EQ(machine.complaint({{"base", "volta"}, {"cores", 4}}), "");
  EXPECT_NE(machine.complaint({{"cores", 4}}), "");
  EXPECT_NE(machine.complaint({{"base", "volta"}, {"core", {{"wrap_size", 32}}}}), "");
}

TEST_F(Schema, NamesWhatItMightHaveMeant) {
  const Result r = warpfold("schema machines");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "warpfold: error: schema machines: did you mean 'machine'?\n");
}

}  // namespace schema_test
}  // namespace warpfold
