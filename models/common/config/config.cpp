// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/config/config.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/number.h"

namespace warpfold {
namespace {

constexpr std::size_t kDeepest = 32;  // of tables in each other, which functions walk that call themselves

bool is_null_word(const std::string& text) { return text == "null" || text == "Null" || text == "NULL"; }

}  // namespace

// Makes our nodes, which know their place and their path, of what libyaml reads, and stops at the first mistake.
class ConfigReader {
 public:
  static ConfigNode read(const std::string& text, const std::string& file, ConfigNode::Lists lists) {
    ConfigReader reader(text, file, lists == ConfigNode::Lists::kOfAnything);
    while (reader.take_event()) continue;
    if (!reader.root_ || !reader.root_->table_) user_error("{}:1:1: expected a table of 'key: value' lines", file);
    return std::move(*reader.root_);
  }
  ~ConfigReader() { yaml_parser_delete(&parser_); }
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;

 private:
  static constexpr std::size_t kMostKeys = 10'000;
  static constexpr std::size_t kMostCopies = 1 << 16;  // a few lines of aliases to aliases multiply beyond any memory

  struct Event : yaml_event_t {
    ~Event() { yaml_event_delete(this); }
  };
  using Mark = yaml_mark_t;

  // A table or list whose end has not come yet.
  struct Open {
    ConfigNode node;
    std::string anchor;
    std::unordered_set<std::string> seen;
    std::optional<std::string> key;  // of the value that comes next
    Mark key_mark;
  };

