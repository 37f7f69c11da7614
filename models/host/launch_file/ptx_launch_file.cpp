// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/launch_file/ptx_launch_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>

#include "warpfold/common/config/config.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::host {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostShared = std::numeric_limits<std::uint32_t>::max();

std::uint64_t unsigned_value(const ConfigNode& node, std::uint64_t lowest, std::uint64_t highest) {
  const auto bytes = encode(ValueType::kU64, node.scalar());
  std::uint64_t value = 0;
  if (bytes) std::memcpy(&value, bytes->data(), sizeof value);
  if (!bytes || value < lowest || value > highest) {
    node.reject(fmt::format("must be a whole number in [{}, {}]", lowest, highest));
  }
  return value;
}

double real_value(const ConfigNode& node, const std::string& text) {
  const auto bytes = encode(ValueType::kF64, text);
  const double value = bytes ? as_number(ValueType::kF64, bytes->data()) : std::nan("");
  if (!std::isfinite(value)) node.reject(fmt::format("'{}' is no finite number", text));
  return value;
}

bool is_floating(ValueType type) { return type == ValueType::kF32 || type == ValueType::kF64; }

// Series and random numbers are made in double precision, where integers from 2^53 on are not exact.
bool is_exact(ValueType type, double value) {
  return is_floating(type) || (value == std::floor(value) && std::abs(value) < 0x1p53);
}

// Complains unless at most one of `keys` is there.
void check_exclusive(const ConfigNode& node, std::initializer_list<const char*> keys) {
  const char* first = nullptr;
  for (const char* key : keys) {
    if (node.find(key) == nullptr) continue;
    if (first != nullptr) node.find(key)->reject(fmt::format("excludes {}, which is given too", first));
    first = key;
  }
}

using Extents = std::array<std::uint64_t, 3>;
constexpr Extents kLargestGrid{0x7fff'ffff, 0xffff, 0xffff};  // CUDA's limits, whose product fits 64 bits
constexpr Extents kLargestBlock{0xffff, 0xffff, 0xffff};      // a machine's own are smaller

isa::Dim3 dimensions(const ConfigNode& root, const char* key, const Extents& largest) {
  unsigned size[3] = {1, 1, 1};
  const auto& items = root.list(key);
  const ConfigNode& node = *root.find(key);
  if (items.empty() || items.size() > 3) node.reject("must be one to three numbers");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto bytes = encode(ValueType::kU32, items[i]);
    if (bytes) std::memcpy(&size[i], bytes->data(), sizeof size[i]);
    if (!bytes || size[i] == 0) node.reject(fmt::format("'{}' is no whole number above 0", items[i]));
    if (size[i] > largest[i]) node.reject(fmt::format("{} is more than the {} that there can be", size[i], largest[i]));
  }
  return {size[0], size[1], size[2]};
}

// As written, it is meant from the description's folder.
std::filesystem::path beside(const std::string& description, const ConfigNode& node) {
  return std::filesystem::path(description).parent_path() / node.scalar();
}

isa::Dim3 block_dimensions(const ConfigNode& root) {
  const isa::Dim3 block = dimensions(root, "block", kLargestBlock);
  if (block.count() > kLargestBlock[0]) {
    root.find("block")->reject(fmt::format("{} threads: more than any machine has for a block", block.count()));
  }
  return block;
}

std::vector<std::byte> read_binary(const ConfigNode& node, const std::string& description, std::uint64_t most) {
  try {
    const std::string bytes = read_input(beside(description, node), "file", {.bytes = most});
    const std::byte* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
  } catch (const UserError& error) {
    node.reject(error.what());
  }
}

std::vector<std::byte> encode_all(ValueType type, const ConfigNode& node, const std::vector<std::string>& items) {
  std::vector<std::byte> bytes;
  for (const std::string& item : items) {
    const auto one = encode(type, item);
    if (!one) node.reject(fmt::format("'{}' is no {}", item, value_type_names()[static_cast<std::size_t>(type)]));
    bytes.insert(bytes.end(), one->begin(), one->end());
  }
  return bytes;
}

