// SPDX-License-Identifier: Apache-2.0
// `warpfold area`: what structures and mechanisms cost.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "tb/sim/area/area_core.h"
#include "tb/sim/area/area_decisions.h"
#include "tb/sim/area/area_papers.h"
#include "tb/sim/area/area_picture.h"
#include "tb/sim/area/area_tables.h"
#include "tb/sim/commands/commands.h"
#include "tb/sim/console/output.h"
#include "tb/sim/tables/report.h"
#include "warpfold/area/points.h"
#include "warpfold/common/error.h"
#include "warpfold/common/number.h"

namespace warpfold::sim {
namespace {

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream words(list);
  for (std::string part; std::getline(words, part, ',');) parts.push_back(part);
  return parts;
}

// "1300MHz" or "0.8ns", in ns.
double clock_ns(const std::string& text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(rest, text.data() + text.size());
  if (error != std::errc() || !(number > 0) || !std::isfinite(number) || (unit != "MHz" && unit != "ns")) {
    user_error("--clock {}: wanted a frequency or a time, such as 1300MHz or 0.8ns", text);
  }
  return unit == "ns" ? number : 1000 / number;
}

// "180,45": a number for each library.
std::vector<double> nodes_in(const std::string& list, std::size_t libraries) {
  std::vector<double> nodes;
  for (const std::string& word : parts_of(list)) {
    const auto node = number_in<double>(word);
    if (!node || !(*node >= area::kFinestLogic && *node <= area::kCoarsestLogic)) {
      user_error("--lib-node {}: wanted nm from {} to {}", word, area::kFinestLogic, area::kCoarsestLogic);
    }
    nodes.push_back(*node);
  }
  if (nodes.size() != libraries)
    user_error("--lib-node {}: wanted one for each of {} libraries of --lib and --pdk", list, libraries);
  return nodes;
}

CostSettings settings_of(const AreaCommand& command) {
  CostSettings settings;
  settings.process = {command.node, command.fo4, command.nand2};
  for (const std::string& one : command.libs) {
    // A file may have a comma in its name.
    for (const std::string& name : std::filesystem::exists(one) ? std::vector{one} : parts_of(one)) {
      settings.libraries.push_back(name);
    }
  }
  for (const std::string& kit : command.pdks) settings.libraries.push_back(library_of_pdk(kit));
  if (!command.lib_nodes.empty()) settings.library_nodes = nodes_in(command.lib_nodes, settings.libraries.size());
  if (!command.clock.empty()) settings.clock_ns = clock_ns(command.clock);
  settings.jobs = command.jobs;
  settings.designs = users_designs(command.rtl);
  return settings;
}

std::vector<CostedSubject> costed(std::vector<AreaSubject> subjects, const CostSettings& settings, bool core) {
  std::vector<divergence::Hardware> hardware;
  std::vector<std::string> labels;
  for (const AreaSubject& subject : subjects) {
    hardware.push_back(subject.hardware);
    labels.push_back(subject.label);
  }
  for (const AreaSubject& subject : subjects) {
    hardware.push_back(core ? subject.core : divergence::Hardware());
    labels.push_back(subject.options.machine_name);
  }
  const std::vector<HardwareCost> costs = cost_of(hardware, labels, settings);
  std::vector<CostedSubject> all;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const LogicEnergy logic = logic_energy(subjects[i], costs[i], settings);
    all.push_back({std::move(subjects[i]), costs[i], costs[subjects.size() + i], logic});
  }
  return all;
}

std::string between(const area::Range& range, double factor, int digits) {
  const std::string low = fmt::format("{:.{}f}", factor * range.low, digits);
  const std::string high = fmt::format("{:.{}f}", factor * range.high, digits);
  return low == high ? low : fmt::format("{}–{}", low, high);
}

// Of a library: its node, what is measured of it, and what that says of the process.
std::string library_note(const MappedBlock& on, const CostSettings& settings) {
  const area::Library& library = on.library;
  const area::Process& process = settings.process;
  return fmt::format(
      "library {}: taken for {:.0f} nm ({}), FO4 {:.1f} ps, NAND2 {:.4g} µm²; at {} nm {} µm²", on.synthesis.library,
      library.node_nm, settings.library_nodes.empty() ? "--lib-node NM says otherwise" : "--lib-node",
      1000 * library.fo4_ns, library.nand2_um2, process.node_nm, between(area::nand2_um2(library, process), 1, 2));
}

// What has to be known to read the tables.
std::vector<std::string> notes_of(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  std::set<std::string> missing, libraries;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      for (const MappedBlock& on : block.mapped) libraries.insert(library_note(on, settings));
    }
    for (const HardwareCost* cost : {&one.cost, &one.core}) {
      for (const divergence::UnknownLogic& unknown : cost->unknown) {
        missing.insert(fmt::format("logic without {}: {}", unknown.what, unknown.reason));
      }
    }
  }
  std::vector<std::string> notes(libraries.begin(), libraries.end());
  if (const double node = modelled_node(settings.process.node_nm); node != settings.process.node_nm) {
    notes.push_back(fmt::format("tables: the storage model ends at {} nm, beyond which they go in proportion", node));
  }
  notes.insert(notes.end(), missing.begin(), missing.end());
  return notes;
}

Report report_of(const AreaCommand& command) {
  const CostSettings settings = settings_of(command);
  if (command.papers && command.core) return {{}, {published_cores(settings)}};
  if (command.papers) return {{}, paper_tables(settings)};
  std::vector<CostedSubject> subjects = costed(area_subjects(command), settings, command.core || command.decide);
  std::vector<ReportTable> tables;
  if (command.decide) tables.push_back(decision_table(subjects));
  if (!command.results.empty()) tables.push_back(run_table(subjects, command));
  std::erase_if(subjects, [](const CostedSubject& one) { return !one.subject.trouble.empty(); });
  if (!command.picture.empty()) deliver(picture_of(subjects, command), command.picture);
  tables.push_back(mechanism_table(subjects, command));
  if (command.core) tables.push_back(core_table(subjects, settings));
  tables.push_back(block_table(subjects, settings));
  tables.push_back(structure_table(subjects));
  std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
  return {notes_of(subjects, settings), tables};
}

}  // namespace

int area(const AreaCommand& command) {
  command.output.format();  // before minutes of synthesis
  if (command.rest >= 0 && !command.core) user_error("--rest: of a chip whose cores have an area: give --core, too");
  if (command.decide && (command.papers || !command.points.empty())) {
    user_error("--decide: between mechanisms: leave {} out", command.papers ? "--papers" : "--points");
  }
  if (!command.points.empty()) {
    deliver(area::read_points(command.points).with_model(), command.out);
  } else {
    deliver(report_of(command), command.output, command.out);
  }
  return 0;
}

}  // namespace warpfold::sim