  ConfigReader(const std::string& text, const std::string& file, bool any_lists) : file_(file), any_lists_(any_lists) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, bytes(text), text.size());
  }

  static const unsigned char* bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }
  static std::string text_of(const unsigned char* bytes) {
    return bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
  }

  // False: the text's end.
  bool take_event() {
    Event event;
    if (yaml_parser_parse(&parser_, &event) == 0) fail_syntax();
    const Mark& mark = event.start_mark;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (root_) user_error("{}: a second document; a file holds one", place_of(mark));
        break;
      case YAML_SCALAR_EVENT:
        take_scalar(event.data.scalar, mark);
        break;
      case YAML_ALIAS_EVENT:
        take_alias(text_of(event.data.alias.anchor), mark);
        break;
      case YAML_SEQUENCE_START_EVENT:
        open(mark, event.data.sequence_start.anchor).list_ = true;
        break;
      case YAML_MAPPING_START_EVENT:
        open(mark, event.data.mapping_start.anchor).table_ = true;
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        break;
      default:
        break;
    }
    return event.type != YAML_STREAM_END_EVENT;
  }

  using Scalar = decltype(yaml_event_t::data.scalar);
  static bool is_null(const Scalar& scalar, const std::string& value) {
    return scalar.plain_implicit != 0 && (value.empty() || value == "~" || is_null_word(value));
  }
  void take_scalar(const Scalar& scalar, const Mark& mark) {
    std::string value(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (value.find('\0') != std::string::npos) user_error("{}: a text with a NUL character: take it out", place(mark));
    const bool null = is_null(scalar, value);
    if (null && (at_key() || (in_list() && !any_lists_))) fail_single(mark);
    if (at_key()) return take_key(mark, std::move(value));
    ConfigNode node = started(mark);
    if (!null) node.scalar_ = std::move(value);
    take(std::move(node), text_of(scalar.anchor));
  }
  void take_alias(const std::string& anchor, const Mark& mark) {
    if (at_key()) fail_single(mark);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      const bool within = std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.anchor == anchor; });
      user_error("{}: {}", place(mark), within ? "an alias to what it stands in" : "an alias to nothing before it");
    }
    if (in_list() && !any_lists_ && (found->second.table_ || found->second.list_)) fail_single(mark);
    copies_ += size_of(found->second);
    if (copies_ > kMostCopies) user_error("{}: aliases multiply the file's values beyond measure", place(mark));
    ConfigNode node = found->second;
    node.adopt(next_path());
    take(std::move(node), "");
  }

  bool in_list() const { return !open_.empty() && open_.back().node.list_; }
  bool at_key() const { return !open_.empty() && open_.back().node.table_ && !open_.back().key; }

  std::string next_path() const {
    if (open_.empty()) return "";
    const Open& in = open_.back();
    if (in.node.list_ && any_lists_) return fmt::format("{}[{}]", in.node.path_, in.node.nodes_.size());
    return in.key ? in.node.path_of(*in.key) : "";
  }

  std::string place_of(const Mark& mark) const {
    return fmt::format("{}:{}:{}", file_, mark.line + 1, mark.column + 1);
  }
  std::string place(const Mark& mark) const {
    const std::string path = open_.empty() || open_.back().key ? next_path() : open_.back().node.path_;
    return fmt::format("{}{}{}", place_of(mark), path.empty() ? "" : ": ", path);
  }

  [[noreturn]] void fail_single(const Mark& mark) const {
    user_error("{}: {}", place(mark), in_list() ? "a list holds single values only" : "a key is a single word");
  }
  // Bytes that are no text have no place but their number.
  [[noreturn]] void fail_syntax() const {
    const char* const context = parser_.context != nullptr ? parser_.context : "";
    if (parser_.error == YAML_READER_ERROR) {
      user_error("{}: byte {}: {}", file_, parser_.problem_offset + 1, parser_.problem);
    }
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    user_error("{}: {}{}{}", place_of(parser_.problem_mark), context, *context == 0 ? "" : ": ", parser_.problem);
  }

  ConfigNode started(const Mark& mark) const {
    ConfigNode node;
    node.file_ = file_;
    node.path_ = next_path();
    node.table_ = false;
    node.line_ = static_cast<unsigned>(mark.line + 1);
    node.column_ = static_cast<unsigned>(mark.column + 1);
    return node;
  }

  ConfigNode& open(const Mark& mark, const unsigned char* anchor) {
    if (at_key() || (in_list() && !any_lists_)) fail_single(mark);
    if (open_.size() > kDeepest) user_error("{}: tables nested more than {} deep", place(mark), kDeepest);
    open_.push_back({started(mark), text_of(anchor), {}, {}, {}});
    return open_.back().node;
  }

  void close() {
    Open ended = std::move(open_.back());
    open_.pop_back();
    take(std::move(ended.node), ended.anchor);
  }

  void take_key(const Mark& mark, std::string key) {
    Open& table = open_.back();
    table.key_mark = mark;
    const bool fresh = table.seen.insert(key).second;
    table.key = std::move(key);
    if (!fresh) user_error("{}: given twice", place(mark));
    if (++keys_ > kMostKeys) user_error("{}: more than {} keys", place(mark), kMostKeys);
  }

  // A value that is whole goes to where it stands.
  void take(ConfigNode node, const std::string& anchor) {
    if (!anchor.empty()) anchored_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (in_list()) {
      ConfigNode& list = open_.back().node;
      if (!node.table_ && !node.list_) list.items_.push_back(node.scalar_);
      if (any_lists_) list.nodes_.push_back(std::move(node));
    } else {
      Open& table = open_.back();
      node.line_ = static_cast<unsigned>(table.key_mark.line + 1);
      node.column_ = static_cast<unsigned>(table.key_mark.column + 1);
      table.node.children_.emplace_back(std::move(*table.key), std::move(node));
      table.key.reset();
    }
  }

  static std::size_t size_of(const ConfigNode& node) {
    std::size_t size = 1 + node.items_.size();
    for (const auto& [key, child] : node.children_) size += size_of(child);
    for (const ConfigNode& item : node.nodes_) size += size_of(item);
    return size;
  }

  yaml_parser_t parser_;
  const std::string& file_;
  bool any_lists_;
  std::optional<ConfigNode> root_;
  std::vector<Open> open_;  // the innermost last
  std::unordered_map<std::string, ConfigNode> anchored_;
  std::size_t keys_ = 0, copies_ = 0;
};

ConfigNode ConfigNode::from_file(const std::string& path, Lists lists) {
  return ConfigReader::read(read_input(path, "configuration file", {.bytes = 16 << 20}), path, lists);
}

ConfigNode ConfigNode::from_text(const std::string& text, const std::string& name, Lists lists) {
  return ConfigReader::read(text, name, lists);
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto at =
      std::find_if(children_.begin(), children_.end(), [&](const auto& child) { return child.first == key; });
  return at == children_.end() ? nullptr : &at->second;
}