ValueType type_of(const ConfigNode& buffer) {
  const ConfigNode& node = buffer.value("type");
  const auto type = value_type(node.scalar());
  if (!type) node.reject(fmt::format("unknown type; {}", suggestion(node.scalar(), value_type_names())));
  return *type;
}

// first, first + step, first + 2 step, …
std::vector<std::byte> series(ValueType type, const ConfigNode& buffer, std::uint64_t count) {
  const ConfigNode* step_node = buffer.find("step");
  const ConfigNode& first_node = buffer.value("first");
  const double first = real_value(first_node, first_node.scalar());
  const double step = step_node == nullptr ? 1.0 : real_value(*step_node, step_node->scalar());
  std::vector<std::byte> bytes;
  bytes.reserve(count * bytes_of(type));
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = first + static_cast<double>(i) * step;
    const auto one = encode(type, is_floating(type) ? fmt::format("{}", value) : fmt::format("{:.0f}", value));
    if (!one) first_node.reject(fmt::format("element {} would be {}, out of the type's range", i, value));
    if (!is_exact(type, value)) first_node.reject(fmt::format("element {} would be {}, no exact integer", i, value));
    bytes.insert(bytes.end(), one->begin(), one->end());
  }
  return bytes;
}

std::vector<std::byte> drawn(ValueType type, const ConfigNode& buffer, std::uint64_t count) {
  const auto& limits = buffer.list("random");
  const ConfigNode& node = *buffer.find("random");
  if (limits.size() != 2) node.reject("must be [lowest, highest]");
  const double low = real_value(node, limits[0]), high = real_value(node, limits[1]);
  if (low > high || !encode(type, limits[0]) || !encode(type, limits[1])) {
    node.reject("must be [lowest, highest], both within the type's range");
  }
  if (!is_exact(type, low) || !is_exact(type, high)) node.reject("integers are drawn from below 2^53");
  const ConfigNode* seed = buffer.find("seed");
  return random_values(type, count, low, high, seed == nullptr ? 1 : unsigned_value(*seed, 0, kMost));
}

// Of a buffer that is described, not listed: said before the host has to hold it.
std::uint64_t count_of(ValueType type, const ConfigNode& node, std::uint64_t free_bytes) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / bytes_of(type);
  const std::uint64_t count = unsigned_value(node, 1, most);
  if (count > free_bytes / bytes_of(type)) {
    node.reject(fmt::format("{} bytes, but {} are free on the device", count * bytes_of(type), free_bytes));
  }
  return count;
}

void check_keys(const ConfigNode& node) {
  node.only(keys_below(launch_keys(), "buffers."));
  check_exclusive(node, {"values", "file", "random", "first", "fill"});
  check_exclusive(node, {"values", "file", "count"});
  check_exclusive(node, {"values", "file", "first", "fill", "seed"});
  check_exclusive(node, {"values", "file", "random", "fill", "step"});
}

LaunchBuffer read_buffer(const ConfigNode& node, const std::string& file, std::uint64_t free_bytes) {
  check_keys(node);
  LaunchBuffer buffer;
  buffer.type = type_of(node);
  if (node.find("values") != nullptr) {
    buffer.contents = encode_all(buffer.type, *node.find("values"), node.list("values"));
  } else if (node.find("file") != nullptr) {
    buffer.contents = read_binary(node.value("file"), file, free_bytes);
  } else {
    const std::uint64_t count = count_of(buffer.type, node.value("count"), free_bytes);
    if (node.find("random") != nullptr) {
      buffer.contents = drawn(buffer.type, node, count);
    } else if (node.find("first") != nullptr) {
      buffer.contents = series(buffer.type, node, count);
    } else {
      const std::string fill = node.find("fill") == nullptr ? "0" : node.value("fill").scalar();
      const auto one = encode_all(buffer.type, node, {fill});
      buffer.contents.reserve(count * one.size());
      for (std::uint64_t i = 0; i < count; ++i) buffer.contents.insert(buffer.contents.end(), one.begin(), one.end());
    }
  }
  if (buffer.contents.empty() || buffer.contents.size() % bytes_of(buffer.type) != 0) {
    node.reject(fmt::format("{} bytes are no whole number (above 0) of elements", buffer.contents.size()));
  }
  return buffer;
}

