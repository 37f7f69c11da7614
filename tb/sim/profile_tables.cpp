// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/profile_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tb/sim/labels.h"
#include "tb/sim/table.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string ratio(std::uint64_t of, std::uint64_t by) {
  return by == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(of) / static_cast<double>(by));
}

// Files by their last names, unless two of the kernel's have the same.
class FileNames {
 public:
  explicit FileNames(const KernelProfile& kernel) {
    std::set<std::string> files{kernel.ptx_file};
    for (const ProfiledInstruction& instruction : kernel.instructions) files.insert(instruction.source_file);
    for (const std::string& file : files) ++known_[fs::path(file).filename()];
  }
  std::string at(const std::string& file, unsigned line) const {
    if (line == 0) return "(no line)";
    const std::string last = fs::path(file).filename();
    const auto found = known_.find(last);
    return fmt::format("{}:{}", found != known_.end() && found->second == 1 ? last : file, line);
  }

 private:
  std::map<std::string, unsigned> known_;
};

// Lines of the files as they lie there now.
class SourceTexts {
 public:
  std::string at(const std::string& file, unsigned line) {
    const auto [found, fresh] = files_.try_emplace(file);
    if (fresh) read(file, found->second);
    return line == 0 || line > found->second.size() ? "" : found->second[line - 1];
  }
  bool has(const std::string& file) const { return !files_.at(file).empty(); }

 private:
  static void read(const std::string& file, std::vector<std::string>& lines) {
    constexpr std::size_t kLongest = 100;
    std::error_code none;
    if (!fs::is_regular_file(file, none)) return;
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      std::replace(text.begin(), text.end(), '\t', ' ');
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
      lines.push_back(text.size() > kLongest ? text.substr(0, kLongest) + "..." : text);
    }
  }
  std::map<std::string, std::vector<std::string>> files_;
};

// The last cell of every row is text.
std::string table(std::vector<std::string> header, const std::vector<std::vector<std::string>>& rows) {
  header.emplace_back();  // so that rows are short of one, as those that end in text are
  std::string text = format_table(header, rows);
  std::string out, line;
  for (const char c : text) {
    if (c == '\n') line.erase(line.find_last_not_of(' ') + 1);
    line += c;
    if (c == '\n') out += std::exchange(line, "");
  }
  return out;
}

// What a line's warps wait for most.
std::string longest_wait(const PcCounts& counts) {
  const auto longest = std::max_element(counts.waits.begin(), counts.waits.end());
  if (*longest == 0) return "-";
  return fmt::format("{} {}", kWaitNames[static_cast<std::size_t>(longest - counts.waits.begin())],
                     percent(*longest, heat(counts)));
}

std::string breakdown(const PcCounts& counts) {
  std::string text = "issue " + percent(counts.issue_cycles, heat(counts));
  for (std::size_t why = 0; why < kWaits; ++why) {
    if (counts.waits[why] != 0)
      text += fmt::format(", {} {}", kWaitNames[why], percent(counts.waits[why], heat(counts)));
  }
  return text;
}

std::string kernel_header(const KernelProfile& kernel, std::uint64_t all_cycles) {
  const PcCounts total = kernel.total();
  std::string text =
      fmt::format("{}: {} launch{}", readable_kernel(kernel.name), kernel.launches, kernel.launches == 1 ? "" : "es");
  if (kernel.cycles != 0) text += fmt::format(", {} cycles ({})", kernel.cycles, percent(kernel.cycles, all_cycles));
  text += fmt::format(", {} warp instructions, SIMD efficiency {}, {} lanes lost\n", total.issued,
                      percent(total.lanes, total.lanes + total.lost), total.lost);
  if (kernel.cycles != 0) text += fmt::format("warp cycles: {}\n", breakdown(total));
  return text;
}

std::string branch_table(const KernelProfile& kernel, unsigned most) {
  std::vector<const ProfiledInstruction*> branches;
  std::size_t together = 0;  // branches that could have parted threads
  for (const ProfiledInstruction& instruction : kernel.instructions) {
    if (instruction.counts.divergent != 0) branches.push_back(&instruction);
    if (instruction.counts.divergent == 0 && instruction.branch.may_diverge && instruction.counts.issued != 0)
      ++together;
  }
  std::stable_sort(branches.begin(), branches.end(), [](const auto* a, const auto* b) {
    return a->branch.lanes_lost_behind > b->branch.lanes_lost_behind;
  });
  const FileNames names(kernel);
  const bool source = kernel.has_source_lines();
  const std::uint64_t lost = kernel.total().lost;
  std::vector<std::vector<std::string>> rows;
  for (const ProfiledInstruction* branch : branches) {
    if (rows.size() == most) break;
    const PcCounts& counts = branch->counts;
    rows.push_back(
        {source ? names.at(branch->source_file, branch->source_line) : names.at(kernel.ptx_file, branch->ptx_line),
         std::to_string(branch->ptx_line), branch->branch.kind, std::to_string(counts.issued),
         percent(counts.divergent, counts.issued), ratio(counts.lanes, counts.issued),
         percent(counts.taken, counts.lanes), percent(branch->branch.lanes_lost_behind, lost)});
  }
  std::string text;
  if (!rows.empty()) {
    text =
        format_table({"branch", "PTX line", "kind", "executions", "divergent", "lanes", "taken", "lost behind"}, rows);
  }
  if (branches.size() > rows.size()) {
    text +=
        fmt::format("({} more that diverged; --lines {} shows all)\n", branches.size() - rows.size(), branches.size());
  }
  if (together != 0)
    text += fmt::format("{} conditional branch{} never diverged\n", together, together == 1 ? "" : "es");
  return text;
}