std::string ConfigNode::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::string ConfigNode::place() const { return line_ == 0 ? file_ : fmt::format("{}:{}:{}", file_, line_, column_); }

void ConfigNode::set(std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    user_error("--set {}: expected key=value, such as core.warp_size=16", assignment);
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1), "--set");
}

void ConfigNode::set(std::string_view key, std::string_view value, const std::string& place) {
  if (std::count(key.begin(), key.end(), '.') > static_cast<std::ptrdiff_t>(kDeepest)) {
    user_error("{}: {}: tables nested more than {} deep", place, key, kDeepest);
  }
  ConfigNode node;
  node.table_ = false;
  node.scalar_ = value;
  node.file_ = place;
  set(key, node);
}

void ConfigNode::set(std::string_view key, const ConfigNode& value) {
  const auto dot = key.find('.');
  const std::string first(key.substr(0, dot));
  auto at = std::find_if(children_.begin(), children_.end(), [&](const auto& child) { return child.first == first; });
  if (at == children_.end()) {
    ConfigNode fresh;
    fresh.file_ = value.file_;
    fresh.path_ = path_of(first);
    at = children_.emplace(children_.end(), first, std::move(fresh));
  }
  if (dot == std::string_view::npos) {
    at->second = value;
    at->second.adopt(path_of(first));
  } else if (at->second.table_) {
    at->second.set(key.substr(dot + 1), value);
  } else {
    user_error("{}: {}: '{}' is a single value, not a table", value.place(), path_of(key), at->second.path_);
  }
}

void ConfigNode::adopt(const std::string& path) {
  path_ = path;
  for (auto& [key, child] : children_) child.adopt(path_of(key));
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].adopt(fmt::format("{}[{}]", path, i));
}

const ConfigNode& ConfigNode::table(std::string_view key) const {
  const ConfigNode* child = find(key);
  if (child == nullptr) user_error("{}: {}: this table is missing", place(), path_of(key));
  if (!child->table_) user_error("{}: {} = {}: expected a table of keys", child->place(), child->path_, child->scalar_);
  return *child;
}

const ConfigNode& ConfigNode::value(std::string_view key) const {
  const ConfigNode* child = find(key);
  if (child == nullptr) user_error("{}: {}: this key is missing", place(), path_of(key));
  if (child->table_ || child->list_) {
    user_error("{}: {}: expected a single value, found a {}", child->place(), child->path_,
               child->table_ ? "table" : "list");
  }
  return *child;
}

const std::vector<std::string>& ConfigNode::list(std::string_view key) const {
  const ConfigNode* child = find(key);
  if (child == nullptr) user_error("{}: {}: this list is missing", place(), path_of(key));
  if (!child->list_) user_error("{}: {}: expected a list", child->place(), child->path_);
  return child->items_;
}

void ConfigNode::only(const std::vector<std::string>& known) const {
  for (const auto& [key, child] : children_) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    user_error("{}: {}: unknown key; {}", child.place(), child.path_, suggestion(key, known));
  }
}

void ConfigNode::reject(const std::string& what) const {
  user_error("{}: {} = {}: {}", place(), path_, scalar_.empty() ? "(nothing)" : scalar_, what);
}

std::string ConfigNode::text(unsigned indent) const {
  std::string out;
  using config_detail::quoted;
  for (const auto& [key, child] : children_) {
    if (child.table_ && child.children_.empty()) {
      out += fmt::format("{:{}}{}: {{}}\n", "", indent, key);
    } else if (child.table_) {
      out += fmt::format("{:{}}{}:\n{}", "", indent, key, child.text(indent + 2));
    } else if (child.list_) {
      out += fmt::format("{:{}}{}:{}\n", "", indent, key, child.items_.empty() ? " []" : "");
      for (const std::string& item : child.items_) out += fmt::format("{:{}}- {}\n", "", indent + 2, quoted(item));
    } else {
      out += fmt::format("{:{}}{}: {}\n", "", indent, key, quoted(child.scalar_));
    }
  }
  return out;
}

namespace {

std::string range_text(const std::string& lowest, const std::string& highest, bool power_of_two,
                       const std::string& unit) {
  return fmt::format("{}in [{}, {}]{}{}", power_of_two ? "a power of two " : "", lowest, highest,
                     unit.empty() ? "" : " ", unit);
}

}  // namespace

