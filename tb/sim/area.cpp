// SPDX-License-Identifier: Apache-2.0
// `warpfold area`: what structures and mechanisms cost.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tb/sim/area_papers.h"
#include "tb/sim/area_tables.h"
#include "tb/sim/commands.h"
#include "tb/sim/output.h"
#include "warpfold/area/points.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

CostSettings settings_of(const AreaCommand& command) { return {command.node, command.lib, command.lib_node}; }

std::vector<CostedSubject> costed(std::vector<AreaSubject> subjects, const CostSettings& settings) {
  std::vector<divergence::Hardware> hardware;
  std::vector<std::string> labels;
  for (const AreaSubject& subject : subjects) {
    hardware.push_back(subject.hardware);
    labels.push_back(subject.label);
  }
  const std::vector<HardwareCost> costs = cost_of(hardware, labels, settings);
  std::vector<CostedSubject> all;
  for (std::size_t i = 0; i < subjects.size(); ++i) all.push_back({std::move(subjects[i]), costs[i]});
  return all;
}

// What has to be known to read the tables.
std::vector<std::string> notes_of(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  std::set<std::string> missing, libraries;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      if (block.missing()) {
        missing.insert(fmt::format("logic without {}: {}", block.use.module, block.synthesis.missing));
      } else {
        libraries.insert(fmt::format("library {}: taken for {:.0f} nm ({})", block.synthesis.library,
                                     library_node(block.synthesis, settings),
                                     settings.lib_node_nm > 0 ? "--lib-node" : "--lib-node NM says otherwise"));
      }
    }
  }
  std::vector<std::string> notes(libraries.begin(), libraries.end());
  notes.insert(notes.end(), missing.begin(), missing.end());
  return notes;
}

std::string report_of(const AreaCommand& command) {
  if (!command.points.empty()) return area::read_points(command.points).with_model();
  const CostSettings settings = settings_of(command);
  if (command.markdown && command.json) user_error("--markdown and --json: give one of them");
  ReportFormat format = command.markdown ? ReportFormat::kMarkdown : ReportFormat::kText;
  if (command.json) format = ReportFormat::kJson;
  if (command.papers) return report(paper_tables(settings), {}, format);
  std::vector<CostedSubject> subjects = costed(area_subjects(command), settings);
  std::vector<ReportTable> tables;
  if (!command.results.empty()) tables.push_back(run_table(subjects, command));
  std::erase_if(subjects, [](const CostedSubject& one) { return !one.subject.trouble.empty(); });
  tables.push_back(mechanism_table(subjects, command));
  tables.push_back(block_table(subjects, settings));
  tables.push_back(structure_table(subjects));
  std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
  return report(tables, notes_of(subjects, settings), format);
}

}  // namespace

int area(const AreaCommand& command) {
  deliver(report_of(command), command.out);
  return 0;
}

}  // namespace warpfold::sim
