// SPDX-License-Identifier: Apache-2.0
// `warpfold area`: what structures and mechanisms cost.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tb/sim/area_core.h"
#include "tb/sim/area_papers.h"
#include "tb/sim/area_tables.h"
#include "tb/sim/commands.h"
#include "tb/sim/output.h"
#include "tb/sim/report.h"
#include "warpfold/area/points.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

CostSettings settings_of(const AreaCommand& command) { return {command.node, command.lib, command.lib_node}; }

std::vector<CostedSubject> costed(std::vector<AreaSubject> subjects, const AreaCommand& command) {
  std::vector<divergence::Hardware> hardware;
  std::vector<std::string> labels;
  for (const AreaSubject& subject : subjects) {
    hardware.push_back(subject.hardware);
    labels.push_back(subject.label);
  }
  for (const AreaSubject& subject : subjects) {
    hardware.push_back(command.core ? subject.core : divergence::Hardware());
    labels.push_back(subject.options.machine_name);
  }
  const std::vector<HardwareCost> costs = cost_of(hardware, labels, settings_of(command));
  std::vector<CostedSubject> all;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    all.push_back({std::move(subjects[i]), costs[i], costs[subjects.size() + i]});
  }
  return all;
}

// What has to be known to read the tables.
std::vector<std::string> notes_of(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  std::set<std::string> missing, libraries;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      if (block.missing()) continue;
      libraries.insert(fmt::format("library {}: taken for {:.0f} nm ({})", block.synthesis.library,
                                   library_node(block.synthesis, settings),
                                   settings.lib_node_nm > 0 ? "--lib-node" : "--lib-node NM says otherwise"));
    }
    for (const HardwareCost* cost : {&one.cost, &one.core}) {
      for (const divergence::UnknownLogic& unknown : cost->unknown) {
        missing.insert(fmt::format("logic without {}: {}", unknown.what, unknown.reason));
      }
    }
  }
  std::vector<std::string> notes(libraries.begin(), libraries.end());
  notes.insert(notes.end(), missing.begin(), missing.end());
  return notes;
}

Report report_of(const AreaCommand& command) {
  const CostSettings settings = settings_of(command);
  if (command.papers && command.core) return {{}, {published_cores(settings)}};
  if (command.papers) return {{}, paper_tables(settings)};
  std::vector<CostedSubject> subjects = costed(area_subjects(command), command);
  std::vector<ReportTable> tables;
  if (!command.results.empty()) tables.push_back(run_table(subjects, command));
  std::erase_if(subjects, [](const CostedSubject& one) { return !one.subject.trouble.empty(); });
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
  if (!command.points.empty()) {
    deliver(area::read_points(command.points).with_model(), command.out);
  } else {
    deliver(report_of(command), command.output, command.out);
  }
  return 0;
}

}  // namespace warpfold::sim
