// SPDX-License-Identifier: Apache-2.0
// `warpfold schema`: by which editors complete and check files of users, from the tables that read them.
#include "warpfold/common/config/schema.h"

#include <fmt/format.h>

#include <utility>

#include "tb/sim/commands/commands.h"
#include "tb/study/study.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/host/launch_file/ptx_launch_file.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

// Complete, or a file that names another as its base and has what differs.
Json machine_schema() {
  const std::vector<FieldView> fields = fields_of(MachineConfig{});
  Json schema = schema_of(fields, SchemaKeys::kMayLack);
  schema["properties"][kMachineBase] = {{"type", "string"},
                                        {"description", "the machine that all other values are of"}};
  schema["if"] = {{"not", {{"required", {kMachineBase}}}}};
  schema["then"] = schema_of(fields, SchemaKeys::kComplete);
  return schema;
}

// Its own parameters, and values of the core that it wants.
Json mechanism_schema(const divergence::MechanismInfo& mechanism) {
  std::vector<FieldView> fields = mechanism.configure({}).parameters;
  fields.push_back(may_have("core", FieldKind::kTable, "values that it wants in the machine's place"));
  for (FieldView& field : fields_of(CoreParams{}, "core.")) fields.push_back(std::move(field));
  return schema_of(fields, SchemaKeys::kMayLack);
}

Json schema_named(const std::string& what) {
  if (what == "machine") return machine_schema();
  if (what == "study") return schema_of(study::study_keys(), SchemaKeys::kComplete);
  if (what == "launch") return schema_of(host::launch_keys(), SchemaKeys::kComplete);
  std::vector<std::string> known{"machine", "study", "launch"};
  for (const divergence::MechanismInfo& mechanism : divergence::mechanisms()) {
    if (what == mechanism.name) return mechanism_schema(mechanism);
    known.push_back(mechanism.name);
  }
  user_error("schema {}: {}", what, suggestion(what, known));
}

}  // namespace

int schema(const SchemaCommand& command) {
  Json all{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Warpfold: " + command.what}};
  all.update(schema_named(command.what));
  fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace warpfold::sim
