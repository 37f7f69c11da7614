// SPDX-License-Identifier: Apache-2.0
// `warpfold machines`: all values of a machine, or those in which two differ, each with the source that its file gives.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tb/sim/commands/commands.h"
#include "tb/sim/tables/report.h"
#include "warpfold/common/config/config.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

// A machine's values, and of each the comment that stands beside it: the parser drops comments, so they are read from
// the lines of the text.
class SourcedMachine {
 public:
  explicit SourcedMachine(const std::string& name) : values_(fields_of(RunOptions::resolve(name, "pdom", {}).machine)) {
    const MachineFile file(name);
    own_ = {file.own, lines_of(file.path)};
    if (!file.base.empty()) base_ = {ConfigNode::from_file(file.base), lines_of(file.base)};
  }

  const std::vector<FieldView>& values() const { return values_; }

  // A key that the file need not give, and does not, has the source of the nearest section that it does give.
  std::string source(std::string_view path) const {
    return base_.lines.empty() || own_.gives(path) ? own_.source(path) : base_.source(path);
  }

 private:
  struct File {
    ConfigNode root;
    std::vector<std::string> lines;

    // Of the value, or of the innermost section around it; null: neither is there.
    const ConfigNode* nearest(std::string_view path) const {
      const ConfigNode* found = nullptr;
      for (const ConfigNode* node = &root; !path.empty(); found = node) {
        const std::string_view key = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), key.size() + 1));
        node = node->find(key);
        if (node == nullptr) break;
      }
      return found;
    }
    bool gives(std::string_view path) const {
      const ConfigNode* const node = nearest(path);
      return node != nullptr && node->path() == path;
    }
    std::string source(std::string_view path) const {
      const ConfigNode* const node = nearest(path);
      return node == nullptr ? "" : comment(lines[node->line() - 1]);
    }
  };
  static std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> lines;
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static std::string comment(const std::string& line) {
    const std::size_t mark = line.find(" #");
    const std::size_t text = mark == std::string::npos ? mark : line.find_first_not_of(" #", mark);
    return text == std::string::npos ? "" : line.substr(text);
  }

  std::vector<FieldView> values_;
  File own_, base_;
};

void print_side(const std::string& machine, const Row& row, std::size_t value) {
  const std::string& source = row.cells[value + 1].shown;
  fmt::print("  {}: {}{}\n", machine, row.cells[value].shown, source.empty() ? "" : "  # " + source);
}

// On the console below each other: sources are sentences.
void print_differences(const MachinesCommand& command, const std::vector<Row>& rows, unsigned values) {
  for (const Row& row : rows) {
    const std::string& unit = row.cells[1].shown;
    fmt::print("{}{}\n", row.cells[0].shown, unit.empty() ? "" : " [" + unit + "]");
    print_side(command.first, row, 2);
    print_side(command.second, row, 4);
  }
  if (rows.empty()) {
    fmt::print("{} and {} are the same in all {} values\n", command.first, command.second, values);
  } else {
    fmt::print("{} of {} values differ\n", rows.size(), values);
  }
}

}  // namespace

int show_machine(const MachinesCommand& command) {
  const SourcedMachine machine(command.first);
  ReportTable table{"values",
                    "",
                    {{"key", "key", kAll, true, true},
                     {"value", "value", kAll, true},
                     {"unit", "unit", kAll, true},
                     {"source", "source", kAll, true}},
                    {}};
  for (const FieldView& field : machine.values()) {
    if (field.section()) continue;
    table.rows.push_back({{field.path, parsed(field.value), field.unit, machine.source(field.path)}});
  }
  deliver({{}, {std::move(table)}, true}, command.output);
  return 0;
}

int diff_machines(const MachinesCommand& command) {
  const SourcedMachine first(command.first), second(command.second);
  const std::string source = " (source)";
  ReportTable table{"differences",
                    "",
                    {{"key", "key", kAll, true, true},
                     {"unit", "unit", kAll, true},
                     {"first", command.first, kAll, true},
                     {"first_source", command.first + source, kAll, true},
                     {"second", command.second, kAll, true},
                     {"second_source", command.second + source, kAll, true}},
                    {}};
  unsigned values = 0;
  for (std::size_t i = 0; i < first.values().size(); ++i) {
    const FieldView &one = first.values()[i], &other = second.values()[i];
    if (one.section()) continue;
    ++values;
    if (one.value == other.value) continue;
    table.rows.push_back({{one.path, one.unit, parsed(one.value), first.source(one.path), parsed(other.value),
                           second.source(other.path)}});
  }
  if (command.output.asked()) {
    deliver({{}, {std::move(table)}, true}, command.output);
  } else {
    print_differences(command, table.rows, values);
  }
  return 0;
}

}  // namespace warpfold::sim