LaunchArgument read_argument(const LaunchDescription& description, const ConfigNode& node, const std::string& text) {
  LaunchArgument argument;
  argument.text = text;
  const auto space = text.find(' ');
  if (space == std::string::npos) {
    if (description.buffer(text) == nullptr) {
      node.reject(fmt::format("'{}' is no buffer, and no type and value (such as 's32 5')", text));
    }
    argument.buffer = text;
    return argument;
  }
  const std::string kind = text.substr(0, space),
                    value = text.substr(std::min(text.find_first_not_of(' ', space), text.size()));
  const auto type = value_type(kind);
  const auto bytes = kind == "hex" ? from_hex(value) : type ? encode(*type, value) : std::nullopt;
  if (!bytes) node.reject(fmt::format("'{}' is not a type (u8 … f64, hex) and a value of it", text));
  argument.value = *bytes;
  return argument;
}

const LaunchBuffer& known_buffer(const LaunchDescription& description, const ConfigNode& node,
                                 const std::string& name) {
  const LaunchBuffer* buffer = description.buffer(name);
  if (buffer != nullptr) return *buffer;
  std::vector<std::string> names;
  for (const auto& entry : description.buffers) names.push_back(entry.first);
  node.reject(fmt::format("no buffer of this name; {}", suggestion(name, names)));
}

LaunchCheck read_check(const LaunchDescription& description, const std::string& name, const ConfigNode& node) {
  node.only(keys_below(launch_keys(), "checks."));
  check_exclusive(node, {"equals", "values", "file"});
  const LaunchBuffer& buffer = known_buffer(description, node, name);
  LaunchCheck check;
  check.buffer = name;
  if (node.find("equals") != nullptr) {
    check.same_for_all = true;
    check.expected = encode_all(buffer.type, *node.find("equals"), {node.value("equals").scalar()});
  } else if (node.find("values") != nullptr) {
    check.expected = encode_all(buffer.type, *node.find("values"), node.list("values"));
  } else if (node.find("file") != nullptr) {
    check.expected = read_binary(node.value("file"), description.file, buffer.contents.size());
  } else {
    node.reject("a check needs equals, values or file");
  }
  if (check.expected.empty() || check.expected.size() > buffer.contents.size()) {
    node.reject(fmt::format("{} bytes expected of a buffer of {}", check.expected.size(), buffer.contents.size()));
  }
  if (const ConfigNode* tolerance = node.find("tolerance")) {
    check.tolerance = real_value(*tolerance, tolerance->scalar());
    if (check.tolerance < 0) tolerance->reject("must be at least 0");
    if (!is_floating(buffer.type)) tolerance->reject("integers are compared bit by bit");
  }
  return check;
}

LaunchOutput read_output(const LaunchDescription& description, const std::string& name, const ConfigNode& node) {
  node.only(keys_below(launch_keys(), "outputs."));
  known_buffer(description, node, name);
  LaunchOutput output;
  output.buffer = name;
  if (const ConfigNode* print = node.find("print")) output.print = unsigned_value(*print, 1, kMost);
  if (node.find("file") != nullptr) {
    output.file = beside(description.file, node.value("file")).string();
  }
  return output;
}

}  // namespace

