// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/profile_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "tb/sim/console/labels.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Cell share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return percent(static_cast<double>(part) / static_cast<double>(whole));
}

Cell ratio(std::uint64_t of, std::uint64_t by) {
  if (by == 0) return {};
  return decimal(static_cast<double>(of) / static_cast<double>(by), 1);
}

Cell number(std::uint64_t value) { return {value, std::to_string(value)}; }

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

// What a line's warps wait for most.
std::string longest_wait(const PcCounts& counts) {
  const auto longest = std::max_element(counts.waits.begin(), counts.waits.end());
  if (*longest == 0) return "-";
  return fmt::format("{} {}", kWaitNames[static_cast<std::size_t>(longest - counts.waits.begin())],
                     share(*longest, heat(counts)).shown);
}

std::string breakdown(const PcCounts& counts) {
  std::string text = "issue " + share(counts.issue_cycles, heat(counts)).shown;
  for (std::size_t why = 0; why < kWaits; ++why) {
    if (counts.waits[why] != 0)
      text += fmt::format(", {} {}", kWaitNames[why], share(counts.waits[why], heat(counts)).shown);
  }
  return text;
}

std::string kernel_header(const KernelProfile& kernel, std::uint64_t all_cycles) {
  const PcCounts total = kernel.total();
  std::string text =
      fmt::format("{}: {} launch{}", readable_kernel(kernel.name), kernel.launches, kernel.launches == 1 ? "" : "es");
  if (kernel.cycles != 0)
    text += fmt::format(", {} cycles ({})", kernel.cycles, share(kernel.cycles, all_cycles).shown);
  text += fmt::format(", {} warp instructions, SIMD efficiency {}, {} lanes lost\n", total.issued,
                      share(total.lanes, total.lanes + total.lost).shown, total.lost);
  if (kernel.cycles != 0) text += fmt::format("warp cycles: {}\n", breakdown(total));
  return text;
}

// The most lanes lost behind first.
std::vector<const ProfiledInstruction*> diverging_branches(const KernelProfile& kernel) {
  std::vector<const ProfiledInstruction*> branches;
  for (const ProfiledInstruction& instruction : kernel.instructions) {
    if (instruction.counts.divergent != 0) branches.push_back(&instruction);
  }
  std::stable_sort(branches.begin(), branches.end(), [](const auto* a, const auto* b) {
    return a->branch.lanes_lost_behind > b->branch.lanes_lost_behind;
  });
  return branches;
}

// How many branches could have parted threads, and did not.
std::size_t branches_together(const KernelProfile& kernel) {
  return static_cast<std::size_t>(
      std::count_if(kernel.instructions.begin(), kernel.instructions.end(), [](const ProfiledInstruction& instruction) {
        return instruction.counts.divergent == 0 && instruction.branch.may_diverge && instruction.counts.issued != 0;
      }));
}

ReportTable branch_table(const KernelProfile& kernel, std::size_t most) {
  ReportTable table{"branches",
                    "",
                    {{"place", "branch"},
                     {"kernel", "", kPrograms},
                     {"symbol", "", kPrograms},
                     {"file", "", kPrograms},
                     {"line", "", kPrograms},
                     {"ptx_line", "PTX line"},
                     {"kind", "kind"},
                     {"executions", "executions"},
                     {"divergent", "", kPrograms},
                     {"divergent_share", "divergent"},
                     {"lanes", "lanes"},
                     {"taken_share", "taken"},
                     {"lanes_lost_behind", "", kPrograms},
                     {"lost_behind_share", "lost behind"}},
                    {}};
  const std::vector<const ProfiledInstruction*> branches = diverging_branches(kernel);
  const FileNames names(kernel);
  const bool source = kernel.has_source_lines();
  const std::uint64_t lost = kernel.total().lost;
  for (const ProfiledInstruction* branch : branches) {
    if (table.rows.size() == most) break;
    const PcCounts& counts = branch->counts;
    const std::string& file = source ? branch->source_file : kernel.ptx_file;
    const unsigned line = source ? branch->source_line : branch->ptx_line;
    table.rows.push_back(
        {{names.at(file, line), readable_kernel(kernel.name), kernel.name, file, number(line), number(branch->ptx_line),
          branch->branch.kind, number(counts.issued), number(counts.divergent), share(counts.divergent, counts.issued),
          ratio(counts.lanes, counts.issued), share(counts.taken, counts.lanes),
          number(branch->branch.lanes_lost_behind), share(branch->branch.lanes_lost_behind, lost)}});
  }
  if (branches.size() > table.rows.size()) {
    table.footer += fmt::format("({} more that diverged; --lines {} shows all)\n", branches.size() - table.rows.size(),
                                branches.size());
  }
  if (const std::size_t together = branches_together(kernel); together != 0) {
    table.footer += fmt::format("{} conditional branch{} never diverged\n", together, together == 1 ? "" : "es");
  }
  return table;
}