// The hottest, in the order of the source.
std::vector<LineProfile> hottest(std::vector<LineProfile> lines, unsigned most) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < lines.size(); ++i) order.emplace_back(~heat(lines[i].counts), i);
  std::sort(order.begin(), order.end());
  order.resize(std::min<std::size_t>(order.size(), most));
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<LineProfile> chosen;
  for (const auto& [unused, i] : order) chosen.push_back(std::move(lines[i]));
  return chosen;
}

std::string line_table(const KernelProfile& kernel, unsigned most, SourceTexts& texts) {
  const FileNames names(kernel);
  const PcCounts total = kernel.total();
  const std::vector<LineProfile> all = lines_of(kernel), shown = hottest(all, most);
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> unread;
  std::uint64_t shown_heat = 0;
  const bool timed = kernel.cycles != 0;
  const char* const measure = timed ? "cycles" : "issues";
  for (const LineProfile& line : shown) {
    const PcCounts& counts = line.counts;
    std::string text = texts.at(line.file, line.line);
    if (line.line != 0 && !texts.has(line.file)) {
      text = line.opcodes;
      if (kernel.has_source_lines()) unread.insert(line.file);
    }
    shown_heat += heat(counts);
    rows.push_back({names.at(line.file, line.line), percent(heat(counts), heat(total)), std::to_string(counts.issued),
                    ratio(counts.lanes, counts.issued), percent(counts.lost, total.lost),
                    line.branches ? std::to_string(counts.divergent) : "-",
                    timed && line.accesses ? ratio(counts.lines, counts.accesses) : "-",
                    timed && line.accesses ? ratio(counts.conflicts, counts.accesses) : "-", longest_wait(counts),
                    text});
  }
  std::string text = table(
      {"line", measure, "issued", "lanes", "lost", "divergent", "lines/access", "conflicts", "waits for", "source"},
      rows);
  if (all.size() > shown.size()) {
    const std::size_t others = all.size() - shown.size();
    text += fmt::format("({} more line{} with {} of the {}; --lines {} shows all)\n", others, others == 1 ? "" : "s",
                        percent(heat(total) - shown_heat, heat(total)), measure, all.size());
  }
  for (const std::string& file : unread)
    text += fmt::format("({}: cannot be read from here, so its text is not shown)\n", file);
  if (!kernel.has_source_lines()) {
    text += "(no line information: these are lines of the PTX; compile with -lineinfo for those of the source)\n";
  }
  return text;
}

Json json_of(const LineProfile& line) {
  const PcCounts& counts = line.counts;
  Json json = {{"file", line.file},
               {"line", line.line},
               {"issued", counts.issued},
               {"lanes", counts.lanes},
               {"lanes_lost", counts.lost},
               {"issue_cycles", counts.issue_cycles},
               {"divergent", counts.divergent},
               {"accesses", counts.accesses},
               {"lines", counts.lines},
               {"bank_conflict_cycles", counts.conflicts}};
  for (std::size_t why = 0; why < kWaits; ++why) json["waits"][kWaitNames[why]] = counts.waits[why];
  return json;
}

}  // namespace

std::string profile_text(const std::vector<KernelProfile>& kernels, unsigned lines) {
  std::uint64_t cycles = 0;
  for (const KernelProfile& kernel : kernels) cycles += kernel.cycles;
  SourceTexts texts;
  std::string text;
  for (const KernelProfile& kernel : kernels) {
    text += "\n" + kernel_header(kernel, cycles);
    const std::string branches = branch_table(kernel, lines);
    if (!branches.empty()) text += "\n" + branches;
    text += "\n" + line_table(kernel, lines, texts);
  }
  return text;
}

nlohmann::ordered_json profile_report(const std::vector<KernelProfile>& kernels) {
  Json all = Json::array();
  for (const KernelProfile& kernel : kernels) {
    Json json = kernel.as_read;
    Json lines = Json::array();
    for (const LineProfile& line : lines_of(kernel)) lines.push_back(json_of(line));
    json["function"] = readable_kernel(kernel.name);
    json["lines_of"] = kernel.has_source_lines() ? "source" : "PTX";
    json["lines"] = std::move(lines);
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace warpfold::sim