const std::vector<FieldView>& launch_keys() {
  static const std::string most = std::to_string(kMost), shared = std::to_string(kMostShared);
  using Kind = FieldKind;
  static const std::vector<FieldView> keys{
      may_have("kernel", Kind::kText, "the kernel's name; not needed where the file has one kernel"),
      must_have("grid", Kind::kList, "blocks: one to three numbers"),
      must_have("block", Kind::kList, "threads of a block: one to three numbers"),
      may_have("shared_bytes", Kind::kWhole, "dynamic shared memory of a block (0)").within("0", shared),
      may_have("buffers", Kind::kNamed, "device memory, by name"),
      must_have("buffers.type", Kind::kChoice, "of its elements", value_type_names()),
      may_have("buffers.count", Kind::kWhole, "elements; with fill, random or first").within("1", most),
      may_have("buffers.fill", Kind::kText, "every element (0)"),
      may_have("buffers.random", Kind::kList, "[lowest, highest]: drawn evenly"),
      may_have("buffers.seed", Kind::kWhole, "of random (1)").within("0", most),
      may_have("buffers.first", Kind::kText, "the first element of a series"),
      may_have("buffers.step", Kind::kText, "from one element of a series to the next (1)"),
      may_have("buffers.values", Kind::kList, "all elements"),
      may_have("buffers.file", Kind::kText, "a binary file beside this one, with all elements"),
      may_have("arguments", Kind::kList, "in order: a buffer, or type and value (s32 256, hex 0001)"),
      may_have("outputs", Kind::kNamed, "what becomes of buffers after the launch, by their names"),
      may_have("outputs.print", Kind::kWhole, "so many elements are printed").within("1", most),
      may_have("outputs.file", Kind::kText, "the buffer is written there, beside this file"),
      may_have("checks", Kind::kNamed, "what buffers must hold after the launch, by their names"),
      may_have("checks.equals", Kind::kText, "every element"),
      may_have("checks.values", Kind::kList, "the first elements"),
      may_have("checks.file", Kind::kText, "a binary file beside this one, with the first elements"),
      may_have("checks.tolerance", Kind::kReal, "of f32 and f64; relative for values over 1 (0: bit by bit)")
          .within("0")};
  return keys;
}

const LaunchBuffer* LaunchDescription::buffer(const std::string& name) const {
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const auto& entry) { return entry.first == name; });
  return found == buffers.end() ? nullptr : &found->second;
}

LaunchDescription read_launch_description(const std::string& path, std::uint64_t most_bytes) {
  const ConfigNode root = ConfigNode::from_file(path);
  root.only(keys_below(launch_keys(), ""));
  LaunchDescription description;
  description.file = path;
  if (root.find("kernel") != nullptr) description.kernel = root.value("kernel").scalar();
  description.grid = dimensions(root, "grid", kLargestGrid);
  description.block = block_dimensions(root);
  if (const ConfigNode* shared = root.find("shared_bytes")) {
    description.shared_bytes = static_cast<std::uint32_t>(unsigned_value(*shared, 0, kMostShared));
  }
  if (root.find("buffers") != nullptr) {
    for (const auto& [name, node] : root.table("buffers").children()) {
      description.buffers.emplace_back(name, read_buffer(node, path, most_bytes));
      most_bytes -= std::min<std::uint64_t>(most_bytes, description.buffers.back().second.contents.size());
    }
  }
  description.arguments_place = path;
  if (const ConfigNode* node = root.find("arguments")) {
    description.arguments_place = node->place();
    for (const std::string& text : root.list("arguments")) {
      description.arguments.push_back(read_argument(description, *node, text));
    }
  }
  if (root.find("outputs") != nullptr) {
    for (const auto& [name, node] : root.table("outputs").children()) {
      description.outputs.push_back(read_output(description, name, node));
    }
  }
  if (root.find("checks") != nullptr) {
    for (const auto& [name, node] : root.table("checks").children()) {
      description.checks.push_back(read_check(description, name, node));
    }
  }
  return description;
}

std::vector<std::string> files_named_in(const std::string& path) {
  const ConfigNode root = ConfigNode::from_file(path);
  std::vector<std::string> files;
  for (const char* table : {"buffers", "checks"}) {
    if (root.find(table) == nullptr) continue;
    for (const auto& [name, node] : root.table(table).children()) {
      if (node.find("file") != nullptr) files.push_back(beside(path, node.value("file")));
    }
  }
  return files;
}

}  // namespace warpfold::host