// The hottest, in the order of the source.
std::vector<LineProfile> hottest(std::vector<LineProfile> lines, std::size_t most) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < lines.size(); ++i) order.emplace_back(~heat(lines[i].counts), i);
  std::sort(order.begin(), order.end());
  order.resize(std::min<std::size_t>(order.size(), most));
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<LineProfile> chosen;
  for (const auto& [unused, i] : order) chosen.push_back(std::move(lines[i]));
  return chosen;
}

std::vector<Column> line_columns(const char* measure) {
  return {{"place", "line"},
          {"kernel", "", kPrograms},
          {"symbol", "", kPrograms},
          {"file", "", kPrograms},
          {"line", "", kPrograms},
          {"warp_cycles", "", kPrograms},
          {"share", measure},
          {"issued", "issued"},
          {"lanes", "lanes"},
          {"lanes_lost", "", kPrograms},
          {"lost_share", "lost"},
          {"divergent", "divergent"},
          {"lines_per_access", "lines/access"},
          {"conflicts_per_access", "conflicts"},
          {"longest_wait", "waits for"},
          {"source", "source", kAll, true}};
}

// What is left out, or cannot be shown.
std::string line_remarks(const KernelProfile& kernel, const std::vector<LineProfile>& all,
                         const std::vector<LineProfile>& shown, const std::set<std::string>& unread) {
  const std::uint64_t total = heat(kernel.total());
  std::uint64_t told = 0;
  for (const LineProfile& line : shown) told += heat(line.counts);
  std::string text;
  if (const std::size_t others = all.size() - shown.size(); others != 0) {
    text += fmt::format("({} more line{} with {} of the {}; --lines {} shows all)\n", others, others == 1 ? "" : "s",
                        share(total - told, total).shown, kernel.cycles != 0 ? "cycles" : "issues", all.size());
  }
  for (const std::string& file : unread)
    text += fmt::format("({}: cannot be read from here, so its text is not shown)\n", file);
  if (!kernel.has_source_lines()) {
    text += "(no line information: these are lines of the PTX; compile with -lineinfo for those of the source)\n";
  }
  return text;
}

ReportTable line_table(const KernelProfile& kernel, std::size_t most, SourceTexts& texts) {
  const FileNames names(kernel);
  const PcCounts total = kernel.total();
  const std::vector<LineProfile> all = lines_of(kernel), shown = hottest(all, most);
  const bool timed = kernel.cycles != 0;
  ReportTable table{"lines", "", line_columns(timed ? "cycles" : "issues"), {}};
  std::set<std::string> unread;
  for (const LineProfile& line : shown) {
    const PcCounts& counts = line.counts;
    std::string text = texts.at(line.file, line.line);
    if (line.line != 0 && !texts.has(line.file)) {
      text = line.opcodes;
      if (kernel.has_source_lines()) unread.insert(line.file);
    }
    const bool accesses = timed && line.accesses;
    table.rows.push_back(
        {{names.at(line.file, line.line), readable_kernel(kernel.name), kernel.name, line.file, number(line.line),
          number(heat(counts)), share(heat(counts), heat(total)), number(counts.issued),
          ratio(counts.lanes, counts.issued), number(counts.lost), share(counts.lost, total.lost),
          line.branches ? number(counts.divergent) : Cell(), accesses ? ratio(counts.lines, counts.accesses) : Cell(),
          accesses ? ratio(counts.conflicts, counts.accesses) : Cell(), longest_wait(counts), text}});
  }
  table.footer = line_remarks(kernel, all, shown, unread);
  return table;
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

std::vector<ReportTable> profile_tables(const std::vector<KernelProfile>& kernels, unsigned lines) {
  std::uint64_t cycles = 0;
  for (const KernelProfile& kernel : kernels) cycles += kernel.cycles;
  SourceTexts texts;
  std::vector<ReportTable> tables;
  for (const KernelProfile& kernel : kernels) {
    ReportTable branches = branch_table(kernel, lines), hot = line_table(kernel, lines, texts);
    branches.audience = hot.audience = kPeople;
    branches.title = kernel_header(kernel, cycles);
    if (branches.rows.empty()) {
      hot.title = branches.title + (branches.footer.empty() ? "" : "\n" + branches.footer);
    } else {
      tables.push_back(std::move(branches));
    }
    tables.push_back(std::move(hot));
  }
  // Programs get all of all kernels.
  constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
  ReportTable all_lines{"lines", "", line_columns(""), {}, "", kPrograms};
  ReportTable all_branches{"branches", "", {}, {}, "", kPrograms};
  for (const KernelProfile& kernel : kernels) {
    for (Row& row : line_table(kernel, kWhole, texts).rows) all_lines.rows.push_back(std::move(row));
    ReportTable branches = branch_table(kernel, kWhole);
    all_branches.columns = branches.columns;
    for (Row& row : branches.rows) all_branches.rows.push_back(std::move(row));
  }
  tables.push_back(std::move(all_lines));
  tables.push_back(std::move(all_branches));
  return tables;
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
