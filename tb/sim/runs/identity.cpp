// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/identity.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "warpfold/common/files/digest.h"
#include "warpfold/common/results/build_id.h"
#include "warpfold/common/results/host_usage.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/plugins.h"
#include "warpfold/host/launch_file/ptx_launch_file.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// JSON holds text only: other bytes as their digits, so that no two arguments look alike.
Json text(const std::string& bytes) {
  const Json as_text = bytes;
  try {
    static_cast<void>(as_text.dump());
    return as_text;
  } catch (const Json::type_error&) {
    std::string digits;
    for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return {{"bytes", digits}};
  }
}

// Many points share a program: a file is read again only when it looks as if it had changed.
std::string digest_of_file(const std::string& path) {
  using Stamp = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;
  static std::map<std::string, std::pair<Stamp, std::string>, std::less<>> known;
  struct stat about {};
  stat(path.c_str(), &about);
  const Stamp stamp{about.st_dev, about.st_ino, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
  auto& [last_stamp, digest] = known[path];
  if (digest.empty() || last_stamp != stamp) {
    digest = Sha256().update_file(path).hex();
    last_stamp = stamp;
  }
  return digest;
}

std::string digest_of_values(const std::vector<FieldView>& fields) {
  Sha256 digest;
  for (const FieldView& field : fields) {
    if (!field.section() && field.path != kPackingKey) digest.update(field.path + "=" + field.value + "\n");
  }
  return digest.hex();
}

// Programs run on the library that lies beside this program, and check that they do; PTX files run in here.
std::string simulator_of(const Program& program) {
  const fs::path library = cuda_library();
  return build_id(program.ptx || !fs::exists(library) ? fs::path("/proc/self/exe") : library);
}

void add_file(Json& inputs, const std::string& path) {
  std::error_code none;
  const bool readable = fs::is_regular_file(path, none) && access(path.c_str(), R_OK) == 0;
  const Json name = text(path);
  if (readable) inputs[name.is_string() ? path : name.dump()] = digest_of_file(path);
}

// The files that arguments name: graph.txt, and --input=graph.txt.
Json inputs_of(const Program& program) {
  Json inputs = Json::object();
  for (std::size_t i = 1; i < program.command.size(); ++i) {
    const std::string& argument = program.command[i];
    add_file(inputs, argument);
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos) add_file(inputs, argument.substr(equals + 1));
  }
  if (!program.ptx) return inputs;
  for (const std::string& file : host::files_named_in(program.command.at(1))) add_file(inputs, file);
  return inputs;
}

// PTX may come by a pipe, which is read once: nothing is known of it then. What is neither is told when it is read.
Json program_file(const Program& program) {
  const std::string& path = program.command.at(0);
  std::error_code none;
  if (program.ptx && fs::exists(path, none) && !fs::is_regular_file(path, none)) return nullptr;
  return digest_of_file(path);
}

template <class Enum>
const char* name_of(Enum value) {
  return Choices<Enum>::names[config_detail::choice_index(value)];
}

}  // namespace

std::string decided_by(const Point& point) {
  const RunOptions& options = point.options;
  const Program& program = point.program;
  Json json = Json::object();  // a null that becomes an object and finds no memory for it aborts when it goes
  json["program"] = text(program.name);
  json["program_file"] = program_file(program);
  if (!program.size.empty()) json["size"] = program.size;
  json["arguments"] = Json::array();
  for (std::size_t i = 1; i < program.command.size(); ++i) json["arguments"].push_back(text(program.command[i]));
  json["inputs"] = inputs_of(program);
  json["machine"] = options.machine_name;
  json["machine_values"] = digest_of_values(fields_of(options.machine));
  json["mechanism"] = options.mechanism;
  json["mechanism_values"] = digest_of_values(
      divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters).parameters);
  json["packing"] = name_of(options.machine.core.lane_packing);
  json["timing"] = name_of(options.timing);
  json["detail"] = options.detail.text();
  if (options.sample.on()) json["sample"] = options.sample.text();
  json["code"] = name_of(options.code);
  if (!options.rtl.blocks.empty()) {
    json["rtl"] = options.rtl.built;
    json["rtl_check"] = name_of(options.rtl.check);
  }
  for (const std::string& plugin : plugins()) json["plugins"][fs::path(plugin).filename()] = digest_of_file(plugin);
  json["warpfold"] = build_versions().at("warpfold");
  json["simulator"] = simulator_of(program);
  return json.dump();
}

}  // namespace warpfold::sim