std::string FieldView::legal() const {
  switch (kind) {
    case FieldKind::kFlag:
      return "true or false";
    case FieldKind::kWhole:
    case FieldKind::kReal:
      return range_text(lowest, highest, power_of_two, unit);
    case FieldKind::kChoice:
      return config_detail::choices_text(choices);
    default:
      return "text";
  }
}

std::string dump(const std::vector<FieldView>& fields) {
  std::string out;
  for (const FieldView& field : fields) {
    const auto depth = static_cast<unsigned>(std::count(field.path.begin(), field.path.end(), '.'));
    const std::string key = field.path.substr(field.path.rfind('.') + 1);
    if (field.section()) {
      out += fmt::format("{:{}}{}:  # {}\n", "", 2 * depth, key, field.meaning);
    } else {
      const char* const gap = field.unit.empty() ? "" : "; ";
      out += fmt::format("{:{}}{}: {}  # {}{}{}\n", "", 2 * depth, key, field.value, field.unit, gap, field.meaning);
    }
  }
  return out;
}

namespace config_detail {
namespace {

// All of the text, decimal or 0x hexadecimal.
template <class T>
std::optional<T> parse_whole(const std::string& text) {
  if (!text.starts_with("0x")) return number_in<T>(text);
  return text.starts_with("0x-") ? std::nullopt : number_in<T>(std::string_view(text).substr(2), 16);
}

bool whole_number(const std::string& text) {
  const auto first = text.begin() + (text.starts_with('-') ? 1 : 0);
  return first != text.end() && std::all_of(first, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool read_flag(const ConfigNode& value) {
  if (value.scalar() == "true") return true;
  if (value.scalar() == "false") return false;
  value.reject("must be true or false");
}

std::int64_t read_signed(const ConfigNode& value, std::int64_t lowest, std::int64_t highest, const char* unit) {
  const auto n = parse_whole<std::int64_t>(value.scalar());
  const char* const wrong = n || whole_number(value.scalar()) ? "" : "a whole number ";
  if (!n || *n < lowest || *n > highest) {
    value.reject(
        fmt::format("must be {}{}", wrong, range_text(std::to_string(lowest), std::to_string(highest), false, unit)));
  }
  return *n;
}

std::uint64_t read_unsigned(const ConfigNode& value, std::uint64_t lowest, std::uint64_t highest, bool power_of_two,
                            const char* unit) {
  const auto n = parse_whole<std::uint64_t>(value.scalar());
  const char* const wrong = n || whole_number(value.scalar()) ? "" : "a whole number: ";
  if (!n || *n < lowest || *n > highest || (power_of_two && !std::has_single_bit(*n))) {
    value.reject(fmt::format("must be {}{}", wrong,
                             range_text(std::to_string(lowest), std::to_string(highest), power_of_two, unit)));
  }
  return *n;
}

double read_real(const ConfigNode& value, double lowest, double highest, const char* unit) {
  const std::string& text = value.scalar();
  const auto n = number_in<double>(text);
  if (!n || !(*n >= lowest && *n <= highest)) {
    value.reject(fmt::format("must be {}{}", n ? "" : "a number ",
                             range_text(real_text(lowest), real_text(highest), false, unit)));
  }
  return *n;
}

std::size_t read_choice(const ConfigNode& value, const char* const* names, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (value.scalar() == names[i]) return i;
  }
  value.reject("must be " + choices_text({names, names + count}));
}

void missing(const ConfigNode& table, const FieldView& field) {
  user_error("{}: {}: this key is missing ({}); give {}", table.place(), field.path, field.meaning, field.legal());
}

// JSON's strings are YAML's, too.
std::string quoted(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '/'; };
  const auto is_plain = [&](unsigned char c) { return is_word(c) || c == ' ' || c == '.' || c == '-' || c == '+'; };
  const bool plain = std::all_of(text.begin(), text.end(), is_plain) && !text.empty() && is_word(text.back());
  if (plain && (is_word(text.front()) || text.front() == '.') && !is_null_word(text)) return text;
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    user_error("{}: this name is not UTF-8, which YAML is written in", text);
  }
}

std::string real_text(double value) { return fmt::format("{}", value); }

std::string choices_text(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return out;
}

}  // namespace config_detail
}  // namespace warpfold
